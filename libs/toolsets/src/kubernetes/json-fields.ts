import type { Json } from '@inquest/contracts/canonical-json';
import type { JsonObject } from '../tool';

/** Answers come from outside: every member is looked at as what it is, and a wrong kind reads as absent. */
export const record = (value: unknown): JsonObject =>
  value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as JsonObject) : {};

export const list = (value: unknown): Json[] => (Array.isArray(value) ? (value as Json[]) : []);

export const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

/** Leaves out what is not there: undefined, empty lists and empty objects. */
export const present = (fields: Record<string, Json | undefined>): JsonObject =>
  Object.fromEntries(
    Object.entries(fields).filter((entry): entry is [string, Json] => {
      const [, value] = entry;
      return (
        value !== undefined &&
        value !== null &&
        !(typeof value === 'object' && Object.keys(value).length === 0)
      );
    }),
  );
