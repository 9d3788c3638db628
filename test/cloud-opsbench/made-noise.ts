import type { MadeCluster } from './made-cluster';

/**
 * What every cluster shows whether or not something is wrong: probes that fail while programs start, names that were
 * unknown for a moment, lines of little import, lists of what is long gone.
 */
export const withNoise = (cluster: MadeCluster): void => {
  for (const app of cluster.apps) {
    if (!app.hasPod) continue;
    app.podEvents.push(
      ['Normal', 'Scheduled', `Successfully assigned tickets/${app.name} to ${app.node}`, 1],
      [
        'Warning',
        'Unhealthy',
        `Readiness probe failed: dial tcp 10.9.1.7:${app.port}: connect: connection refused`,
        2,
      ],
    );
    app.setEvents.unshift(['Normal', 'SuccessfulCreate', `Created pod: ${app.name}-6f8d9c7b5d-x7k2q`, 1]);
  }
  for (const app of cluster.apps.filter(({ calls }) => calls.length > 0)) {
    app.logs.push(
      'WARN o.s.c.a.AnnotationConfigApplicationContext: a bean was overridden',
      `ERROR c.t.Tracing: could not send 3 spans to http://collector:9411: Connection refused`,
      'java.net.UnknownHostException: trace-collector: Name or service not known',
    );
  }
  cluster.staleEvents.push(
    [
      'Warning',
      'FailedScheduling',
      '0/3 nodes are available: 2 Insufficient cpu, 1 node(s) were unschedulable.',
      7,
    ],
    ['Warning', 'Failed', 'Failed to pull image "registry.example/tickets/old:0": manifest unknown', 5],
    ['Warning', 'BackOff', 'Back-off restarting failed container main in pod old', 9],
  );
};
