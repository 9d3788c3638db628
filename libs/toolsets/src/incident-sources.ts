import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Token } from '@inquest/contracts/ids';
import { incidentFolderSource } from './incident-folder-source';
import type { IncidentSource } from './incident-source';
import { SNAPSHOT_FILE } from './snapshot/recorded-answers';
import { snapshotSource } from './snapshot/snapshot-source';

/** The configured sources by name. A request can only pick a name; whatever else it writes is an unknown source. */
export interface IncidentSources {
  find(name: string): IncidentSource | undefined;
  readonly names: readonly string[];
}

export const incidentSources = (sources: readonly IncidentSource[]): IncidentSources => {
  const byName = new Map(sources.map((source) => [source.name, source]));
  return { find: (name) => byName.get(name), names: [...byName.keys()] };
};

export class IncidentSourcesInvalid extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'IncidentSourcesInvalid';
  }
}

/** Reads `name=dir[,name=dir]`, the form of INCIDENT_SOURCES. Throws {@link IncidentSourcesInvalid} with one clear line. */
export const parseIncidentSources = (text: string): { name: string; dir: string }[] => {
  const parts = text.split(',').map((part) => part.trim());
  const parsed = parts.filter(Boolean).map((part) => {
    const at = part.indexOf('=');
    const [name, dir] = [part.slice(0, Math.max(at, 0)), part.slice(at + 1)];
    if (!Token.safeParse(name).success) {
      throw new IncidentSourcesInvalid(
        `INCIDENT_SOURCES: "${name || part}" is no source name (a-z, 0-9 and hyphens)`,
      );
    }
    if (dir === '') throw new IncidentSourcesInvalid(`INCIDENT_SOURCES: ${name} has no folder`);
    return { name, dir };
  });
  const names = parsed.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice) throw new IncidentSourcesInvalid(`INCIDENT_SOURCES: ${twice} is configured twice`);
  return parsed;
};

/** A folder that holds recorded tool answers and no incident is served from them. */
export const openFolderSource = ({ name, dir }: { name: string; dir: string }): IncidentSource =>
  existsSync(join(dir, SNAPSHOT_FILE)) && !existsSync(join(dir, 'incident.json'))
    ? snapshotSource(name, dir)
    : incidentFolderSource(name, dir);

export const openIncidentSources = (text: string): IncidentSources =>
  incidentSources(parseIncidentSources(text).map(openFolderSource));
