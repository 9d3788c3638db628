import { parseConfig } from '@inquest/service-shell/config';
import { evidenceGuardEnv } from './config';

const read = (env: Record<string, string>) =>
  parseConfig(evidenceGuardEnv, { NATS_URL: 'nats://guard:x@127.0.0.1:4222', ...env });

describe('the configuration of evidence-guard', () => {
  it('allows links to nobody by default', () => expect(read({}).LINK_HOSTS).toEqual([]));
  it('reads a list of hosts', () =>
    expect(read({ LINK_HOSTS: 'Runbooks.example, wiki.example' }).LINK_HOSTS).toEqual([
      'runbooks.example',
      'wiki.example',
    ]));
  it.each(['a'.repeat(254), Array.from({ length: 257 }, (_, i) => `h${i}`).join(',')])(
    'refuses what no verdict can tell',
    (LINK_HOSTS) => {
      expect(() => read({ LINK_HOSTS })).toThrow(
        'LINK_HOSTS: must be at most 256 hosts of at most 253 characters',
      );
    },
  );
  it.each(['https://runbooks.example', 'runbooks.example/path', 'a b', '*.example'])(
    'refuses %s',
    (LINK_HOSTS) => {
      expect(() => read({ LINK_HOSTS })).toThrow(
        'LINK_HOSTS: must be host[,host], without scheme, port or path',
      );
    },
  );
});
