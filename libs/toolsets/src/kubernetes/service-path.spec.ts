import { podOf, sliceOf } from '../../test/a-shop-cluster';
import type { IncidentObject } from '../incident-format';
import { endpointsOf } from './derived-status';
import { servicePath } from './service-path';

const service = (spec: object): IncidentObject => ({
  kind: 'Service',
  metadata: { name: 'web', namespace: 'shop' },
  spec,
});
const selecting = (targetPort: number | string) =>
  service({ selector: { app: 'web' }, ports: [{ port: 80, targetPort }] });
const pod = (suffix: string, ready: boolean, ports: object[] = [{ name: 'http', containerPort: 8080 }]) =>
  podOf('shop', 'web', suffix, { ready }, { containers: [{ name: 'web', ports }] }) as IncidentObject;
const behind = (...ready: boolean[]) =>
  endpointsOf(
    sliceOf(
      'shop',
      'web',
      ready.map((isReady, at) => ({ address: `10.0.0.${at}`, ready: isReady, pod: `web-${at}` })),
    ) as IncidentObject,
  );
const withSidecar = (restartPolicy: string | undefined): IncidentObject => {
  const made = pod('a', true);
  const sidecar = { name: 'proxy', restartPolicy, ports: [{ name: 'mesh', containerPort: 15001 }] };
  return { ...made, spec: { ...(made.spec as object), initContainers: [sidecar] } };
};

describe('the way from a service to its containers', () => {
  it.each<[string, IncidentObject, IncidentObject[], ReturnType<typeof behind> | null, string[]]>([
    ['is whole', selecting(8080), [pod('a', true)], behind(true), ['PATH_IS_WHOLE']],
    ['is whole by a named port', selecting('http'), [pod('a', true)], behind(true), ['PATH_IS_WHOLE']],
    [
      'ends at the selector',
      selecting(8080),
      [podOf('shop', 'other', 'a', { ready: true }) as IncidentObject],
      behind(),
      ['NO_POD_MATCHES_SELECTOR', 'NO_READY_ENDPOINT'],
    ],
    [
      'ends at pods that are not ready',
      selecting(8080),
      [pod('a', false)],
      behind(false),
      ['NO_POD_IS_READY', 'NO_READY_ENDPOINT'],
    ],
    [
      'is narrower than it could be',
      selecting(8080),
      [pod('a', true), pod('b', false)],
      behind(true, false),
      ['SOME_PODS_ARE_NOT_READY'],
    ],
    [
      'ends at a port of no such name',
      selecting('grpc'),
      [pod('a', true)],
      behind(),
      ['NAMED_TARGET_PORT_IS_UNKNOWN', 'NO_READY_ENDPOINT'],
    ],
    [
      'may end at a port that nobody declares',
      selecting(9090),
      [pod('a', true)],
      behind(true),
      ['TARGET_PORT_IS_NOT_DECLARED'],
    ],
    [
      'cannot be told of where no container declares a port',
      selecting(9090),
      [pod('a', true, [])],
      behind(true),
      ['PATH_IS_WHOLE'],
    ],
    ['goes through a sidecar', selecting('mesh'), [withSidecar('Always')], behind(true), ['PATH_IS_WHOLE']],
    [
      'is not told of where its endpoints are not known',
      selecting(8080),
      [pod('a', true)],
      null,
      ['ENDPOINTS_ARE_NOT_KNOWN'],
    ],
    [
      'leaves the cluster',
      service({ type: 'ExternalName', externalName: 'x.example.org' }),
      [],
      behind(),
      ['SERVICE_HAS_NO_SELECTOR'],
    ],
    [
      'leads to addresses that somebody else keeps',
      service({ ports: [{ port: 80 }] }),
      [],
      behind(true),
      ['SERVICE_HAS_NO_SELECTOR'],
    ],
  ])('%s', (_, from, pods, endpoints, findings) => {
    expect(servicePath(from, pods, endpoints).findings).toEqual(findings);
  });

  it('does not end in an init container, which has ended', () => {
    const made = { ...withSidecar(undefined), metadata: pod('b', true).metadata };
    const { object } = servicePath(selecting('mesh'), [made, pod('c', true)], behind(true));
    expect(object['declaredPorts']).toEqual([{ container: 'web', name: 'http', port: 8080 }]);
  });

  it('shows why pods are not ready, and the addresses behind it', () => {
    const crashing = podOf('shop', 'web', 'a', {
      ready: false,
      waiting: 'CrashLoopBackOff',
    }) as IncidentObject;
    const { object } = servicePath(selecting(8080), [crashing], behind(true, false));
    expect(object['pods']).toEqual({
      matched: 1,
      ready: 0,
      notReady: [{ name: 'web-a', why: 'CrashLoopBackOff' }],
    });
    expect(object['endpoints']).toEqual({
      ready: 1,
      notReady: 1,
      addresses: [{ address: '10.0.0.0', pod: 'web-0', ports: [8080] }],
    });
  });
});
