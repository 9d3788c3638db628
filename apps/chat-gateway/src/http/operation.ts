import type { z } from 'zod';
import type { Scope } from './scopes';

export type Answer = {
  status: number;
  meaning: string;
  schema?: { name: string; schema: z.ZodType };
  contentType?: string;
};

/** One route as a client sees it. The routes themselves are declared in the controllers; a spec keeps the two equal. */
export type Operation = {
  method: 'GET' | 'POST';
  /** With `{parameters}`. */
  path: string;
  summary: string;
  /** Any one of them; empty: public. */
  scopes: readonly Scope[];
  body?: { name: string; schema: z.ZodType; required: boolean };
  query?: z.ZodObject;
  headers?: readonly { name: string; meaning: string }[];
  answers: readonly Answer[];
  problems: readonly number[];
};

export const READERS: readonly Scope[] = ['ask', 'watch', 'operate', 'audit'];
