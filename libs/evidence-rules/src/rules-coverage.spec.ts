import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { inPlainNode } from '../test/in-plain-node';

describe('the tables of the rules', () => {
  it('run through every branch of every rule', async () => {
    const { files, uncovered } = await inPlainNode<{ files: string[]; uncovered: string[] }>(
      `parentPort.postMessage(load('test/uncovered.ts').uncoveredBranches());`,
    );
    const rules = readdirSync(join(__dirname, 'rules')).filter((file) => file.endsWith('.rule.ts'));
    expect(files.sort()).toEqual(rules.sort());
    expect(uncovered).toEqual([]);
  }, 60_000);
});
