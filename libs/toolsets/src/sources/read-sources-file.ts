import { readFileSync, statSync } from 'node:fs';
import { dirname, isAbsolute, resolve } from 'node:path';
import { LineCounter, isNode, parseDocument, type Document } from 'yaml';
import type { z } from 'zod';
import { SourcesConfig } from './sources-config';

const BYTES_MAX = 1_048_576;

/** The configuration cannot be used; the message is one line that names file, place and reason, and no value. */
export class SourcesFileInvalid extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'SourcesFileInvalid';
  }
}

const textOf = (path: string): string => {
  try {
    if (statSync(path).size > BYTES_MAX) throw new SourcesFileInvalid(`${path}: is larger than 1 MiB`);
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof SourcesFileInvalid) throw error;
    throw new SourcesFileInvalid(
      `${path}: cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`,
    );
  }
};

/** Where an issue stands: the node itself, or the nearest one above it for a member that is missing. */
const lineOf = (document: Document, lines: LineCounter, path: readonly PropertyKey[]): number => {
  for (let length = path.length; length >= 0; length -= 1) {
    const node = document.getIn(path.slice(0, length).map(String), true);
    if (isNode(node) && node.range) return lines.linePos(node.range[0]).line;
  }
  return 1;
};

const ISSUES_MAX = 3;
const messageOf = (issue: z.core.$ZodIssue): string =>
  issue.code === 'unrecognized_keys'
    ? `has no member ${issue.keys.map((key) => key.slice(0, 64)).join(', ')}`
    : issue.message;

const PATHS = new Set(['dir', 'file', 'caFile', 'kubeconfig']);

/** Relative folders and files are meant from the configuration's own folder. */
const withPathsFrom = (dir: string, value: unknown): unknown => {
  if (Array.isArray(value)) return value.map((item) => withPathsFrom(dir, item));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      PATHS.has(key) && typeof item === 'string' && !isAbsolute(item)
        ? resolve(dir, item)
        : withPathsFrom(dir, item),
    ]),
  );
};

/** An alias without its anchor, and aliases that multiply, are refused by the library, which throws for them. */
const valueOf = (document: Document, path: string): unknown => {
  try {
    return document.toJS({ maxAliasCount: 100 });
  } catch {
    throw new SourcesFileInvalid(`${path}:1: has an alias without its anchor, or too many aliases`);
  }
};

/** Reads and checks a configuration of sources. Throws {@link SourcesFileInvalid}. */
export const readSourcesFile = (path: string): SourcesConfig => {
  const lines = new LineCounter();
  const document = parseDocument(textOf(path), { lineCounter: lines, uniqueKeys: true });
  const [broken] = document.errors;
  if (broken) {
    const at = broken.linePos?.[0];
    throw new SourcesFileInvalid(`${path}:${at?.line ?? 1}: is not valid YAML (${broken.code})`);
  }
  const parsed = SourcesConfig.safeParse(valueOf(document, path));
  if (!parsed.success) {
    const told = parsed.error.issues.slice(0, ISSUES_MAX).map((issue) => {
      const where = issue.path.map(String).join('.') || 'the file';
      return `${path}:${lineOf(document, lines, issue.path)}: ${where} ${messageOf(issue)}`;
    });
    throw new SourcesFileInvalid(told.join('; '));
  }
  return withPathsFrom(dirname(resolve(path)), parsed.data) as SourcesConfig;
};

/** Every environment variable that the configuration takes a secret from. */
export const variablesOf = (config: SourcesConfig): string[] => {
  const names = new Set<string>();
  const walk = (value: unknown): void => {
    if (value === null || typeof value !== 'object') return;
    const members = Object.entries(value);
    const [only] = members;
    if (members.length === 1 && only?.[0] === 'env' && typeof only[1] === 'string') names.add(only[1]);
    else for (const [, item] of members) walk(item);
  };
  walk(config);
  return [...names].sort();
};
