import { canonicalJson } from '@inquest/contracts/canonical-json';
import { CodingTask } from '@inquest/contracts/change-request';
import type { AcceptedDiagnosis } from './accepted-diagnosis';

/**
 * Text that a program might carry out: a patch, a statement of SQL, a command line. It is recognised by its own
 * grammar and not by its words, so that a sentence about an update or a deletion stays a sentence.
 */
const CARRIED_OUT: readonly RegExp[] = [
  /```|~~~/,
  /^diff --git /m,
  /^@@ -\d+(,\d+)? \+\d+(,\d+)? @@/m,
  /^(---|\+\+\+) [ab]\//m,
  /^\*\*\* (Begin|Update|Add|Delete) /m,
  /\bupdate\s+[\w."]+\s+set\s+[\w."]+\s*=/i,
  /\binsert\s+into\s+[\w."]+\s*(\(|values\b|select\b)/i,
  /\bdelete\s+from\s+[\w."]+\s*(where\b|;|$)/im,
  /\bmerge\s+into\s+[\w."]+\s+using\b/i,
  /\balter\s+system\s+(set|reset)\b/i,
  /\balter\s+(table|role|user|database|index)\s+\S+\s+(add|drop|alter|set|rename|owner)\b/i,
  /\bdrop\s+(table|database|schema|role|view|function)\s+(if\s+exists\s+)?[\w."]+\s*(;|cascade\b|$)/im,
  /\btruncate\s+(table\s+)?[\w."]+\s*(;|cascade\b|$)/im,
  /\bcreate\s+((or\s+replace|unique|temporary)\s+)*(table|index|view|role|user|function|trigger)\s+\S+\s*(on\s+[\w."]+\s*)?(\(|as\b|with\b)/i,
  /\b(grant|revoke)\s+[\w, ]+\s+on\s+\S+\s+(to|from)\s+\w/i,
  /\bselect\s+[\w.]+\s*\(/i,
  /\bselect\s+(\*|[\w.," ]+)\s+from\s+[\w."]+\s*(where\b|limit\b|order\s+by\b|group\s+by\b|join\b|;)/i,
  /\b(kubectl|oc)\s+(apply|create|delete|edit|exec|patch|replace|rollout|scale|set|drain|cordon)\b/i,
  /\bhelm\s+(install|upgrade|rollback|uninstall)\b/i,
  /\bgit\s+(apply|am|checkout|commit|push|revert|reset|cherry-pick)\s+\S/i,
  /\bdocker\s+(run|exec|rm|kill|stop|restart|compose)\s+\S/i,
  /\bsystemctl\s+(start|stop|restart|enable|disable)\s+\S/i,
  /\b(psql|mysql|redis-cli|mongosh?)\s+-/i,
  /\bcurl\s+-/i,
  /\bsudo\s+\w/i,
  /\brm\s+-[rf]/i,
  /(^|[\s;&|])sed\s+-i\b/i,
  /<script\b/i,
];

/** Whether a text contains something that could be applied or run as it stands. */
export const canBeCarriedOut = (text: string): boolean => CARRIED_OUT.some((grammar) => grammar.test(text));

const same = (one: unknown, other: unknown): boolean => canonicalJson(one) === canonicalJson(other);

/**
 * The output validator: what is wrong with a task that is about to leave. It is independent of how the task was made
 * and holds every word of it against the released report and the coordinates that were given.
 */
export const invalidTask = (
  task: unknown,
  { caseId, ref, snapshotHash, reportHash, report, coordinates }: AcceptedDiagnosis,
): ('VALID_DOCUMENT' | 'WANTED_CHANGE_IN_WORDS')[] => {
  const parsed = CodingTask.safeParse(task);
  if (!parsed.success) return ['VALID_DOCUMENT'];
  const { target, cause, wanted, conclusion, unknown, ...names } = parsed.data;
  const analysis = report.analyses.find(({ id }) => id === cause.analysisId);
  const stated =
    same(names, { schema: names.schema, caseId, diagnosis: ref, snapshotHash, reportHash }) &&
    conclusion === report.conclusion.status &&
    coordinates.some((given) => same(given, target)) &&
    analysis?.kind === 'CAUSE' &&
    report.conclusion.analysisIds.includes(analysis.id) &&
    cause.text === analysis.text &&
    same(cause.toolCallIds, analysis.toolCallIds) &&
    wanted.every(({ id, text }) =>
      report.recommendations.some(
        (each) => each.id === id && each.text === text && each.analysisIds.includes(analysis.id),
      ),
    ) &&
    unknown.includes('PATH') === (target.path === null) &&
    unknown.includes('REF') === (target.ref === null);
  return [
    ...(stated ? [] : (['VALID_DOCUMENT'] as const)),
    ...([cause.text, ...wanted.map(({ text }) => text)].some(canBeCarriedOut)
      ? (['WANTED_CHANGE_IN_WORDS'] as const)
      : []),
  ];
};
