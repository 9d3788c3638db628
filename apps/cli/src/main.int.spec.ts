import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

jest.setTimeout(60_000);

/** The command line as a process, from its sources: what is wrong is told before anything is started. */
describe('inquest as a process', () => {
  let dataDir: string;
  beforeAll(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'inquest-cli-'));
  });
  afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

  const inquest = (args: string[], env: Record<string, string> = {}): Promise<Ended> =>
    run([...SOURCES, MAIN, ...args], { INQUEST_DATA_DIR: dataDir, ...env });

  it('answers bad input with one line and exit code 2, and starts nothing', async () => {
    const calls: [string[], Record<string, string>?][] = [
      [['dance']],
      [['diagnose', '--nonsense']],
      [['diagnose', 'why', 'so', 'slow']],
      [['diagnose', '--incident', '/no/such/folder']],
      [['diagnose', '--incident', tmpdir()]],
      [['diagnose', '   ']],
      [['ask']],
      [['investigate']],
      [['investigate', '   ']],
      [['investigate', 'Why is search slow?']],
      [['cases', 'open', 'Why is search slow?']],
      [['diagnose', 'why?'], { INQUEST_URL: 'http://127.0.0.1:9', INQUEST_TOKEN: 't' }],
      [['investigate', 'why', '--incident', '/no/such/folder']],
      [['investigate', 'why', '--source', 'a', '--incident', 'b']],
      [['investigate', '--from-run', 'xyz']],
      [['investigate', 'why', '--code', 'checkout']],
      [['cases', 'show', 'xyz']],
      [['cases', 'dance']],
      [['knowledge', 'dance']],
      [['knowledge', 'add']],
      [['knowledge', 'add', '/no/such/folder']],
      [['knowledge', 'add', tmpdir(), '--name', 'No Name']],
      [['knowledge', 'remove', 'never-added']],
      [['tools', '--source', 'nowhere']],
      [['tools'], { INQUEST_CONFIG: '/no/such/inquest.yaml' }],
      [['cases', 'open']],
      [['cases', 'reviews']],
      [['cases', 'list', '--limit', '0']],
      [['runs', 'show', 'xyz']],
      [['runs', 'list', '--limit', '1000']],
      [['evidence', '6f1c2a34-5b6d-8e7f-9a0b-1c2d3e4f5a6b']],
      [['runs', '--url', 'http://127.0.0.1:9']],
      [['bundle']],
      [['bundle', 'xyz']],
      [['bundle', '6f1c2a34-5b6d-8e7f-9a0b-1c2d3e4f5a6b', '--sign', '/no/such/key']],
      [['bundle', '6f1c2a34-5b6d-8e7f-9a0b-1c2d3e4f5a6b', '--sign', MAIN]],
      [['explain', 'xyz']],
      [['verify']],
      [['verify', '/no/such/file']],
      [['verify', tmpdir()]],
      [['verify', MAIN, '--key', MAIN]],
      [['verify', MAIN, '--signature', '/no/such/file']],
      [['verify', MAIN], { INQUEST_VERIFY_KEY: '/no/such/key' }],
      [['keys']],
      [['keys', '/no/such/folder/name']],
      [['start'], { GATEWAY_PORT: 'eighty' }],
      [['diagnose'], { INQUEST_URL: 'not a url' }],
    ];
    const ended = await Promise.all(calls.map(([args, env]) => inquest(args, env)));
    for (const { code, stdout, stderr } of ended) {
      expect(stderr).toMatch(/^inquest: [^\n]+\n$/);
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    }
    expect(readdirSync(dataDir)).toEqual([]);
  });

  it('tells a file that is no bundle from one that holds, without any server', async () => {
    const { code, stdout, stderr } = await inquest(['verify', MAIN, '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ holds: false, runId: null, checks: [{ holds: false }, {}] });
    expect(stderr).toContain('the file is not one JSON document');
    expect(code).toBe(1);
  });

  it('makes a key pair once, readable by its owner only, and overwrites none', async () => {
    const name = join(dataDir, 'signing');
    const made = await inquest(['keys', name, '--json']);
    expect(made.code).toBe(0);
    const { privateKey, fingerprint } = JSON.parse(made.stdout) as Record<string, string>;
    expect(fingerprint).toMatch(/^[0-9a-f]{64}$/);
    expect(statSync(privateKey ?? '').mode & 0o777).toBe(0o600);
    const again = await inquest(['keys', name]);
    expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining('not overwritten') as unknown });
    for (const end of ['key', 'pub']) rmSync(`${name}.${end}`);
  });

  it('says what broke, without a stack trace, and exits with 1', async () => {
    const away = { INQUEST_URL: 'http://127.0.0.1:1', INQUEST_TOKEN: 'a-token-of-nobody' };
    const { code, stderr } = await inquest(['runs', 'list'], away);
    expect(stderr).toMatch(
      /^inquest: the gateway at http:\/\/127\.0\.0\.1:1 does not answer usably: [^\n]+\n$/,
    );
    expect(code).toBe(1);
    expect((await inquest(['token'])).code).toBe(1);
  });

  it('prints help on stdout and exits with 0', async () => {
    const [overview, help] = await Promise.all([inquest(['--help']), inquest(['runs', '--help'])]);
    expect(overview).toMatchObject({ code: 0, stderr: '' });
    expect(help.stdout).toContain('inquest runs list | show <run-id>');
    expect(help.stdout).not.toContain('\u001b');
  });

  it('stops and examines where nothing runs', async () => {
    const stopped = await inquest(['stop', '--json']);
    expect(stopped).toMatchObject({ code: 0, stdout: '{"stopped":false}\n' });
    const { code, stdout } = await inquest(['doctor', '--json']);
    expect(code).toBe(0);
    const { checks } = JSON.parse(stdout) as { checks: { name: string; state: string }[] };
    expect(checks.map(({ name, state }) => `${name} ${state}`)).toEqual([
      'Node good',
      'nats-server good',
      'Postgres good',
      'model good',
      'stack warn',
    ]);
  });
});

type Ended = { code: number | null; stdout: string; stderr: string };

const SOURCES = [
  '--conditions=source',
  '--require',
  join(__dirname, '../../../libs/local-stack/test/run-sources.cjs'),
];
const MAIN = join(__dirname, 'main.ts');

const run = (args: string[], env: Record<string, string>): Promise<Ended> =>
  new Promise((resolve) => {
    const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    const text = { stdout: '', stderr: '' };
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => (text.stdout += chunk));
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => (text.stderr += chunk));
    child.on('close', (code) => resolve({ code, ...text }));
  });
