import { agentResult } from '@inquest/contracts/agent-facts';
import { investigatorResult } from '@inquest/contracts/case-facts';
import { canonicalJson, sha256 } from '@inquest/contracts/canonical-json';
import type { FactContract } from '@inquest/contracts/define-fact';
import {
  evidenceRequested,
  evidenceResult,
  RULE_SET,
  type EvidenceResult,
} from '@inquest/contracts/evidence-facts';
import type { RunId } from '@inquest/contracts/ids';
import { ragResult, toolResult } from '@inquest/contracts/tool-facts';
import { INLINE_BYTES_MAX } from '@inquest/contracts/payload';
import { runSubjects } from '@inquest/contracts/subjects';
import type { EventLog, PayloadStore } from '@inquest/event-log/event-log';
import { messageOf } from '@inquest/event-log/message';
import { loadPayload, storePayload } from '@inquest/event-log/payloads';
import { waitFor } from '@inquest/testing/wait-for';

/** The log as each writer may write to it. */
export type Writers = {
  gateway: EventLog;
  harness: EventLog;
  agent: EventLog;
  rag: EventLog;
  payloads: PayloadStore;
};

const WINDOW = { from: '2026-03-02T10:00:00Z', to: '2026-03-02T11:00:00Z' };
const SCOPE = { service: 'checkout', filter: 'level=ERROR' };

/** What the logs hold; `padding` makes the projection as long as one likes. */
const logsDocument = (padding: string) => ({
  tool: 'search_logs',
  matched: 2,
  returned: 2,
  truncated: false,
  rows: [
    {
      time: '2026-03-02T10:14:05Z',
      service: 'checkout',
      level: 'ERROR',
      message: 'connection pool exhausted: 25 of 25 in use',
    },
    { time: '2026-03-02T10:15:05Z', service: 'checkout', level: 'ERROR', message: padding || 'again' },
  ],
});

export const DRAFT = {
  conclusion: {
    status: 'PROBABLE_CAUSE',
    text: 'The connection pool of checkout was exhausted.',
    analysisIds: ['a1'],
  },
  analyses: [
    {
      id: 'a1',
      kind: 'CAUSE',
      text: 'At 10:14 all 25 connections of checkout were in use.',
      toolCallIds: ['call_logs'],
      scope: { ...SCOPE, window: { from: '2026-03-02T10:14:00Z', to: '2026-03-02T10:16:00Z' } },
      facts: [{ toolCallId: 'call_logs', path: '/matched', value: 2, policy: 'exact' }],
      quotes: [{ toolCallId: 'call_logs', path: '/rows/0/message', quote: 'connection pool exhausted' }],
      entities: [{ type: 'service', name: 'checkout', toolCallId: 'call_logs' }],
    },
    {
      id: 'a2',
      kind: 'NEGATIVE_OBSERVATION',
      text: 'Payments logged no error.',
      toolCallIds: ['call_none'],
      scope: { service: 'payments', filter: 'level=ERROR', window: WINDOW },
    },
  ],
  actionPlan: [{ id: 'p1', text: 'End the sessions that hold connections.', analysisIds: ['a1'] }],
  recommendations: [],
  limitations: [{ id: 'l1', text: 'One metric query failed.', toolCallIds: ['call_failed'] }],
  candidates: [{ rank: 1, object: 'app/checkout', cause: 'connection pool exhaustion', analysisId: 'a1' }],
};
type Draft = typeof DRAFT;

export const ANSWER = {
  items: [
    {
      id: 'k1',
      text: 'End idle sessions.',
      toolCallId: 'call_lookup',
      documentIds: ['rb-pool#remedy'],
      quotes: [],
    },
  ],
};

const record = {
  model: 'm',
  startedAt: '2026-03-02T11:00:00Z',
  ms: 1,
  requestHash: null,
  rawHash: null,
  usage: null,
  finishReason: 'stop',
};

/** One run as far as its draft, written as facts, and what the guard says to it. */
export class DraftedRun {
  readonly subjects;
  private readonly ledger: {
    toolCallId: string;
    tool: string;
    service: string;
    step: string;
    status: string;
  }[] = [];

  constructor(
    readonly runId: RunId,
    private readonly writers: Writers,
  ) {
    this.subjects = runSubjects(runId, writers.harness.partitions);
  }

  private async put(log: EventLog, contract: FactContract, subject: string, data: unknown): Promise<void> {
    const frame = {
      subject,
      type: contract.type,
      source: 'test',
      time: new Date().toISOString(),
      principal: 'acme/alice',
    };
    await log.putIfAbsent(subject, messageOf(frame, contract.schema.parse(data)));
  }

  /** Writes the fact of a call; `tamper` changes the projection after its digest was taken. */
  async call(
    toolCallId: string,
    document: unknown,
    over: Record<string, unknown> = {},
    tamper?: (text: string) => string,
  ): Promise<this> {
    const text = canonicalJson(document);
    const projection = await storePayload(this.writers.payloads, 'acme', text);
    const entry = {
      toolCallId, providerId: null, tool: 'search_logs', toolset: 'incident', arguments: {}, source: 'shop', status: 'READY',
      evidenceStatus: 'EVIDENCE_FOUND', errorClass: null, scope: SCOPE, window: WINDOW, dataSpan: null,
      projection: tamper && projection.inline !== undefined ? { ...projection, inline: tamper(projection.inline) } : projection,
      matched: 2, returned: 2, truncated: false, limitHit: false, sampled: false, partial: false, permissionFiltered: false,
      selectorKnown: null, redactedCount: 0, untrustedPaths: [], contentHash: sha256(text), asOf: '2026-03-02T11:05:00Z', ms: 2, ...over,
    }; // prettier-ignore
    const step = `t1-tool${this.ledger.length}-a1`;
    const isLookup = entry.tool === 'knowledge_lookup';
    const service = isLookup ? 'rag' : 'tool';
    await this.put(
      isLookup ? this.writers.rag : this.writers.agent,
      isLookup ? ragResult : toolResult,
      this.subjects.res(service, step),
      entry,
    );
    this.name({ toolCallId, tool: entry.tool, service, step, status: entry.status });
    return this;
  }

  /** Puts a call on the request's list without writing its fact. */
  name(call: DraftedRun['ledger'][number]): this {
    this.ledger.push(call);
    return this;
  }

  async calls(options: { padding?: string; tamper?: (text: string) => string } = {}): Promise<this> {
    await this.call('call_logs', logsDocument(options.padding ?? ''), {}, options.tamper);
    await this.call('call_none', { tool: 'search_logs', matched: 0, returned: 0, truncated: false, rows: [] }, {
      evidenceStatus: 'NO_EVIDENCE', scope: { ...SCOPE, service: 'payments' }, matched: 0, returned: 0,
    }); // prettier-ignore
    return this.call('call_failed', { tool: 'query_metric', error: 'SOURCE_FAILED' }, {
      tool: 'query_metric', evidenceStatus: 'ERROR', errorClass: 'SOURCE_FAILED', matched: null, returned: 0,
    }); // prettier-ignore
  }

  async lookup(): Promise<this> {
    return this.call(
      'call_lookup',
      {
        tool: 'knowledge_lookup',
        matched: 1,
        returned: 1,
        truncated: false,
        documents: [
          { id: 'rb-pool#remedy', title: 'Pool', version: 'a'.repeat(64), text: 'End idle sessions.' },
        ],
      },
      {
        tool: 'knowledge_lookup',
        scope: {},
        window: null,
        documents: [{ id: 'rb-pool#remedy', versionHash: 'a'.repeat(64) }],
      },
    );
  }

  async draft(draft: unknown, step = 't2-model0-a1'): Promise<this> {
    const text = typeof draft === 'string' ? draft : JSON.stringify(draft);
    await this.put(this.writers.agent, agentResult, this.subjects.res('agent', step), {
      kind: 'DRAFT',
      draft: await storePayload(this.writers.payloads, 'acme', text),
      record,
    });
    return this;
  }

  /** The final draft of a case, which its investigator wrote. */
  async finalDraft(draft: unknown, step = 't2-final0-a1'): Promise<this> {
    const text = JSON.stringify(draft);
    await this.put(this.writers.agent, investigatorResult, this.subjects.res('investigator', step), {
      kind: 'DRAFT',
      draft: await storePayload(this.writers.payloads, 'acme', text),
      record,
    });
    return this;
  }

  async drafted(change: (draft: Draft) => unknown = () => undefined): Promise<this> {
    const draft = structuredClone(DRAFT);
    change(draft);
    return this.draft(draft);
  }

  async ask(over: Record<string, unknown> = {}, step = 't3-evidence0-a1'): Promise<string> {
    await this.put(this.writers.harness, evidenceRequested, this.subjects.req('evidence', step), {
      intent: 'DIAGNOSIS', revision: 1, draftStep: 't2-model0-a1', previousDraftStep: null, repairOf: [], ledger: this.ledger,
      question: 'Why does checkout fail?', zone: 'UTC', asOf: '2026-03-02T11:05:00Z', ruleSet: RULE_SET, draftBytesMax: INLINE_BYTES_MAX,
      deadlineAt: new Date(Date.now() + 20_000).toISOString(), ...over,
    }); // prettier-ignore
    return this.subjects.res('evidence', step);
  }

  async verdict(subject: string): Promise<EvidenceResult> {
    const message = await waitFor(subject, () => this.writers.harness.readLast(subject, 'leader'));
    return evidenceResult.schema.parse(message.data) as EvidenceResult;
  }

  async judged(over: Record<string, unknown> = {}, step?: string): Promise<EvidenceResult> {
    return this.verdict(await this.ask(over, step));
  }

  snapshotText(result: EvidenceResult): Promise<string> {
    if (result.kind !== 'ACCEPTED') throw new Error(JSON.stringify(result));
    return loadPayload(this.writers.payloads, result.snapshot);
  }
}
