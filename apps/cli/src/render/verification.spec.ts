import { fails, holds, notChecked } from '@inquest/evidence-bundle/check';
import { PLAIN } from './style';
import { drawVerification } from './verification';

const page = (...checks: ReturnType<typeof holds>[]): string =>
  drawVerification(
    { holds: checks.every((check) => check.holds !== false), checks, bundle: null },
    PLAIN,
    100,
  ).join('\n');

describe('A verification on the terminal', () => {
  it('says of each check whether it holds, and why', () => {
    expect(page(fails('The chain', 'it breaks at 7'), notChecked('The signature', 'no key was given'))).toBe(
      [
        'FAILS  The chain',
        '       it breaks at 7',
        '  -    The signature',
        '       no key was given',
        '',
        'This file does not hold.',
        '1 check FAILS, 0 checks hold, 1 could not be made',
      ].join('\n'),
    );
  });

  it('claims no maker without a signature', () => {
    expect(page(holds('The chain', 'ok'), notChecked('The signature', 'no key'))).toContain(
      'Everything that was checked holds.\nWho made the file is not shown by this',
    );
    expect(page(holds('The chain', 'ok'), holds('The signature', 'key'))).toContain(
      'signed by the given key.\n2 checks hold',
    );
  });

  it('prints no control characters of a file', () => {
    expect(page(fails('The chain', 'at \u001b[31mred'))).not.toContain('\u001b');
  });
});
