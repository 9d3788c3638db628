import { z } from 'zod';
import { LinkHosts } from '@inquest/contracts/evidence-facts';
import { readConfig, serviceEnv } from '@inquest/service-shell/config';

const HOSTS = /^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?(?:\s*,\s*[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?)*$/i;

const hosts = z
  .string()
  .max(4_096)
  .regex(HOSTS, 'must be host[,host], without scheme, port or path')
  .transform((text) => text.split(',').map((host) => host.trim().toLowerCase()))
  // Each verdict tells them: what it cannot tell, it may not use.
  .refine((list) => LinkHosts.safeParse(list).success, 'must be at most 256 hosts of at most 253 characters');

export const evidenceGuardEnv = serviceEnv.extend({
  /** Hosts that a report may link to, separated by commas. None by default: what a report links to, a reader follows. */
  LINK_HOSTS: hosts.default([]),
});
export type EvidenceGuardConfig = z.infer<typeof evidenceGuardEnv>;

export const readEvidenceGuardConfig = (): EvidenceGuardConfig => readConfig(evidenceGuardEnv, process.env);
