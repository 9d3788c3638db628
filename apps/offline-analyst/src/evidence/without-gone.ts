import type { ToolAnswer } from '../conversation/conversation';
import type { SystemEvent, SystemObject } from './view';

/** What controllers make and remove; its events stay for an hour, and tell of a state that is over. */
const MADE = new Set(['Pod', 'ReplicaSet']);

/** Whether an answer lists every object of a kind, in every namespace that it shows. */
export const listsAll = (
  { tool, args, meta }: Pick<ToolAnswer, 'tool' | 'args' | 'meta'>,
  kind: string,
): boolean =>
  tool === 'list_objects' &&
  meta.status === 'READY' &&
  meta.evidenceStatus === 'EVIDENCE_FOUND' &&
  ![meta.limitHit, meta.truncated, meta.partial].includes(true) &&
  args.name_contains === undefined &&
  (args.kind === undefined || args.kind === kind);

/** Without the events of pods and replica sets that are not there any more, where the lists show that. */
export const withoutGone = (
  events: readonly SystemEvent[],
  objects: readonly SystemObject[],
  answers: readonly ToolAnswer[],
): SystemEvent[] => {
  const listed = new Set([...MADE].filter((kind) => answers.some((answer) => listsAll(answer, kind))));
  const names = new Set(objects.map(({ kind, name }) => `${kind}/${name}`));
  const seen = new Set(objects.map(({ kind, namespace }) => `${kind}/${namespace ?? ''}`));
  return events.filter(
    ({ object: { kind, name, namespace } }) =>
      !listed.has(kind) || !seen.has(`${kind}/${namespace ?? ''}`) || names.has(`${kind}/${name}`),
  );
};
