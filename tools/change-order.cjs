// The rule of the plan: changes are strictly serial. Pure: commits in, violations out.

const PLAN_ROW = /^\|\s*(\d+[AB]?)\s*\|([^|]*)\|\s*`([a-z0-9-]+)`\s*\|/;

/** Reads the table of a plan: `| stage | title | \`change-name\` |`, in the order of its rows. */
const readPlan = (markdown) =>
  markdown.split('\n').flatMap((line) => {
    const row = PLAN_ROW.exec(line);
    return row ? [{ stage: row[1], title: row[2].trim(), name: row[3] }] : [];
  });

const ACTIVE = /^openspec\/changes\/(?!archive\/)([^/]+)\/./;
const ARCHIVED = /^openspec\/changes\/archive\/(?:\d{4}-\d{2}-\d{2}-)?([^/]+)\/./;

const namesIn = (paths, pattern) => [
  ...new Set(paths.flatMap((path) => (pattern.exec(path) ? [pattern.exec(path)[1]] : []))),
];

const proposalViolations = ({ plan, name, archived, active }) => {
  const position = plan.findIndex((change) => change.name === name);
  if (position < 0) return [`${name} stands in no plan`];
  if (archived.has(name)) return [`${name} is proposed again after its archive`];
  const pending = plan.slice(0, position).filter((earlier) => !archived.has(earlier.name));
  const others = [...active.keys()].filter((other) => other !== name);
  return [
    ...pending.map((earlier) => `${name} starts before ${earlier.name} is archived and committed`),
    ...others.map((other) => `${name} starts while ${other} is active`),
  ];
};

const archiveViolations = ({ plan, name, archived, proposed }) => {
  const change = plan.find((one) => one.name === name);
  if (!change) return [`${name} is archived and stands in no plan`];
  const violations = proposed.has(name) ? [] : [`${name} is archived without an earlier proposal commit`];
  const guards = plan.find(({ stage }) => stage === '5');
  // The one gate that protects people, not only the order of work: no public entry before the guards exist.
  if (change.stage === '6B' && guards && !archived.has(guards.name))
    violations.push(`${name} cuts over before ${guards.name} is archived`);
  return violations;
};

const trackFiles = (active, { added, removed }) => {
  for (const path of added) {
    const name = ACTIVE.exec(path)?.[1];
    if (name) active.set(name, (active.get(name) ?? new Set()).add(path));
  }
  for (const path of removed) {
    const name = ACTIVE.exec(path)?.[1];
    active.get(name)?.delete(path);
    if (active.get(name)?.size === 0) active.delete(name);
  }
};

/**
 * Walks the history once, oldest commit first.
 * @param {{stage: string, title: string, name: string}[]} plan
 * @param {{id: string, added: string[], removed: string[]}[]} commits paths relative to the repository
 * @returns {string[]} one sentence per violation, each with the commit; empty when the order holds
 */
const changeOrderViolations = (plan, commits) => {
  const active = new Map();
  const proposed = new Set();
  const archived = new Set();
  const violations = [];
  for (const commit of commits) {
    const report = (messages) => violations.push(...messages.map((message) => `${commit.id}: ${message}`));
    const starting = namesIn(commit.added, ACTIVE).filter((name) => !active.has(name));
    const ending = namesIn(commit.added, ARCHIVED).filter((name) => !archived.has(name));
    // What this commit archives is not yet "archived and committed" for what it proposes.
    starting.forEach((name) => {
      const others = new Map([...active, ...starting.map((one) => [one, new Set()])]);
      report(proposalViolations({ plan, name, archived, active: others }));
    });
    ending.forEach((name) => report(archiveViolations({ plan, name, archived, proposed })));
    trackFiles(active, commit);
    ending
      .filter((name) => active.has(name))
      .forEach((name) => report([`${name} is archived and still active`]));
    starting.forEach((name) => proposed.add(name));
    ending.forEach((name) => archived.add(name));
  }
  return violations;
};

module.exports = { readPlan, changeOrderViolations };
