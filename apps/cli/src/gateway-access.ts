import { join } from 'node:path';
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

/** Starts (or joins) the embedded stack; `incident` is registered as a source of that start. */
export const startEmbedded = async (call: Call, incident?: WantedIncident): Promise<GatewayAccess> => {
  const { out } = call;
  const config = stackConfig();
  const added = incident && withSource(shippedIncidents(), incident.name, incident.dir);
  const running = runningStack(config.dataDir);
  const known =
    running && incident && Object.entries(running.sources).find(([, dir]) => dir === incident.dir)?.[0];
  // Sources are fixed when a stack starts: a folder that the running one does not know gets a stack of its own.
  const aside = running !== undefined && incident !== undefined && known === undefined;
  if (aside) out.note('the running stack does not know this incident; starting one of its own for it');
  const dataDir = aside ? join(config.dataDir, 'private', incident.name) : config.dataDir;
  const from = performance.now();
  if (!running || aside) out.note('starting NATS, Postgres and the services ...');
  const stack = await startStack({
    config: aside ? { ...config, dataDir, gatewayPort: undefined } : config,
    ...(aside && { dataDir }),
    incidents: added?.sources,
    note: (line) => out.note(line),
  });
  if (stack.owned)
    out.note(
      `NATS, Postgres and ${stack.processes().length - 2} services ready in ${seconds(performance.now() - from)}`,
    );
  return {
    client: new GatewayClient(stack.gatewayUrl, stack.tokens[LOCAL_OPERATOR.name] ?? ''),
    stack,
    source: known ?? added?.name,
    close: () => stopWhenUnused(stack, call),
  };
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
