import type { FactContract } from './define-fact';
import {
  canaryRecorded,
  cutOver,
  entryAnswer,
  entryCancel,
  entryRequest,
  serviceAnnounced,
  wakeUp,
} from './platform-facts';
import { caseDecision } from './case-decision';
import {
  caseRequested,
  evaluatorRequested,
  evaluatorResult,
  investigatorRequested,
  investigatorResult,
} from './case-facts';
import { runDecision } from './run-decision';
import { agentRequested, agentResult, callLease, routerRequested, routerResult } from './agent-facts';
import { evidenceRequested, evidenceResult } from './evidence-facts';
import { cancelRequested, runRequested, streamAttached, streamDisconnected } from './inbound-facts';
import { semanticRequested, semanticResult } from './semantic-facts';
import { ragRequested, ragResult, toolRequested, toolResult } from './tool-facts';

/** Every message contract of version 1, in the order of `docs/events.md`. */
export const CATALOGUE: readonly FactContract[] = [
  entryRequest,
  entryCancel,
  entryAnswer,
  runRequested,
  cancelRequested,
  streamAttached,
  streamDisconnected,
  runDecision,
  routerRequested,
  routerResult,
  agentRequested,
  agentResult,
  toolRequested,
  toolResult,
  ragRequested,
  ragResult,
  evidenceRequested,
  evidenceResult,
  semanticRequested,
  semanticResult,
  callLease,
  caseRequested,
  caseDecision,
  investigatorRequested,
  investigatorResult,
  evaluatorRequested,
  evaluatorResult,
  wakeUp,
  serviceAnnounced,
  cutOver,
  canaryRecorded,
];
