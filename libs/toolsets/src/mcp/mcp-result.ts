import type { Json } from '@inquest/contracts/canonical-json';
import { z } from 'zod';
import { SourceFailure } from '../incident-source';
import { ArgumentsRefused } from '../tool';

const LINES_MAX = 2_000;

const Content = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({ type: z.enum(['image', 'audio']), data: z.string(), mimeType: z.string().default('unknown') }),
  z.object({
    type: z.literal('resource'),
    resource: z.object({
      uri: z.string(),
      mimeType: z.string().optional(),
      text: z.string().optional(),
      blob: z.string().optional(),
    }),
  }),
  z.object({ type: z.literal('resource_link'), uri: z.string(), name: z.string().default('') }),
]);
const Result = z.object({
  content: z.array(z.unknown()).default([]),
  structuredContent: z.record(z.string(), z.unknown()).optional(),
  isError: z.boolean().optional(),
});

/** Bytes of a base64 text. */
const sizeOf = (base64: string): number => Math.floor((base64.length * 3) / 4);

const parsedJson = (text: string): Json | undefined => {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
};

/** A text that is JSON becomes what it says; any other one a row for each of its lines. */
const rowsOfText = (text: string): Json[] => {
  const value = parsedJson(text);
  if (Array.isArray(value)) return value;
  if (value !== undefined) return [value];
  return text.split(/\r?\n/).filter((line) => line.trim() !== '');
};

const rowsOf = (part: unknown): Json[] => {
  const parsed = Content.safeParse(part);
  // A kind of content that came later: named, so that nobody takes it for nothing.
  if (!parsed.success) return [{ content: 'of a kind that cannot be shown' }];
  const content = parsed.data;
  switch (content.type) {
    case 'text':
      return rowsOfText(content.text);
    case 'image':
    case 'audio':
      return [{ content: content.type, mimeType: content.mimeType, bytes: sizeOf(content.data) }];
    case 'resource': {
      const { uri, mimeType = 'unknown', text, blob } = content.resource;
      return text === undefined
        ? [{ content: 'resource', uri, mimeType, bytes: sizeOf(blob ?? '') }]
        : [{ content: 'resource', uri, mimeType }, ...rowsOfText(text)];
    }
    case 'resource_link':
      return [{ content: 'link', uri: content.uri, name: content.name }];
  }
};

/**
 * What a call returned, as rows of untrusted data. A server reports bad arguments and its own failures alike, as an
 * error in words: the words go back to the model, and nothing of it counts as evidence.
 */
export const readResult = (value: unknown): { rows: Json[]; matched: number } => {
  const parsed = Result.safeParse(value);
  if (!parsed.success)
    throw new SourceFailure('RESULT_UNUSABLE', 'the result has another form than the protocol says');
  const { content, structuredContent, isError } = parsed.data;
  const all = structuredContent === undefined ? content.flatMap(rowsOf) : [structuredContent as Json];
  if (isError) {
    const said = all.filter((row): row is string => typeof row === 'string').join(' ');
    throw new ArgumentsRefused(`the server refused the call: ${said.slice(0, 200)}`);
  }
  return { rows: all.slice(0, LINES_MAX), matched: all.length };
};
