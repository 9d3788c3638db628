import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LedgerEntry } from '@inquest/contracts/ledger';
import type { Chance } from './chance';
import { ledgerEntryOf, type Printed } from './snapshot-tools';

export type SnapshotCase = {
  name: string;
  question: string;
  asOf: string;
  zone: string;
  entries: LedgerEntry[];
};

const read = (dir: string, file: string): unknown => JSON.parse(readFileSync(join(dir, file), 'utf8'));

/** `arguments={namespace: 'boutique', name: None}` */
const argumentsOf = (calling: string): Record<string, unknown> => {
  const inside = /arguments=\{(.*)\}\s*$/s.exec(calling)?.[1] ?? '';
  return Object.fromEntries(
    [...inside.matchAll(/(\w+): (?:'([^']*)'|([\w.-]+))/g)].map(([, key = '', quoted, bare]) => [
      key,
      quoted ?? (/^\d+$/.test(bare ?? '') ? Number(bare) : bare === 'None' || bare === 'False' ? '' : bare),
    ]),
  );
};

type Step = { tool_name: string; calling: string; output: unknown };

const pathOf = (dir: string): Printed[] =>
  (read(dir, 'golden-path1.json') as { diagnostic_trace: Step[] }).diagnostic_trace.map((step) => ({
    tool: step.tool_name,
    args: argumentsOf(step.calling),
    output: step.output,
  }));

/** A few more calls of the same snapshot, of every tool, some of which found nothing. */
const cachedOf = (dir: string, chance: Chance): Printed[] => {
  const cached = Object.entries(read(dir, 'tool_cache.json') as Record<string, unknown>).flatMap(
    ([key, output]): Printed[] => {
      const [, tool = '', args] = /^(\w+):(\{.*\})$/s.exec(key) ?? [];
      return args === undefined ? [] : [{ tool, args: JSON.parse(args) as Record<string, unknown>, output }];
    },
  );
  const isQuiet = ({ output }: Printed) => typeof output === 'string' && ['', '{}'].includes(output.trim());
  return [
    ...chance.some(
      cached.filter((call) => !isQuiet(call)),
      5,
    ),
    ...chance.some(
      cached.filter((call) => isQuiet(call) && call.args['namespace'] !== undefined),
      2,
    ),
  ];
};

/** Every case below a folder of snapshots; none where the folder is absent. */
export const snapshotCases = (
  root: string,
  chance: Chance,
  max = Number.MAX_SAFE_INTEGER,
): SnapshotCase[] => {
  if (!existsSync(root)) return [];
  const dirs = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('golden-path1.json'))
    .map((file) => join(root, file, '..'))
    .sort();
  return chance.some(dirs, max).map((dir) => {
    const asOf = `${String((read(dir, 'tool_cache.json') as Record<string, unknown>)['collection_timestamp'])}+08:00`;
    const { query } = read(dir, 'metadata.json') as { query: string };
    const printed = [...pathOf(dir), ...cachedOf(dir, chance)];
    return {
      name: dir.split('/').slice(-2).join('/'),
      question: query,
      asOf: new Date(asOf).toISOString(),
      zone: 'Asia/Shanghai',
      entries: printed.map((call, i) => ledgerEntryOf(call, i, asOf)),
    };
  });
};
