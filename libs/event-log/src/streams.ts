import {
  BLOB_BUCKET,
  CONTROL_STREAM,
  DLQ_STREAM,
  ENTRY_STREAM,
  SERVICES_STREAM,
  TIMERS_STREAM,
  streamOf,
} from '@inquest/contracts/subjects';

/** The stream that keeps a subject; `undefined` for subjects that no stream keeps. */
export const streamOfSubject = (subject: string): string | undefined => {
  const dot = subject.indexOf('.');
  switch (subject.slice(0, dot)) {
    case 'diag':
      return streamOf(Number(subject.slice(dot + 1, subject.indexOf('.', dot + 1))));
    case 'tmr':
      return TIMERS_STREAM;
    case 'entry':
      return ENTRY_STREAM;
    case 'svc':
      return SERVICES_STREAM;
    case 'ctl':
      return CONTROL_STREAM;
    case 'dlq':
      return DLQ_STREAM;
    default:
      return undefined;
  }
};

/** The stream behind the object store bucket, as @nats-io/obj names it. */
export const BLOB_STREAM = `OBJ_${BLOB_BUCKET}`;

/** Records the partition count of a log at its creation: the count places every run, so it may never change. */
export const LOG_RECORD_SUBJECT = 'ctl.log';
