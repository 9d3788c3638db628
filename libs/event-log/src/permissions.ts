import { BLOB_BUCKET, CONTROL_STREAM, SERVICES_STREAM } from '@inquest/contracts/subjects';
import type { WorkConsumer } from './consumers';
import { inboxPrefixOf } from './inbox';
import { BLOB_STREAM } from './streams';

/**
 * Who may say and hear what on the broker (architecture, 2 and 8). Pure: one NATS user per service, allow-lists only.
 *
 * What a service may write is bound by subject. What the guards and workers may read is bound by subject too: they get
 * `DIRECT.GET.<stream>.<subject>` and neither the form that takes any sequence, nor STREAM.MSG.GET, nor a consumer over
 * others' facts.
 *
 * Where the broker sends an answer or a delivery is not under its permissions: a service can have what it may read
 * repeated on a subject that it may not write (tried on 2.9.10: it works). Two rules keep that harmless. Direct gets mark
 * what they repeat, and readers refuse marked messages and foreign ids (message-headers.ts). Consumers do not mark, so
 * nobody may make a consumer over a subject that it writes itself: payloads and announcements are read without one.
 */
export type NatsPermissions = { publish: string[]; subscribe: string[] };

export const SERVICE_USERS = [
  'chat-gateway',
  'harness-orchestrator',
  'agent-runner',
  'evidence-guard',
  'semantic-guard',
  'knowledge-rag',
  'run-projector',
  'operator',
] as const;
export type ServiceUser = (typeof SERVICE_USERS)[number];

const merge = (...parts: Partial<NatsPermissions>[]): NatsPermissions => ({
  publish: [...new Set(parts.flatMap(({ publish = [] }) => publish))],
  subscribe: [...new Set(parts.flatMap(({ subscribe = [] }) => subscribe))],
});

const service = (name: ServiceUser): NatsPermissions => ({
  publish: [`svc.${name}.>`, `$JS.API.DIRECT.GET.${CONTROL_STREAM}.ctl.>`],
  subscribe: [`${inboxPrefixOf(name)}.>`],
});

/** Takes work from its own durable, answers it, puts what it cannot do aside, and may replace the durable if it stands still. */
const worksOn = (consumer: WorkConsumer, filter: string): Partial<NatsPermissions> => ({
  publish: [
    `$JS.API.CONSUMER.MSG.NEXT.*.${consumer}`,
    `$JS.ACK.*.${consumer}.>`,
    `$JS.API.CONSUMER.INFO.*.${consumer}`,
    `$JS.API.CONSUMER.DELETE.*.${consumer}`,
    `$JS.API.CONSUMER.CREATE.*.${consumer}.${filter}`,
    `dlq.${consumer}.>`,
  ],
});

/** Serves requests of one kind: reads its own claims and answers, writes them, and hears cancellations. */
const serves = (
  kind: 'router' | 'agent' | 'tool' | 'rag' | 'evidence' | 'semantic' | 'investigator' | 'evaluator',
): Partial<NatsPermissions> =>
  merge(
    worksOn(kind, `diag.*.*.req.${kind}.>`),
    { publish: [`diag.*.*.call.${kind}.*`, `diag.*.*.res.${kind}.*`], subscribe: ['diag.*.*.in.>'] },
    readsLast(`call.${kind}.*`, `res.${kind}.*`, 'in.*', 'run', 'case'),
  );

/** The last message of exact subjects below a run. */
const readsLast = (...tails: string[]): Partial<NatsPermissions> => ({
  publish: tails.map((tail) => `$JS.API.DIRECT.GET.*.diag.*.*.${tail}`),
});

const readsEveryRun: Partial<NatsPermissions> = {
  publish: [
    '$JS.API.DIRECT.GET.*',
    '$JS.API.DIRECT.GET.*.>',
    '$JS.API.STREAM.MSG.GET.*',
    '$JS.API.STREAM.INFO.*',
  ],
};

/** Ordered consumers of its own; they are filtered by the subject of the request, which the broker compares with the body. */
const tails = (filter: string): Partial<NatsPermissions> => ({
  publish: [`$JS.API.CONSUMER.CREATE.*.*.${filter}`, '$JS.FC.>'],
});

const seesServices: Partial<NatsPermissions> = {
  publish: [`$JS.API.DIRECT.GET.${SERVICES_STREAM}`],
  subscribe: ['svc.>'],
};

const readsPayloads: Partial<NatsPermissions> = {
  publish: [
    `$JS.API.STREAM.INFO.${BLOB_STREAM}`,
    `$JS.API.STREAM.MSG.GET.${BLOB_STREAM}`,
    `$JS.API.DIRECT.GET.${BLOB_STREAM}`,
  ],
};

const writesPayloads: Partial<NatsPermissions> = {
  publish: [`$O.${BLOB_BUCKET}.C.*`, `$O.${BLOB_BUCKET}.M.*`],
};

const PERMISSIONS: Record<ServiceUser, NatsPermissions> = {
  'chat-gateway': merge(
    service('chat-gateway'),
    worksOn('entry', 'entry.>'),
    readsEveryRun,
    tails('diag.*.*.run'),
    tails('diag.*.*.case'),
    seesServices,
    readsPayloads,
    { publish: ['diag.*.*.in.*', 'entry-answer.>'] },
  ),
  'harness-orchestrator': merge(
    service('harness-orchestrator'),
    worksOn('harness-res', 'diag.*.*.res.>'),
    worksOn('harness-in', 'diag.*.*.in.>'),
    worksOn('timer', 'tmr.>'),
    readsEveryRun,
    tails('diag.*.*.run'),
    tails('diag.*.*.case'),
    seesServices,
    readsPayloads,
    {
      publish: ['diag.*.*.run', 'diag.*.*.case', 'diag.*.*.req.*.*', 'tmr.*.*'],
      subscribe: ['diag.*.*.in.>'],
    },
  ),
  'agent-runner': merge(
    service('agent-runner'),
    serves('router'),
    serves('agent'),
    serves('tool'),
    serves('investigator'),
    readsLast('req.router.*', 'req.agent.*', 'req.tool.*', 'req.rag.*', 'res.rag.*'),
    readsPayloads,
    writesPayloads,
  ),
  'evidence-guard': merge(
    service('evidence-guard'),
    serves('evidence'),
    readsLast('res.agent.*', 'res.investigator.*', 'res.tool.*', 'res.rag.*'),
    readsPayloads,
    writesPayloads,
  ),
  'semantic-guard': merge(
    service('semantic-guard'),
    serves('semantic'),
    serves('evaluator'),
    // The judge reads the frozen snapshot alone; the evaluator of a case, all evidence of it and no author's word.
    readsLast('res.evidence.*', 'res.tool.*', 'res.rag.*'),
    readsPayloads,
    // What its canaries found, shared by all its processes.
    { publish: ['ctl.canary.*'] },
  ),
  'knowledge-rag': merge(service('knowledge-rag'), serves('rag'), readsPayloads, writesPayloads),
  'run-projector': merge(service('run-projector'), readsEveryRun, tails('diag.*.>'), readsPayloads),
  operator: merge(service('operator'), {
    publish: ['$JS.API.>', '$JS.FC.>', '$JS.ACK.>', 'ctl.>', `$O.${BLOB_BUCKET}.>`],
  }),
};

export const permissionsOf = (user: ServiceUser): NatsPermissions => PERMISSIONS[user];

/** The NATS user of a platform gateway that asks over the bus; `name` is one token. */
export const publisherUser = (name: string): string => `publisher-${name}`;

/** It may ask and cancel under its own name, and hears the answers to that; nothing else. */
export const publisherPermissions = (name: string): NatsPermissions => ({
  publish: [`entry.${name}.*.request`, `entry.${name}.*.cancel`],
  subscribe: [`entry-answer.${name}.>`, `${inboxPrefixOf(publisherUser(name))}.>`],
});
