import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ruleTables } from '../test/rule-tables';
import { rulesDoc } from '../test/rules-doc';
import { RULES } from './rules';

const tables = ruleTables();
const numberOf = (id: string): number => Number(id.split(' ')[0]);

describe('docs/reference/evidence-rules.md', () => {
  it('says what the rules and their tables say (npm run docs:generate)', () => {
    const written = readFileSync(join(__dirname, '../../../docs/reference/evidence-rules.md'), 'utf8');
    expect(written).toBe(rulesDoc(tables));
  });

  it('has all 46 rules, each with its table', () => {
    const numbers = new Set(tables.map(({ rule }) => numberOf(rule.id)));
    expect([...numbers]).toEqual(Array.from({ length: 46 }, (_, i) => i + 1));
  });

  it('has the table of every rule that runs', () => {
    const described = new Set(tables.map(({ rule }) => rule));
    expect(RULES.filter((rule) => !described.has(rule)).map(({ id }) => id)).toEqual([]);
  });
});
