import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { GuardInput } from '../src/guard-input';
import type { Finding, Rule } from '../src/rule';

export type RuleHead = Pick<Rule, 'id' | 'meaning' | 'severity'>;
/** A row of a rule's table. Rules on something else than a draft have no input to show. */
export type Example = { name: string; input?: GuardInput; findings: readonly Finding[] };
export type RuleTable = { rule: RuleHead; passes: readonly Example[]; fails: readonly Example[] };

const tables: RuleTable[] = [];

/** Called by every table as its spec is loaded. */
export const noteTable = (rule: RuleHead, examples: Omit<RuleTable, 'rule'>): void =>
  void tables.push({ rule, ...examples });

const RULES_DIR = join(__dirname, '../src/rules');

const nothing = (): void => undefined;
/** The words of a spec, without their effect: suites are entered, since tables stand in them, tests are not run. */
const WORDS = {
  describe: Object.assign((_: string, suite: () => void) => suite(), { each: () => nothing }),
  it: Object.assign(nothing, { each: () => nothing }),
  beforeAll: nothing,
  beforeEach: nothing,
  afterAll: nothing,
  afterEach: nothing,
};

/** The tables of all rules, read from their specs; in the order of the rules' numbers. */
export const ruleTables = (): readonly RuleTable[] => {
  const load = createRequire(__filename);
  const scope = globalThis as unknown as Record<string, unknown>;
  const before = Object.fromEntries(Object.keys(WORDS).map((word) => [word, scope[word]]));
  Object.assign(scope, WORDS);
  try {
    for (const file of readdirSync(RULES_DIR).sort())
      if (file.endsWith('.rule.spec.ts')) load(join(RULES_DIR, file));
  } finally {
    Object.assign(scope, before);
  }
  return tables;
};
