import { Token } from '@inquest/contracts/ids';

export type EntryKind = 'request' | 'cancel';
export type EntrySubject = { publisher: string; key: string; kind: EntryKind };

/** `entry.<publisher>.<key>.request|cancel`; `undefined` for anything else. */
export const parseEntrySubject = (subject: string): EntrySubject | undefined => {
  const [root, publisher, key, kind, ...rest] = subject.split('.');
  const tokens = Token.safeParse(publisher).success && Token.safeParse(key).success;
  if (root !== 'entry' || !tokens || rest.length > 0 || (kind !== 'request' && kind !== 'cancel'))
    return undefined;
  return { publisher: publisher as string, key: key as string, kind };
};

export type TenantChoice = { tenant: string } | { refused: 'forbidden' | 'bad-request'; detail: string };

/** The tenant that a publisher asks for, if it may; a publisher with one tenant need not name it. */
export const tenantFor = (
  grants: readonly { publisher: string; tenants: readonly string[] }[],
  publisher: string,
  named: string | undefined,
): TenantChoice => {
  const tenants = grants.find((grant) => grant.publisher === publisher)?.tenants;
  if (!tenants) return { refused: 'forbidden', detail: 'This publisher is not configured here.' };
  const [only, ...others] = tenants;
  const tenant = named ?? (others.length === 0 ? only : undefined);
  if (tenant === undefined)
    return { refused: 'bad-request', detail: 'This publisher has several tenants: name one.' };
  return tenants.includes(tenant)
    ? { tenant }
    : { refused: 'forbidden', detail: 'This publisher may not ask for this tenant.' };
};
