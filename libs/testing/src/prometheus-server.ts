import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './nats-server';
import { waitFor } from './wait-for';

export type TestServer = {
  url: string;
  /** It dies at once. */
  kill9(): Promise<void>;
  stop(): Promise<void>;
};

const ended = (child: ChildProcess): Promise<void> =>
  child.exitCode !== null || child.signalCode !== null
    ? Promise.resolve()
    : new Promise((resolve) => child.once('exit', () => resolve()));

const serve = async (
  command: string,
  args: string[],
  url: string,
  ready: string,
  dir: string,
): Promise<TestServer> => {
  const child = spawn(command, args, { cwd: dir, stdio: ['ignore', 'ignore', 'pipe'] });
  let output = '';
  child.stderr?.on('data', (chunk: Buffer) => (output = (output + chunk.toString()).slice(-4_000)));
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    await ended(child);
  };
  await waitFor(
    `${command} to serve`,
    async () => {
      if (child.exitCode !== null) throw new Error(`${command} ended: ${output}`);
      return (await fetch(`${url}${ready}`).catch(() => undefined))?.ok || undefined;
    },
    20_000,
  );
  return {
    url,
    kill9: () => end('SIGKILL'),
    stop: async () => {
      await end('SIGKILL');
      rmSync(dir, { recursive: true, force: true });
    },
  };
};

/**
 * A real Prometheus with data of the past, given as OpenMetrics text with timestamps, and rules.
 * Needs `prometheus` and `promtool` on PATH.
 */
export const startPrometheus = async (given: {
  openMetrics: string;
  rules?: string;
}): Promise<TestServer> => {
  const dir = mkdtempSync(join(tmpdir(), 'inquest-prometheus-'));
  const data = join(dir, 'data');
  mkdirSync(data);
  writeFileSync(join(dir, 'past.om'), given.openMetrics);
  execFileSync('promtool', ['tsdb', 'create-blocks-from', 'openmetrics', join(dir, 'past.om'), data], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  writeFileSync(join(dir, 'rules.yml'), given.rules ?? 'groups: []\n');
  writeFileSync(
    join(dir, 'prometheus.yml'),
    'global: {evaluation_interval: 1s, scrape_interval: 1s}\nrule_files: [rules.yml]\n',
  );
  const port = await freePort();
  const args = [
    `--config.file=${join(dir, 'prometheus.yml')}`,
    `--storage.tsdb.path=${data}`,
    `--web.listen-address=127.0.0.1:${port}`,
  ];
  return serve('prometheus', args, `http://127.0.0.1:${port}`, '/-/ready', dir);
};

/** A real Alertmanager that notifies `webhookUrl`, if there is one. Needs `prometheus-alertmanager` on PATH. */
export const startAlertmanager = async (webhook?: { url: string; token: string }): Promise<TestServer> => {
  const dir = mkdtempSync(join(tmpdir(), 'inquest-alertmanager-'));
  const receiver = webhook
    ? `webhook_configs: [{url: '${webhook.url}', send_resolved: false, http_config: {authorization: {credentials: '${webhook.token}'}}}]`
    : '';
  writeFileSync(
    join(dir, 'alertmanager.yml'),
    `route: {receiver: here, group_by: [alertname], group_wait: 0s, group_interval: 1s, repeat_interval: 1s}\n` +
      `receivers: [{name: here${receiver ? `, ${receiver}` : ''}}]\n`,
  );
  const port = await freePort();
  const args = [
    `--config.file=${join(dir, 'alertmanager.yml')}`,
    `--storage.path=${join(dir, 'data')}`,
    `--web.listen-address=127.0.0.1:${port}`,
    '--cluster.listen-address=',
  ];
  return serve('prometheus-alertmanager', args, `http://127.0.0.1:${port}`, '/-/ready', dir);
};
