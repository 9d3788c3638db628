import { join } from 'node:path';
import { sha256 } from '@inquest/contracts/canonical-json';
import { stackConfig } from '@inquest/local-stack/config';
import { LOCAL_OPERATOR } from '@inquest/local-stack/gateway-tokens';
import { shippedIncidents, withSource } from '@inquest/local-stack/incident-sources';
import { startStack, type Stack } from '@inquest/local-stack/stack';
import { clientsOf, runningStack } from '@inquest/local-stack/stack-state';
import { setTimeout as sleep } from 'node:timers/promises';
import { textOption, type Call } from './command';
import { GatewayClient } from './gateway-client';
import { seconds } from './render/text';
import { UsageError } from './usage-error';

/** A gateway to talk to, and how to let go of it. */
export type GatewayAccess = {
  client: GatewayClient;
  /** Absent for a gateway that runs elsewhere. */
  stack: Stack | undefined;
  /** The name under which the wanted incident is known there. */
  source: string | undefined;
  /** A stack of its own, which ends with the command: no later command finds its runs. */
  aside: boolean;
  close: () => Promise<void>;
};

export type WantedIncident = { name: string; dir: string };

const elsewhere = (call: Call): GatewayAccess | undefined => {
  const url = textOption(call.options, 'url') ?? call.config.url;
  if (url === undefined) return undefined;
  if (!/^https?:\/\//.test(url) || !URL.canParse(url))
    throw new UsageError(`--url ${url} is not an http:// or https:// URL`);
  const token = textOption(call.options, 'token') ?? call.config.token;
  if (token === undefined)
    throw new UsageError('a gateway that runs elsewhere needs INQUEST_TOKEN or --token');
  return {
    client: new GatewayClient(url, token),
    stack: undefined,
    source: undefined,
    aside: false,
    close: () => Promise.resolve(),
  };
};

/** A stack that others still use is stopped when they are done, or when the person insists. */
const stopWhenUnused = async (stack: Stack, { out, insist }: Call): Promise<void> => {
  if (stack.owned) {
    for (let told = false; clientsOf(stack.dataDir).length > 0 && !insist.aborted; told = true) {
      if (!told) out.note('another command still uses this stack; waiting for it (Ctrl-C stops now)');
      await sleep(200);
    }
  }
  await stack.stop();
};

const sourceOf = (sources: Readonly<Record<string, string>>, { dir }: WantedIncident): string | undefined =>
  Object.entries(sources).find(([, known]) => known === dir)?.[0];

/** Every folder has a place of its own: two that share a name are two incidents. */
const asideFolder = (dataDir: string, { name, dir }: WantedIncident): string =>
  join(dataDir, 'private', `${name}-${sha256(dir).slice(0, 12)}`);

/** Half a stack cannot be stopped in order: an impatient person is told what it waits for. */
const tellIfInterrupted = ({ out, interrupt }: Call): (() => void) => {
  const tell = () => out.note('interrupted: everything is stopped as soon as it is up, within seconds');
  interrupt.addEventListener('abort', tell, { once: true });
  return () => interrupt.removeEventListener('abort', tell);
};

const startOrJoin = async (
  call: Call,
  dataDir: string | undefined,
  incident?: WantedIncident,
): Promise<Stack> => {
  const { out } = call;
  const config = stackConfig();
  const from = performance.now();
  const started = tellIfInterrupted(call);
  if (!runningStack(dataDir ?? config.dataDir)) out.note('starting NATS, Postgres and the services ...');
  const stack = await startStack({
    config: dataDir === undefined ? config : { ...config, dataDir, gatewayPort: undefined },
    ...(dataDir !== undefined && { dataDir }),
    incidents: incident && withSource(shippedIncidents(), incident.name, incident.dir).sources,
    note: (line) => out.note(line),
  }).finally(started);
  if (stack.owned)
    out.note(
      `NATS, Postgres and ${stack.processes().length - 2} services ready in ${seconds(performance.now() - from)}`,
    );
  return stack;
};

const accessTo = (call: Call, stack: Stack, source: string | undefined, aside: boolean): GatewayAccess => ({
  client: new GatewayClient(stack.gatewayUrl, stack.tokens[LOCAL_OPERATOR.name] ?? ''),
  stack,
  source,
  aside,
  close: () => stopWhenUnused(stack, call),
});

/**
 * Starts (or joins) the embedded stack; `incident` is registered as a source of that start. Sources are fixed when a stack
 * starts, and which start came first is known only afterwards: a folder that the joined stack does not know, by its
 * path and not by its name, gets a stack of its own.
 */
export const startEmbedded = async (call: Call, incident?: WantedIncident): Promise<GatewayAccess> => {
  const { dataDir } = stackConfig();
  const running = runningStack(dataDir);
  if (!incident) return accessTo(call, await startOrJoin(call, undefined), undefined, false);
  if (!running || sourceOf(running.sources, incident) !== undefined) {
    const stack = await startOrJoin(call, undefined, incident);
    const source = sourceOf(stack.sources, incident);
    if (source !== undefined) return accessTo(call, stack, source, false);
    await stack.stop();
  }
  call.out.note('the running stack does not know this incident; starting one of its own for it');
  const stack = await startOrJoin(call, asideFolder(dataDir, incident), incident);
  return accessTo(call, stack, sourceOf(stack.sources, incident), true);
};

/** The gateway of this call: one elsewhere if it names one, else the running stack, else one that is started for it. */
export const withGateway = async <T>(
  call: Call,
  use: (access: GatewayAccess) => Promise<T>,
  incident?: WantedIncident,
): Promise<T> => {
  const away = elsewhere(call);
  if (away && incident)
    throw new UsageError('--incident names a folder of this machine; a gateway elsewhere takes --source');
  const access = away ?? (await startEmbedded(call, incident));
  try {
    call.interrupt.throwIfAborted();
    return await use(access);
  } finally {
    await access.close();
  }
};
