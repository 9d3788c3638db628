export {
  ARGUMENTS_CHARS_MAX,
  AgentMode,
  ProposedCall,
  TurnRef,
  agentRequested,
  agentResult,
  callLease,
  routerRequested,
  routerResult,
} from './agent-facts';
export type { AgentRequested, AgentResult, CallLease, RouterRequested, RouterResult } from './agent-facts';
export { Attention, RULE_SET, evidenceRequested, evidenceResult } from './evidence-facts';
export type { EvidenceRequested, EvidenceResult } from './evidence-facts';
export {
  QUESTION_CHARS_MAX,
  cancelRequested,
  runRequested,
  streamAttached,
  streamDisconnected,
} from './inbound-facts';
export type { CancelRequested, RunRequested, StreamAttached, StreamDisconnected } from './inbound-facts';
export {
  ItemVerdict,
  ReasonCode,
  ReviewItem,
  Snapshot,
  SnapshotEvidence,
  semanticRequested,
  semanticResult,
} from './semantic-facts';
export type { SemanticRequested, SemanticResult } from './semantic-facts';
export { ragRequested, ragResult, toolRequested, toolResult } from './tool-facts';
export type { RagRequested, ToolRequested } from './tool-facts';
export { Violation } from './violation';
