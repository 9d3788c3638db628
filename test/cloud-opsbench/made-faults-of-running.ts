import {
  JDBC,
  ORDER,
  crashed,
  down,
  fault,
  of,
  portOf,
  probed,
  slow,
  stopped,
  type MadeFault,
} from './made-helpers';

export const RUNTIME: MadeFault[] = [
  fault('oom_killed', 'app/ts-travel-service', 'the kernel kills it', (c) =>
    down(c, 'ts-travel-service', {
      podStatus: 'OOMKilled',
      restarts: 6,
      state: crashed(137, 'OOMKilled'),
      podEvents: [['Warning', 'BackOff', 'Back-off restarting failed container main in pod ts-travel']],
    }),
  ),
  fault('liveness_probe_incorrect_port', ORDER, 'another port', (c) =>
    probed(c, 'ts-order-service', 'Liveness', {
      text: 'tcp-socket :19999 delay=60s timeout=5s period=10s #success=1 #failure=3',
      message: 'dial tcp 10.9.1.7:19999: connect: connection refused',
    }),
  ),
  fault('liveness_probe_incorrect_protocol', ORDER, 'HTTPS to HTTP', (c) =>
    probed(c, 'ts-order-service', 'Liveness', {
      text: `http-get https://:${portOf('ts-order-service')}/actuator/health delay=60s timeout=5s period=10s #success=1 #failure=3`,
      message:
        'Get "https://10.9.1.7:12155/actuator/health": http: server gave HTTP response to HTTPS client',
    }),
  ),
  fault('liveness_probe_incorrect_timing', ORDER, 'no time to start', (c) =>
    probed(c, 'ts-order-service', 'Liveness', {
      text: `tcp-socket :${portOf('ts-order-service')} delay=1s timeout=1s period=1s #success=1 #failure=1`,
      message: `dial tcp 10.9.1.7:${portOf('ts-order-service')}: connect: connection refused`,
    }),
  ),
  fault('liveness_probe_incorrect_timing', ORDER, 'no time to answer', (c) =>
    probed(c, 'ts-order-service', 'Liveness', {
      text: `http-get http://:${portOf('ts-order-service')}/actuator/health delay=60s timeout=1s period=1s #success=1 #failure=1`,
      message:
        'Get "http://10.9.1.7:12155/actuator/health": context deadline exceeded (Client.Timeout exceeded while awaiting headers)',
    }),
  ),
  fault('readiness_probe_incorrect_port', ORDER, 'another port', (c) =>
    probed(c, 'ts-order-service', 'Readiness', {
      text: 'tcp-socket :19999 delay=60s timeout=5s period=10s #success=1 #failure=3',
      message: 'dial tcp 10.9.1.7:19999: connect: connection refused',
    }),
  ),
  fault('readiness_probe_incorrect_protocol', ORDER, 'HTTP to something else', (c) =>
    probed(c, 'ts-order-service', 'Readiness', {
      text: `http-get http://:${portOf('ts-order-service')}/ delay=60s timeout=5s period=10s #success=1 #failure=3`,
      message: 'HTTP probe failed with statuscode: 404',
    }),
  ),
  fault('mysql_invalid_credentials', ORDER, 'the password is wrong', (c) =>
    down(c, 'ts-order-service', {
      podStatus: 'CrashLoopBackOff',
      restarts: 3,
      state: crashed(1),
      podEvents: [['Warning', 'BackOff', 'Back-off restarting failed container main in pod ts-order']],
      logs: [
        "HikariPool-1 - Exception during pool initialization. java.sql.SQLException: Access denied for user 'orders'@'10.9.1.7' (using password: YES)",
      ],
    }),
  ),
  fault('mysql_invalid_port', ORDER, 'the port is wrong, in a variable', (c) =>
    down(c, 'ts-order-service', {
      podStatus: 'CrashLoopBackOff',
      restarts: 3,
      state: crashed(1),
      env: [
        ['ORDER_MYSQL_HOST', 'tsdb-mysql'],
        ['ORDER_MYSQL_PORT', '3316'],
      ],
      podEvents: [['Warning', 'BackOff', 'Back-off restarting failed container main in pod ts-order']],
      logs: [JDBC, 'Caused by: java.net.ConnectException: Connection refused (Connection refused)'],
    }),
  ),
  fault(
    'mysql_invalid_port',
    ORDER,
    'the port is wrong, where nobody sees it',
    (c) =>
      void of(c, 'ts-order-service').logs.push(
        JDBC,
        'Caused by: java.net.SocketTimeoutException: connect timed out',
      ),
  ),
  fault('db_connection_exhaustion', 'app/tsdb-mysql', 'too many clients', (c) => {
    for (const name of ['ts-order-service', 'ts-user-service'])
      of(c, name).logs.push(
        'com.mysql.cj.jdbc.exceptions.MySQLNonTransientConnectionException: Data source rejected establishment of connection,  message from server: "Too many connections"',
      );
  }),
  fault('db_read_only', 'app/tsdb-mysql', 'nothing can be written', (c) => {
    for (const name of ['ts-order-service', 'ts-user-service'])
      of(c, name).logs.push(
        'java.sql.SQLException: The MySQL server is running with the --read-only option so it cannot execute this statement',
      );
  }),
  fault(
    'gateway_misroute',
    'app/ts-gateway-service',
    'a route leads nowhere',
    (c) =>
      void of(c, 'ts-gateway-service').logs.push(
        'WARN o.s.c.g.f.ReactiveLoadBalancerClientFilter: 503 SERVICE_UNAVAILABLE "Unable to find instance for ts-ordre-service"',
      ),
  ),
];

export const SERVICE: MadeFault[] = [
  fault(
    'service_selector_mismatch',
    'app/ts-route-service',
    'selects other labels',
    (c) => void down(c, 'ts-route-service', { ready: true, selector: 'app=ts-route' }),
  ),
  fault(
    'service_port_mapping_mismatch',
    'app/ts-route-service',
    'forwards elsewhere',
    (c) => void down(c, 'ts-route-service', { ready: true, targetPort: 9_999 }),
  ),
  fault(
    'service_port_mapping_mismatch',
    'app/ts-route-service',
    'offers another number',
    (c) => void down(c, 'ts-route-service', { ready: true, servicePort: 9_998 }),
  ),
  fault(
    'service_protocol_mismatch',
    'app/ts-route-service',
    'forwards by UDP',
    (c) => void down(c, 'ts-route-service', { ready: true, protocol: 'UDP' }),
  ),
  fault(
    'service_env_var_address_mismatch',
    'app/ts-travel-service',
    'calls a name that nobody has',
    (c) =>
      void Object.assign(of(c, 'ts-travel-service'), {
        env: [['ROUTE_ADDR', 'http://ts-rote-service:12124']],
        logs: [
          'I/O error on GET request for "http://ts-rote-service:12124/api": ts-rote-service: Name or service not known; nested exception is java.net.UnknownHostException: ts-rote-service: Name or service not known',
        ],
      }),
  ),
  fault(
    'service_env_var_address_mismatch',
    'app/ts-travel-service',
    'calls a port that is not offered',
    (c) =>
      void Object.assign(of(c, 'ts-travel-service'), {
        env: [['ROUTE_ADDR', 'http://ts-route-service:9']],
        logs: [
          'I/O error on GET request for "http://ts-route-service:9/api": Connection refused (Connection refused); nested exception is java.net.ConnectException',
        ],
      }),
  ),
  fault(
    'service_dns_resolution_failure',
    'app/ts-travel-service',
    'one caller resolves nothing',
    (c) =>
      void of(c, 'ts-travel-service').logs.push(
        'java.net.UnknownHostException: ts-station-service: Temporary failure in name resolution',
      ),
  ),
  fault(
    'service_dns_resolution_failure',
    'app/ts-station-service',
    'nobody finds a service that is there',
    (c) => {
      for (const name of ['ts-travel-service', 'ts-route-service'])
        of(c, name).logs.push(
          'java.net.UnknownHostException: ts-station-service: Temporary failure in name resolution',
        );
    },
  ),
  fault(
    'service_dns_resolution_failure',
    'app/ts-station-service',
    'nobody finds a service that is gone',
    (c) => {
      Object.assign(of(c, 'ts-station-service'), { hasService: false });
      for (const name of ['ts-travel-service', 'ts-route-service'])
        of(c, name).logs.push('java.net.UnknownHostException: ts-station-service: Name or service not known');
    },
  ),
  fault('service_sidecar_port_conflict', 'app/ts-route-service', 'a sidecar has the port', (c) => {
    const it = down(c, 'ts-route-service', {
      podStatus: 'CrashLoopBackOff',
      restarts: 5,
      state: crashed(1),
      podEvents: [['Warning', 'BackOff', 'Back-off restarting failed container main in pod ts-route']],
      logs: ['Web server failed to start. Port 12124 was already in use.'],
    });
    it.sidecars = [{ name: 'agent', port: it.port }];
  }),
  fault(
    'deployment_zero_replicas',
    'app/ts-station-service',
    'somebody scaled it down',
    (c) =>
      void down(c, 'ts-station-service', {
        replicas: 0,
        deploymentEvents: [
          [
            'Normal',
            'ScalingReplicaSet',
            'Scaled down replica set ts-station-service-6f8d9c7b5d to 0 from 1',
          ],
        ],
      }),
  ),
];

export const INFRASTRUCTURE: MadeFault[] = [
  fault('kubelet_unavailable', 'node/pool-a-2', 'the kubelet is stopped', (c) =>
    stopped(c, 'pool-a-2', 'kubelet', 'Kubelet stopped posting node status.'),
  ),
  fault('containerd_unavailable', 'node/pool-a-2', 'the runtime is stopped', (c) =>
    stopped(c, 'pool-a-2', 'containerd', 'container runtime is down'),
  ),
  fault('kube_proxy_unavailable', 'node/pool-a-1', 'the proxy is stopped', (c) =>
    stopped(c, 'pool-a-1', 'kube-proxy'),
  ),
  fault('kube_scheduler_unavailable', 'node/control-1', 'the scheduler is stopped', (c) => {
    stopped(c, 'control-1', 'kube-scheduler');
    down(c, 'ts-order-service', { podStatus: 'Pending', state: [] });
  }),
  fault('node_network_packet_loss', 'node/pool-a-2', 'segments are sent again', (c) => {
    c.alerts.push(
      slow('ts-order-service', 8, 340),
      slow('ts-travel-service', 20, 410),
      {
        type: 'Node',
        name: 'pool-a-2',
        evidence: [
          'NETWORK_QUALITY_DEGRADED [TCP Retransmission] | Normal=0.02retrans -> Current=7.31retrans (New Spike)',
        ],
      },
      {
        type: 'Node',
        name: 'pool-a-1',
        evidence: [
          'NETWORK_QUALITY_DEGRADED [TCP Retransmission] | Normal=0.02retrans -> Current=0.71retrans (+900.0%)',
        ],
      },
    );
  }),
  fault('node_network_delay', 'node/pool-a-2', 'nearly everything is slow', (c) => {
    for (const { name, node } of c.apps)
      c.alerts.push(
        node === 'pool-a-2'
          ? slow(name, 9, 900)
          : {
              type: 'Service',
              name,
              evidence: ['THROUGHPUT_DROP [RPS] | Normal=9.00req/s -> Current=2.00req/s (-77.0%)'],
            },
      );
  }),
  fault(
    'pod_network_delay',
    'app/ts-route-service',
    'one service is slow',
    (c) => void c.alerts.push(slow('ts-route-service', 6, 2_100), slow('ts-travel-service', 20, 2_300)),
  ),
  fault(
    'pod_cpu_overload',
    'app/ts-route-service',
    'one service is throttled',
    (c) =>
      void c.alerts.push(slow('ts-travel-service', 20, 240), {
        type: 'Service',
        name: 'ts-route-service',
        evidence: [
          'RESOURCE_SATURATION [cpu_cfs] | Val: 0.871s (Throttled)',
          'LATENCY_DEGRADATION [Slow Response] | ts-route-service-p95latency: Normal=6ms -> Current=210ms (+900.0%)',
        ],
      }),
  ),
];
