import type { ToolCallId } from '@inquest/contracts/ids';
import type { LedgerEntry } from '@inquest/contracts/ledger';
import { createRedactor } from '@inquest/redaction/redactor';
import { freePort } from '@inquest/testing/nats-server';
import { waitFor } from '@inquest/testing/wait-for';
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { incidentSources } from '../incident-sources';
import { runTool, toolsByName } from '../run-tool';
import { environmentOf, type Environment } from '../sources/environment';
import { McpConfigs } from './config';
import { openMcp } from './mcp-toolset';

jest.setTimeout(60_000);

const MODULES = join(__dirname, '../../../../node_modules/@modelcontextprotocol');
const EVERYTHING = join(MODULES, 'server-everything/dist/index.js');
const FILESYSTEM = join(MODULES, 'server-filesystem/dist/index.js');
const node = process.execPath;

describe('servers of the Model Context Protocol', () => {
  const opened: Environment[] = [];
  const open = (servers: unknown, env: Record<string, string> = {}): Environment => {
    const configs = McpConfigs.parse(servers);
    const environment = environmentOf(
      'prod',
      Object.entries(configs).map(([instance, config]) =>
        openMcp(config, { source: 'prod', instance, env, lookbackMs: 3_600_000 }),
      ),
    );
    opened.push(environment);
    return environment;
  };
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((environment) => environment.close()));
  });

  const listing = (on: Environment) => on.tools(AbortSignal.timeout(10_000));
  const names = async (on: Environment) => (await listing(on)).tools.map(({ name }) => name);
  const checkOf = async (on: Environment) => (await on.check(AbortSignal.timeout(10_000)))[0]?.check;
  const call = async (
    on: Environment,
    tool: string,
    args: unknown = {},
    signal = new AbortController().signal,
  ): Promise<LedgerEntry & { shown: { rows: unknown[] } }> => {
    const { tools } = await listing(on);
    const entry = await runTool(
      {
        toolCallId: 'c1' as ToolCallId,
        providerId: null,
        tool,
        argumentsText: JSON.stringify(args),
        source: 'prod',
        asOf: new Date().toISOString(),
        projectionBytesMax: 32_768,
      },
      { tools: toolsByName(tools), sources: incidentSources([]), redactor: createRedactor('r'), signal },
    );
    return { ...entry, shown: JSON.parse(entry.projection.inline ?? 'null') as { rows: unknown[] } };
  };

  describe('a public one over stdio', () => {
    const everything = { command: node, args: [EVERYTHING, 'stdio'] };

    it('offers what is allowed and declared to be read-only, with arguments that endpoints take', async () => {
      const on = open({ every: { ...everything, tools: [{ name: 'get-sum', readOnly: true }] } });
      const { tools } = await listing(on);
      expect(tools).toHaveLength(1);
      expect(tools[0]?.name).toMatch(/^mcp_every_get_sum_[0-9a-f]{8}$/);
      expect(tools[0]?.jsonSchema).toMatchObject({
        type: 'object',
        properties: { a: { type: 'number' }, b: { type: 'number' } },
        required: ['a', 'b'],
      });
      const entry = await call(on, tools[0]?.name ?? '', { a: 2, b: 40 });
      expect(entry).toMatchObject({ status: 'READY', evidenceStatus: 'EVIDENCE_FOUND', toolset: 'mcp' });
      expect(entry.shown.rows.join(' ')).toContain('42');
      expect(entry.untrustedPaths).toEqual(['/rows']);
    });

    it('gives bad arguments back as an error that is no evidence', async () => {
      const on = open({ every: { ...everything, tools: [{ name: 'get-sum', readOnly: true }] } });
      const [name = ''] = await names(on);
      expect(await call(on, name, { a: 'two' })).toMatchObject({
        status: 'ERROR',
        errorClass: 'BAD_ARGUMENTS',
      });
    });

    it('names an image by kind and size, and shows none of it', async () => {
      const on = open({ every: { ...everything, tools: [{ name: 'get-tiny-image', readOnly: true }] } });
      const entry = await call(on, (await names(on))[0] ?? '');
      expect(entry.shown.rows).toContainEqual(
        expect.objectContaining({
          content: 'image',
          mimeType: 'image/png',
          bytes: expect.any(Number) as number,
        }),
      );
      expect(entry.projection.bytes).toBeLessThan(4_096);
    });

    it('is checked: tools that are missing, and tools that nobody calls read-only', async () => {
      const on = open({
        every: { ...everything, tools: ['no-such-tool', { name: 'get-sum', readOnly: true }] },
      });
      expect(await checkOf(on)).toMatchObject({
        ok: false,
        detail: 'no-such-tool: the server has no such tool',
      });
    });
  });

  it('a public one over streamable HTTP', async () => {
    const port = await freePort();
    const server: ChildProcess = spawn(node, [EVERYTHING, 'streamableHttp'], {
      env: { PATH: process.env['PATH'], PORT: String(port) },
      stdio: 'ignore',
    });
    try {
      const on = open({
        web: { url: `http://127.0.0.1:${port}/mcp`, tools: [{ name: 'echo', readOnly: true }] },
      });
      const name = await waitFor(
        'the server',
        async () => (await fetch(`http://127.0.0.1:${port}/mcp`).catch(() => undefined)) && 'up',
      );
      expect(name).toBe('up');
      expect((await call(on, 'mcp_web_echo', { message: 'over HTTP' })).shown.rows.join(' ')).toContain(
        'over HTTP',
      );
      server.kill('SIGKILL');
      await waitFor('the end of the server', async () =>
        fetch(`http://127.0.0.1:${port}/mcp`).then(
          () => undefined,
          () => true,
        ),
      );
      expect(await call(on, 'mcp_web_echo', { message: 'again' })).toMatchObject({
        evidenceStatus: 'ERROR',
        errorClass: 'SOURCE_FAILED',
      });
    } finally {
      server.kill('SIGKILL');
    }
  });

  it('a public file server, without any of its tools that write', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'inquest-mcp-'));
    mkdirSync(join(dir, 'logs'));
    writeFileSync(join(dir, 'logs/app.log'), 'first line\npool exhausted\n');
    try {
      const on = open({
        files: {
          command: node,
          args: [FILESYSTEM, dir],
          tools: ['read_text_file', 'list_directory', 'write_file', 'edit_file'],
        },
      });
      const offered = await names(on);
      expect(offered).toEqual(['mcp_files_read_text_file', 'mcp_files_list_directory']);
      expect(await checkOf(on)).toMatchObject({
        ok: false,
        detail:
          'write_file: it is neither marked nor declared read-only; edit_file: it is neither marked nor declared read-only',
      });
      const entry = await call(on, 'mcp_files_read_text_file', { path: join(dir, 'logs/app.log') });
      expect(JSON.stringify(entry.shown.rows)).toContain('pool exhausted');
      expect(await call(on, 'mcp_files_write_file', { path: join(dir, 'x'), content: 'x' })).toMatchObject({
        errorClass: 'UNKNOWN_TOOL',
      });
    } finally {
      rmSync(dir, { recursive: true, force: true });
    }
  });

  describe('one that breaks the protocol', () => {
    const bad = {
      command: node,
      args: [join(__dirname, 'ill-behaved-server.mjs')],
      timeoutMs: 500,
      tools: ['echo', 'hang', 'die', 'huge', 'garbage', 'secret', 'environment', 'refuse', 'write'],
    };

    it.each([
      ['hang', 'SOURCE_FAILED'],
      ['die', 'SOURCE_FAILED'],
      ['huge', 'SOURCE_FAILED'],
      ['garbage', 'SOURCE_FAILED'],
      ['refuse', 'BAD_ARGUMENTS'],
    ])('%s is a typed failure, and the next call works again', async (tool, errorClass) => {
      const on = open({ bad });
      expect(await call(on, `mcp_bad_${tool}`)).toMatchObject({ evidenceStatus: 'ERROR', errorClass });
      const again = await waitFor('the server to answer again', async () => {
        const entry = await call(on, 'mcp_bad_echo', { text: 'hello' });
        return entry.errorClass === null ? entry : undefined;
      });
      expect(again.shown.rows[0]).toBe('you said hello');
    });

    it('never gives its text a voice: what it writes is data, without secrets and without marks of a conversation', async () => {
      const on = open({ bad });
      const entry = await call(on, 'mcp_bad_echo', { text: 'x' });
      expect(entry.projection.inline).not.toContain('<|im_start|>');
      expect((await call(on, 'mcp_bad_secret')).projection.inline).not.toContain('correct-horse');
      expect((await call(on, 'mcp_bad_refuse')).projection.inline).not.toContain('AKIAIOSFODNN7EXAMPLE');
    });

    it('sees nothing of our environment but PATH and what it was given', async () => {
      const on = open({ bad: { ...bad, env: { GIVEN: { env: 'TOKEN' } } } }, { TOKEN: 't', OTHER: 'o' });
      const { rows } = (await call(on, 'mcp_bad_environment')).shown;
      expect(rows).toEqual(expect.arrayContaining(['GIVEN', 'PATH']));
      expect(rows).not.toContain('TOKEN');
      expect(rows).not.toContain('OTHER');
      expect(rows).not.toContain('INIT_CWD');
    });

    it('ends a call at once when the run is cancelled', async () => {
      const on = open({ bad: { ...bad, timeoutMs: 15_000 } });
      await names(on);
      const cancelled = new AbortController();
      const entry = call(on, 'mcp_bad_hang', {}, cancelled.signal);
      setTimeout(() => cancelled.abort(new Error('cancelled')), 50);
      expect(await entry).toMatchObject({ errorClass: 'CANCELLED' });
    });

    it('that does not start is left out, told by the check, and not started again at once', async () => {
      const on = open({ none: { command: '/no/such/program', tools: ['x'] } });
      expect(await listing(on)).toEqual({ tools: [], silent: ['mcp.none'] });
      expect(await checkOf(on)).toMatchObject({
        ok: false,
        detail: expect.stringContaining('a moment ago') as string,
      });
    });
  });
});
