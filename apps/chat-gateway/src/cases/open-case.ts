import { CaseStatus } from '@inquest/contracts/case-view';
import { caseRequested } from '@inquest/contracts/case-facts';
import type { RunId } from '@inquest/contracts/ids';
import type { EventLog } from '@inquest/event-log/event-log';
import { gatewayFact } from '../gateway-facts';
import type { GateDecision } from '../gate/gate';
import { ProblemError } from '../http/problem-error';
import { refusalOf } from '../http/refusal';
import { RowsUnavailable } from '../runs/read-pool';
import type { RunReader } from '../runs/run-reader';
import { caseNotFound, type CaseReader } from './case-reader';
import type { CaseRows } from './case-rows';
import { caseFactOf, questionOf, type AcceptedCase, type RunOfCase } from './new-case';

/** `created` false: the same key asked the same before. */
export type OpenedCase = { caseId: RunId; status: CaseStatus; created: boolean };
export type Opener = { tenant: string; principal: string };

const keyReused = (): ProblemError =>
  new ProblemError('key-reused', { detail: 'Use a new Idempotency-Key for another case.' });

/** Makes a case exist: one conditional write, whatever else happens around it. */
export class CaseOpener {
  constructor(
    private readonly log: EventLog,
    private readonly rows: CaseRows,
    private readonly reader: CaseReader,
    private readonly runs: RunReader,
    private readonly gate: { decideNow(): Promise<GateDecision> },
  ) {}

  /**
   * `keyed`: the id derives from a key, so that the case may exist, or have existed. A known case is found whatever the
   * gate says. Throws `key-reused`, `not-inconclusive`, what the gate refuses with, and EventLogUnavailable when the
   * write has no answer.
   */
  async open(caseId: RunId, keyed: boolean, by: Opener, accepted: AcceptedCase): Promise<OpenedCase> {
    const gate = await this.gate.decideNow();
    const known = keyed ? await this.known(caseId, by, accepted, gate) : undefined;
    if (known) return known;
    if (gate.kind === 'REFUSED') throw refusalOf(gate);
    if (gate.kind === 'LEGACY')
      throw new ProblemError('not-cut-over', { detail: 'Cases are investigated on the guarded path only.' });
    const question = questionOf(caseId, accepted.body, await this.runOf(accepted, by.tenant));
    const fact = caseFactOf(caseId, by, accepted, question, new Date().toISOString());
    const subject = this.runs.subjectsOf(caseId).in('open');
    const message = gatewayFact(caseRequested, subject, fact, { principal: by.principal });
    const put = await this.log.putIfAbsent(subject, message);
    if (put.kind === 'WRITTEN') return { caseId, status: 'OPENED', created: true };
    const found = await this.fromLog(caseId, by, accepted);
    if (!found) throw caseNotFound();
    return found;
  }

  private async runOf({ body }: AcceptedCase, tenant: string): Promise<RunOfCase | undefined> {
    if (!('fromRun' in body)) return undefined;
    const { view } = await this.runs.find(body.fromRun, tenant);
    return { view, asked: await this.runs.request(body.fromRun) };
  }

  /** Facts expire; the row stays and says that this key was used. While the gate is open the write itself tells of the log. */
  private async known(
    caseId: RunId,
    by: Opener,
    accepted: AcceptedCase,
    gate: GateDecision,
  ): Promise<OpenedCase | undefined> {
    const row = await this.fromRow(caseId, accepted);
    if (row || (gate.kind === 'GUARDED' && 'question' in accepted.body)) return row;
    return this.fromLog(caseId, by, accepted);
  }

  private async fromRow(caseId: RunId, { bodyHash }: AcceptedCase): Promise<OpenedCase | undefined> {
    try {
      const row = await this.rows.byId(caseId);
      if (!row) return undefined;
      if (row.bodyHash !== null && row.bodyHash !== bodyHash) throw keyReused();
      return { caseId, status: CaseStatus.parse(row.status), created: false };
    } catch (error) {
      // The log is the truth of every case that it still holds: Postgres being away stops nobody.
      if (error instanceof RowsUnavailable) return undefined;
      throw error;
    }
  }

  private async fromLog(
    caseId: RunId,
    { tenant }: Opener,
    { bodyHash }: AcceptedCase,
  ): Promise<OpenedCase | undefined> {
    const logged = await this.reader.fromLog(caseId, tenant);
    if (!logged) return undefined;
    if (logged.request.bodyHash !== bodyHash) throw keyReused();
    return { caseId, status: logged.folded.view.status, created: false };
  }
}
