import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { canonicalJson } from '@inquest/contracts/canonical-json';
import { z } from 'zod';
import { SourceFailure } from '../incident-source';

export const SNAPSHOT_FILE = 'tool_cache.json';
const FILE_BYTES_MAX = 64 * 1024 * 1024;

const Cache = z.record(
  z.string(),
  z.union([z.string(), z.record(z.string(), z.unknown()), z.array(z.unknown())]),
);
const KEY = /^(\w+):(\{[\s\S]*\})$/;

export type Answer = string | Record<string, unknown> | unknown[];
export type Arguments = Record<string, string | number | boolean>;

/** The answers of one recorded cluster, by tool and arguments. What was not recorded is undefined and never an empty answer. */
export class RecordedAnswers {
  private readonly byCall = new Map<string, Answer>();
  private readonly byTool = new Map<string, { args: Arguments; answer: Answer }[]>();

  constructor(
    cache: z.infer<typeof Cache>,
    /** When the answers were recorded, as the file says it: local time without a zone. */
    readonly recordedAt: string,
  ) {
    for (const [key, answer] of Object.entries(cache)) {
      const [, tool = '', text] = KEY.exec(key) ?? [];
      if (text === undefined) continue;
      const args = JSON.parse(text) as Arguments;
      this.byCall.set(`${tool} ${canonicalJson(args)}`, answer);
      this.byTool.set(tool, [...(this.byTool.get(tool) ?? []), { args, answer }]);
    }
  }

  find(tool: string, args: Arguments): Answer | undefined {
    return this.byCall.get(`${tool} ${canonicalJson(args)}`);
  }

  /** @throws SourceFailure for a call that nobody recorded */
  get(tool: string, args: Arguments): Answer {
    const answer = this.find(tool, args);
    if (answer === undefined) throw notRecorded(tool);
    return answer;
  }

  /** Every recorded call of a tool. */
  of(tool: string): readonly { args: Arguments; answer: Answer }[] {
    return this.byTool.get(tool) ?? [];
  }
}

export const notRecorded = (what: string): SourceFailure =>
  new SourceFailure('SOURCE_FAILED', `the snapshot holds no recorded answer of ${what}`);

const FAILED = /^Error(?: from server)?\b/;
const NOT_FOUND = /^Error from server \(NotFound\)/;

/** Whether the recorded call had failed itself, other than by finding nothing. */
export const isFailure = (text: string): boolean => FAILED.test(text) && !NOT_FOUND.test(text);

/** The text of a printed answer; null where the recording says that there is no such thing. */
export const printed = (answer: Answer): string | null => {
  if (typeof answer !== 'string') throw new SourceFailure('RESULT_UNUSABLE', 'a recorded answer is no text');
  if (NOT_FOUND.test(answer)) return null;
  if (isFailure(answer)) throw new SourceFailure('SOURCE_FAILED', 'the recorded call had failed itself');
  return answer;
};

export const openRecordedAnswers = async (dir: string): Promise<RecordedAnswers> => {
  const path = join(dir, SNAPSHOT_FILE);
  let text: string;
  try {
    const { size } = await stat(path);
    if (size > FILE_BYTES_MAX) throw new SourceFailure('SOURCE_FAILED', `${SNAPSHOT_FILE} is too large`);
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof SourceFailure) throw error;
    throw new SourceFailure('SOURCE_FAILED', `${SNAPSHOT_FILE} cannot be read`, error);
  }
  try {
    const cache = Cache.parse(JSON.parse(text));
    return new RecordedAnswers(cache, z.string().parse(cache['collection_timestamp']));
  } catch (error) {
    throw new SourceFailure('RESULT_UNUSABLE', `${SNAPSHOT_FILE} is no recording of tool answers`, error);
  }
};
