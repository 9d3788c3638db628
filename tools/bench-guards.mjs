// `npm run bench:guards`: how well the EvidenceGuard tells true drafts from untrue ones, and how long it takes.
//
//   npm run bench:guards             the table
//   npm run bench:guards -- --quick  fewer mutants
//   npm run bench:guards -- --json   the table on stderr, and as last line of stdout
//                                    {classes: [{name, total, caught}], drafts, falseRejectionRate, msPerDraft: {p50, p99}}
//
// Real outputs come from ../shared/data/cloud-opsbench where it stands beside the project, and from the shipped incidents.
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const require = createRequire(import.meta.url);
require('./require-typescript.cjs');
const { caughtOf, percentile, runBench } = require(join(root, 'test/guard-bench/bench.ts'));

const args = process.argv.slice(2);
const isJson = args.includes('--json');
const isQuick = args.includes('--quick');
const unknown = args.filter((arg) => arg !== '--json' && arg !== '--quick');
if (unknown.length > 0) {
  process.stderr.write(
    `unknown option ${unknown.join(' ')}; usage: npm run bench:guards -- [--json] [--quick]\n`,
  );
  process.exit(2);
}

const say = (line = '') => (isJson ? process.stderr : process.stdout).write(`${line}\n`);
const share = (part, whole) => (whole === 0 ? '-' : `${((100 * part) / whole).toFixed(1)} %`);
const round = (ms) => Math.round(ms * 100) / 100;

const snapshots = join(root, '../shared/data/cloud-opsbench/boutique');
if (!existsSync(snapshots))
  say('there are no snapshots beside the project: the shipped incidents alone are measured');

const startedAt = performance.now();
const { untouched, classes, ms, prose, cases } = await runBench({
  seed: 46,
  snapshots,
  casesMax: Number.MAX_SAFE_INTEGER,
  draftsPerCase: isQuick ? 1 : 2,
  perSnapshotDraft: 1,
  perIncidentDraft: isQuick ? 3 : 15,
  incidents: true,
  repeats: 5,
});

const falseRejectionRate = untouched.rejected.length / untouched.drafts;
say(
  `${untouched.drafts} drafts: 6 of the offline analyst about the shipped incidents, the rest about ${cases} real snapshots`,
);
say(
  `untouched drafts rejected: ${untouched.rejected.length} (${share(untouched.rejected.length, untouched.drafts)})`,
);
for (const { name, rules } of untouched.rejected.slice(0, 10))
  say(`  ${name}: ${[...new Set(rules)].join(', ')}`);
say(
  `items of untouched drafts that the offline judge supports: ${untouched.supported} of ${untouched.items}`,
);
say();

const COLUMNS = [26, 8, 16, 10, 16, 10, 12, 12];
const row = (cells) =>
  say(cells.map((cell, i) => String(cell)[i === 0 ? 'padEnd' : 'padStart'](COLUMNS[i])).join(''));
const HEAD = [
  'class',
  'mutants',
  'by the rules',
  'noted',
  'by the judge',
  'caught',
  'repairable',
  'saved whole',
];
const table = (title, of) => {
  say(title);
  row(HEAD);
  for (const result of of) {
    const { total, caught } = caughtOf(result);
    row([
      result.name,
      result.total,
      `${result.byRules} ${share(result.byRules, result.total)}`,
      result.noted,
      result.toJudge === 0 ? '-' : `${result.byJudge} of ${result.toJudge}`,
      share(caught, total),
      result.repairable,
      share(result.whole, result.repairable),
    ]);
  }
  say();
};
table(
  'gated: to be caught by the deterministic rules (negation: by the judge, which alone reads it)',
  classes.filter(({ gate }) => gate !== null),
);
table(
  'reported, not gated: prose, where another figure of the same output or nothing typed may stand beside it',
  classes.filter(({ gate }) => gate === null),
);
say(
  '  by the rules  rejected by the EvidenceGuard    noted   accepted, with attention of the judge drawn to the item',
);
say('  by the judge  refused by the offline judge, of those accepted in items that it supports untouched');
say(
  '  caught        by the rules where they are to catch the class, else by rules and judge together, of all mutants',
);
say(
  '  saved whole   accepted after the one repair: the conclusion as strong, no analysis lost that was not touched',
);
say();

const sum = (key) => classes.reduce((total, result) => total + result[key], 0);
say(
  `the one repair: of ${sum('repairable')} rejected and repairable drafts ${share(sum('saved'), sum('repairable'))} are accepted after it, ${share(sum('whole'), sum('repairable'))} without loss`,
);
for (const { name, result } of prose) {
  if (result.sentences === 0) continue;
  say(
    `prose, ${name}: ${result.flagged.length} of ${result.sentences} true sentences flagged (${share(result.flagged.length, result.sentences)}); ${result.withFigures} hold a figure or a time`,
  );
}
const msPerDraft = { p50: round(percentile(ms, 0.5)), p99: round(percentile(ms, 0.99)) };
say(`time per draft: p50 ${msPerDraft.p50} ms, p99 ${msPerDraft.p99} ms (${ms.length} validations)`);
say(`measured in ${((performance.now() - startedAt) / 1000).toFixed(0)} s`);

if (isJson) {
  const gated = classes.filter(({ gate, total }) => gate !== null && total > 0);
  process.stdout.write(
    `${JSON.stringify({
      classes: gated.map((result) => ({ name: result.name, ...caughtOf(result) })),
      drafts: untouched.drafts,
      falseRejectionRate,
      msPerDraft,
    })}\n`,
  );
}
