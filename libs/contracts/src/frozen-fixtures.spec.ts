import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sha256 } from './canonical-json';
import { CaseEvent } from './case-decision';
import { CATALOGUE } from './catalogue';
import { RunEvent } from './run-decision';

const FIXTURES = join(__dirname, '../fixtures/v1');
const textOf = (file: string): string => readFileSync(join(FIXTURES, file), 'utf8');
const hashes = JSON.parse(textOf('hashes.json')) as Record<string, string>;

/** Messages as version 1 wrote them. They stand in logs for days and in archives for years: every later reader takes them. */
describe('frozen fixtures of version 1', () => {
  it.each(Object.entries(hashes))('%s has not been touched', (file, hash) => {
    expect(sha256(textOf(file))).toBe(hash);
  });

  it.each(CATALOGUE.map((contract) => [contract.type, contract] as const))(
    '%s reads them as they are',
    (type, { schema }) => {
      const messages = JSON.parse(textOf(`${type}.json`)) as unknown[];
      expect(messages.length).toBeGreaterThan(0);
      for (const message of messages) expect(schema.parse(message)).toEqual(message);
    },
  );

  it.each(CATALOGUE.map((contract) => [contract.type, contract] as const))(
    '%s refuses what it does not know',
    (type, { schema }) => {
      const [message] = JSON.parse(textOf(`${type}.json`)) as Record<string, unknown>[];
      expect(schema.safeParse({ ...message, reasoning: 'because' }).success).toBe(false);
    },
  );

  it.each([
    ['inquest.run.v1.json', RunEvent.options.map((option): string => option.shape.type.value)],
    ['inquest.case.v1.json', CaseEvent.options.map((option): string => option.shape.type.value)],
  ])('%s shows every event of its chain', (file, types) => {
    const chain = JSON.parse(textOf(file)) as { events: { type: string }[] }[];
    const shown = new Set(chain.flatMap(({ events }) => events.map(({ type }) => type)));
    expect(types.filter((type) => !shown.has(type))).toEqual([]);
  });
});
