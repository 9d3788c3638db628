import type { StackConfig } from '@inquest/local-stack/config';
import type { IncidentSources } from '@inquest/local-stack/incident-sources';
import type { Environments } from '@inquest/toolsets/sources/environment';
import { openEnvironments } from '@inquest/toolsets/sources/open-environments';

/** The sources that a start would register, opened in this process: nothing is connected before it is asked. */
export const configuredEnvironments = (
  { sourcesFile }: StackConfig,
  folders: IncidentSources,
): Environments =>
  openEnvironments({
    folders: Object.entries(folders)
      .map(([name, dir]) => `${name}=${dir}`)
      .join(','),
    file: sourcesFile?.path,
    env: sourcesFile?.env ?? {},
  });
