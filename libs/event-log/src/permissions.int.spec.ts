import type { NatsConnection } from '@nats-io/transport-node';
import { entryAnswerSubject, entryRequestSubject, runSubjects } from '@inquest/contracts/subjects';
import { startNats, type TestNats } from '@inquest/testing/nats-server';
import { waitFor } from '@inquest/testing/wait-for';
import { connectNats } from './connection';
import { Work } from './consume';
import type { WorkConsumer } from './consumers';
import { EventLogUnavailable } from './event-log';
import { askApi, directGet } from './js-api';
import { messageOf } from './message';
import { MalformedMessage } from './message-headers';
import { NatsEventLog } from './nats-event-log';
import { natsConfigText } from './nats-config';
import { NatsPayloadStore } from './payload-store';
import { PartitionReader } from './partition-reader';
import { SERVICE_USERS, permissionsOf, publisherUser, type ServiceUser } from './permissions';
import { provision } from './provisioner';
import { publishLatest } from './publish-latest';
import { readPartitionStates } from './stream-state';
import { tailChains } from './stream-tail';
import { putWakeUp } from './timers';
import { sha256 } from '@inquest/contracts/canonical-json';

const RUN = '0b51e2a4-3c1d-8f00-9a3b-1d2e3f405162';
const subjects = runSubjects(RUN, 4);
const STEP = 't1-tool1-a1';

describe('One NATS user per service', () => {
  let nats: TestNats;
  const connections = new Map<ServiceUser, NatsConnection>();
  const logs = new Map<ServiceUser, NatsEventLog>();

  beforeAll(async () => {
    const passwords = Object.fromEntries(SERVICE_USERS.map((user) => [user, `${user}-secret`]));
    nats = await startNats((at) => natsConfigText({ ...at, passwords, publishers: { acme: 'acme-secret' } }));
    await provision(await connect('operator'));
    for (const user of SERVICE_USERS) {
      const nc = user === 'operator' ? nc_('operator') : await connect(user);
      logs.set(user, await NatsEventLog.open(nc));
    }
  });

  afterAll(async () => {
    await Promise.all([...connections.values()].map((nc) => nc.close()));
    await nats.stop();
  });

  const connect = async (user: ServiceUser): Promise<NatsConnection> => {
    const url = nats.url.replace('nats://', `nats://${user}:${user}-secret@`);
    const nc = await connectNats({ url, service: user });
    connections.set(user, nc);
    return nc;
  };
  const nc_ = (user: ServiceUser): NatsConnection => {
    const nc = connections.get(user);
    if (!nc) throw new Error(`${user} is not connected`);
    return nc;
  };
  const log_ = (user: ServiceUser): NatsEventLog => {
    const log = logs.get(user);
    if (!log) throw new Error(`${user} has no log`);
    return log;
  };

  it('refuses whoever has no password', async () => {
    await expect(connectNats({ url: nats.url, service: 'stranger' })).rejects.toThrow();
  });

  describe('writes', () => {
    const owners: [string, ServiceUser[]][] = [
      [subjects.in('request'), ['chat-gateway']],
      [subjects.chain, ['harness-orchestrator']],
      [subjects.caseChain, ['harness-orchestrator']],
      [subjects.in('open'), ['chat-gateway']],
      [subjects.res('investigator', STEP), ['agent-runner']],
      [subjects.res('evaluator', STEP), ['semantic-guard']],
      [subjects.req('tool', STEP), ['harness-orchestrator']],
      [subjects.call('agent', STEP), ['agent-runner']],
      [subjects.res('agent', STEP), ['agent-runner']],
      [subjects.res('tool', STEP), ['agent-runner']],
      [subjects.res('router', STEP), ['agent-runner']],
      [subjects.res('evidence', STEP), ['evidence-guard']],
      [subjects.call('semantic', STEP), ['semantic-guard']],
      [subjects.res('semantic', STEP), ['semantic-guard']],
      [subjects.res('rag', STEP), ['knowledge-rag']],
      ['ctl.cutover', ['operator']],
      ['ctl.canary.abc', ['semantic-guard', 'operator']],
    ];

    it.each(owners)('%s is written by its owners alone', async (subject, allowed) => {
      for (const user of SERVICE_USERS) {
        const put = log_(user).putIfAbsent(subject, fact(subject, user));
        if (allowed.includes(user)) await expect(put).resolves.toMatchObject({ kind: expect.any(String) });
        else await expect(put).rejects.toThrow(EventLogUnavailable);
      }
    });

    it('a service announces under its own name only', async () => {
      const [own, foreign] = ['svc.evidence-guard.a', 'svc.semantic-guard.a'];
      await publishLatest(nc_('evidence-guard'), own, fact(own));
      await expect(publishLatest(nc_('evidence-guard'), foreign, fact(foreign))).rejects.toThrow(
        EventLogUnavailable,
      );
    });

    it('only the harness sets wake-ups', async () => {
      await putWakeUp(log_('harness-orchestrator'), RUN, 'harness-orchestrator', new Date());
      await expect(putWakeUp(log_('agent-runner'), RUN, 'agent-runner', new Date())).rejects.toThrow(
        EventLogUnavailable,
      );
    });

    it('nobody but the operator purges, deletes or makes streams', async () => {
      for (const user of SERVICE_USERS.filter((name) => name !== 'operator')) {
        await expect(askApi(nc_(user), 'STREAM.PURGE.DIAG_0', { filter: subjects.chain })).rejects.toThrow();
        await expect(askApi(nc_(user), 'STREAM.DELETE.DIAG_CTL')).rejects.toThrow();
      }
    });
  });

  describe('reads', () => {
    const guards: ServiceUser[] = ['evidence-guard', 'semantic-guard', 'knowledge-rag'];

    it.each(guards)('%s sees cancellation and the last decision', async (user) => {
      await log_('chat-gateway').putIfAbsent(subjects.in('cancel'), fact(subjects.in('cancel')));
      expect(await log_(user).readLast(subjects.in('cancel'), 'leader')).toBeDefined();
      expect(await log_(user).readLast(subjects.chain, 'leader')).toBeDefined();
    });

    it('the EvidenceGuard reads drafts and tool results, and no verdict of the judge', async () => {
      const { readLast } = reader('evidence-guard');
      for (const service of ['agent', 'tool', 'rag'] as const)
        expect(await readLast(subjects.res(service, STEP))).toBeDefined();
      await expect(readLast(subjects.res('semantic', STEP))).rejects.toThrow(EventLogUnavailable);
      await expect(readLast(subjects.req('tool', STEP))).rejects.toThrow(EventLogUnavailable);
    });

    it('the SemanticGuard reads the EvidenceGuard’s verdict, tool results as evaluator of cases, and no draft', async () => {
      const { readLast } = reader('semantic-guard');
      for (const service of ['evidence', 'tool', 'rag'] as const)
        expect(await readLast(subjects.res(service, STEP))).toBeDefined();
      for (const service of ['agent', 'investigator', 'router'] as const) {
        await expect(readLast(subjects.res(service, STEP))).rejects.toThrow(EventLogUnavailable);
      }
    });

    it.each(guards)(
      '%s cannot read by position, from the leader, or by a consumer of its own',
      async (user) => {
        await expect(log_(user).readAt(0, 1)).rejects.toThrow(EventLogUnavailable);
        await expect(askApi(nc_(user), `STREAM.MSG.GET.${subjects.stream}`, { seq: 1 })).rejects.toThrow();
        await expect(
          tailChains(nc_(user), subjects.partition, { fromSeq: 1 }, () => undefined),
        ).rejects.toThrow();
        await expect(
          askApi(nc_(user), `CONSUMER.CREATE.${subjects.stream}`, {
            stream_name: subjects.stream,
            config: { deliver_subject: '_INBOX.x', ack_policy: 'none' },
          }),
        ).rejects.toThrow();
      },
    );

    it('nobody listens to another’s inbox', async () => {
      const sub = nc_('semantic-guard').subscribe('_INBOX.chat-gateway.>');
      await expect(sub.closed).resolves.toBeInstanceOf(Error);
    });

    it('gateway, harness and projector read chains and follow them', async () => {
      for (const user of ['chat-gateway', 'harness-orchestrator'] as const) {
        const seen: number[] = [];
        const tail = await tailChains(nc_(user), subjects.partition, { fromSeq: 1 }, ({ seq }) =>
          seen.push(seq),
        );
        await waitFor('a decision', () => seen.length > 0 || undefined);
        tail.close();
        expect(await log_(user).readChain(subjects.chain)).toHaveLength(1);
      }
      const partition = await PartitionReader.open(nc_('run-projector'), subjects.partition, 1);
      expect(await partition.next(1, 5_000)).toHaveLength(1);
      partition.close();
      await readPartitionStates(nc_('chat-gateway'), 4);
      await readPartitionStates(nc_('run-projector'), 4);
    });

    it('gateway, harness and projector read chains of cases, however long', async () => {
      const harness = log_('harness-orchestrator');
      const chain = runSubjects('3c1b2c3d-4e5f-8a6b-9c7d-0e1f2a3b4c5d', harness.partitions).caseChain;
      for (let n = 0, last = 0; n < 4; n += 1) {
        const appended = await harness.append(chain, fact(chain), last);
        if (appended.kind === 'APPENDED') last = appended.seq;
      }
      for (const user of ['chat-gateway', 'harness-orchestrator', 'run-projector'] as const)
        expect(await log_(user).readChain(chain)).toHaveLength(4);
    });

    it('the gateway sees who is up', async () => {
      const announced = await directGet(nc_('chat-gateway'), 'DIAG_SVC', { seq: 1, next_by_subj: 'svc.*.*' });
      expect(announced?.subject).toBe('svc.evidence-guard.a');
      const live = nc_('chat-gateway').subscribe('svc.>', { max: 1 });
      await nc_('chat-gateway').flush();
      await publishLatest(nc_('evidence-guard'), 'svc.evidence-guard.a', fact('svc.evidence-guard.a'));
      for await (const { subject } of live) expect(subject).toBe('svc.evidence-guard.a');
    });
  });

  describe('work', () => {
    const workers: [ServiceUser, WorkConsumer, string, ServiceUser][] = [
      ['evidence-guard', 'evidence', subjects.req('evidence', 't2-evidence1-a1'), 'harness-orchestrator'],
      ['semantic-guard', 'semantic', subjects.req('semantic', 't2-semantic1-a1'), 'harness-orchestrator'],
      ['agent-runner', 'agent', subjects.req('agent', 't2-model1-a1'), 'harness-orchestrator'],
      ['agent-runner', 'tool', subjects.req('tool', 't2-tool1-a1'), 'harness-orchestrator'],
      ['agent-runner', 'router', subjects.req('router', 't0-router1-a1'), 'harness-orchestrator'],
      ['knowledge-rag', 'rag', subjects.req('rag', 't2-tool2-a1'), 'harness-orchestrator'],
      ['harness-orchestrator', 'harness-res', subjects.res('evidence', 't2-evidence1-a1'), 'evidence-guard'],
      ['harness-orchestrator', 'harness-in', subjects.in('attach-1'), 'chat-gateway'],
    ];

    it.each(workers)('%s works on %s', async (user, consumer, subject, writer) => {
      await log_(writer).putIfAbsent(subject, fact(subject));
      const seen: string[] = [];
      const handlers = new Map([
        [consumer, async (message: { subject: string }) => void seen.push(message.subject)],
      ]);
      const work = new Work(nc_(user), { partitions: 4, slots: 8, handlers });
      await waitFor(subject, () => seen.includes(subject) || undefined);
      await work.close();
      const info = await askApi<{ num_ack_pending: number }>(
        nc_('operator'),
        `CONSUMER.INFO.${subjects.stream}.${consumer}`,
      );
      expect(info.num_ack_pending).toBe(0);
    });

    it('a poisoned request is put aside', async () => {
      const subject = subjects.req('evidence', 'nonsense');
      await log_('harness-orchestrator').putIfAbsent(subject, fact(subject));
      const work = new Work(nc_('evidence-guard'), {
        partitions: 4,
        slots: 8,
        handlers: new Map([['evidence', async () => undefined]]),
      });
      await waitFor('the dead letter', async () => {
        const letter = await askApi(nc_('operator'), 'STREAM.MSG.GET.DIAG_DLQ', { seq: 1 }).catch(
          () => undefined,
        );
        return letter === undefined ? undefined : true;
      });
      await work.close();
    });

    it.each(['evidence-guard', 'semantic-guard'] as const)('%s cannot take others’ work', async (user) => {
      const pull = nc_(user).request(`$JS.API.CONSUMER.MSG.NEXT.${subjects.stream}.agent`, '', {
        timeout: 500,
      });
      await expect(pull).rejects.toThrow(/Permissions Violation/);
    });
  });

  it('a fact that the broker was made to repeat on the chain is refused by readers', async () => {
    const own = subjects.res('evidence', 't9-evidence1-a1');
    const forged = { ...fact(own), envelope: { ...fact(own).envelope, id: `${subjects.chain}#1` } };
    await publishLatest(nc_('evidence-guard'), own, forged);
    nc_('evidence-guard').publish(`$JS.API.DIRECT.GET.${subjects.stream}.${own}`, '', {
      reply: subjects.chain,
    });
    await waitFor('the copy', async () => {
      const raw = await directGet(nc_('operator'), `${subjects.stream}.${subjects.chain}`);
      return raw && raw.seq > 2 && raw.headers.get('ce-source') === 'test' ? true : undefined;
    });
    await expect(log_('harness-orchestrator').readChain(subjects.chain)).rejects.toThrow(MalformedMessage);
    await expect(log_('chat-gateway').readLast(subjects.chain, 'leader')).rejects.toThrow(MalformedMessage);
  });

  it('payloads are written by those who make them and read by those who need them', async () => {
    const text = 'evidence '.repeat(40_000);
    const expected = { sha256: sha256(text), bytes: text.length };
    const name = await new NatsPayloadStore(nc_('agent-runner')).put('tenant-a', text);
    for (const user of ['evidence-guard', 'semantic-guard', 'chat-gateway', 'run-projector'] as const) {
      expect(await new NatsPayloadStore(nc_(user)).get(name, expected)).toBe(text);
    }
    await expect(new NatsPayloadStore(nc_('semantic-guard')).put('tenant-a', `${text}!`)).rejects.toThrow(
      EventLogUnavailable,
    );
  });

  it('a platform gateway asks under its own name and hears its answers', async () => {
    const url = nats.url.replace('nats://', `nats://${publisherUser('acme')}:acme-secret@`);
    const acme = await connectNats({ url, service: publisherUser('acme') });
    const answers = acme.subscribe(entryAnswerSubject('acme', 'k1'));
    const ack = await acme.request(entryRequestSubject('acme', 'k1'), JSON.stringify({ question: 'why?' }));
    expect(ack.json()).toMatchObject({ stream: 'DIAG_ENTRY' });
    await expect(acme.request(entryRequestSubject('other', 'k1'), '{}', { timeout: 500 })).rejects.toThrow(
      /Permissions Violation/,
    );
    const seen: unknown[] = [];
    const handlers = new Map<WorkConsumer, (m: { data: unknown; subject: string }) => Promise<void>>([
      ['entry', async ({ data }) => void seen.push(data)],
    ]);
    const work = new Work(nc_('chat-gateway'), { partitions: 4, slots: 8, handlers });
    await waitFor('the entry', () => seen.length > 0 || undefined);
    nc_('chat-gateway').publish(entryAnswerSubject('acme', 'k1'), '{}');
    for await (const { subject } of answers) {
      expect(subject).toBe('entry-answer.acme.k1');
      break;
    }
    await work.close();
    await acme.close();
  });

  const reader = (user: ServiceUser) => ({
    readLast: (subject: string) => log_(user).readLast(subject, 'any'),
  });
});

it('nobody can make a consumer over a subject that it writes itself', () => {
  const overlap = (a: string, b: string): boolean => {
    const [left, right] = [a.split('.'), b.split('.')];
    for (let i = 0; i < Math.max(left.length, right.length); i++) {
      const [x, y] = [left[i], right[i]];
      if (x === '>' || y === '>') return true;
      if (x === undefined || y === undefined) return false;
      if (x !== y && x !== '*' && y !== '*') return false;
    }
    return true;
  };
  // The owner of the chain may follow it; a copy elsewhere carries a foreign id.
  const exempt = (user: ServiceUser, filter: string) =>
    user === 'harness-orchestrator' && ['diag.*.*.run', 'diag.*.*.case'].includes(filter);
  for (const user of SERVICE_USERS.filter((name) => name !== 'operator')) {
    const { publish } = permissionsOf(user);
    const filters = publish.flatMap(
      (subject) => /^\$JS\.API\.CONSUMER\.CREATE\.[^.]+\.[^.]+\.(.+)$/.exec(subject)?.[1] ?? [],
    );
    const written = publish.filter((subject) => !subject.startsWith('$JS.'));
    for (const filter of filters.filter((candidate) => !exempt(user, candidate))) {
      expect({ user, filter, written: written.filter((subject) => overlap(subject, filter)) }).toMatchObject({
        // Its wake-ups are its own on both sides.
        written: filter === 'tmr.>' ? ['tmr.*.*'] : [],
      });
    }
  }
});

it('no service but the operator has the whole API', () => {
  for (const user of SERVICE_USERS.filter((name) => name !== 'operator')) {
    const { publish, subscribe } = permissionsOf(user);
    expect([...publish, ...subscribe]).not.toContain('>');
    expect(publish).not.toContain('$JS.API.>');
    expect(
      publish.filter((subject) =>
        /^\$JS\.API\.(STREAM\.(CREATE|UPDATE|DELETE|PURGE|MSG\.DELETE))/.test(subject),
      ),
    ).toEqual([]);
  }
});

const fact = (subject: string, by = 'test') =>
  messageOf({ subject, type: 'inquest.test.v1', source: by, time: '2026-01-01T00:00:00Z' }, { by });
