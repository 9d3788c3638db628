import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeWith, sharedData } from '@inquest/testing/describe-with';
import { hasFalseLetters, isLive } from '@inquest/evidence-rules/unsafe-text';
import { createRedactor } from '@inquest/redaction/redactor';
import { speaksToAModel } from '../../apps/semantic-guard/src/judge/planted-text';

const DATA = sharedData('cloud-opsbench');

function* linesOf(value: unknown): Generator<string> {
  if (typeof value === 'string') yield* value.split('\n');
  else if (typeof value === 'object' && value !== null)
    for (const member of Object.values(value)) yield* linesOf(member);
}

function* documentsBelow(dir: string): Generator<unknown> {
  for (const entry of readdirSync(dir, { withFileTypes: true })) {
    const path = join(dir, entry.name);
    if (entry.isDirectory()) yield* documentsBelow(path);
    else if (/cache\.json$|^alert\.json$/.test(entry.name)) yield JSON.parse(readFileSync(path, 'utf8'));
  }
}

describeWith(DATA)('telemetry of a real cluster', () => {
  let lines: string[];
  beforeAll(() => {
    lines = [...new Set([...documentsBelow(DATA)].flatMap((document) => [...linesOf(document)]))];
  });

  it('is taken for no attack', () => {
    process.stdout.write(`real telemetry: ${lines.length} different lines\n`);
    expect(lines.length).toBeGreaterThan(10_000);
    expect(lines.filter(speaksToAModel)).toEqual([]);
  });

  it('can be quoted: it holds no word of two alphabets and, past the border, no live link', () => {
    const redactor = createRedactor('k');
    const shown = lines.map((line) => redactor.redactText(line).text);
    expect(shown.filter(hasFalseLetters)).toEqual([]);
    expect(shown.filter(isLive)).toEqual([]);
  });

  it('holds no secret, and none is seen; its mail addresses are personal data', () => {
    const secrets = createRedactor('k', { emails: false });
    expect(lines.filter((line) => secrets.redactText(line).count > 0)).toEqual([]);
    const flagged = lines.filter((line) => createRedactor('k').redactText(line).count > 0);
    for (const line of flagged) expect(line).toMatch(/[\w.]+@[\w.]+\.[a-z]+/);
  });
});
