import { caseRequested, type CaseRequested } from '@inquest/contracts/case-facts';
import { CaseAccepted, CaseReviews, CaseView } from '@inquest/contracts/case-view';
import type { RunId } from '@inquest/contracts/ids';
import { Problem } from '@inquest/contracts/problem';
import { RunAccepted } from '@inquest/contracts/run-view';
import { runSubjects } from '@inquest/contracts/subjects';
import type { EventLog } from '@inquest/event-log/event-log';
import {
  acceptedEarly,
  cancelledAtTheEnd,
  declinedThenAccepted,
  failedToForm,
  noCauseEstablished,
  PLAYED_AUTHOR,
  PLAYED_REPORT,
  PLAYED_REPORT_HASH,
  WITHHELD,
  withheld,
  type PlayedCase,
} from '@inquest/testing/played-case';
import { CITED_CALL, UNCITED_CALL } from '@inquest/testing/played-case-events';
import { waitFor } from '@inquest/testing/wait-for';
import { caseIdForKey, runIdForKey } from '../src/runs/run-id';
import { REPORT, writeReleasedRun, type Writers } from './a-run';
import { CasePlayer } from './case-player';
import { call, TOKENS, World, type CallOptions, type Gateway } from './harness';

const COORDINATES = [{ service: 'checkout', repository: 'git.example.org/checkout', path: null, ref: 'v41' }];
const QUESTION = {
  question: 'Why is checkout slow? password=hunter2hunter2',
  source: 'shop-pool',
  coordinates: COORDINATES,
};

describe('The cases of the gateway', () => {
  let world: World;
  let gateway: Gateway;
  let log: EventLog;
  let writers: Writers;

  beforeAll(async () => {
    world = await World.start();
    gateway = await world.openGateway();
    const orchestrator = await world.log('harness-orchestrator');
    log = orchestrator;
    writers = {
      orchestrator,
      agentRunner: await world.log('agent-runner'),
      evidenceGuard: await world.log('evidence-guard'),
    };
  });
  afterAll(() => world.stop());

  const open = (key?: string, body: unknown = QUESTION, options: CallOptions = {}): Promise<Response> =>
    call(gateway, 'POST', '/v1/cases', {
      token: TOKENS.ask,
      body,
      headers: { ...(key !== undefined && { 'idempotency-key': key }) },
      ...options,
    });
  const opened = async (body: unknown = QUESTION): Promise<RunId> =>
    CaseAccepted.parse(await (await open(undefined, body)).json()).caseId;
  const play = async (made: (id: RunId) => PlayedCase): Promise<RunId> => {
    const caseId = await opened();
    await new CasePlayer(writers, made(caseId)).whole();
    return caseId;
  };
  const fact = async (caseId: RunId): Promise<CaseRequested> =>
    caseRequested.schema.parse((await log.readLast(subjectsOf(caseId).in('open'), 'leader'))?.data);
  const subjectsOf = (id: RunId) => runSubjects(id, log.partitions);
  const get = (path: string, token: string = TOKENS.ask) => call(gateway, 'GET', path, { token });
  const view = async (caseId: string): Promise<CaseView> =>
    CaseView.parse(await (await get(`/v1/cases/${caseId}`)).json());
  const problemOf = async (response: Response): Promise<Problem> => Problem.parse(await response.json());

  describe('opening', () => {
    it('writes one fact, without the secrets of the question, and shows it as opened', async () => {
      const response = await open();
      expect(response.status).toBe(201);
      const { caseId, status, links } = CaseAccepted.parse(await response.json());
      expect(response.headers.get('location')).toBe(`/v1/cases/${caseId}`);
      expect({ status, links }).toMatchObject({ status: 'OPENED', links: { self: `/v1/cases/${caseId}` } });
      expect(await fact(caseId)).toMatchObject({
        tenant: 'acme',
        principal: 'acme/ada',
        source: 'shop-pool',
        zone: 'UTC',
        locale: 'en',
        fromRun: null,
        coordinates: COORDINATES,
        policy: null,
      });
      expect(JSON.stringify(await fact(caseId))).not.toContain('hunter2');
      expect(await view(caseId)).toMatchObject({ status: 'OPENED', hypotheses: [], changeRequest: null });
    });

    it('takes what narrows the policy', async () => {
      const policy = { hypothesesMax: 3, maxEarlyReviews: 0, wallClockMs: 60_000 };
      expect(await fact(await opened({ ...QUESTION, policy }))).toMatchObject({ policy });
    });

    it('finds the same case by its key, refuses another body, and is no run of the same key', async () => {
      const body = { question: 'Why is checkout slow?' };
      const [first, again] = [await open('k-1', body), await open('k-1', body)];
      expect([first.status, again.status]).toEqual([201, 200]);
      const { caseId } = CaseAccepted.parse(await first.json());
      expect(CaseAccepted.parse(await again.json()).caseId).toBe(caseId);
      expect(caseId).toBe(caseIdForKey('acme', 'k-1'));
      expect((await open('k-1', { question: 'Why not?' })).status).toBe(422);
      const run = await call(gateway, 'POST', '/v1/runs', {
        token: TOKENS.ask,
        body,
        headers: { 'idempotency-key': 'k-1' },
      });
      const { runId } = RunAccepted.parse(await run.json());
      expect(runId).toBe(runIdForKey('acme', 'k-1'));
      expect(runId).not.toBe(caseId);
    });

    it('names what does not fit by its place', async () => {
      const coordinates = [{ ...COORDINATES[0], repository: '' }];
      const { errors } = await problemOf(
        await open(undefined, { ...QUESTION, coordinates, policy: { turnsMax: 0 } }),
      );
      expect(errors?.map(({ at }) => at).sort()).toEqual(['/coordinates/0/repository', '/policy/turnsMax']);
    });

    it('is refused while the entry is rolled back, but for a case that exists', async () => {
      await open('k-gate');
      const at = new Date().toISOString();
      await world.turnGate({ kind: 'ROLLED_BACK', at, by: 'test' });
      await waitFor('the roll-back to be seen', async () => {
        const response = await get('/v1/system', TOKENS.operate);
        const { entry } = (await response.json()) as { entry: { path: string } };
        return entry.path !== 'GUARDED' || undefined;
      });
      const refused = await open('k-other');
      expect([refused.status, (await problemOf(refused)).type]).toEqual([
        503,
        'urn:inquest:problem:not-cut-over',
      ]);
      expect((await open('k-gate')).status).toBe(200);
      await world.cutOver();
      expect((await open('k-other')).status).toBe(201);
    });
  });

  describe('of a run that ended inconclusive', () => {
    const NOTHING = { ...REPORT, conclusion: { ...REPORT.conclusion, status: 'INCONCLUSIVE' as const } };
    const WINDOW = { from: '2024-05-01T09:00:00Z', to: '2024-05-01T10:00:00Z' };
    const asked = async (report: typeof REPORT | undefined): Promise<RunId> => {
      const body = {
        question: 'Why?',
        source: 'shop-pool',
        sessionId: 's-9',
        window: WINDOW,
        zone: 'Europe/Berlin',
      };
      const response = await call(gateway, 'POST', '/v1/runs', { token: TOKENS.ask, body });
      const { runId } = RunAccepted.parse(await response.json());
      if (report) await writeReleasedRun(writers, runId, undefined, report);
      return runId;
    };

    it('takes question, session, source, window and zone from the run', async () => {
      const fromRun = await asked(NOTHING);
      const caseId = await opened({ fromRun, coordinates: COORDINATES, locale: 'de' });
      expect(await fact(caseId)).toMatchObject({
        fromRun,
        question: 'Why?',
        source: 'shop-pool',
        sessionId: 's-9',
        window: WINDOW,
        zone: 'Europe/Berlin',
        locale: 'de',
        principal: 'acme/ada',
      });
      expect(await view(caseId)).toMatchObject({ fromRun });
    });

    it.each([
      ['concluded something', REPORT],
      ['goes on', undefined],
    ])('and of none that %s', async (_, report) => {
      const response = await open(undefined, { fromRun: await asked(report) });
      expect([response.status, (await problemOf(response)).type]).toEqual([
        409,
        'urn:inquest:problem:not-inconclusive',
      ]);
    });

    it('by a person of its tenant', async () => {
      const fromRun = await asked(NOTHING);
      expect((await open(undefined, { fromRun }, { token: TOKENS.other })).status).toBe(404);
      expect((await open(undefined, { fromRun }, { token: TOKENS.operate })).status).toBe(403);
    });
  });

  describe('reading', () => {
    it('shows hypotheses, actions, matrix, and the released report with its change request', async () => {
      const caseId = await play(acceptedEarly);
      expect(await view(caseId)).toMatchObject({
        status: 'DIAGNOSED',
        report: PLAYED_REPORT,
        reportHash: PLAYED_REPORT_HASH,
        author: PLAYED_AUTHOR,
        diagnosis: { ref: 'analysis/diagnosis/0001/', review: 1 },
        changeRequest: { issued: { target: COORDINATES[0] } },
        hypotheses: [{ confidence: 'strongly_supported' }, { confidence: 'unassessed' }],
        actions: [
          { expectedIfTrue: 'time-outs in the log', found: { evidenceStatus: 'EVIDENCE_FOUND' } },
          {},
        ],
        matrix: [{ diagnostic: true }, { diagnostic: false }],
      });
    });

    it('E8 issues no coding task where nobody said where the code lives', async () => {
      const caseId = await opened({ question: 'Why?' });
      await new CasePlayer(writers, acceptedEarly(caseId)).whole();
      expect((await view(caseId)).changeRequest).toMatchObject({
        issued: null,
        missing: [{ what: 'COORDINATES', service: 'checkout' }],
      });
    });

    it.each([
      [
        'no cause established',
        noCauseEstablished,
        { status: 'INCONCLUSIVE', inconclusive: { reason: 'NO_CAUSE_ESTABLISHED' } },
      ],
      ['a withheld draft', withheld, { status: 'INCONCLUSIVE', fallback: { type: 'SEMANTIC_UNSUPPORTED' } }],
      ['a failure', failedToForm, { status: 'FAILED', failure: { reason: 'FORMING_FAILED' } }],
      ['a cancellation', cancelledAtTheEnd, { status: 'CANCELLED', cancellation: { cause: 'PERSON' } }],
    ])('shows %s, and issues nothing', async (_, made, expected) => {
      const response = await get(`/v1/cases/${await play(made)}`);
      const text = await response.text();
      const shown = CaseView.parse(JSON.parse(text));
      expect(shown).toMatchObject({ ...expected, changeRequest: null });
      expect(shown.report === undefined).toBe(made !== noCauseEstablished);
      expect(text).not.toContain(WITHHELD);
    });

    it('shows nothing of bytes that are not the released ones', async () => {
      const caseId = await opened();
      const made = acceptedEarly(caseId);
      const results = made.results.map((result): PlayedCase['results'][number] => [
        result[0],
        result[1],
        result[0] === 'evidence'
          ? JSON.parse(JSON.stringify(result[2]).replaceAll('Checkout waits', 'Checkout sleeps'))
          : result[2],
      ]);
      await new CasePlayer(writers, { ...made, results }).whole();
      const response = await get(`/v1/cases/${caseId}`);
      expect(response.status).toBe(500);
      expect(await response.text()).not.toContain('sleeps');
    });

    it('E10 lists reviews with their refs, passes and decisions', async () => {
      const caseId = await play(declinedThenAccepted);
      const reviews = CaseReviews.parse(
        await (await get(`/v1/cases/${caseId}/reviews`, TOKENS.watch)).json(),
      );
      expect(reviews).toMatchObject({
        caseId,
        max: 3,
        reviews: [
          {
            ref: 'analysis/diagnosis/0001/early/0001/',
            state: 'declined',
            decision: { kind: 'DECLINED', reason: 'INCONCLUSIVE' },
          },
          {
            ref: 'analysis/diagnosis/0002/early/0002/',
            state: 'accepted',
            passes: [{ pass: 1 }, { pass: 2 }],
          },
        ],
      });
    });
  });

  describe('H8 cancelling', () => {
    const cancel = (caseId: string, token: string = TOKENS.ask) =>
      call(gateway, 'POST', `/v1/cases/${caseId}/cancel`, { token });
    const cancelFact = async (caseId: RunId) =>
      (await log.readLast(subjectsOf(caseId).in('cancel'), 'leader'))?.data;

    it('is a fact, and one only, and says who did it', async () => {
      const caseId = await opened();
      for (let n = 0; n < 2; n += 1) expect((await cancel(caseId)).status).toBe(202);
      expect(await cancelFact(caseId)).toMatchObject({ cause: 'PERSON', principal: 'acme/ada' });
      const other = await opened();
      await cancel(other, TOKENS.operate);
      expect(await cancelFact(other)).toMatchObject({ cause: 'OPERATOR', principal: 'acme/otto' });
    });

    it.each([
      ['is sealed', -1],
      ['has ended', 0],
    ])('comes too late for a case that %s, and writes nothing', async (_, without) => {
      const caseId = await opened();
      const player = new CasePlayer(writers, acceptedEarly(caseId));
      await player.results();
      await player.decide(player.played.entries.length + without);
      const response = await cancel(caseId);
      expect([response.status, (await problemOf(response)).type]).toEqual([
        409,
        'urn:inquest:problem:already-decided',
      ]);
      expect(await cancelFact(caseId)).toBeUndefined();
    });

    it('is not for another tenant, nor for those who only watch', async () => {
      const caseId = await opened();
      expect((await cancel(caseId, TOKENS.other)).status).toBe(404);
      expect((await cancel(caseId, TOKENS.watch)).status).toBe(403);
      expect(await cancelFact(caseId)).toBeUndefined();
    });
  });

  describe('evidence', () => {
    it.each([
      ['ask', CITED_CALL, 200],
      ['ask', UNCITED_CALL, 404],
      ['operate', UNCITED_CALL, 200],
      ['audit', UNCITED_CALL, 200],
      ['audit', 'tc-9-9', 404],
      ['watch', CITED_CALL, 403],
      ['other', CITED_CALL, 404],
    ] as const)('with scope %s of action %s of a diagnosed case: %s', async (who, id, status) => {
      const caseId = await play(acceptedEarly);
      const response = await get(`/v1/cases/${caseId}/evidence/${id}`, TOKENS[who]);
      expect(response.status).toBe(status);
      if (status === 200) expect(await response.json()).toMatchObject({ toolCallId: id });
    });

    it('of a case that goes on is for operators and auditors, and only what was settled', async () => {
      const caseId = await opened();
      const player = new CasePlayer(writers, acceptedEarly(caseId));
      await player.results();
      await player.decide(5);
      const evidence = async (id: string, token: string) =>
        (await get(`/v1/cases/${caseId}/evidence/${id}`, token)).status;
      expect(await evidence(CITED_CALL, TOKENS.ask)).toBe(404);
      expect(await evidence(CITED_CALL, TOKENS.audit)).toBe(200);
      expect(await evidence(UNCITED_CALL, TOKENS.audit)).toBe(404);
    });
  });

  it('gives no list without its read model', async () => {
    expect((await get('/v1/cases')).status).toBe(503);
  });
});
