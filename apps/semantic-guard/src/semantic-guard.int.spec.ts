import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import type { NatsConnection } from '@nats-io/transport-node';
import { canonicalJson, sha256 } from '@inquest/contracts/canonical-json';
import { evidenceResult } from '@inquest/contracts/evidence-facts';
import type { RunId } from '@inquest/contracts/ids';
import { semanticRequested, semanticResult, type SemanticResult } from '@inquest/contracts/semantic-facts';
import { runSubjects } from '@inquest/contracts/subjects';
import { connectNats } from '@inquest/event-log/connection';
import { messageOf } from '@inquest/event-log/message';
import { NatsEventLog } from '@inquest/event-log/nats-event-log';
import { provision } from '@inquest/event-log/provisioner';
import { parseConfig } from '@inquest/service-shell/config';
import { startService, type RunningService } from '@inquest/service-shell/run-service';
import { startGuardedNats, type GuardedNats } from '@inquest/testing/guarded-nats';
import {
  startScriptedModel,
  text,
  type Script,
  type ScriptedModel,
  type ScriptedRequest,
} from '@inquest/testing/scripted-model';
import { scriptedRun, type JudgeBehaviour } from '@inquest/testing/scripted-run';
import { waitFor } from '@inquest/testing/wait-for';
import { CANARIES } from './canary/canaries';
import { JudgeHealth } from './canary/judge-health';
import { judgeEndpointOf, semanticGuardEnv } from './config';
import { SemanticGuardModule } from './semantic-guard.module';

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
};

const isCanary = ({ key }: ScriptedRequest) => key.startsWith('canary/');
describe('semantic-guard', () => {
  let nats: GuardedNats;
  let nc: NatsConnection;
  let log: NatsEventLog;
  let model: ScriptedModel;
  const started: RunningService[] = [];
  let runs = 0;
  let judges = 0;

  beforeAll(async () => {
    nats = await startGuardedNats();
    nc = await connectNats({ url: nats.urlFor('test'), service: 'test' });
    await provision(nc, { partitions: 1 });
    log = await NatsEventLog.open(nc);
    model = await startScriptedModel(scriptedRun());
  });
  afterEach(async () => {
    for (const service of started.splice(0)) await service.stop();
  });
  afterAll(async () => {
    await model.close();
    await nc.close();
    await nats.stop();
  });

  /** Every judge model is one of its own, with canaries of its own. */
  const start = async (
    script: Script,
    env: Record<string, string> = {},
    more: Pick<Parameters<typeof startService>[0], 'announce'> = {},
  ) => {
    model.play(script);
    const config = parseConfig(semanticGuardEnv, {
      NATS_URL: nats.urlFor('semantic-guard'),
      LOG_LEVEL: 'silent',
      OPENAI_BASE_URL: model.url,
      OPENAI_API_KEY: 'sk-test',
      MODEL_JUDGE: `judge-${++judges}`,
      ...env,
    });
    const service = await startService({
      name: 'semantic-guard',
      module: SemanticGuardModule,
      config,
      ...more,
    });
    started.push(service);
    return service;
  };
  const judging = (...judge: JudgeBehaviour[]) => scriptedRun({ judge });
  const health = (service: RunningService) => service.app.get(JudgeHealth).announcement();
  const canaryCalls = () => model.requests.filter(isCanary).length;

  const freeze = async (over: { hash?: string; runId?: RunId; items?: unknown[] } = {}) => {
    const runId = `00000000-0000-8000-8000-${String(++runs).padStart(12, '0')}` as RunId;
    const clean = CANARIES.find(({ name }) => name === 'clean-listing')!.frozen.snapshot;
    const snapshot = canonicalJson({
      ...clean,
      runId: over.runId ?? runId,
      ...(over.items ? { items: over.items } : {}),
    });
    const snapshotHash = over.hash ?? sha256(snapshot);
    const subject = runSubjects(runId, 1).res('evidence', 't2-evidence0-a1');
    const data = {
      kind: 'ACCEPTED',
      revision: 1,
      snapshot: { sha256: sha256(snapshot), bytes: Buffer.byteLength(snapshot), inline: snapshot },
      snapshotHash,
      reportHash: clean.reportHash,
      items: 1,
      verifiedSources: [],
      attention: [],
      ruleSet: 'r',
      ms: 1,
    };
    const frame = {
      subject,
      type: evidenceResult.type,
      source: 'evidence-guard',
      time: new Date().toISOString(),
    };
    await log.putIfAbsent(subject, messageOf(frame, evidenceResult.schema.parse(data)));
    return { runId, snapshotHash };
  };
  const ask = async (
    { runId, snapshotHash }: { runId: RunId; snapshotHash: string },
    attempt = 1,
    timeoutMs = 10_000,
  ): Promise<SemanticResult> => {
    const step = `t2-semantic0-a${attempt}`;
    const run = runSubjects(runId, 1);
    const subject = run.req('semantic', step);
    const data = {
      attempt,
      evidenceStep: 't2-evidence0-a1',
      snapshotHash,
      deadlineAt: new Date(Date.now() + timeoutMs).toISOString(),
    };
    await log.putIfAbsent(
      subject,
      messageOf(
        { subject, type: semanticRequested.type, source: 'test', time: new Date().toISOString() },
        data,
      ),
    );
    const message = await waitFor(step, () => log.readLast(run.res('semantic', step), 'leader'));
    return semanticResult.schema.parse(message.data);
  };
  const lastRequest = () => model.requests.filter((request) => !isCanary(request)).at(-1)!;

  it('judges a snapshot in one isolated turn', async () => {
    await start(judging('SUPPORTED'));
    const frozen = await freeze();
    expect(await ask(frozen)).toMatchObject({
      kind: 'JUDGED',
      verdict: 'SUPPORTED',
      snapshotHash: frozen.snapshotHash,
      attempt: 1,
    });
    const { body, key, headers } = lastRequest();
    expect(body).toMatchObject({ temperature: 0, stream: false });
    expect(body.tools).toBeUndefined();
    expect(body.messages.map(({ role }) => role)).toEqual(['system', 'user']);
    expect(key).toBe(`${frozen.runId}/t2-semantic0-a1`);
    expect(headers.authorization).toBe('Bearer sk-test');
  });

  it('a valid UNSUPPORTED is a judgement, not a failure', async () => {
    await start(judging('UNSUPPORTED'));
    expect(await ask(await freeze())).toMatchObject({ kind: 'JUDGED', verdict: 'UNSUPPORTED' });
  });

  it.each<[JudgeBehaviour, string]>([
    ['INVALID', 'INVALID_RESPONSE'],
    ['INVENTED_QUOTE', 'INVALID_RESPONSE'],
    ['REFUSED', 'REFUSED'],
    ['ERROR_500', 'SERVER_ERROR'],
  ])(
    'H9 %s is one recorded attempt of one request, and the second attempt is another',
    async (behaviour, failure) => {
      await start(judging(behaviour, 'SUPPORTED'));
      const frozen = await freeze();
      expect(await ask(frozen)).toMatchObject({
        kind: 'FAILED',
        failure,
        record: { model: expect.any(String) as string },
      });
      expect(await ask(frozen, 2)).toMatchObject({
        kind: 'JUDGED',
        attempt: 2,
        snapshotHash: frozen.snapshotHash,
      });
      expect([1, 2].map((n) => model.counts.get(`${frozen.runId}/t2-semantic0-a${n}`))).toEqual([1, 1]);
    },
  );

  it('a hanging judge is a TIMEOUT at the step’s deadline', async () => {
    await start(judging('HANG'));
    expect(await ask(await freeze(), 1, 400)).toMatchObject({ kind: 'FAILED', failure: 'TIMEOUT' });
  });

  it.each([
    ['another hash', { hash: 'f'.repeat(64) }],
    ['another run', { runId: '00000000-0000-8000-8000-00000000ffff' as RunId }],
    ['no items', { items: [] }],
  ])('a snapshot with %s never reaches the judge', async (_, over) => {
    await start(judging('SUPPORTED'));
    const frozen = await freeze(over);
    expect(await ask(frozen)).toMatchObject({ kind: 'FAILED', failure: 'INVALID_RESPONSE', record: null });
    expect(model.counts.get(`${frozen.runId}/t2-semantic0-a1`)).toBeUndefined();
  });

  it('a snapshot over the judge’s context is OVER_CONTEXT before the call, and nothing is cut', async () => {
    await start(judging('SUPPORTED'), { JUDGE_CONTEXT_BYTES: '16384' });
    const [item] = CANARIES[0]!.frozen.snapshot.items;
    const frozen = await freeze({ items: [{ ...item, text: 'x'.repeat(20_000) }] });
    expect(await ask(frozen)).toMatchObject({ kind: 'FAILED', failure: 'OVER_CONTEXT', record: null });
    expect(model.counts.get(`${frozen.runId}/t2-semantic0-a1`)).toBeUndefined();
  });

  describe('canaries', () => {
    it('are run once, and their record serves every process of the same judge', async () => {
      const before = canaryCalls();
      const env = { MODEL_JUDGE: 'shared-judge' };
      const first = await start(judging('SUPPORTED'), env);
      const second = await start(judging('SUPPORTED'), env);
      expect([health(first), health(second)]).toEqual([
        expect.objectContaining({ healthy: true, why: null }),
        expect.objectContaining({ healthy: true, why: null }),
      ]);
      expect(canaryCalls() - before).toBe(CANARIES.length);
      await start(judging('SUPPORTED'), { MODEL_JUDGE: 'another-judge' });
      expect(canaryCalls() - before).toBe(2 * CANARIES.length);
    });

    it.each(['injection', 'mutated-number', 'out-of-scope-negative', 'clean-listing'])(
      'a judge that is wrong about %s is unhealthy and judges nothing',
      async (name) => {
        const wrong: Script = (request) =>
          scriptedRun({ canaries: request.key.includes(`/${name}/`) ? 'FAIL' : 'PASS' })(request);
        const service = await start(wrong);
        expect(health(service)).toMatchObject({
          healthy: false,
          why: expect.stringContaining(name) as string,
        });
        const frozen = await freeze();
        expect(await ask(frozen)).toEqual({
          kind: 'FAILED',
          failure: 'UNHEALTHY',
          retryAfterMs: null,
          record: null,
        });
        expect(model.counts.get(`${frozen.runId}/t2-semantic0-a1`)).toBeUndefined();
      },
    );

    it('a judge that answers canaries with prose is unhealthy', async () => {
      expect(health(await start(() => text('Looks fine.')))).toMatchObject({ healthy: false });
    });

    it('an endpoint that was not up yet becomes healthy by itself', async () => {
      let down = true;
      const flaky: Script = (request) => (down ? { kind: 'CUT' } : judging('SUPPORTED')(request));
      const service = await start(flaky);
      expect(health(service)).toMatchObject({
        healthy: false,
        why: expect.stringContaining('TRANSPORT') as string,
      });
      down = false;
      await waitFor('health', () => health(service).healthy || undefined);
      expect(await ask(await freeze())).toMatchObject({ kind: 'JUDGED' });
    });
  });

  describe('readiness', () => {
    const readyOf = async (port: number) => {
      const response = await fetch(`http://127.0.0.1:${port}/readyz`);
      return { status: response.status, body: (await response.json()) as Record<string, unknown> };
    };
    const announce = (app: { get: (token: typeof JudgeHealth) => JudgeHealth }) => () => ({
      judge: app.get(JudgeHealth).announcement(),
    });

    it('ends with a judge that fails its canaries, says why, and comes back with it', async () => {
      const port = await freePort();
      const wrong = () => scriptedRun({ canaries: 'FAIL' });
      await start(wrong(), { HEALTH_PORT: String(port) }, { announce });
      const { status, body } = await readyOf(port);
      expect([status, body]).toEqual([
        503,
        expect.objectContaining({
          ready: false,
          judge: expect.objectContaining({
            healthy: false,
            why: expect.stringContaining('injection') as string,
          }),
        }),
      ]);
      expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200);
      const sound = await freePort();
      await start(judging('SUPPORTED'), { HEALTH_PORT: String(sound) }, { announce });
      expect(await readyOf(sound)).toMatchObject({
        status: 200,
        body: { ready: true, judge: { healthy: true } },
      });
    });
  });

  it('the judge’s model, endpoint and key are its own: nothing of a review goes to the author’s', async () => {
    const elsewhere = await startScriptedModel(judging('SUPPORTED'));
    try {
      const before = model.requests.length;
      await start(judging('SUPPORTED'), {
        JUDGE_BASE_URL: elsewhere.url,
        JUDGE_API_KEY: 'sk-of-the-judge',
        MODEL_JUDGE: 'judge-elsewhere',
        OPENAI_API_KEY: 'sk-of-the-author',
      });
      const frozen = await freeze();
      expect(await ask(frozen)).toMatchObject({ kind: 'JUDGED', record: { model: 'judge-elsewhere' } });
      // Canaries and the review alike.
      expect(elsewhere.requests).toHaveLength(CANARIES.length + 1);
      expect(model.requests.length).toBe(before);
      for (const { headers, body } of elsewhere.requests) {
        expect(headers.authorization).toBe('Bearer sk-of-the-judge');
        expect(body.model).toBe('judge-elsewhere');
        expect(JSON.stringify([headers, body])).not.toContain('sk-of-the-author');
      }
    } finally {
      await elsewhere.close();
    }
  });

  it('the author’s key never goes to a judge elsewhere', () => {
    const base = {
      NATS_URL: 'nats://x:1',
      OPENAI_BASE_URL: 'http://a/v1',
      OPENAI_API_KEY: 'sk-author',
      MODEL_JUDGE: 'j',
    };
    expect(judgeEndpointOf(parseConfig(semanticGuardEnv, base))).toEqual({
      baseUrl: 'http://a/v1',
      apiKey: 'sk-author',
    });
    const elsewhere = parseConfig(semanticGuardEnv, { ...base, JUDGE_BASE_URL: 'http://b/v1' });
    expect(judgeEndpointOf(elsewhere)).toEqual({ baseUrl: 'http://b/v1', apiKey: 'none' });
  });
});
