import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BenchmarkCase } from './benchmark-case';

/** The same length, so that printed tables keep their columns; nothing of a name's meaning is left. */
const turned = (name: string): string =>
  name.replace(/[a-z]/g, (letter) => String.fromCharCode(((letter.charCodeAt(0) - 97 + 13) % 26) + 97));

const listedNames = (cache: Record<string, unknown>, resource: string): string[] =>
  Object.entries(cache).flatMap(([key, answer]) =>
    key.startsWith('GetResources:') &&
    key.includes(`"resource_type":"${resource}","name":""`) &&
    typeof answer === 'string'
      ? answer
          .split('\n')
          .slice(1)
          .map((line) => line.split(/\s+/)[0] ?? '')
      : [],
  );

/** In every key and every text of a document. */
const everywhere = (value: unknown, rename: (text: string) => string): unknown => {
  if (typeof value === 'string') return rename(value);
  if (Array.isArray(value)) return value.map((item) => everywhere(item, rename));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [rename(key), everywhere(item, rename)]),
  );
};

/** A copy of a case in which every service, workload, node and namespace has another name; and how each is called now. */
export const renamedCase = (
  item: BenchmarkCase,
  root: string,
): { item: BenchmarkCase; rename: (text: string) => string } => {
  const cache = JSON.parse(readFileSync(join(item.dir, 'tool_cache.json'), 'utf8')) as Record<
    string,
    unknown
  >;
  const names = ['services', 'deployments', 'nodes']
    .flatMap((resource) => listedNames(cache, resource))
    .concat(item.namespace ?? [])
    .filter((name) => /^[a-z][a-z0-9-]{2,}$/.test(name) && name !== 'default');
  const distinct = [...new Set(names)].sort((a, b) => b.length - a.length);
  // A role of a node is a word of Kubernetes, even where a node is called so.
  const pattern = new RegExp(`(?<![a-z0-9]|role=)(?:${distinct.join('|')})(?![a-z0-9])`, 'g');
  const rename = (given: string): string => given.replace(pattern, turned);
  const dir = join(root, item.category, item.name.split('/')[1] ?? '');
  mkdirSync(dir, { recursive: true });
  cpSync(join(item.dir, 'metadata.json'), join(dir, 'metadata.json'));
  writeFileSync(join(dir, 'tool_cache.json'), JSON.stringify(everywhere(cache, rename)));
  return { item: { ...item, dir }, rename };
};
