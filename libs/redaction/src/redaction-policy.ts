/** What is redacted beside secrets, and what becomes of active text. Secrets themselves are no matter of policy. */
export type RedactionPolicy = {
  /** E-mail addresses are personal data rather than secrets; on by default. */
  emails: boolean;
  /** Addresses of a cluster are what a diagnosis is made of: kept by default. `public`: those that may be somebody's. */
  ipAddresses: 'keep' | 'public' | 'all';
  /** Whether links, tokens of chat templates and unseen characters lose their power, see defang.ts; on by default. */
  defang: boolean;
};

export const DEFAULT_POLICY: RedactionPolicy = { emails: true, ipAddresses: 'keep', defang: true };
