/** The run of a `diag.`, `tmr.` subject; no validation, for look-ups and log lines. */
export const runIdOf = (subject: string): string | undefined => {
  const [root, , runId] = subject.split('.', 3);
  return root === 'diag' || root === 'tmr' ? runId : undefined;
};
