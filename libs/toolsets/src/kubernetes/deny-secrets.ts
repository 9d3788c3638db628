import { SourceFailure } from '../incident-source';
import { isSecretKind } from './resources';

/** Before any request: no credential could make this toolset read one. */
export const denySecrets = (kind: string | undefined): void => {
  if (kind !== undefined && isSecretKind(kind))
    throw new SourceFailure('ACCESS_DENIED', 'secrets are never read');
};
