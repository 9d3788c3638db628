// Which project may import which. Two questions are asked of every import: is the *kind* of project allowed
// (an app never imports an app), and does this project have any business with that one (the scope table)?

import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

const TYPES = {
  contract: ['contract'],
  kernel: ['contract', 'kernel'],
  adapter: ['contract', 'kernel', 'adapter'],
  app: ['contract', 'kernel', 'adapter'],
  testing: ['contract', 'kernel', 'adapter', 'testing'],
};

const SERVICE = ['contracts', 'event-log', 'service-shell'];

/**
 * scope -> the scopes that it may import besides itself.
 *
 * The absences carry the design: the orchestrator knows no model, no tool and no rule, so that it can author
 * nothing; rules decide in the EvidenceGuard alone; only the two services that talk to a model have a client;
 * the offline analyst sees what any model behind the endpoint would see, and no more.
 */
const SCOPES = {
  contracts: [],
  decider: ['contracts'],
  redaction: ['contracts'],
  'evidence-rules': ['contracts', 'redaction'],
  'event-log': ['contracts'],
  // A model call is leased and committed through the log.
  'model-client': ['contracts', 'event-log', 'redaction'],
  toolsets: ['contracts', 'redaction'],
  'run-view': ['contracts'],
  // Re-checks and explains what was released; it judges nothing that is not decided already.
  'evidence-bundle': ['contracts', 'evidence-rules'],
  'service-shell': ['contracts', 'event-log', 'redaction'],
  // Reads which sources a configuration names, and which variables it takes secrets from; it opens none.
  'local-stack': ['contracts', 'event-log', 'toolsets'],
  'chat-gateway': [...SERVICE, 'redaction', 'run-view', 'evidence-bundle'],
  'harness-orchestrator': [...SERVICE, 'decider'],
  'agent-runner': [...SERVICE, 'model-client', 'toolsets', 'redaction'],
  'evidence-guard': [...SERVICE, 'evidence-rules'],
  // A verdict's quotes are checked by rule 30, the very one that drafts are held to.
  'semantic-guard': [...SERVICE, 'model-client', 'evidence-rules'],
  'knowledge-rag': [...SERVICE, 'toolsets', 'redaction'],
  'run-projector': [...SERVICE, 'run-view'],
  'offline-analyst': ['contracts'],
  cli: ['contracts', 'event-log', 'local-stack', 'toolsets', 'evidence-rules', 'evidence-bundle'],
  // A test may stand up anything but an app.
  testing: ['*'],
};

/** A project that is missing from the tables would be bound by nothing: refuse to lint until it is entered. */
const assertEveryProjectIsBound = () => {
  for (const group of ['apps', 'libs']) {
    for (const name of readdirSync(join(root, group))) {
      const manifest = join(root, group, name, 'package.json');
      if (!existsSync(manifest)) continue;
      const tags = JSON.parse(readFileSync(manifest, 'utf8')).nx?.tags ?? [];
      const [type, scope] = ['type:', 'scope:'].map((prefix) =>
        tags.filter((tag) => tag.startsWith(prefix)).map((tag) => tag.slice(prefix.length)),
      );
      if (
        type.length !== 1 ||
        !(type[0] in TYPES) ||
        scope.length !== 1 ||
        scope[0] !== name ||
        !(name in SCOPES)
      )
        throw new Error(
          `${group}/${name}/package.json needs the nx tags "type:<${Object.keys(TYPES).join('|')}>" and "scope:${name}", ` +
            'and a row in tools/lint/module-boundaries.mjs',
        );
    }
  }
};
assertEveryProjectIsBound();

const tagged = (prefix, names) => names.map((name) => `${prefix}:${name}`);

/** @param {{ spec: boolean }} file spec files may import @inquest/testing as well */
const depConstraints = ({ spec }) => [
  ...Object.entries(TYPES).map(([type, allowed]) => ({
    sourceTag: `type:${type}`,
    onlyDependOnLibsWithTags: tagged('type', spec ? [...new Set([...allowed, 'testing'])] : allowed),
  })),
  ...Object.entries(SCOPES).map(([scope, allowed]) => ({
    sourceTag: `scope:${scope}`,
    onlyDependOnLibsWithTags: allowed.includes('*')
      ? ['*']
      : tagged('scope', [scope, ...allowed, ...(spec ? ['testing'] : [])]),
  })),
];

/** Options of @nx/enforce-module-boundaries. */
export const moduleBoundaries = ({ spec }) => ({
  depConstraints: depConstraints({ spec }),
  // A lib's specs use @inquest/testing, which is built on that lib. Circles of files are dependency-cruiser's to find.
  ignoredCircularDependencies: [['@inquest/testing', '*']],
  enforceBuildableLibDependency: false,
  // A program that a spec starts as its own process imports its lib by name, as any other program would.
  allowCircularSelfDependency: spec,
});
