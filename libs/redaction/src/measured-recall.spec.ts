import type { Json } from '@inquest/contracts/canonical-json';
import { HELD_OUT_LOOK_ALIKES, HELD_OUT_SECRETS } from '../test/held-out-rows';
import { LOOK_ALIKE_ROWS } from '../test/look-alike-rows';
import { SECRET_ROWS, type SecretRow } from '../test/secret-rows';
import { createRedactor } from './redactor';

const SECRETS = [...SECRET_ROWS, ...HELD_OUT_SECRETS];
const LOOK_ALIKES = [...LOOK_ALIKE_ROWS, ...HELD_OUT_LOOK_ALIKES];

const redactor = createRedactor('measured');

/** Text as text; what spells a JSON document as the value that a tool would have returned. */
const redacted = (text: string): { text: string; count: number } => {
  try {
    const { value, count } = redactor.redact(JSON.parse(text) as Json);
    return { text: JSON.stringify(value), count };
  } catch {
    return redactor.redactText(text);
  }
};

const HALVES_FROM_CHARS = 12;

/** Neither the secret nor, where it is long, one of its halves. */
const partsOf = (secret: string): string[] =>
  secret.length < HALVES_FROM_CHARS
    ? [secret]
    : [secret, secret.slice(0, Math.ceil(secret.length / 2)), secret.slice(-Math.ceil(secret.length / 2))];

const leaks = ([, template, ...pieces]: SecretRow): boolean => {
  const secret = pieces.join('');
  const { text } = redacted(template.replace('§', () => secret));
  return partsOf(secret).some((part) => text.includes(part));
};

const percent = (part: number, whole: number): string => `${((100 * part) / whole).toFixed(1)} %`;

describe('redaction, measured', () => {
  const missed = SECRETS.filter(leaks);
  const flagged = LOOK_ALIKES.filter(([, text]) => redacted(text).count > 0);

  it('has enough to measure by, and nothing twice', () => {
    expect(SECRETS.length).toBeGreaterThanOrEqual(150);
    expect(LOOK_ALIKES.length).toBeGreaterThanOrEqual(150);
    for (const rows of [SECRETS.map(([, ...rest]) => rest.join(' ')), LOOK_ALIKES.map(([, text]) => text)])
      expect(new Set(rows).size).toBe(rows.length);
    for (const [, template] of SECRETS) expect(template.split('§')).toHaveLength(2);
  });

  it('finds at least 98 % of the secrets and flags at most 2 % of the look-alikes', () => {
    const found = SECRETS.length - missed.length;
    process.stdout.write(
      `redaction: ${found} of ${SECRETS.length} secrets found (${percent(found, SECRETS.length)}), ` +
        `${flagged.length} of ${LOOK_ALIKES.length} look-alikes flagged (${percent(flagged.length, LOOK_ALIKES.length)})\n` +
        [
          ...missed.map(([family, text]) => `  missed  ${family}: ${text}`),
          ...flagged.map(([family, text]) => `  flagged ${family}: ${text}`),
        ]
          .map((line) => `${line.replaceAll('\n', '\\n')}\n`)
          .join(''),
    );
    expect(found / SECRETS.length).toBeGreaterThanOrEqual(0.98);
    expect(flagged.length / LOOK_ALIKES.length).toBeLessThanOrEqual(0.02);
  });
});
