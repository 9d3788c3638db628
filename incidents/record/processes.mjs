// Starts, restarts and stops the shop's processes, and keeps what happened to each as objects and events.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';

const SHOP = path.join(import.meta.dirname ?? path.dirname(new URL(import.meta.url).pathname), 'shop');

/** `onLog` gets each parsed log line, `onEvent` each life-cycle event {type, reason, object, message}. */
export const processTable = ({ onLog, onEvent }) => {
  const running = new Map();
  const history = [];

  const announce = (type, reason, record, message) =>
    onEvent({ type, reason, object: { kind: 'Process', name: record.name }, message });

  const start = async (name, { version, env }) => {
    const child = spawn(process.execPath, [path.join(SHOP, `${name}.mjs`)], {
      env: { PATH: process.env.PATH, SERVICE: name, VERSION: version, ...env },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    const record = { name: `${name}-${child.pid}`, service: name, version, env, pid: child.pid, startedAt: new Date() };
    createInterface({ input: child.stdout }).on('line', (line) => onLog(JSON.parse(line)));
    createInterface({ input: child.stderr }).on('line', (message) =>
      onLog({ time: new Date().toISOString(), service: name, pod: record.name, level: 'ERROR', message }),
    );
    child.on('exit', (code, signal) => {
      Object.assign(record, { endedAt: new Date(), exitCode: code, exitSignal: signal });
    });
    history.push(record);
    running.set(name, { child, record });
    await Promise.race([
      once(child, 'message'),
      once(child, 'exit').then(() => Promise.reject(new Error(`${name} ended before it was ready`))),
    ]);
    announce('Normal', 'Started', record, `process ${record.name} (${name} ${version}) is ready`);
  };

  const stop = async (name) => {
    const { child, record } = running.get(name);
    running.delete(name);
    const gone = once(child, 'exit');
    child.kill('SIGTERM');
    const killer = setTimeout(() => child.kill('SIGKILL'), 3_000);
    await gone;
    clearTimeout(killer);
    return record;
  };

  /** A deployment as small shops do it: stop, copy, start. Meanwhile nobody answers. */
  const deploy = async (name, version, copyMs) => {
    const { env, version: before } = running.get(name).record;
    onEvent({
      type: 'Normal',
      reason: 'Deploying',
      object: { kind: 'Service', name },
      message: `replacing ${name} ${before} by ${version}`,
    });
    const stopped = await stop(name);
    announce('Normal', 'Killing', stopped, `stopped process ${stopped.name} for the deployment of ${name} ${version}`);
    await pause(copyMs);
    await start(name, { version, env });
  };

  return {
    start,
    deploy,
    history,
    tell: (name, message) => running.get(name).child.send(message),
    names: () => [...running.keys()],
    stopAll: () => Promise.all([...running.keys()].reverse().map(stop)),
  };
};
