import { hashOf } from '@inquest/contracts/canonical-json';
import type { EvidenceBundle, FactHeaders } from '@inquest/contracts/evidence-bundle';
import type { RunId } from '@inquest/contracts/ids';
import { Payload } from '@inquest/contracts/payload';
import {
  PayloadUnusable,
  type EventLog,
  type PayloadStore,
  type StoredMessage,
} from '@inquest/event-log/event-log';
import { loadPayload } from '@inquest/event-log/payloads';
import type { LogFact, RunMaterial } from '@inquest/evidence-bundle/log-fact';
import { makeBundle, NotBundleable } from '@inquest/evidence-bundle/make-bundle';
import { chainOf, runStory, type RunStory } from '@inquest/evidence-bundle/run-story';
import { ProblemError } from '../http/problem-error';
import { archiveUnavailable, runNotFound, type RunReader } from '../runs/run-reader';
import { RowsUnavailable } from '../runs/read-pool';
import type { ArchivedFact, ArchivedRun, RunRows } from '../runs/run-rows';

/** Facts read side by side; a run has tens of them. */
const READS_AT_ONCE = 16;

const inTurns = async <In, Out>(items: readonly In[], read: (item: In) => Promise<Out>): Promise<Out[]> => {
  const found: Out[] = [];
  for (let from = 0; from < items.length; from += READS_AT_ONCE)
    found.push(...(await Promise.all(items.slice(from, from + READS_AT_ONCE).map(read))));
  return found;
};

const headersOf = ({ envelope }: StoredMessage): FactHeaders => ({
  'ce-id': envelope.id,
  'ce-source': envelope.source,
  'ce-type': envelope.type,
  'ce-time': envelope.time,
  'ce-contractversion': envelope.contractVersion,
  ...(envelope.causationId !== undefined && { 'ce-causationid': envelope.causationId }),
});

const factOf = (message: StoredMessage): LogFact => ({
  seq: message.seq,
  subject: message.subject,
  storedAt: new Date(message.storedAtMs).toISOString(),
  from: 'LOG',
  headers: headersOf(message),
  dataHash: hashOf(message.data),
  data: message.data,
});

const archivedFactOf = ({
  seq,
  subject,
  storedAt,
  type,
  causationId,
  data,
  dataHash,
}: ArchivedFact): LogFact => ({
  seq,
  subject,
  storedAt,
  from: 'ARCHIVE',
  headers: { 'ce-type': type, ...(causationId !== null && { 'ce-causationid': causationId }) },
  dataHash,
  data,
});

/** Names, below the run's subject, of everything that the decisions took in or asked the judge for, and of a cancellation. */
const namesIn = ({ chain, reviews }: RunStory): string[] => {
  const took = chain.flatMap(({ decision }) => decision.took.map(({ fact }) => fact));
  return [
    ...new Set([...took, ...reviews.map(({ step }) => `res.semantic.${step}`), 'in.request', 'in.cancel']),
  ];
};

/** A payload of a result that stands in the object store. */
const storedPayload = ({ data }: LogFact): Payload | undefined => {
  if (typeof data !== 'object' || data === null) return undefined;
  const { projection, draft, snapshot } = data as Record<string, unknown>;
  const payload = Payload.safeParse(projection ?? draft ?? snapshot).data;
  return payload?.blob === undefined ? undefined : payload;
};

/** Collects what a run's ending stands on: from the log, and from the archive what the log no longer holds. */
export class BundleReader {
  constructor(
    private readonly log: EventLog,
    private readonly payloads: PayloadStore,
    private readonly rows: RunRows,
    private readonly reader: RunReader,
  ) {}

  /** Throws `not-found` (also for another tenant's and for erased runs), `not-ended`, or `log-unavailable`. */
  async read(runId: RunId, tenant: string): Promise<EvidenceBundle> {
    const { view } = await this.reader.find(runId, tenant);
    if (view.status === 'ERASED') throw runNotFound();
    if (view.outcome === null)
      throw new ProblemError('not-ended', {
        detail: `It is ${view.status}; ask again when it has an outcome.`,
      });
    const material = (await this.fromLog(runId, tenant)) ?? (await this.fromArchive(runId, tenant));
    try {
      return makeBundle(material);
    } catch (error) {
      if (error instanceof NotBundleable && error.why === 'CHAIN_INCOMPLETE') throw this.forgotten();
      throw error;
    }
  }

  private forgotten(): ProblemError {
    return new ProblemError('not-found', {
      detail: 'Neither the log nor the archive holds the decisions of this run any more.',
    });
  }

  /** `undefined` when the log does not hold the run from its request on: facts expire in order, so that then all does. */
  private async fromLog(runId: RunId, tenant: string): Promise<RunMaterial | undefined> {
    const subjects = this.reader.subjectsOf(runId);
    const chain = (await this.log.readChain(subjects.chain)).map(factOf);
    const story = runStory(chainOf(chain));
    const messages = await inTurns(namesIn(story), (name) =>
      this.reader.fact(subjects.chain.replace(/run$/, name)),
    );
    const facts = [...chain, ...messages.flatMap((message) => (message ? [factOf(message)] : []))];
    const isWhole =
      story.chain[0]?.decision.n === 0 && facts.some(({ subject }) => subject.endsWith('.in.request'));
    return isWhole ? this.material(runId, tenant, facts, null) : undefined;
  }

  private async fromArchive(runId: RunId, tenant: string): Promise<RunMaterial> {
    const archived = await this.archived(runId);
    if (!archived) throw this.forgotten();
    const facts = archived.facts.map(archivedFactOf);
    const { calls } = runStory(chainOf(facts));
    const toolCallIds = new Map(
      calls.map(({ accepted }) => [
        `.res.${accepted.service}.${accepted.step}`,
        accepted.toolCallId as string,
      ]),
    );
    const filled = await inTurns(facts, async (fact): Promise<LogFact> => {
      if (fact.data !== undefined || !fact.subject.includes('.res.')) return fact;
      const message = await this.reader.fact(fact.subject);
      if (message?.seq === fact.seq) return factOf(message);
      const toolCallId = toolCallIds.get(fact.subject.slice(fact.subject.indexOf('.res.')));
      return { ...fact, data: toolCallId === undefined ? undefined : archived.entries.get(toolCallId) };
    });
    return this.material(runId, tenant, filled, {
      report: archived.reportText,
      snapshot: archived.snapshotText,
    });
  }

  private async archived(runId: RunId): Promise<ArchivedRun | undefined> {
    try {
      return await this.rows.archive(runId);
    } catch (error) {
      if (!(error instanceof RowsUnavailable)) throw error;
      throw archiveUnavailable();
    }
  }

  private async material(
    runId: RunId,
    tenant: string,
    facts: readonly LogFact[],
    archived: RunMaterial['archived'],
  ): Promise<RunMaterial> {
    const stored = facts.flatMap((fact) => storedPayload(fact) ?? []);
    const loaded = await inTurns(
      stored,
      async (payload) => [payload.sha256, await this.text(payload)] as const,
    );
    const texts = new Map(
      loaded.flatMap(([digest, text]) => (text === undefined ? [] : [[digest, text] as const])),
    );
    return { runId, tenant, partitions: this.log.partitions, facts, texts, archived };
  }

  /** A text that the store has lost is a text that the bundle lacks, and its check says so. */
  private async text(payload: Payload): Promise<string | undefined> {
    try {
      return await loadPayload(this.payloads, payload);
    } catch (error) {
      if (error instanceof PayloadUnusable) return undefined;
      throw error;
    }
  }
}
