import { createHash, timingSafeEqual } from 'node:crypto';
import type { Scope } from './scopes';

/** Who asks: what a token stands for, without the token. */
export type Caller = { tenant: string; subject: string; scopes: ReadonlySet<Scope> };

export type Grant = { token: string; tenant: string; subject: string; scopes: readonly Scope[] };

const digest = (token: string): Buffer => createHash('sha256').update(token).digest();

/** The static tokens of this gateway. Only digests are kept. */
export class Callers {
  private readonly known: { digest: Buffer; caller: Caller }[];

  constructor(grants: readonly Grant[]) {
    this.known = grants.map(({ token, tenant, subject, scopes }) => ({
      digest: digest(token),
      caller: { tenant, subject, scopes: new Set(scopes) },
    }));
  }

  /** Compares with every token in constant time, so that neither a prefix nor a position shows in the duration. */
  byToken(token: string): Caller | undefined {
    const presented = digest(token);
    let found: Caller | undefined;
    for (const entry of this.known) {
      if (timingSafeEqual(entry.digest, presented)) found = entry.caller;
    }
    return found;
  }

  /** Reads `Authorization: Bearer <token>`. */
  byHeader(authorization: string | undefined): Caller | undefined {
    const match = /^Bearer +([^\s]{1,512}) *$/i.exec(authorization ?? '');
    return match?.[1] === undefined ? undefined : this.byToken(match[1]);
  }
}

/** `<tenant>/<subject>`, as facts and envelopes record it. */
export const principalOf = ({ tenant, subject }: Caller): string => `${tenant}/${subject}`;
