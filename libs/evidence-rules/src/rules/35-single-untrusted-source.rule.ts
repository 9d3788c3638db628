import type { Analysis } from '@inquest/contracts/draft';
import type { LedgerView } from '../ledger-view';
import type { Finding, Rule } from '../rule';

/** Whether a pointer lies at or below a path in which `*` stands for any index. */
const isBelow = (pointer: string, path: string): boolean => {
  const [segments, pattern] = [pointer.split('/'), path.split('/')];
  return (
    pattern.length <= segments.length && pattern.every((part, i) => part === '*' || part === segments[i])
  );
};

const isUntrusted = (ledger: LedgerView, toolCallId: string, path: string): boolean =>
  (ledger.byId.get(toolCallId)?.entry?.untrustedPaths ?? []).some((untrusted) => isBelow(path, untrusted));

/** Places that the analysis names in typed form. A quote without a path names none. */
const placesOf = ({
  facts = [],
  quotes = [],
  derived = [],
}: Analysis): { toolCallId: string; path: string }[] => [
  ...facts,
  ...quotes.flatMap(({ toolCallId, path }) => (path === undefined ? [] : [{ toolCallId, path }])),
  ...derived.flatMap(({ operands }) => operands),
];

export const singleUntrustedSource: Rule = {
  id: '35 SINGLE_UNTRUSTED_SOURCE',
  meaning:
    'A cause that rests on text alone which a third party can write, such as a log line, may be what that party wants read.',
  severity: 'SOFT',
  *check({ reading, ledger }): Generator<Finding> {
    for (const [i, analysis] of (reading.diagnosis?.analyses ?? []).entries()) {
      if (analysis.kind !== 'CAUSE') continue;
      const places = placesOf(analysis);
      if (
        places.length === 0 ||
        !places.every(({ toolCallId, path }) => isUntrusted(ledger, toolCallId, path))
      )
        continue;
      yield {
        path: `/analyses/${i}`,
        analysisId: analysis.id,
        message: 'rests on text alone that a third party can write',
      };
    }
  },
};
