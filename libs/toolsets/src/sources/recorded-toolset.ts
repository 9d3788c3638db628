import { openFolderSource } from '../incident-sources';
import type { Toolset } from './toolset';

/** A recorded incident or cluster: it serves all of the incident tools and has none of its own. */
export const recordedToolset = (name: string, dir: string): Toolset => {
  const source = openFolderSource({ name, dir });
  return {
    name: 'incident',
    incident: source,
    tools: () => Promise.resolve([]),
    check: async (signal) => {
      try {
        const { window, services } = await source.extent(signal);
        return {
          ok: true,
          detail: `${services.length} services, ${window.from} to ${window.to}`,
          remedy: null,
        };
      } catch (error) {
        return { ok: false, detail: (error as Error).message, remedy: 'check the folder' };
      }
    },
    close: () => Promise.resolve(),
  };
};
