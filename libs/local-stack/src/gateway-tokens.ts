import { join } from 'node:path';
import { keptSecrets, writePrivateJson } from './secrets';

export const SCOPES = ['ask', 'watch', 'operate', 'audit', 'alert'] as const;
export type TokenScope = (typeof SCOPES)[number];

/** Someone who may use the gateway: what the token stands for, without the token. */
export type TokenHolder = { name: string; tenant: string; scopes: readonly TokenScope[] };

/** The person at this machine: the CLI and the console act as this one. */
export const LOCAL_OPERATOR: TokenHolder = { name: 'local-operator', tenant: 'local', scopes: SCOPES };

/** Draws (once) and keeps a token per holder; writes the gateway's token file, readable by its owner only. */
export const gatewayTokens = <Name extends string>(
  dataDir: string,
  holders: readonly (TokenHolder & { name: Name })[],
): { file: string; tokens: Record<Name, string> } => {
  const tokens = keptSecrets(
    join(dataDir, 'token-secrets.json'),
    holders.map(({ name }) => name),
  );
  const file = join(dataDir, 'gateway-tokens.json');
  writePrivateJson(
    file,
    holders.map(({ name, tenant, scopes }) => ({ token: tokens[name], tenant, subject: name, scopes })),
  );
  return { file, tokens };
};
