import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { PROJECT_ROOT } from './project-root';
import { UnusableInput } from './stack-error';

/** Name of a source to its folder: requests carry the name, never a path. */
export type IncidentSources = Readonly<Record<string, string>>;

const MANIFEST = 'incident.json';
/** Recorded answers of tools: such a folder is served from them, and needs no manifest. */
const SNAPSHOT = 'tool_cache.json';

/** A folder's name as a source name: lower case, digits, hyphens, at most 64 characters. */
export const sourceNameOf = (dir: string): string =>
  basename(resolve(dir))
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 64) || 'incident';

/** The incidents that the project ships: every folder below `incidents/` with a manifest. */
export const shippedIncidents = (): IncidentSources => {
  const base = join(PROJECT_ROOT, 'incidents');
  if (!existsSync(base)) return {};
  const dirs = readdirSync(base).map((entry) => join(base, entry));
  return Object.fromEntries(
    dirs.filter((dir) => existsSync(join(dir, MANIFEST))).map((dir) => [sourceNameOf(dir), dir]),
  );
};

/** Checks that a folder is an incident folder and gives its name, path and recorded question. */
export const incidentFolder = (path: string): { name: string; dir: string; question: string | undefined } => {
  const dir = resolve(path);
  const manifest = join(dir, MANIFEST);
  if (!existsSync(dir)) throw new UnusableInput(`there is no folder ${path}`);
  const isSnapshot = !existsSync(manifest) && existsSync(join(dir, SNAPSHOT));
  if (!existsSync(manifest) && !isSnapshot)
    throw new UnusableInput(`${path} is no incident folder: it has neither ${MANIFEST} nor ${SNAPSHOT}`);
  if (dir.includes(','))
    throw new UnusableInput(`the path of an incident folder must not contain a comma: ${dir}`);
  if (isSnapshot) return { name: sourceNameOf(dir), dir, question: undefined };
  try {
    const { question } = JSON.parse(readFileSync(manifest, 'utf8')) as { question?: unknown };
    return { name: sourceNameOf(dir), dir, question: typeof question === 'string' ? question : undefined };
  } catch (cause) {
    throw new UnusableInput(`${join(path, MANIFEST)} is not valid JSON`, { cause });
  }
};

/** Joins sources; two different folders of one name get numbered names. */
export const withSource = (
  sources: IncidentSources,
  name: string,
  dir: string,
): { sources: IncidentSources; name: string } => {
  const known = Object.entries(sources).find(([, at]) => at === dir);
  if (known) return { sources, name: known[0] };
  let free = name;
  for (let n = 2; sources[free] !== undefined; n += 1) free = `${name.slice(0, 60)}-${n}`;
  return { sources: { ...sources, [free]: dir }, name: free };
};
