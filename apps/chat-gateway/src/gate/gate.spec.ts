import type { CutOver, ServiceAnnounced } from '@inquest/contracts/platform-facts';
import { decideGate, type GateFacts } from './gate';

const at = '2024-05-01T00:00:00Z';
const cutOver: CutOver = { kind: 'CUT_OVER', contractVersion: 1, ruleSet: 'evidence-2', at, by: 'operator' };
const rolledBack: CutOver = { kind: 'ROLLED_BACK', at, by: 'operator' };

const service = (
  change: Partial<ServiceAnnounced> & Pick<ServiceAnnounced, 'service'>,
): ServiceAnnounced => ({
  instance: 'i-1',
  contractVersion: 1,
  version: '0.1.0',
  startedAt: at,
  at,
  ...change,
});
const judge = (healthy: boolean) => ({ healthy, model: 'judge', checkedAt: at, why: null });
const evidence = service({ service: 'evidence-guard', ruleSet: 'evidence-2' });
const semantic = service({ service: 'semantic-guard', judge: judge(true) });

const healthy: GateFacts = {
  cutOver,
  legacyConfigured: false,
  services: [evidence, semantic],
  admission: { open: true },
};

describe('H10 cut-over gate', () => {
  it.each<[string, Partial<GateFacts>, string]>([
    ['cut over, guards in order', {}, 'GUARDED'],
    ['cut over, guards in order, an old path configured', { legacyConfigured: true }, 'GUARDED'],
    ['never cut over, an old path configured', { cutOver: null, legacyConfigured: true }, 'LEGACY'],
    [
      'never cut over, an old path configured, guards absent',
      { cutOver: null, legacyConfigured: true, services: [] },
      'LEGACY',
    ],
    ['never cut over, no old path', { cutOver: null }, 'not-cut-over'],
    ['rolled back, an old path configured', { cutOver: rolledBack, legacyConfigured: true }, 'LEGACY'],
    ['rolled back, no old path', { cutOver: rolledBack }, 'not-cut-over'],
    [
      'not read yet, an old path configured',
      { cutOver: undefined, legacyConfigured: true },
      'log-unavailable',
    ],
    ['no guards, an old path configured', { services: [], legacyConfigured: true }, 'guards-unavailable'],
    ['no evidence-guard', { services: [semantic] }, 'guards-unavailable'],
    ['no semantic-guard', { services: [evidence] }, 'guards-unavailable'],
    [
      'another rule set',
      { services: [{ ...evidence, ruleSet: 'evidence-0' }, semantic] },
      'guards-unavailable',
    ],
    ['no rule set', { services: [{ ...evidence, ruleSet: undefined }, semantic] }, 'guards-unavailable'],
    [
      'one old evidence-guard beside a new one',
      { services: [evidence, { ...evidence, instance: 'i-2', ruleSet: 'x' }, semantic] },
      'guards-unavailable',
    ],
    [
      'another contract version',
      { services: [evidence, { ...semantic, contractVersion: 2 }] },
      'guards-unavailable',
    ],
    [
      'a judge that fails its canaries',
      { services: [evidence, { ...semantic, judge: judge(false) }] },
      'guards-unavailable',
    ],
    [
      'a judge that says nothing of its health',
      { services: [evidence, { ...semantic, judge: undefined }] },
      'guards-unavailable',
    ],
    [
      'one healthy judge of two',
      { services: [evidence, semantic, { ...semantic, instance: 'i-2', judge: judge(false) }] },
      'GUARDED',
    ],
    ['a log with too many facts', { admission: { open: false, why: 'subjects' } }, 'log-full'],
    ['a partition that is nearly full', { admission: { open: false, why: 'bytes' } }, 'log-full'],
    [
      'guards that are away and a full log',
      { services: [], admission: { open: false, why: 'bytes' } },
      'guards-unavailable',
    ],
    [
      'a full log before the cut-over',
      { cutOver: null, legacyConfigured: true, admission: { open: false, why: 'bytes' } },
      'LEGACY',
    ],
  ])('%s: %#', (_, change, expected) => {
    const decision = decideGate({ ...healthy, ...change });
    expect(decision.kind === 'REFUSED' ? decision.problem : decision.kind).toBe(expected);
  });

  it('never opens the old path after the cut-over, whatever the guards and the log do', () => {
    for (const services of [[], [evidence], [semantic], [evidence, semantic]]) {
      for (const admission of [{ open: true }, { open: false, why: 'bytes' }] as const) {
        expect(decideGate({ cutOver, legacyConfigured: true, services, admission }).kind).not.toBe('LEGACY');
      }
    }
  });
});
