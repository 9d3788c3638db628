import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { incidentFolderSource } from '@inquest/toolsets/incident-folder-source';
import { startAnalyst } from '../../apps/offline-analyst/src/http/server';
import { investigate } from '../offline-analyst/investigation-loop';
import type { Subject } from './guarded-run';

const INCIDENTS = join(__dirname, '../../incidents');
const SHIPPED = ['checkout-pool-exhaustion', 'quiet-evening'] as const;

type Manifest = { question: string; zone: string };

/** What the offline analyst writes about the shipped incidents: to the end, and where it is told to conclude early. */
export const incidentDrafts = async (): Promise<Subject[]> => {
  const analyst = await startAnalyst({ port: 0, host: '127.0.0.1' });
  try {
    const subjects: Subject[] = [];
    for (const name of SHIPPED) {
      const { question, zone } = JSON.parse(
        readFileSync(join(INCIDENTS, name, 'incident.json'), 'utf8'),
      ) as Manifest;
      for (const concludeAfter of [undefined, 1, 2]) {
        const source = incidentFolderSource(name, join(INCIDENTS, name));
        const { entries, draft } = await investigate(analyst, source, { question, zone, concludeAfter });
        const turns = concludeAfter === undefined ? '' : `, after ${concludeAfter} turns`;
        subjects.push({
          name: `${name}${turns}`,
          question,
          zone,
          asOf: '2026-12-01T12:00:00.000Z',
          entries,
          draft,
        });
      }
    }
    return subjects;
  } finally {
    await analyst.stop();
  }
};
