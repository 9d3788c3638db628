const canonical = (text: string): string => text.normalize('NFKC').trim().toLowerCase();

/** Whether two names differ by one character put in, left out or exchanged. Linear. */
const isOneEditApart = (a: string, b: string): boolean => {
  if (Math.abs(a.length - b.length) > 1) return false;
  let head = 0;
  while (head < a.length && a[head] === b[head]) head += 1;
  let tail = 0;
  while (tail < Math.min(a.length, b.length) - head && a[a.length - 1 - tail] === b[b.length - 1 - tail])
    tail += 1;
  return Math.max(a.length, b.length) - head - tail <= 1;
};

const sharedHead = (a: string, b: string): number => {
  let n = 0;
  while (n < a.length && n < b.length && a[n] === b[n]) n += 1;
  return n;
};

const HEAD_SHARE_MIN = 0.6;

/** The known name that was probably meant: equal but for case and spaces, one character off, or with the same beginning. */
export const nearestName = (name: string, known: Iterable<string>): string | null => {
  const wanted = canonical(name);
  let best: { name: string; rank: number } | null = null;
  for (const candidate of known) {
    const other = canonical(candidate);
    const head = sharedHead(wanted, other);
    const isNear = head >= HEAD_SHARE_MIN * Math.max(wanted.length, other.length);
    const rank =
      other === wanted ? 3 : isOneEditApart(wanted, other) ? 2 : isNear ? head / (other.length + 1) : 0;
    if (rank > 0 && rank > (best?.rank ?? 0)) best = { name: candidate, rank };
  }
  return best?.name ?? null;
};
