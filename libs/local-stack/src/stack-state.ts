import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { identityOf, isAlive, type ProcessIdentity } from './process-identity';
import { readJson, writePrivateJson } from './secrets';

const Identity = z.object({ pid: z.number(), startedAt: z.string(), command: z.string() });

/** What a running stack tells other processes about itself; holds passwords, hence mode 0600. */
export const StackState = z.object({
  version: z.literal(1),
  owner: Identity,
  startedAt: z.string(),
  natsUrl: z.string(),
  databaseUrl: z.string(),
  databaseReaderUrl: z.string(),
  gatewayUrl: z.string(),
  token: z.string(),
  /** Named incident sources of this start: name to folder. */
  sources: z.record(z.string(), z.string()),
  /** Process name to log file. */
  logs: z.record(z.string(), z.string()),
  author: z.string(),
});
export type StackState = z.infer<typeof StackState>;

const file = (dataDir: string): string => join(dataDir, 'stack.json');
const clientsDir = (dataDir: string): string => join(dataDir, 'clients');

export const writeState = (dataDir: string, state: StackState): void =>
  writePrivateJson(file(dataDir), state);
export const removeState = (dataDir: string): void => rmSync(file(dataDir), { force: true });

/** The stack that runs on this data folder right now, if its owner lives. */
export const runningStack = (dataDir: string): StackState | undefined => {
  const state = StackState.safeParse(readJson(file(dataDir)));
  return state.success && isAlive(state.data.owner) ? state.data : undefined;
};

/** Notes that this process uses a stack of another one, so that the owner can wait for it before stopping. */
export const joinAsClient = (dataDir: string): (() => void) => {
  mkdirSync(clientsDir(dataDir), { recursive: true });
  const mine = join(clientsDir(dataDir), `${process.pid}.json`);
  writePrivateJson(mine, identityOf(process.pid));
  return () => rmSync(mine, { force: true });
};

/** Other live processes that use this stack. */
export const clientsOf = (dataDir: string): ProcessIdentity[] => {
  let names: string[];
  try {
    names = readdirSync(clientsDir(dataDir));
  } catch {
    return [];
  }
  return names.flatMap((name) => {
    const identity = Identity.safeParse(readJson(join(clientsDir(dataDir), name)));
    if (identity.success && isAlive(identity.data)) return [identity.data];
    rmSync(join(clientsDir(dataDir), name), { force: true });
    return [];
  });
};
