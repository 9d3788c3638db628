/** A JSON object of a draft, of whatever shape: the repair also meets drafts that fit no schema. */
export type Node = { [key: string]: unknown };

export const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
