import { cutOver, type CutOver } from '@inquest/contracts/platform-facts';
import { CUT_OVER_SUBJECT } from '@inquest/contracts/subjects';
import { readControl, writeControl } from '@inquest/event-log/control';
import type { EventLog } from '@inquest/event-log/event-log';
import { messageOf } from '@inquest/event-log/message';

/** The gate's last fact; `undefined` before the first cut-over. */
export const readCutOver = async (log: EventLog): Promise<CutOver | undefined> => {
  const last = await readControl(log, CUT_OVER_SUBJECT);
  return last && cutOver.schema.parse(last.data);
};

/** Appends to the gate. CONFLICT: somebody else decided in between; look again. */
export const writeCutOver = async (log: EventLog, fact: CutOver): Promise<'WRITTEN' | 'CONFLICT'> => {
  const last = await readControl(log, CUT_OVER_SUBJECT);
  const frame = { subject: CUT_OVER_SUBJECT, type: cutOver.type, source: 'operator', time: fact.at };
  const result = await writeControl(
    log,
    CUT_OVER_SUBJECT,
    messageOf(frame, cutOver.schema.parse(fact)),
    last?.seq ?? 0,
  );
  return result.kind === 'APPENDED' ? 'WRITTEN' : 'CONFLICT';
};
