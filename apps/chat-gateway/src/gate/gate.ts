import type { CutOver, ServiceAnnounced } from '@inquest/contracts/platform-facts';
import type { ProblemKind } from '@inquest/contracts/problem';
import { typedCommand } from '@inquest/contracts/typed-command';
import type { Admission } from '@inquest/event-log/stream-state';

export type GateFacts = {
  /** `null`: never cut over. `undefined`: not read yet. */
  cutOver: CutOver | null | undefined;
  legacyConfigured: boolean;
  /** Announcements of the last 30 s. */
  services: readonly ServiceAnnounced[];
  /** As of the last look at the partitions. */
  admission: Admission;
};

export type Refusal = { kind: 'REFUSED'; problem: ProblemKind; detail: string; retryAfterS?: number };
export type GateDecision = { kind: 'GUARDED' } | { kind: 'LEGACY' } | Refusal;

/** Why the guards may not be relied on; `undefined` when they may. Fails closed: one incompatible instance is enough. */
export const guardsProblem = (
  { contractVersion, ruleSet }: { contractVersion: number; ruleSet: string },
  services: readonly ServiceAnnounced[],
): string | undefined => {
  const evidence = services.filter(({ service }) => service === 'evidence-guard');
  const semantic = services.filter(({ service }) => service === 'semantic-guard');
  if (evidence.length === 0) return 'No evidence-guard is announced.';
  if (semantic.length === 0) return 'No semantic-guard is announced.';
  if ([...evidence, ...semantic].some((guard) => guard.contractVersion !== contractVersion)) {
    return `A guard speaks another contract version than ${contractVersion}.`;
  }
  if (evidence.some((guard) => guard.ruleSet !== ruleSet))
    return `An evidence-guard runs another rule set than ${ruleSet}.`;
  if (!semantic.some(({ judge }) => judge?.healthy)) return 'The judge does not pass its canaries.';
  return undefined;
};

const FULL = {
  subjects: 'The log is close to the number of facts that it may hold.',
  bytes: 'A partition of the log is close to its size.',
} as const;

/**
 * Which way a new question goes. Once cut over, the old path is closed whatever happens, until an operator rolls back:
 * a guard that is absent, incompatible or unhealthy stops the entry and never widens it.
 */
export const decideGate = ({ cutOver, legacyConfigured, services, admission }: GateFacts): GateDecision => {
  if (cutOver === undefined) {
    return {
      kind: 'REFUSED',
      problem: 'log-unavailable',
      detail: 'The state of the cut-over is not known yet.',
      retryAfterS: 2,
    };
  }
  if (cutOver === null || cutOver.kind === 'ROLLED_BACK') {
    return legacyConfigured
      ? { kind: 'LEGACY' }
      : {
          kind: 'REFUSED',
          problem: 'not-cut-over',
          detail: `An operator switches the guarded entry on: ${typedCommand('cutover')}`,
        };
  }
  const guards = guardsProblem(cutOver, services);
  if (guards)
    return {
      kind: 'REFUSED',
      problem: 'guards-unavailable',
      detail: `${guards} Nothing is released meanwhile.`,
      retryAfterS: 5,
    };
  if (!admission.open)
    return { kind: 'REFUSED', problem: 'log-full', detail: FULL[admission.why], retryAfterS: 30 };
  return { kind: 'GUARDED' };
};
