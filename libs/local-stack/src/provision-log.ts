import { setTimeout as sleep } from 'node:timers/promises';
import type { NatsConnection } from '@nats-io/transport-node';
import { CONTRACT_VERSION } from '@inquest/contracts/envelope';
import { RULE_SET } from '@inquest/contracts/evidence-facts';
import { serviceAnnounced, type CutOver } from '@inquest/contracts/platform-facts';
import { SERVICES_STREAM, announcementSubject } from '@inquest/contracts/subjects';
import { connectNats } from '@inquest/event-log/connection';
import { askApi } from '@inquest/event-log/js-api';
import type { LogSettings } from '@inquest/event-log/log-settings';
import { NatsEventLog } from '@inquest/event-log/nats-event-log';
import { provision } from '@inquest/event-log/provisioner';
import { readCutOver, writeCutOver } from './cut-over';
import { StackError } from './stack-error';

/** Runs `use` as the operator, the one user that may make streams and write control facts. */
export const asOperator = async <T>(url: string, use: (nc: NatsConnection) => Promise<T>): Promise<T> => {
  const nc = await connectNats({ url, service: 'operator' });
  try {
    return await use(nc);
  } finally {
    await nc.close();
  }
};

export const provisionLog = (operatorUrl: string, wish: Partial<LogSettings> = {}): Promise<unknown> =>
  asOperator(operatorUrl, (nc) => provision(nc, wish));

type StoredAnnouncement = { message: { seq: number; data?: string } };
const ANNOUNCEMENTS_MAX = 64;
/** Who cuts over the embedded default; a person's word is never taken back by it. */
const LOCAL_STACK = 'local-stack';

/** The rule set of the evidence-guard that announced itself last and has not left. */
const newestRuleSet = async (nc: NatsConnection): Promise<string | undefined> => {
  let ruleSet: string | undefined;
  for (let seq = 1, looked = 0; looked < ANNOUNCEMENTS_MAX; looked += 1) {
    const next = { seq, next_by_subj: announcementSubject('evidence-guard', '*') };
    const stored = await askApi<StoredAnnouncement>(nc, `STREAM.MSG.GET.${SERVICES_STREAM}`, next).catch(
      () => undefined,
    );
    if (stored === undefined) break;
    const text = Buffer.from(stored.message.data ?? '', 'base64').toString('utf8');
    const announced = serviceAnnounced.schema.safeParse(text === '' ? undefined : JSON.parse(text)).data;
    if (announced?.leaving === undefined) ruleSet = announced?.ruleSet ?? ruleSet;
    seq = stored.message.seq + 1;
  }
  return ruleSet;
};

/** The same, waited for; `undefined` when none announces itself before the deadline. */
const announcedRuleSet = async (nc: NatsConnection, timeoutMs: number): Promise<string | undefined> => {
  const deadline = performance.now() + timeoutMs;
  while (performance.now() < deadline) {
    const ruleSet = await newestRuleSet(nc);
    if (ruleSet !== undefined) return ruleSet;
    await sleep(25);
  }
  return undefined;
};

/** No evidence-guard says which rule set it runs, so nothing can be cut over to. */
export class NoGuardAnnounced extends StackError {
  constructor() {
    super('no evidence-guard announces its rule set: start the services first (npm start)');
    this.name = 'NoGuardAnnounced';
  }
}

const cutOverTo = async (
  nc: NatsConnection,
  log: NatsEventLog,
  by: string,
  waitMs: number,
): Promise<void> => {
  const ruleSet = await announcedRuleSet(nc, waitMs);
  if (ruleSet === undefined) throw new NoGuardAnnounced();
  const at = new Date().toISOString();
  await writeCutOver(log, { kind: 'CUT_OVER', contractVersion: CONTRACT_VERSION, ruleSet, at, by });
};

const isCurrent = (fact: Extract<CutOver, { kind: 'CUT_OVER' }>): boolean =>
  fact.contractVersion === CONTRACT_VERSION && fact.ruleSet === RULE_SET;

/** What an operator does with the public entry; `look` changes nothing. Returns the fact that then holds. */
export const operateCutOver = (
  operatorUrl: string,
  action: 'look' | 'cut-over' | 'roll-back',
  by: string,
): Promise<CutOver | undefined> =>
  asOperator(operatorUrl, async (nc) => {
    const log = await NatsEventLog.open(nc);
    if (action === 'cut-over') await cutOverTo(nc, log, by, 2_000);
    if (action === 'roll-back')
      await writeCutOver(log, { kind: 'ROLLED_BACK', at: new Date().toISOString(), by });
    return readCutOver(log);
  });

/**
 * The embedded default: the first healthy start is the cut-over, and a start with newer rules renews its own. A fact
 * that somebody else wrote, and any roll-back, is an operator's word and stays. Returns whether the gate stands open.
 */
export const cutOverOnce = (operatorUrl: string): Promise<boolean> =>
  asOperator(operatorUrl, async (nc) => {
    const log = await NatsEventLog.open(nc);
    const before = await readCutOver(log);
    if (before?.kind === 'ROLLED_BACK') return false;
    if (before !== undefined && (before.by !== LOCAL_STACK || isCurrent(before))) return true;
    await cutOverTo(nc, log, LOCAL_STACK, 5_000);
    return (await readCutOver(log))?.kind === 'CUT_OVER';
  });
