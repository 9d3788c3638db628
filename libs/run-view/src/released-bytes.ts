import { sha256 } from '@inquest/contracts/canonical-json';
import { DiagnosisDraft, KnowledgeAnswer } from '@inquest/contracts/draft';
import type { RunView } from '@inquest/contracts/run-view';
import { Snapshot } from '@inquest/contracts/semantic-facts';
import type { Release } from './fold-run';

/** What was found is not what both guards passed: it is shown to nobody. */
export class ReleaseUnverifiable extends Error {
  constructor(runId: string, why: string) {
    super(`the released bytes of ${runId} cannot be shown: ${why}`);
    this.name = 'ReleaseUnverifiable';
  }
}

export type ReleasedPart = Pick<RunView, 'report' | 'answer'>;

type Promised = { runId: string; form: 'REPORT' | 'ANSWER'; reportHash: string };

/** The report or answer of these bytes, if they are the ones that the release names. */
export const verifiedReport = (text: string, { runId, form, reportHash }: Promised): ReleasedPart => {
  if (sha256(text) !== reportHash) throw new ReleaseUnverifiable(runId, 'their hash is not the released one');
  const data: unknown = JSON.parse(text);
  return form === 'REPORT' ? { report: DiagnosisDraft.parse(data) } : { answer: KnowledgeAnswer.parse(data) };
};

/** Opens the snapshot that both guards passed, by its exact text. */
export const verifiedSnapshot = (
  runId: string,
  text: string,
  release: Pick<Release, 'snapshotHash' | 'reportHash'>,
): Snapshot => {
  if (release.snapshotHash === null || sha256(text) !== release.snapshotHash) {
    throw new ReleaseUnverifiable(runId, 'the snapshot’s hash is not the released one');
  }
  const snapshot = Snapshot.parse(JSON.parse(text));
  if (snapshot.runId !== runId) throw new ReleaseUnverifiable(runId, 'the snapshot is of another run');
  if (snapshot.reportHash !== release.reportHash)
    throw new ReleaseUnverifiable(runId, 'the snapshot holds another report');
  return snapshot;
};

/** Every tool call that the released bytes refer to. */
export const citedCalls = ({ report, answer }: ReleasedPart): ReadonlySet<string> => {
  const analyses = report?.analyses ?? [];
  return new Set<string>([
    ...analyses.flatMap(({ toolCallIds }) => toolCallIds),
    ...analyses.flatMap(({ facts = [], quotes = [], entities = [] }) =>
      [...facts, ...quotes, ...entities].map(({ toolCallId }) => toolCallId),
    ),
    ...analyses.flatMap(({ derived = [] }) =>
      derived.flatMap(({ operands }) => operands.map(({ toolCallId }) => toolCallId)),
    ),
    ...(report?.limitations ?? []).flatMap(({ toolCallIds }) => toolCallIds),
    ...(answer?.items ?? []).map(({ toolCallId }) => toolCallId),
  ]);
};
