import { SHOP } from '../../test/a-shop-cluster';
import { KubernetesDouble, type Fault } from '../../test/kubernetes-double';
import type { ClusterAccess } from './cluster-access';
import { kubernetesApi } from './kubernetes-api';
import { objectReads } from './object-reads';

const EVENTS = { eventsKeptMs: 3_600_000, nowMs: () => Date.parse('2026-05-01T10:30:00Z') };

const started: KubernetesDouble[] = [];
afterEach(() => Promise.all(started.splice(0).map((double) => double.stop())));

const faulty = async (fault?: Fault, faultAfter = 0): Promise<KubernetesDouble> => {
  const double = await KubernetesDouble.start({ objects: SHOP });
  started.push(double);
  double.fault = fault;
  double.faultAfter = faultAfter;
  return double;
};
const accessTo = (server: string): ClusterAccess => ({ server, authorize: async () => undefined });
const bounds = { answerBytesMax: 100_000, silenceMsMax: 150 };
const live = (signal = new AbortController().signal) => signal;

describe('a cluster that fails is a typed failure, after one request', () => {
  it.each<[Fault, string]>([
    ['HANG', 'SOURCE_FAILED'],
    ['RESET', 'SOURCE_FAILED'],
    ['CUT', 'SOURCE_FAILED'],
    ['SILENT_BODY', 'SOURCE_FAILED'],
    ['BUSY', 'SOURCE_FAILED'],
    ['REDIRECT', 'SOURCE_FAILED'],
    ['NO_JSON', 'RESULT_UNUSABLE'],
    ['HALF_JSON', 'RESULT_UNUSABLE'],
    ['HTML', 'RESULT_UNUSABLE'],
    ['HUGE', 'RESULT_UNUSABLE'],
  ])('%s', async (fault, errorClass) => {
    const double = await faulty(fault);
    const api = kubernetesApi(accessTo(double.url), bounds);
    await expect(api.getJson('/api/v1/pods', {}, live())).rejects.toMatchObject({ errorClass });
    expect(double.requests).toHaveLength(1);
  });

  it('an answer of JSON that is no list is unusable', async () => {
    const double = await faulty();
    const api = kubernetesApi(accessTo(double.url));
    const notAList = { ...api, getJson: async () => ({ kind: 'Status', status: 'Success' }) };
    const call = objectReads({ api: notAList, namespaces: null, ...EVENTS }).listObjects(
      { kind: 'Pod', limit: 9 },
      live(),
    );
    await expect(call).rejects.toMatchObject({ errorClass: 'RESULT_UNUSABLE' });
  });

  it('nobody listens', async () => {
    const api = kubernetesApi(accessTo('http://127.0.0.1:1'));
    await expect(api.getJson('/version', {}, live())).rejects.toMatchObject({ errorClass: 'SOURCE_FAILED' });
  });

  it('a credential that cannot be had sends nothing', async () => {
    const double = await faulty();
    const access = { server: double.url, authorize: () => Promise.reject(new Error('no token file')) };
    await expect(kubernetesApi(access).getJson('/version', {}, live())).rejects.toMatchObject({
      errorClass: 'ACCESS_DENIED',
    });
    expect(double.requests).toEqual([]);
  });

  it('a cluster that dies between two lists fails the whole question: no half of it reads as all', async () => {
    const double = await faulty('RESET', 5);
    const source = objectReads({
      api: kubernetesApi(accessTo(double.url), bounds),
      namespaces: null,
      ...EVENTS,
    });
    await expect(source.listObjects({ limit: 250 }, live())).rejects.toMatchObject({
      errorClass: 'SOURCE_FAILED',
    });
  });

  it('names in a failure hold no credential', async () => {
    const double = await faulty('BUSY');
    const access: ClusterAccess = {
      server: double.url,
      authorize: async (request) => {
        request.headers = { authorization: 'Bearer amber-lighthouse' };
      },
    };
    const error: unknown = await kubernetesApi(access)
      .getJson('/version', {}, live())
      .catch((e: unknown) => e);
    expect(String(error)).not.toContain('amber');
  });
});

describe('a cancelled question', () => {
  it('ends a request that waits for its answer', async () => {
    const double = await faulty('HANG');
    const cancel = new AbortController();
    const call = kubernetesApi(accessTo(double.url)).getJson('/version', {}, cancel.signal);
    const ended = expect(call).rejects.toMatchObject({ name: 'AbortError' });
    cancel.abort();
    await ended;
  });

  it('ends one whose answer has begun', async () => {
    const double = await faulty('SILENT_BODY');
    const cancel = new AbortController();
    const call = kubernetesApi(accessTo(double.url)).getJson('/version', {}, cancel.signal);
    const ended = expect(call).rejects.toMatchObject({ name: 'AbortError' });
    setImmediate(() => cancel.abort());
    await ended;
  });

  it('sends nothing when it was cancelled before', async () => {
    const double = await faulty();
    const api = kubernetesApi(accessTo(double.url));
    await expect(api.getJson('/version', {}, AbortSignal.abort())).rejects.toMatchObject({
      name: 'AbortError',
    });
    expect(double.requests).toEqual([]);
  });
});

it('a text is cut at its bound and says so', async () => {
  const double = await faulty('HUGE');
  const { text, isCut } = await kubernetesApi(accessTo(double.url)).getText('/x', {}, 1_000, live());
  expect({ bytes: text.length, isCut }).toEqual({ bytes: 1_000, isCut: true });
});
