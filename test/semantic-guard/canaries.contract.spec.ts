import type { AddressInfo } from 'node:net';
import { hashOf } from '@inquest/contracts/canonical-json';
import { ModelEndpoint } from '@inquest/model-client/model-endpoint';
import { Logger } from '@inquest/service-shell/logger';
import { InMemoryEventLog } from '@inquest/testing/in-memory-event-log';
import { waitFor } from '@inquest/testing/wait-for';
import { startAnalyst, type Analyst } from '../../apps/offline-analyst/src/http/server';
import { CANARIES, CANARIES_HASH } from '../../apps/semantic-guard/src/canary/canaries';
import { JudgeHealth } from '../../apps/semantic-guard/src/canary/judge-health';
import { Judge } from '../../apps/semantic-guard/src/judge/judge';

/** The judge of the embedded default, asked as every judge is at the start of its guard. */
describe('canaries in CI', () => {
  let analyst: Analyst;
  beforeAll(async () => {
    analyst = await startAnalyst({ port: 0, host: '127.0.0.1' });
  });
  afterAll(() => analyst.stop());

  const judge = (): Judge =>
    new Judge(
      new ModelEndpoint({
        baseUrl: `http://127.0.0.1:${(analyst as Pick<AddressInfo, 'port'>).port}/v1`,
        apiKey: 'offline',
      }),
      {
        model: 'rules-judge',
        contextBytesMax: 4 * 1024 * 1024,
      },
    );

  it('hold an injection, a mutated number, a negative out of scope and a clean listing', () => {
    expect(CANARIES.map(({ name, expected }) => `${name}: ${expected}`)).toEqual([
      'injection: UNSUPPORTED',
      'mutated-number: UNSUPPORTED',
      'out-of-scope-negative: UNSUPPORTED',
      'clean-listing: SUPPORTED',
    ]);
  });

  it.each(CANARIES.map((canary) => [canary.name, canary] as const))(
    '%s',
    async (_, { name, expected, frozen }) => {
      const attempt = {
        idempotencyKey: `canary/ci/${name}`,
        timeoutMs: 10_000,
        signal: new AbortController().signal,
      };
      expect(await judge().judge(frozen, attempt)).toMatchObject({ kind: 'JUDGED', verdict: expected });
    },
  );

  it('make the offline judge healthy, by a record that others share', async () => {
    const log = new InMemoryEventLog();
    const health = (holder: string, asked: Judge) =>
      new JudgeHealth({
        log,
        judge: asked,
        canaries: CANARIES,
        hash: hashOf(['ci', CANARIES_HASH]),
        model: 'rules-judge',
        holder,
        logger: new Logger({ service: 'semantic-guard', instance: 'ci' }, 'silent'),
      });
    const first = health('one', judge());
    await first.onApplicationBootstrap();
    await waitFor('the record', () => first.announcement().healthy || undefined);
    // Whoever comes next finds the record and asks nobody.
    const never = { judge: () => Promise.reject(new Error('asked again')) } as unknown as Judge;
    const second = health('two', never);
    expect(await second.isHealthy(AbortSignal.timeout(5_000))).toBe(true);
    first.onModuleDestroy();
    second.onModuleDestroy();
  });
});
