import { ruleTables, type Example } from '../test/rule-tables';
import type { GuardInput } from './guard-input';
import { leavesOf, resolvePointer } from './json-pointer';

const tables = ruleTables();
const failing = tables.flatMap(({ rule, fails }) =>
  fails.flatMap((example) =>
    example.input ? [{ name: `${rule.id}: ${example.name}`, example, input: example.input }] : [],
  ),
);

const documents = ({ ledger }: GuardInput): Map<string, unknown> =>
  new Map(
    ledger.flatMap((record): [string, unknown][] => {
      if (record.kind !== 'RESULT') return [];
      try {
        return [[record.entry.toolCallId, JSON.parse(record.projection)]];
      } catch {
        return [];
      }
    }),
  );

/** What a tool said and nobody else did: no id, no name of a call, nothing that the draft says itself. */
const valuesOnlyTheLedgerHas = (input: GuardInput): string[] => {
  const known = `${input.draftText} ${JSON.stringify(input.ledger.map((record) => (record.kind === 'RESULT' ? { ...record.entry, projection: 0 } : record)))}`;
  return [...documents(input).values()].flatMap((document) =>
    [...leavesOf(document)].flatMap(({ value }) => {
      const text = typeof value === 'string' || typeof value === 'number' ? String(value) : '';
      return text.length >= 3 && !known.includes(text) ? [text] : [];
    }),
  );
};

const findingsOf = ({ findings }: Example) => findings;

describe('what every finding of every table says', () => {
  it.each(failing)('$name: its candidates are places of the call that it names', ({ example, input }) => {
    const of = documents(input);
    for (const { candidates = [], toolCallId } of findingsOf(example)) {
      if (candidates.length === 0) continue;
      expect(of.has(toolCallId ?? '')).toBe(true);
      for (const pointer of candidates)
        expect({ pointer, found: resolvePointer(of.get(toolCallId ?? ''), pointer).found }).toEqual({
          pointer,
          found: true,
        });
    }
  });

  it.each(failing)('$name: it holds no value that only a tool has said', ({ example, input }) => {
    const secrets = valuesOnlyTheLedgerHas(input);
    for (const { message } of findingsOf(example))
      expect(
        secrets.filter((value) =>
          new RegExp(`(?<![\\w.])${value.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?![\\w.])`, 'u').test(
            message,
          ),
        ),
      ).toEqual([]);
  });
});
