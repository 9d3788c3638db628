import type { CutOver } from '@inquest/contracts/platform-facts';
import { CUT_OVER_SUBJECT } from '@inquest/contracts/subjects';
import { messageOf } from '@inquest/event-log/message';
import { InMemoryEventLog } from '@inquest/testing/in-memory-event-log';
import { EntryGate, OPEN_FOR_MS } from './entry-gate';

const AT = '2026-03-04T10:00:00Z';
const CUT_OVER: CutOver = {
  kind: 'CUT_OVER',
  contractVersion: 1,
  ruleSet: 'evidence-2',
  at: AT,
  by: 'operator',
};
const ROLLED_BACK: CutOver = { kind: 'ROLLED_BACK', at: AT, by: 'operator' };

describe('H10 the harness looks at the cut-over itself', () => {
  let nowMs: number;
  let log: InMemoryEventLog;
  let gate: EntryGate;
  beforeEach(() => {
    nowMs = 0;
    log = new InMemoryEventLog();
    gate = new EntryGate(log, () => nowMs);
  });

  const write = async (fact: unknown): Promise<void> => {
    const last = await log.readLast(CUT_OVER_SUBJECT, 'leader');
    const frame = { subject: CUT_OVER_SUBJECT, type: 'inquest.ctl.cutover.v1', source: 'operator', time: AT };
    await log.append(CUT_OVER_SUBJECT, messageOf(frame, fact), last?.seq ?? 0);
  };

  it('and finds it shut where nobody has cut over', async () => {
    expect(await gate.look()).toBe('SHUT');
  });

  it.each([
    ['a cut-over to this release', CUT_OVER, 'OPEN'],
    ['a cut-over to other rules', { ...CUT_OVER, ruleSet: 'evidence-0' }, 'SHUT'],
    ['a cut-over to other contracts', { ...CUT_OVER, contractVersion: 2 }, 'SHUT'],
    ['a roll-back', ROLLED_BACK, 'SHUT'],
    ['something unreadable', { kind: 'WIDE_OPEN' }, 'SHUT'],
  ])('after %s', async (_, fact, state) => {
    await write(fact);
    expect(await gate.look()).toBe(state);
  });

  it('opens with the cut-over at once, and shuts within a second of a roll-back', async () => {
    expect(await gate.look()).toBe('SHUT');
    await write(CUT_OVER);
    expect(await gate.look()).toBe('OPEN');
    await write(ROLLED_BACK);
    nowMs += OPEN_FOR_MS;
    expect(await gate.look()).toBe('SHUT');
  });
});
