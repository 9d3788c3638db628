import {
  CONTROL,
  ORDER,
  crashed,
  down,
  fault,
  of,
  pending,
  pulling,
  refusedBy,
  unbound,
  waits,
  type MadeFault,
} from './made-helpers';

export const STARTUP: MadeFault[] = [
  fault('image_registry_dns_failure', ORDER, 'containerd does not find the registry', (c) =>
    pulling(
      c,
      'ts-order-service',
      'hub.nowhere.example/tickets/order:1.4',
      'failed to pull and unpack image "hub.nowhere.example/tickets/order:1.4": failed to resolve reference "hub.nowhere.example/tickets/order:1.4": failed to do request: Head "https://hub.nowhere.example/v2/tickets/order/manifests/1.4": dial tcp: lookup hub.nowhere.example on 10.0.0.2:53: no such host',
    ),
  ),
  fault('incorrect_image_reference', 'app/ts-route-service', 'the tag is unknown', (c) =>
    pulling(
      c,
      'ts-route-service',
      'docker.io/tickets/route:9.9',
      'rpc error: code = NotFound desc = failed to pull and unpack image "docker.io/tickets/route:9.9": failed to resolve reference "docker.io/tickets/route:9.9": docker.io/tickets/route:9.9: not found',
    ),
  ),
  fault('incorrect_image_reference', 'app/ts-route-service', 'the repository is unknown to Docker Hub', (c) =>
    pulling(
      c,
      'ts-route-service',
      'docker.io/tickets/ruote:1.4',
      'failed to resolve reference "docker.io/tickets/ruote:1.4": pull access denied, repository does not exist or may require authorization: server message: insufficient_scope: authorization failed',
    ),
  ),
  fault('incorrect_image_reference', 'app/ts-route-service', 'the name is no name', (c) =>
    down(c, 'ts-route-service', {
      podStatus: 'InvalidImageName',
      state: waits('InvalidImageName'),
      podEvents: [
        [
          'Warning',
          'InspectFailed',
          'Failed to apply default image tag "Route::1": couldn\'t parse image name "Route::1": invalid reference format',
        ],
      ],
    }),
  ),
  fault('missing_image_pull_secret', 'app/ts-user-service', 'the registry wants a log-in', (c) =>
    pulling(
      c,
      'ts-user-service',
      'harbor.example/private/user:1.4',
      'failed to pull and unpack image "harbor.example/private/user:1.4": failed to resolve reference "harbor.example/private/user:1.4": pulling from host harbor.example failed with status code [manifests 1.4]: 401 Unauthorized',
    ),
  ),
  fault('missing_secret_binding', ORDER, 'a variable refers to a secret', (c) =>
    down(c, 'ts-order-service', {
      podStatus: 'CreateContainerConfigError',
      state: waits('CreateContainerConfigError'),
      podEvents: [['Warning', 'Failed', 'Error: secret "ts-order-mysql" not found', 11]],
    }),
  ),
  fault('missing_secret_binding', ORDER, 'a volume refers to a secret', (c) =>
    down(c, 'ts-order-service', {
      podStatus: 'ContainerCreating',
      state: waits('ContainerCreating'),
      podEvents: [
        [
          'Warning',
          'FailedMount',
          'MountVolume.SetUp failed for volume "credentials" : secret "ts-order-keys" not found',
          9,
        ],
      ],
    }),
  ),
  fault('missing_secret_binding', ORDER, 'a key is missing', (c) =>
    down(c, 'ts-order-service', {
      podStatus: 'CreateContainerConfigError',
      state: waits('CreateContainerConfigError'),
      podEvents: [
        ['Warning', 'Failed', "Error: couldn't find key PASSWORD in Secret tickets/ts-order-mysql", 11],
      ],
    }),
  ),
  fault('volume_mount_permission_denied', 'app/tsdb-mysql', 'the server may not write its files', (c) =>
    down(c, 'tsdb-mysql', {
      podStatus: 'CrashLoopBackOff',
      restarts: 5,
      state: crashed(1),
      podEvents: [['Warning', 'BackOff', 'Back-off restarting failed container main in pod tsdb-mysql']],
      logs: [
        "mysqld: Can't create/write to file '/var/lib/mysql/is_writable' (OS errno 13 - Permission denied)",
      ],
    }),
  ),
];

export const ADMISSION: MadeFault[] = [
  fault('missing_service_account', 'app/ts-travel-service', 'the account is not there', (c) =>
    refusedBy(
      c,
      'ts-travel-service',
      'error looking up service account tickets/travel: serviceaccount "travel" not found',
    ),
  ),
  ...(
    [
      [
        'namespace_cpu_quota_exceeded',
        'exceeded quota: compute, requested: requests.cpu=500m, used: requests.cpu=3800m, limited: requests.cpu=4',
      ],
      [
        'namespace_memory_quota_exceeded',
        'exceeded quota: compute, requested: limits.memory=1Gi, used: limits.memory=7680Mi, limited: limits.memory=8Gi',
      ],
      [
        'namespace_pod_quota_exceeded',
        'exceeded quota: objects, requested: pods=1, used: pods=7, limited: pods=7',
      ],
      ['namespace_cpu_quota_exceeded', 'failed quota: compute: must specify limits.cpu for: main'],
    ] as const
  ).map(([cause, message]) =>
    fault(cause, 'namespace/tickets', message.slice(0, 30), (c) =>
      refusedBy(c, 'ts-travel-service', message),
    ),
  ),
  fault('namespace_service_quota_exceeded', 'namespace/tickets', 'a service could not be created', (c) => {
    Object.assign(of(c, 'ts-station-service'), { hasService: false });
    c.quotas.push({ name: 'objects', resource: 'services', used: '7', hard: '7' });
    of(c, 'ts-route-service').logs.push(
      'java.net.UnknownHostException: ts-station-service: Name or service not known',
    );
  }),
  fault('namespace_storage_quota_exceeded', 'namespace/tickets', 'a claim was too large', (c) => {
    c.claims = [];
    c.quotas.push({ name: 'storage', resource: 'requests.storage', used: '0', hard: '2Gi' });
    pending(c, 'tsdb-mysql', 'persistentvolumeclaim "data-tsdb-mysql" not found');
  }),
];

export const SCHEDULING: MadeFault[] = [
  fault(
    'cpu_capacity_mismatch',
    ORDER,
    'too much CPU',
    (c) => void pending(c, 'ts-order-service', `${CONTROL}, 2 Insufficient cpu`),
  ),
  fault(
    'memory_capacity_mismatch',
    ORDER,
    'too much memory',
    (c) => void pending(c, 'ts-order-service', `${CONTROL}, 2 Insufficient memory`),
  ),
  fault(
    'node_affinity_mismatch',
    ORDER,
    'no node has the label',
    (c) =>
      void pending(c, 'ts-order-service', `${CONTROL}, 2 node(s) didn't match Pod's node affinity/selector`),
  ),
  fault(
    'node_selector_mismatch',
    ORDER,
    'no node has the label',
    (c) =>
      void Object.assign(
        pending(c, 'ts-order-service', `${CONTROL}, 2 node(s) didn't match Pod's node affinity/selector`),
        { nodeSelector: 'disktype=nvme' },
      ),
  ),
  fault('node_cordon_mismatch', ORDER, 'the nodes are cordoned', (c) => {
    pending(c, 'ts-order-service', `${CONTROL}, 2 node(s) were unschedulable`);
    for (const node of c.nodes.slice(1))
      Object.assign(node, { unschedulable: true, taints: 'node.kubernetes.io/unschedulable:NoSchedule' });
  }),
  fault('taint_toleration_mismatch', ORDER, 'the nodes are tainted', (c) => {
    pending(c, 'ts-order-service', `${CONTROL}, 2 node(s) had untolerated taint {team: batch}`);
    for (const node of c.nodes.slice(1)) node.taints = 'team=batch:NoSchedule';
  }),
  fault(
    'pod_anti_affinity_conflict',
    ORDER,
    'the rules exclude every node',
    (c) => void pending(c, 'ts-order-service', `${CONTROL}, 2 node(s) didn't match pod anti-affinity rules`),
  ),
  fault('pvc_storage_class_mismatch', 'app/tsdb-mysql', 'the class is unknown', (c) =>
    unbound(c, {
      storageClass: 'ultra',
      events: [['Warning', 'ProvisioningFailed', 'storageclass.storage.k8s.io "ultra" not found', 8]],
    }),
  ),
  fault('pvc_storage_class_mismatch', 'app/tsdb-mysql', 'the class is another', (c) =>
    unbound(c, { storageClass: 'ssd' }),
  ),
  fault('pvc_access_mode_mismatch', 'app/tsdb-mysql', 'the mode is another', (c) =>
    unbound(c, { modes: 'RWX' }),
  ),
  fault('pvc_capacity_mismatch', 'app/tsdb-mysql', 'the volume is too small', (c) =>
    unbound(c, { requested: '80Gi' }),
  ),
  fault('pvc_selector_mismatch', 'app/tsdb-mysql', 'the labels are others', (c) =>
    unbound(c, { selector: 'tier=silver' }),
  ),
  fault(
    'pvc_capacity_mismatch',
    'app/tsdb-mysql',
    'the volume is too small, and those of others are large',
    (c) => {
      unbound(c, { requested: '80Gi' });
      for (const name of ['cache', 'queue'])
        c.volumes.push({
          name: `pv-${name}`,
          storageClass: name,
          modes: 'RWX',
          capacity: '900Gi',
          labels: '<none>',
          status: 'Bound',
          claim: `tickets/data-${name}`,
        });
    },
  ),
  fault(
    'pvc_selector_mismatch',
    'app/tsdb-mysql',
    'the labels are others, and so is all else elsewhere',
    (c) => {
      unbound(c, { selector: 'tier=silver' });
      c.volumes.push({
        name: 'pv-spare',
        storageClass: 'nfs',
        modes: 'RWX',
        capacity: '900Gi',
        labels: 'tier=silver',
        status: 'Available',
        claim: '',
      });
    },
  ),
  fault('pv_binding_occupied', 'app/tsdb-mysql', 'the volume is taken', (c) =>
    unbound(c, {}, { status: 'Bound', claim: 'tickets/old-data' }),
  ),
  fault('pv_binding_occupied', 'app/tsdb-mysql', 'the volume that it names is taken', (c) =>
    unbound(
      c,
      {
        volume: 'pv-mysql',
        events: [['Warning', 'FailedBinding', 'volume "pv-mysql" already bound to a different claim.', 8]],
      },
      { status: 'Bound', claim: 'tickets/old-data' },
    ),
  ),
];
