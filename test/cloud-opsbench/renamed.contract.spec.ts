import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeWith, sharedData } from '@inquest/testing/describe-with';
import { openIncidentSources } from '@inquest/toolsets/incident-sources';
import type { IncidentSource } from '@inquest/toolsets/incident-source';
import { startAnalyst, type Analyst } from '../../apps/offline-analyst/src/http/server';
import { investigate } from '../offline-analyst/investigation-loop';
import { casesIn } from './benchmark-case';
import { renamedCase } from './renamed-case';

const DATA = sharedData('cloud-opsbench', 'boutique');

const sourceAt = (dir: string): IncidentSource => {
  const source = openIncidentSources(`recorded=${dir}`).find('recorded');
  if (!source) throw new Error('the folder is no source');
  return source;
};

describeWith(DATA)('what things are called', () => {
  let analyst: Analyst;
  let root: string;
  beforeAll(async () => {
    analyst = await startAnalyst({ port: 0, host: '127.0.0.1' });
    root = mkdtempSync(join(tmpdir(), 'inquest-renamed-'));
  });
  afterAll(async () => {
    rmSync(root, { recursive: true, force: true });
    await analyst.stop();
  });

  const answerOf = async (dir: string, question: string): Promise<string> => {
    const { draft } = await investigate(analyst, sourceAt(dir), { question, zone: 'UTC' });
    const [first] = draft.candidates ?? [];
    return `${draft.conclusion.status} ${first ? `${first.object} ${first.cause}` : '-'}`;
  };

  it('does not change what is found: every recorded cluster under other names has the same answer', async () => {
    const differences: string[] = [];
    for (const item of casesIn(DATA)) {
      const { item: other, rename } = renamedCase(item, root);
      const expected = rename(await answerOf(item.dir, item.query));
      const found = await answerOf(other.dir, item.query);
      if (found !== expected) differences.push(`${item.name}: ${found} instead of ${expected}`);
    }
    expect(differences).toEqual([]);
  }, 120_000);
});
