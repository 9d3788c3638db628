import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { MadeCluster, MadeEvent } from './made-cluster';
import {
  claimYaml,
  describedClaim,
  describedNode,
  describedPod,
  describedService,
  describedVolume,
  describedWorkload,
  podOf,
  setOf,
  table,
} from './made-printing';

const RECORDED_AT = '2026-04-07T10:20:30.000000';

type Cache = Record<string, unknown>;

const key = (tool: string, args: object): string => `${tool}:${JSON.stringify(args)}`;

const objectsInto = (
  cache: Cache,
  { namespace, apps, nodes, claims, volumes, quotas }: MadeCluster,
): void => {
  const list = (resource: string, rows: string[][]) => {
    cache[key('GetResources', { resource_type: resource, name: '', namespace })] =
      rows.length > 1 ? table(rows) : '';
  };
  const describe = (resource: string, name: string, text: string) => {
    cache[key('DescribeResource', { resource_type: resource, name, namespace })] = text;
  };
  const withPods = apps.filter(({ hasPod, replicas }) => hasPod && replicas > 0);
  list('pods', [
    ['NAME', 'READY', 'STATUS', 'RESTARTS', 'AGE'],
    ...withPods.map((app) => [
      podOf(app),
      app.ready ? '1/1' : '0/1',
      app.podStatus,
      String(app.restarts),
      '3m',
    ]),
  ]);
  for (const app of withPods) describe('pods', podOf(app), describedPod(app, namespace));
  list('deployments', [
    ['NAME', 'READY', 'UP-TO-DATE', 'AVAILABLE', 'AGE'],
    ...apps.map((app) => [
      app.name,
      `${app.ready && app.hasPod ? app.replicas : 0}/${app.replicas}`,
      '1',
      '1',
      '3m',
    ]),
  ]);
  list('replicasets', [
    ['NAME', 'DESIRED', 'CURRENT', 'READY', 'AGE'],
    ...apps.map((app) => [
      setOf(app),
      String(app.replicas),
      app.hasPod ? '1' : '0',
      app.ready ? '1' : '0',
      '3m',
    ]),
  ]);
  for (const app of apps) {
    describe('deployments', app.name, describedWorkload('Deployment', app, namespace));
    describe('replicasets', setOf(app), describedWorkload('ReplicaSet', app, namespace));
  }
  const served = apps.filter(({ hasService }) => hasService);
  list('services', [
    ['NAME', 'TYPE', 'CLUSTER-IP', 'EXTERNAL-IP', 'PORT(S)', 'AGE'],
    ...served.map((app) => [
      app.name,
      'ClusterIP',
      '10.90.1.1',
      '<none>',
      `${app.servicePort}/${app.protocol}`,
      '3m',
    ]),
  ]);
  for (const app of served) describe('services', app.name, describedService(app, namespace));
  list('nodes', [
    ['NAME', 'STATUS', 'ROLES', 'AGE', 'VERSION'],
    ...nodes.map((node) => [
      node.name,
      node.ready[0] === 'True' ? 'Ready' : 'NotReady',
      node.isControl ? 'control-plane' : '<none>',
      '90d',
      'v1.31.2',
    ]),
  ]);
  for (const node of nodes) describe('nodes', node.name, describedNode(node));
  list('persistentvolumeclaims', [
    ['NAME', 'STATUS', 'VOLUME', 'CAPACITY', 'ACCESS MODES', 'STORAGECLASS', 'AGE'],
    ...claims.map((claim) => [claim.name, claim.status, claim.volume, '', '', claim.storageClass, '3m']),
  ]);
  for (const claim of claims)
    describe('persistentvolumeclaims', claim.name, describedClaim(claim, namespace));
  list('persistentvolumes', [
    ['NAME', 'CAPACITY', 'ACCESS MODES', 'RECLAIM POLICY', 'STATUS', 'CLAIM', 'STORAGECLASS', 'AGE'],
    ...volumes.map((volume) => [
      volume.name,
      volume.capacity,
      volume.modes,
      'Retain',
      volume.status,
      volume.claim,
      volume.storageClass,
      '3m',
    ]),
  ]);
  for (const volume of volumes) describe('persistentvolumes', volume.name, describedVolume(volume));
  list('resourcequota', [
    ['NAME', 'AGE', 'REQUEST', 'LIMIT'],
    ...quotas.map(({ name, resource, used, hard }) => [name, '3m', `${resource}: ${used}/${hard}`, '']),
  ]);
  for (const { name, resource, used, hard } of quotas)
    describe(
      'resourcequota',
      name,
      [
        `Name:       ${name}`,
        `Namespace:  ${namespace}`,
        ...table([
          ['Resource', 'Used', 'Hard'],
          ['--------', '----', '----'],
          [resource, used, hard],
        ]).split('\n'),
      ].join('\n'),
    );
};

const eventsInto = (cache: Cache, { namespace, apps, claims, staleEvents }: MadeCluster): void => {
  const rows = (kind: string, name: string, events: readonly MadeEvent[]) =>
    events.map(([type, reason, message]) => ['20s', type, reason, `${kind}/${name}`, message]);
  cache[key('GetResources', { resource_type: 'events', name: '', namespace })] = table([
    ['LAST SEEN', 'TYPE', 'REASON', 'OBJECT', 'MESSAGE'],
    ...apps.flatMap((app) => [
      ...rows('pod', podOf(app), app.podEvents),
      ...rows('replicaset', setOf(app), app.setEvents),
      ...rows('deployment', app.name, app.deploymentEvents),
    ]),
    ...apps.slice(0, 3).flatMap(({ name }) => rows('pod', `${name}-5c4b3a2f9d-qqqqq`, staleEvents)),
    ...claims.flatMap((claim) => rows('persistentvolumeclaim', claim.name, claim.events)),
  ]);
};

const signalsInto = (cache: Cache, { namespace, apps, nodes, claims, alerts }: MadeCluster): void => {
  for (const app of apps) {
    const { name, logs, calls } = app;
    const patterns = logs.map((message) => ({
      count: 60,
      ratio: 0.1,
      sample: `2026-04-07T10:20:00.000000000+00:00 ${message}`,
    }));
    cache[key('GetErrorLogs', { namespace, service_name: name })] =
      logs.length === 0 ? '' : JSON.stringify({ total_log_count: 600, total_errors: 60, patterns });
    cache[key('GetServiceDependencies', { service_name: name })] = [
      `[Service]: ${name}`,
      '[Downstream (Calls)]:',
      name,
      ...calls.map((call, index) => `${index === calls.length - 1 ? '└' : '├'}── ${call}`),
    ].join('\n');
    if (app.hasService)
      cache[key('CheckServiceConnectivity', { namespace, service_name: name, port: app.servicePort })] =
        app.connects
          ? `${name} (10.90.1.1:${app.servicePort}) open\nConnection Succeeded`
          : 'punt!\nConnection Failed';
    const claim = claims.find((one) => one.name === app.claim);
    cache[key('GetAppYAML', { app_name: name })] = claim ? claimYaml(claim) : '';
  }
  for (const node of nodes)
    for (const service of [
      'kubelet',
      'containerd',
      'kube-proxy',
      ...(node.isControl ? ['kube-scheduler'] : []),
    ])
      cache[key('CheckNodeServiceStatus', { node_name: node.name, service_name: service })] =
        `Service: ${service}\nNode: ${node.name}\n     Active: ${node.stopped.includes(service) ? 'inactive (dead) since Tue' : 'active (running) since Mon'}`;
  cache[key('GetAlerts', {})] = {
    status: alerts.length > 0 ? 'has_anomalies' : 'normal',
    alerts: alerts.map((alert) => ({
      ...alert,
      time_range: '2026-04-07 10:18:00 ~ 2026-04-07 10:20:00',
      status: 'ABNORMAL',
    })),
  };
};

/** Writes a case as the benchmark lays it out, with the answers that its tools would have given. */
export const writeMadeCase = (
  dir: string,
  cluster: MadeCluster,
  { query, object, cause }: { query: string; object: string; cause: string },
): void => {
  const cache: Cache = { collection_timestamp: RECORDED_AT };
  objectsInto(cache, cluster);
  eventsInto(cache, cluster);
  signalsInto(cache, cluster);
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, 'tool_cache.json'), JSON.stringify(cache));
  const result = { fault_taxonomy: 'Made', fault_object: object, root_cause: cause };
  writeFileSync(join(dir, 'metadata.json'), JSON.stringify({ namespace: cluster.namespace, query, result }));
};
