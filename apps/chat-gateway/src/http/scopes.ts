import { applyDecorators, SetMetadata } from '@nestjs/common';
import { z } from 'zod';

/** ask: put questions and read their runs · watch: follow runs and the system · operate: the same, cancel, all evidence · audit: read everything, change nothing · alert: open runs by an Alertmanager's webhook, and nothing else. */
export const Scope = z.enum(['ask', 'watch', 'operate', 'audit', 'alert']);
export type Scope = z.infer<typeof Scope>;

export const SCOPES_METADATA = 'inquest:scopes';

/** The route answers holders of any one of these scopes. A route without it answers nobody but for {@link Public}. */
export const Scopes = (...scopes: [Scope, ...Scope[]]) =>
  applyDecorators(SetMetadata(SCOPES_METADATA, scopes));

/** The route answers anybody who can reach the port. */
export const Public = () => applyDecorators(SetMetadata(SCOPES_METADATA, []));
