import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import {
  Alert,
  Dependency,
  IncidentEvent,
  IncidentManifest,
  IncidentObject,
  LogLine,
  MetricSeries,
} from './incident-format';
import { SourceFailure } from './incident-source';

/** Larger files are refused: they are read whole. */
const FILE_BYTES_MAX = 64 * 1024 * 1024;

const codeOf = (error: unknown): unknown =>
  typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
const MISSING: readonly unknown[] = ['ENOENT', 'ENOTDIR'];
const DENIED: readonly unknown[] = ['EACCES', 'EPERM'];

const readText = async (path: string, file: string): Promise<string | undefined> => {
  try {
    const { size } = await stat(path);
    if (size > FILE_BYTES_MAX)
      throw new SourceFailure('SOURCE_FAILED', `${file} is larger than ${FILE_BYTES_MAX} bytes`);
    return await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof SourceFailure) throw error;
    if (MISSING.includes(codeOf(error))) return undefined;
    throw new SourceFailure(
      DENIED.includes(codeOf(error)) ? 'ACCESS_DENIED' : 'SOURCE_FAILED',
      `${file} cannot be read`,
      error,
    );
  }
};

const parse = <T>(schema: z.ZodType<T>, text: string, file: string): T => {
  try {
    return schema.parse(JSON.parse(text));
  } catch (error) {
    throw new SourceFailure('RESULT_UNUSABLE', `${file} is not what the incident format says`, error);
  }
};

const parseLines = (text: string, file: string): LogLine[] => {
  const rows = text.split('\n').filter((line) => line.trim() !== '');
  return parse(z.array(LogLine), `[${rows.join(',')}]`, file);
};

/**
 * The files of one folder, each read and checked once, at its first use. The list of names is fixed: nothing that a
 * request says becomes part of a path, and `truth.json` is not among them.
 */
export const openIncidentFolder = (dir: string) => {
  const cache = new Map<string, Promise<unknown>>();

  const once = <T>(file: string, convert: (text: string) => T): (() => Promise<T | undefined>) => {
    return () => {
      const known = cache.get(file);
      if (known) return known as Promise<T | undefined>;
      const reading = readText(join(dir, file), file).then((text) =>
        text === undefined ? undefined : convert(text),
      );
      cache.set(file, reading);
      // A failure is not remembered: the file may be there at the next question.
      reading.catch(() => cache.delete(file));
      return reading;
    };
  };
  const json = <T>(file: string, schema: z.ZodType<T>) => once(file, (text) => parse(schema, text, file));
  /** A file that must be there. Without it the source cannot say that there is nothing. */
  const required =
    <T>(file: string, read: () => Promise<T | undefined>) =>
    async (): Promise<T> => {
      const content = await read();
      if (content === undefined) throw new SourceFailure('SOURCE_FAILED', `${file} is missing`);
      return content;
    };
  const requiredJson = <T>(file: string, schema: z.ZodType<T>) => required(file, json(file, schema));

  return {
    manifest: requiredJson('incident.json', IncidentManifest),
    objects: requiredJson('objects.json', z.array(IncidentObject)),
    /** Undefined where there is no such file: objects can be described without events, and the answer says so. */
    events: json('events.json', z.array(IncidentEvent)),
    logs: required(
      'logs.ndjson',
      once('logs.ndjson', (text) => parseLines(text, 'logs.ndjson')),
    ),
    metrics: requiredJson('metrics.json', z.array(MetricSeries)),
    alerts: requiredJson('alerts.json', z.array(Alert)),
    dependencies: requiredJson('dependencies.json', z.array(Dependency)),
  };
};
export type IncidentFolder = ReturnType<typeof openIncidentFolder>;
