// `npm run eval -- investigate`: how often the single agent and the investigation name the right cause, at what cost, and
// what early reviews are worth.
//
//   npm run eval -- investigate            the shipped incidents and the recorded clusters
//   npm run eval -- investigate --cases N  only the first N of the recorded clusters
//   npm run eval -- investigate --json     the tables on stderr, and as last line of stdout one JSON object
//
// What runs: the real decider of cases, the real tools, the real guards as functions, and the offline analyst (rules, no
// language model) over HTTP, in this one process. No broker, no services: what is measured is judgement, not transport.
// The truth about a case is read here and by nothing that investigates.
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const require = createRequire(import.meta.url);
require('./require-typescript.cjs');

const USAGE = 'npm run eval -- investigate [--cases N] [--json]';

const usage = (message) => {
  process.stderr.write(`${message}; usage: ${USAGE}\n`);
  process.exit(2);
};

const parse = () => {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        cases: { type: 'string' },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
  } catch (error) {
    return usage(error.message);
  }
};
const { positionals, values } = parse();
if (values.help) {
  process.stdout.write(`${USAGE}\n`);
  process.exit(0);
}
if (positionals.length !== 1 || positionals[0] !== 'investigate')
  usage('there is one evaluation: investigate');
const casesMax = values.cases === undefined ? Number.MAX_SAFE_INTEGER : Number(values.cases);
if (!Number.isInteger(casesMax) || casesMax < 0) usage('--cases takes a whole number');

const { measure, shippedCases, snapshotCases } = require(join(root, 'test/investigation/measure.ts'));
const { startAnalyst } = require(join(root, 'apps/offline-analyst/src/http/server.ts'));

const say = (line = '') => (values.json ? process.stderr : process.stdout).write(`${line}\n`);
const share = (part, whole) => (whole === 0 ? '-' : `${((100 * part) / whole).toFixed(1)} %`);
const sum = (items, of) => items.reduce((total, item) => total + of(item), 0);

const totalsOf = (results) => {
  const arm = (key) => ({
    right: results.filter((result) => result[key].right).length,
    actions: sum(results, (result) => result[key].actions),
    turns: sum(results, (result) => result[key].turns),
  });
  const accepted = results.filter(({ early }) => early.reviews.accepted > 0);
  const wrong = accepted.filter(({ early }) => !early.right);
  const group = (cases) => {
    const [spent, without] = ['early', 'ordinary'].map((key) => sum(cases, (result) => result[key].actions));
    return {
      cases: cases.length,
      endedEarly: cases.filter(({ early }) => early.reviews.accepted > 0).length,
      actions: spent,
      actionsWithoutReviews: without,
      actionsSaved: without === 0 ? null : 1 - spent / without,
    };
  };
  return {
    cases: results.length,
    single: arm('single'),
    investigation: arm('early'),
    withoutReviews: arm('ordinary'),
    reviews: {
      asked: sum(results, ({ early }) => early.reviews.asked),
      accepted: accepted.length,
      acceptedRight: accepted.length - wrong.length,
      wrongAcceptances: wrong.map(({ name }) => name),
      declined: sum(results, ({ early }) => early.reviews.declined.length),
      declinedFor: results.flatMap(({ early }) => early.reviews.declined),
    },
    // Right at the end of the ordinary investigation, with a finding against an alternative.
    tested: group(results.filter((result) => result.tested)),
    // The same, with the leader rated strongly supported.
    eligible: group(results.filter((result) => result.eligible)),
    endedEarly: group(accepted),
    invalidResponses: sum(results, ({ invalid }) => invalid),
  };
};

const row = (name, single, early, ordinary, reviews, top) =>
  [name.padEnd(26), single.padEnd(9), early.padEnd(9), ordinary.padEnd(9), reviews.padEnd(22), top].join(' ');
const cell = ({ right, actions }) => `${right ? '✓' : '✗'} ${String(actions).padStart(3)}`;

const show = ({ name, truth, single, early, ordinary }) => {
  const { asked, accepted, declined } = early.reviews;
  const reviews = asked === 0 ? '-' : `${asked} asked, ${accepted} acc, ${declined.length} dec`;
  const answer = early.right ? truth : `${truth}  <>  ${early.top} (${early.ending})`;
  say(row(name, cell(single), cell(early), cell(ordinary), reviews, answer));
};

const main = async () => {
  const folder = join(root, '../shared/data/cloud-opsbench/boutique');
  if (!existsSync(folder))
    say('there are no recorded clusters beside the project: the shipped incidents alone are measured');
  const cases = [...shippedCases(join(root, 'incidents')), ...snapshotCases(folder).slice(0, casesMax)];
  say('in process: real decider, tools and guards, the offline analyst over HTTP (rules, no language model)');
  say(
    '✓ right first candidate, and the actions spent: by the single agent, the investigation, and it without early reviews',
  );
  say(row('case', 'single', 'cases', 'no early', 'early reviews', 'truth  <>  answer'));
  const analyst = await startAnalyst({ port: 0, host: '127.0.0.1' });
  const results = [];
  for (const item of cases) {
    const result = await measure(analyst, item);
    results.push(result);
    show(result);
  }
  await analyst.stop();
  const totals = totalsOf(results);
  const { single, investigation, withoutReviews, reviews } = totals;
  const line = (name, { right, actions, turns }) =>
    say(
      `${name.padEnd(30)} right ${right} of ${totals.cases} (${share(right, totals.cases)}), ${actions} actions, ${turns} turns`,
    );
  const group = (name, { cases: count, endedEarly, actions, actionsWithoutReviews, actionsSaved }) =>
    say(
      `${name.padEnd(34)} ${count} cases, ${endedEarly} ended by an accepted early review (${share(endedEarly, count)}); ` +
        `${actions} actions instead of ${actionsWithoutReviews}` +
        (actionsSaved === null ? '' : `, ${(100 * actionsSaved).toFixed(1)} % fewer`),
    );
  say();
  line('single agent', single);
  line('investigation', investigation);
  line('investigation without reviews', withoutReviews);
  say(
    `early reviews: ${reviews.asked} asked, ${reviews.accepted} accepted, ${reviews.declined} declined; ` +
      `${reviews.acceptedRight} of ${reviews.accepted} accepted were right (${share(reviews.acceptedRight, reviews.accepted)})`,
  );
  for (const name of reviews.wrongAcceptances) say(`  accepted and wrong: ${name}`);
  group('leader right, alternative tested', totals.tested);
  group('... and strongly supported', totals.eligible);
  group('all that ended early', totals.endedEarly);
  say(`invalid answers of the investigator: ${totals.invalidResponses}`);
  if (values.json) process.stdout.write(`${JSON.stringify({ totals, cases: results })}\n`);
};

await main();
