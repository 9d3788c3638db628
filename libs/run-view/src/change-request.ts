import {
  MISSING_TEXT,
  type ChangeRequest,
  type CodingTask,
  type MissingInformation,
} from '@inquest/contracts/change-request';
import type { Coordinates } from '@inquest/contracts/case-parts';
import type { Analysis, DiagnosisDraft } from '@inquest/contracts/draft';
import type { AcceptedDiagnosis } from './accepted-diagnosis';
import { invalidTask } from './coding-task';

const missing = (what: MissingInformation['what'], service: string | null = null): MissingInformation => ({
  what,
  service,
  text: MISSING_TEXT[what],
});

type Status = CodingTask['conclusion'];
const nameCause = ({ conclusion }: DiagnosisDraft): Status | undefined =>
  conclusion.status === 'ROOT_CAUSE_IDENTIFIED' || conclusion.status === 'PROBABLE_CAUSE'
    ? conclusion.status
    : undefined;

/** The cause that the conclusion rests on. */
const causeOf = ({ conclusion, analyses }: DiagnosisDraft): Analysis | undefined =>
  analyses.find(({ id, kind }) => kind === 'CAUSE' && conclusion.analysisIds.includes(id));

/** In the order of the report: names that its cause is bound to by evidence, then those that it ranks. */
const servicesOf = ({ candidates = [] }: DiagnosisDraft, cause: Analysis): string[] => [
  ...new Set([
    ...(cause.entities ?? [])
      .filter(({ type }) => type === 'service' || type === 'workload')
      .map(({ name }) => name),
    ...(cause.scope?.service === undefined ? [] : [cause.scope.service]),
    ...[...candidates]
      .filter(({ analysisId }) => analysisId === cause.id)
      .sort((a, b) => a.rank - b.rank)
      .map(({ object }) => object),
  ]),
];

type Found<Value> = { value: Value } | { missing: MissingInformation };

const targetOf = (services: readonly string[], coordinates: readonly Coordinates[]): Found<Coordinates> => {
  const [first] = services;
  if (first === undefined) return { missing: missing('SERVICE') };
  const places = coordinates.filter(({ service }) => services.includes(service));
  const [place] = places;
  if (!place) return { missing: missing('COORDINATES', first) };
  const another = places.find(
    ({ service, repository, path }) =>
      service !== place.service || repository !== place.repository || path !== place.path,
  );
  return another ? { missing: missing('ONE_PLACE', place.service) } : { value: place };
};

const wantedOf = ({ recommendations }: DiagnosisDraft, cause: Analysis): Found<CodingTask['wanted']> => {
  const wanted = recommendations
    .filter(({ analysisIds }) => analysisIds.includes(cause.id))
    .map(({ id, text }) => ({ id, text }));
  return wanted.length === 0 ? { missing: missing('WANTED_CHANGE') } : { value: wanted };
};

const isMissing = (found: Found<unknown>): found is { missing: MissingInformation } => 'missing' in found;

/**
 * The Change Request of an accepted diagnosis (E8): a coding task where cause, place and wanted change are known, and
 * otherwise everything that is missing for one. Whatever comes of it is a document; nothing is carried out.
 */
export const changeRequestOf = (diagnosis: AcceptedDiagnosis): ChangeRequest => {
  const { caseId, ref, snapshotHash, reportHash, report, coordinates } = diagnosis;
  const conclusion = nameCause(report);
  const cause = causeOf(report);
  if (!conclusion || !cause) return { issued: null, missing: [missing('CAUSE')] };
  const target = targetOf(servicesOf(report, cause), coordinates);
  const wanted = wantedOf(report, cause);
  if (isMissing(target) || isMissing(wanted)) {
    return { issued: null, missing: [target, wanted].filter(isMissing).map((found) => found.missing) };
  }
  const { path, ref: version } = target.value;
  const task: CodingTask = {
    schema: 'inquest.coding-task.v1',
    caseId,
    diagnosis: ref,
    snapshotHash,
    reportHash,
    conclusion,
    target: target.value,
    cause: { analysisId: cause.id, text: cause.text, toolCallIds: cause.toolCallIds },
    wanted: wanted.value,
    unknown: [...(path === null ? (['PATH'] as const) : []), ...(version === null ? (['REF'] as const) : [])],
  };
  const invalid = invalidTask(task, diagnosis);
  return invalid.length === 0
    ? { issued: task }
    : { issued: null, missing: [...new Set(invalid)].map((what) => missing(what, target.value.service)) };
};
