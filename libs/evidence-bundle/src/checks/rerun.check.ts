import { RULE_SET } from '@inquest/contracts/evidence-facts';
import type { BundleCheck } from '@inquest/contracts/evidence-bundle';
import type { Violation } from '@inquest/contracts/violation';
import { validateDraft, type Verdict } from '@inquest/evidence-rules/validate-draft';
import { fails, holds, notChecked, type Examined } from '../check';
import { guardInput, toldLinkHosts } from '../guard-inputs';

const AGAIN = 'The EvidenceGuard, run again here, passes the report';
const SAME = 'It freezes the same snapshot again, byte for byte';

const codes = (violations: readonly Violation[]): string[] => [
  ...new Set(violations.map(({ ruleId }) => ruleId)),
];

const places = (violations: readonly Violation[]): string =>
  violations.map(({ ruleId, path }) => `${ruleId} at ${path === '' ? 'the whole' : path}`).join(', ');

const rejectedHere = (violations: readonly Violation[]): BundleCheck => {
  const links = violations.every(({ ruleId }) => ruleId.startsWith('37 '));
  const hint = links ? '; no verdict in the file tells that the guard was configured to allow this host' : '';
  return fails(AGAIN, `it rejects it: ${places(violations)}${hint}`);
};

/** A run guarded by other rules: passing these too says something, failing them says nothing against it. */
const byOtherRules = (verdict: Verdict, ruleSet: string): BundleCheck[] => {
  const other = `the run was guarded by rule set ${ruleSet}, this program has ${RULE_SET}`;
  return [
    verdict.kind === 'ACCEPTED'
      ? holds(AGAIN, `${verdict.items} items over the bundled ledger; ${other}`)
      : notChecked(AGAIN, `${other}, which would reject it: ${places(verdict.violations)}`),
    notChecked(SAME, other),
  ];
};

const acceptedAgain = (
  verdict: Verdict,
  {
    ruleSet,
    snapshotHash,
    linkHosts,
  }: { ruleSet: string; snapshotHash: string; linkHosts: readonly string[] },
): BundleCheck[] => {
  if (ruleSet !== RULE_SET) return byOtherRules(verdict, ruleSet);
  if (verdict.kind === 'REJECTED')
    return [rejectedHere(verdict.violations), notChecked(SAME, 'it froze none')];
  const same = verdict.snapshotHash === snapshotHash;
  const allowing = linkHosts.length === 0 ? '' : `, with links to ${linkHosts.join(', ')} allowed`;
  return [
    holds(AGAIN, `${verdict.items} items over the bundled ledger, rule set ${RULE_SET}${allowing}`),
    same
      ? holds(SAME, snapshotHash)
      : fails(SAME, `it freezes ${verdict.snapshotHash}: another version of the rules, or another ledger`),
  ];
};

/** The rejected drafts of a run that fell back, or that was repaired, are rejected again. */
const rejectedAgain = (check: string, verdict: Verdict, recorded: readonly Violation[]): BundleCheck => {
  if (verdict.kind === 'ACCEPTED')
    return fails(check, `it passes it; recorded was ${codes(recorded).join(', ')}`);
  const here = codes(verdict.violations);
  const same = here.length === codes(recorded).length && codes(recorded).every((code) => here.includes(code));
  return same
    ? holds(check, here.join(', '))
    : fails(check, `by ${here.join(', ')}; recorded was ${codes(recorded).join(', ')}`);
};

/**
 * Runs the deterministic guard over what the bundle holds: no server, no network, the same function as in the service. Links
 * are allowed to the hosts that the verdicts tell, or to those that whoever checks names instead.
 */
export const rerunChecks = (
  { bundle, story }: Examined,
  namedHosts: readonly string[] | undefined,
): BundleCheck[] => {
  const { accepted, rejections } = story;
  if (!accepted && rejections.length === 0)
    return [holds(AGAIN, 'no draft reached the EvidenceGuard, so there is nothing to run it over')];
  const { ruleSet } = bundle.manifest;
  const hostsOf = (step: string) => namedHosts ?? toldLinkHosts(bundle, step);
  const rejected = rejections.map(({ revision, step, violations }) => {
    const check = `The EvidenceGuard, run again here, rejects draft ${revision} as it did`;
    if (ruleSet !== RULE_SET)
      return notChecked(check, `it did so by rule set ${ruleSet}, this program has ${RULE_SET}`);
    const input = guardInput(bundle, story, revision, hostsOf(step));
    if ('lacks' in input) return notChecked(check, `the bundle lacks ${input.lacks}`);
    return rejectedAgain(check, validateDraft(input), violations);
  });
  if (!accepted) return rejected;
  const linkHosts = hostsOf(accepted.step);
  const input = guardInput(bundle, story, accepted.revision, linkHosts);
  if ('lacks' in input) {
    const why = `the bundle lacks ${input.lacks}`;
    return [...rejected, notChecked(AGAIN, why), notChecked(SAME, why)];
  }
  const { snapshotHash } = accepted;
  return [...rejected, ...acceptedAgain(validateDraft(input), { ruleSet, snapshotHash, linkHosts })];
};
