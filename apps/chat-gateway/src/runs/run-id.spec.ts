import { RunId } from '@inquest/contracts/ids';
import { caseIdForKey, randomRunId, runIdForEntry, runIdForKey } from './run-id';

describe('run id', () => {
  it('is a UUIDv8 of tenant and key, the same for ever', () => {
    expect(runIdForKey('acme', 'k-1')).toBe(runIdForKey('acme', 'k-1'));
    expect(RunId.safeParse(runIdForKey('acme', 'k-1')).success).toBe(true);
    expect(runIdForKey('acme', 'k-1')).toMatchInlineSnapshot(`"f33bbf7a-8251-8f9f-bee1-808dcc59d64c"`);
  });

  it.each([
    ['another tenant', runIdForKey('other', 'k-1')],
    ['another key', runIdForKey('acme', 'k-2')],
    ['the parts cut elsewhere', runIdForKey('acmek', '-1')],
    ['the same key at the bus entry', runIdForEntry('acme', 'platform', 'k-1')],
    ['the same key of a case', caseIdForKey('acme', 'k-1')],
    ['no key', randomRunId()],
  ])('differs for %s', (_, other) => {
    expect(RunId.safeParse(other).success).toBe(true);
    expect(other).not.toBe(runIdForKey('acme', 'k-1'));
  });

  it('is the same case for ever, and no run’s', () => {
    expect(caseIdForKey('acme', 'k-1')).toBe(caseIdForKey('acme', 'k-1'));
    expect(caseIdForKey('acme', 'k-1')).not.toBe(caseIdForKey('other', 'k-1'));
    // Not even that of a publisher who is named after cases.
    expect(caseIdForKey('acme', 'k-1')).not.toBe(runIdForEntry('acme', 'case', 'k-1'));
  });

  it('separates the publishers of the bus entry', () => {
    expect(runIdForEntry('acme', 'one', 'k-1')).not.toBe(runIdForEntry('acme', 'two', 'k-1'));
  });
});
