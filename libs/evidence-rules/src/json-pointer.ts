/** RFC 6901. */
export const toPointer = (segments: readonly PropertyKey[]): string =>
  segments.map((s) => `/${String(s).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

export type Resolved = { found: true; value: unknown } | { found: false };

const NOT_FOUND: Resolved = { found: false };

/** Only own members count, and array indices are written without leading zeros, as the RFC wants. */
export const resolvePointer = (document: unknown, pointer: string): Resolved => {
  if (pointer === '') return { found: true, value: document };
  if (!pointer.startsWith('/')) return NOT_FOUND;
  let value = document;
  for (const raw of pointer.slice(1).split('/')) {
    const key = raw.includes('~') ? raw.replaceAll('~1', '/').replaceAll('~0', '~') : raw;
    if (Array.isArray(value)) {
      if (!/^(0|[1-9]\d{0,8})$/.test(key) || Number(key) >= value.length) return NOT_FOUND;
      value = value[Number(key)];
    } else if (value !== null && typeof value === 'object' && Object.hasOwn(value, key)) {
      value = (value as Record<string, unknown>)[key];
    } else {
      return NOT_FOUND;
    }
  }
  return { found: true, value };
};

/** All strings of a document, in its order. Iterative: depth is the author's choice, the stack is ours. */
export const stringsOf = (document: unknown): string[] => {
  const strings: string[] = [];
  const stack: unknown[] = [document];
  while (stack.length > 0) {
    const value = stack.pop();
    if (typeof value === 'string') strings.push(value);
    else if (value !== null && typeof value === 'object') {
      const members = Array.isArray(value) ? value : Object.values(value);
      for (let i = members.length - 1; i >= 0; i -= 1) stack.push(members[i]);
    }
  }
  return strings;
};

const VISITS_MAX = 20_000;
/** A pointer of a draft has 300 characters: what lies deeper than that many segments nobody can point at. */
const DEPTH_MAX = 150;

type Scalar = string | number | boolean | null;
/** A container on the way down, and how far it has been read. */
type Frame = { keys: readonly string[] | null; members: readonly unknown[]; next: number };

const frameOf = (value: object): Frame =>
  Array.isArray(value)
    ? { keys: null, members: value as unknown[], next: 0 }
    : { keys: Object.keys(value), members: Object.values(value), next: 0 };

/**
 * Every scalar of a document with its path, in document order, up to a bound. Reads no further than it is asked to, and keeps
 * no more than the way down.
 */
export function* leavesOf(document: unknown): Generator<{ path: PropertyKey[]; value: Scalar }> {
  const frames: Frame[] = [{ keys: null, members: [document], next: 0 }];
  const path: PropertyKey[] = [];
  for (let visits = 0; visits < VISITS_MAX;) {
    const frame = frames.at(-1);
    if (!frame) return;
    if (frame.next >= frame.members.length) {
      frames.pop();
      path.pop();
      continue;
    }
    const value = frame.members[frame.next];
    const key = frame.keys?.[frame.next] ?? frame.next;
    frame.next += 1;
    visits += 1;
    // The document itself has no key.
    const here = frames.length === 1 ? [] : [key];
    if (value === null || typeof value !== 'object') {
      if (isScalar(value)) yield { path: [...path, ...here], value };
    } else if (frames.length <= DEPTH_MAX) {
      path.push(...here);
      frames.push(frameOf(value));
    }
  }
}

const isScalar = (value: unknown): value is Scalar =>
  value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';

export const CANDIDATES_MAX = 8;
const POINTER_CHARS_MAX = 300;

/** Pointers of the first few scalars that satisfy `wanted`; never their values. */
export const pointersWhere = (
  document: unknown,
  wanted: (value: string | number | boolean | null) => boolean,
): string[] => {
  const pointers: string[] = [];
  for (const leaf of leavesOf(document)) {
    if (!wanted(leaf.value)) continue;
    const pointer = toPointer(leaf.path);
    if (pointer.length <= POINTER_CHARS_MAX) pointers.push(pointer);
    if (pointers.length === CANDIDATES_MAX) break;
  }
  return pointers;
};
