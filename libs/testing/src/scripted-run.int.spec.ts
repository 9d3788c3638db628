import { join } from 'node:path';
import type { RunId, ToolCallId } from '@inquest/contracts/ids';
import { Snapshot } from '@inquest/contracts/semantic-facts';
import { validateDraft, type Verdict } from '@inquest/evidence-rules/validate-draft';
import { createRedactor } from '@inquest/redaction/redactor';
import { INCIDENT_TOOLSET_TOOLS } from '@inquest/toolsets/incident/incident-toolset';
import { openIncidentSources } from '@inquest/toolsets/incident-sources';
import { runTool, toolsByName } from '@inquest/toolsets/run-tool';
import { startScriptedModel, type ScriptedMessage, type ScriptedModel } from './scripted-model';
import { scriptedRun, type ScriptedRunKnobs } from './scripted-run';

const RUN = '00000000-0000-8000-8000-000000000001' as RunId;
const INCIDENTS = join(__dirname, '../../../incidents');

type Answer = {
  content: string | null;
  tool_calls?: { id: string; function: { name: string; arguments: string } }[];
};

describe('the scripted run', () => {
  let model: ScriptedModel;
  beforeAll(async () => {
    model = await startScriptedModel(scriptedRun());
  });
  afterAll(() => model.close());

  const post = async (step: string, messages: ScriptedMessage[]): Promise<Answer> => {
    const response = await fetch(`${model.url}/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': `${RUN}/${step}` },
      body: JSON.stringify({ model: 'm', messages }),
    });
    const { choices } = (await response.json()) as { choices: { message: Answer }[] };
    return choices[0]!.message;
  };
  const user = (value: unknown): ScriptedMessage => ({ role: 'user', content: JSON.stringify(value) });

  /** One investigation over a shipped incident, up to the EvidenceGuard's verdict on each draft. */
  const investigate = async (incident: string, knobs: ScriptedRunKnobs): Promise<Verdict[]> => {
    model.play(scriptedRun(knobs));
    const tools = toolsByName(INCIDENT_TOOLSET_TOOLS);
    const sources = openIncidentSources(`shop=${join(INCIDENTS, incident)}`);
    const messages = [user({ kind: 'question', intent: 'DIAGNOSIS', question: 'What is wrong?' })];
    const ledger: Parameters<typeof validateDraft>[0]['ledger'][number][] = [];
    for (let turn = 1; ; turn += 1) {
      const answer = await post(`t${turn}-model0-a1`, messages);
      if (!answer.tool_calls) {
        const verdict = validate(answer.content ?? '', ledger, 1);
        if (verdict.kind === 'ACCEPTED') return [verdict];
        const repair = {
          kind: 'repair',
          draft: answer.content,
          violations: verdict.violations,
          validToolCallIds: [],
        };
        const repaired = await post(`t${turn}-repair0-a1`, [...messages, user(repair)]);
        return [
          verdict,
          validate(repaired.content ?? '', ledger, 2, answer.content ?? '', verdict.violations),
        ];
      }
      messages.push({ role: 'assistant', content: null, tool_calls: answer.tool_calls });
      for (const {
        id,
        function: { name, arguments: argumentsText },
      } of answer.tool_calls) {
        const entry = await runTool(
          {
            toolCallId: id as ToolCallId,
            providerId: id,
            tool: name,
            argumentsText,
            source: 'shop',
            asOf: '2030-01-01T00:00:00Z',
            projectionBytesMax: 32_768,
          },
          { tools, sources, redactor: createRedactor(RUN), signal: new AbortController().signal },
        );
        const projection = entry.projection.inline ?? '';
        ledger.push({ kind: 'RESULT', entry, projection });
        messages.push({
          role: 'tool',
          tool_call_id: id,
          content: JSON.stringify({ meta: entry, projection }),
        });
      }
    }
  };
  const validate = (
    draftText: string,
    ledger: Parameters<typeof validateDraft>[0]['ledger'],
    revision: number,
    previousDraftText?: string,
    repairOf: Parameters<typeof validateDraft>[0]['repairOf'] = [],
  ): Verdict =>
    validateDraft({
      runId: RUN,
      intent: 'DIAGNOSIS',
      revision,
      draftText,
      draftBytesMax: 131_072,
      ledger,
      question: 'What is wrong?',
      zone: 'UTC',
      asOf: '2030-01-01T00:00:00Z',
      previousDraftText,
      repairOf,
      ruleSet: 'evidence-2',
    });

  const CALLS = [
    { name: 'active_alerts', arguments: {} },
    { name: 'search_logs', arguments: { contains: 'no-line-says-this' } },
    { name: 'search_logs', arguments: { service: 'no-such-service' } },
    { name: 'no_such_tool', arguments: {} },
  ];

  it.each([
    ['checkout-pool-exhaustion', {}],
    ['quiet-evening', {}],
    ['checkout-pool-exhaustion', { turns: [CALLS, CALLS.map((call) => ({ ...call }))] }],
  ])('writes a draft that the EvidenceGuard accepts: %s %#', async (incident, knobs) => {
    const [verdict] = await investigate(incident, knobs);
    expect(verdict).not.toHaveProperty('violations');
    expect(verdict).toMatchObject({ kind: 'ACCEPTED' });
  });

  it('is bad once and repaired, or bad twice, as asked', async () => {
    const kinds = async (badDrafts: 1 | 2) =>
      (await investigate('quiet-evening', { badDrafts })).map(({ kind }) => kind);
    expect(await kinds(1)).toEqual(['REJECTED', 'ACCEPTED']);
    expect(await kinds(2)).toEqual(['REJECTED', 'REJECTED']);
  });

  it('judges each attempt as asked, over the snapshot that was frozen', async () => {
    const [verdict] = await investigate('checkout-pool-exhaustion', {
      judge: ['INVALID', 'UNSUPPORTED', 'SUPPORTED'],
    });
    if (verdict?.kind !== 'ACCEPTED') throw new Error('not accepted');
    const { items, evidence } = Snapshot.parse(JSON.parse(verdict.snapshotText));
    const document = {
      kind: 'judge',
      snapshotHash: verdict.snapshotHash,
      boundary: 'b',
      items,
      evidence: evidence.map((e) => ({ ...e, projection: `b\n${e.projection}\nb` })),
    };
    const judged = async (attempt: number) =>
      (await post(`t1-semantic0-a${attempt}`, [user(document)])).content ?? '';
    expect(await judged(1)).not.toContain('{');
    expect(await judged(2)).toContain('"UNSUPPORTED"');
    const { verdicts } = JSON.parse(await judged(3)) as {
      verdicts: { verdict: string; evidence_quote: string | null; tool_call_id: string | null }[];
    };
    expect(verdicts).toHaveLength(items.length);
    for (const { evidence_quote: quote, tool_call_id: id } of verdicts.filter(
      (v) => v.evidence_quote !== null,
    )) {
      expect(evidence.find(({ toolCallId }) => toolCallId === id)?.projection).toContain(quote);
    }
  });
});
