import type { Sequence, Step } from '@inquest/contracts/ids';
import type { LedgerEntry } from '@inquest/contracts/ledger';
import type { CancelCause } from '@inquest/contracts/outcome';
import type { PreviousTurn } from '@inquest/contracts/run-decision';
import type { RunLimits } from '@inquest/contracts/run-limits';
import type { AgentResult, RouterResult } from '@inquest/contracts/agent-facts';
import type { EvidenceResult } from '@inquest/contracts/evidence-facts';
import type { RunRequested } from '@inquest/contracts/inbound-facts';
import type { SemanticResult } from '@inquest/contracts/semantic-facts';
import type { z } from 'zod';

/** What reached the harness, with the time as data. */
export type RunCommand = { nowMs: number } & (
  | {
      type: 'StartRun';
      request: RunRequested;
      requestSeq: z.infer<typeof Sequence>;
      limits: RunLimits;
      idMode: 'strict' | 'mint';
      ruleSet: string;
      previousTurn: PreviousTurn;
      /** SHUT: the installation is not cut over to this release, so that no run may begin. */
      gate: 'OPEN' | 'SHUT';
    }
  | ({ type: 'TakeResult'; step: Step; hash: string } & ServiceResult)
  | { type: 'TakeCancel'; cause: CancelCause }
  | { type: 'TakeAttach'; n: number }
  | { type: 'TakeDisconnect'; n: number; atMs: number; graceMs: number }
  | { type: 'PassTime' }
  /** A message of this run could not be processed by any worker and stands in the DLQ. */
  | { type: 'SetAsidePoison' }
  /** After the seal is durable: what was found before it. */
  | { type: 'FinishSealed'; sealedSeq: number; earlierCancel: CancelCause | null }
);
export type RunCommandOf<Type extends RunCommand['type']> = Extract<RunCommand, { type: Type }>;

export type ServiceResult =
  | { service: 'router'; result: RouterResult }
  | { service: 'agent'; result: AgentResult }
  | { service: 'tool' | 'rag'; result: LedgerEntry }
  | { service: 'evidence'; result: EvidenceResult }
  | { service: 'semantic'; result: SemanticResult };
