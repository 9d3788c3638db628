import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { RESOURCES } from './resources';

type Rule = { apiGroups?: string[]; resources?: string[]; nonResourceURLs?: string[]; verbs: string[] };
type Binding = {
  roleRef: { kind: string; name: string };
  subjects: { kind: string; name: string; namespace: string }[];
};
type Manifest = {
  kind: string;
  metadata: { name: string; namespace?: string };
  rules?: Rule[];
} & Partial<Binding>;

const FILE = join(__dirname, '../../../../deploy/kubernetes-reader.yaml');
const documents = parseAllDocuments(readFileSync(FILE, 'utf8'));
const manifests = documents.map((document) => document.toJS() as Manifest);
const ofKind = (kind: string) => manifests.filter((manifest) => manifest.kind === kind);
const rules = manifests.flatMap((manifest) => manifest.rules ?? []);

describe('the service account that the deployment offers', () => {
  it('is valid YAML of kinds that grant nothing else', () => {
    expect(documents.flatMap(({ errors }) => errors)).toEqual([]);
    expect(new Set(manifests.map(({ kind }) => kind))).toEqual(
      new Set(['Namespace', 'ServiceAccount', 'ClusterRole', 'ClusterRoleBinding']),
    );
  });

  it('has no verb that writes', () => {
    expect(rules.length).toBeGreaterThan(0);
    for (const { verbs } of rules)
      expect(verbs.filter((verb) => !['get', 'list', 'watch'].includes(verb))).toEqual([]);
  });

  it('names no secret, no wildcard, and no subresource but logs', () => {
    for (const { apiGroups = [], resources = [], nonResourceURLs = [] } of rules) {
      expect(
        [...apiGroups, ...resources, ...nonResourceURLs].filter((name) => /secret|\*/.test(name)),
      ).toEqual([]);
      expect(resources.filter((name) => name.includes('/') && name !== 'pods/log')).toEqual([]);
      expect(nonResourceURLs.filter((path) => path !== '/version')).toEqual([]);
    }
  });

  it('is bound to the roles of this file, and to nobody else', () => {
    const [account] = ofKind('ServiceAccount');
    const roles = ofKind('ClusterRole').map(({ metadata }) => metadata.name);
    const bindings = ofKind('ClusterRoleBinding');
    expect(bindings.map(({ roleRef }) => roleRef?.name).sort()).toEqual([...roles].sort());
    for (const { subjects } of bindings)
      expect(subjects).toEqual([{ kind: 'ServiceAccount', ...account?.metadata }]);
  });

  it('may read every kind that the toolset reads, and no other', () => {
    const granted = rules.flatMap(({ apiGroups = [], resources = [] }) =>
      apiGroups.flatMap((group) => resources.map((resource) => `${group}/${resource}`)),
    );
    const groupOf = (root: string) => (root === '/api/v1' ? '' : (root.split('/')[2] ?? ''));
    const read = RESOURCES.map(({ root, plural }) => `${groupOf(root)}/${plural}`);
    expect(granted.sort()).toEqual([...read, '/pods/log'].sort());
  });
});
