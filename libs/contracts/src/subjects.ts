import { RunId, Step, Token, WorkService } from './ids';

/** Partition count of a new log; the recorded count of an existing one wins and may not change. */
export const PARTITIONS_DEFAULT = 4;

/** 32-bit FNV-1a over the UTF-8 bytes: places a run in its partition. Source: RFC 9923 (draft-eastlake-fnv). */
export const fnv1a = (text: string): number => {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) {
    hash ^= byte;
    hash = Math.imul(hash, 0x01000193) >>> 0;
  }
  return hash;
};

export const partitionOf = (runId: string, partitions: number): number => fnv1a(runId) % partitions;

export const streamOf = (partition: number): string => `DIAG_${partition}`;

export const ENTRY_STREAM = 'DIAG_ENTRY';
export const SERVICES_STREAM = 'DIAG_SVC';
export const TIMERS_STREAM = 'DIAG_TMR';
export const DLQ_STREAM = 'DIAG_DLQ';
export const CONTROL_STREAM = 'DIAG_CTL';
export const BLOB_BUCKET = 'inquest-payloads';

export const CUT_OVER_SUBJECT = 'ctl.cutover';
export const announcementSubject = (service: string, instance: string): string =>
  `svc.${service}.${instance}`;
export const timerSubject = (partition: number, runId: string): string => `tmr.${partition}.${runId}`;
export const entryRequestSubject = (publisher: string, key: string): string =>
  `entry.${publisher}.${key}.request`;
export const entryCancelSubject = (publisher: string, key: string): string =>
  `entry.${publisher}.${key}.cancel`;
/** Published by the gateway for the publisher of an entry: core NATS, no stream keeps it. */
export const entryAnswerSubject = (publisher: string, key: string): string =>
  `entry-answer.${publisher}.${key}`;

export type InKind = 'request' | 'open' | 'cancel' | `attach-${number}` | `disconnect-${number}`;

/** Every subject of one run. `partitions` is the recorded count of the log. */
export const runSubjects = (runId: string, partitions: number) => {
  const partition = partitionOf(runId, partitions);
  const base = `diag.${partition}.${runId}`;
  return {
    partition,
    stream: streamOf(partition),
    in: (kind: InKind) => `${base}.in.${kind}`,
    chain: `${base}.run`,
    caseChain: `${base}.case`,
    req: (service: WorkService, step: Step | string) => `${base}.req.${service}.${step}`,
    call: (service: WorkService, step: Step | string) => `${base}.call.${service}.${step}`,
    res: (service: WorkService, step: Step | string) => `${base}.res.${service}.${step}`,
  };
};
export type RunSubjects = ReturnType<typeof runSubjects>;

export type ParsedSubject = { partition: number; runId: RunId } & (
  | { family: 'in'; kind: string }
  | { family: 'run' }
  | { family: 'case' }
  | { family: 'req' | 'call' | 'res'; service: WorkService; step: Step }
);

/** Reads a `diag.` subject; `undefined` when any token is not one of ours (such a message belongs in the DLQ). */
export const parseSubject = (subject: string): ParsedSubject | undefined => {
  const [root, p, run, family, a, b, ...rest] = subject.split('.');
  const runId = RunId.safeParse(run);
  if (root !== 'diag' || !runId.success || !/^\d{1,3}$/.test(p ?? '') || rest.length > 0) return undefined;
  const at = { partition: Number(p), runId: runId.data };
  if ((family === 'run' || family === 'case') && a === undefined) return { ...at, family };
  if (family === 'in' && b === undefined && Token.safeParse(a).success)
    return { ...at, family, kind: a as string };
  if (family === 'req' || family === 'call' || family === 'res') {
    const service = WorkService.safeParse(a);
    const step = Step.safeParse(b);
    if (service.success && step.success) return { ...at, family, service: service.data, step: step.data };
  }
  return undefined;
};
