import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addKnowledge, knowledgeList, knowledgeListFile, removeKnowledge } from './knowledge-list';

describe('the folders of knowledge', () => {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'inquest-list-'));
    mkdirSync(join(dir, 'Ops Handbook'));
    mkdirSync(join(dir, 'other'));
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  it('are added by a name of their own, kept, and removed', () => {
    expect(knowledgeList(dir)).toEqual({});
    expect(addKnowledge(dir, join(dir, 'Ops Handbook'))).toMatchObject({ name: 'ops-handbook' });
    addKnowledge(dir, join(dir, 'Ops Handbook'));
    addKnowledge(dir, join(dir, 'other'), 'wiki');
    expect(knowledgeList(dir)).toEqual({
      'ops-handbook': join(dir, 'Ops Handbook'),
      wiki: join(dir, 'other'),
    });
    expect(statSync(knowledgeListFile(dir)).mode & 0o777).toBe(0o600);
    removeKnowledge(dir, 'wiki');
    expect(Object.keys(knowledgeList(dir))).toEqual(['ops-handbook']);
  });

  it('are refused where there is no folder, the name is none, is taken or unknown, or the list is damaged', () => {
    addKnowledge(dir, join(dir, 'other'), 'wiki');
    for (const attempt of [
      () => addKnowledge(dir, join(dir, 'none')),
      () => addKnowledge(dir, join(dir, 'other'), 'No Name'),
      () => addKnowledge(dir, join(dir, 'Ops Handbook'), 'wiki'),
      () => removeKnowledge(dir, 'never-added'),
    ])
      expect(attempt).toThrow(expect.objectContaining({ name: 'UnusableInput' }) as Error);
    writeFileSync(knowledgeListFile(dir), '{"a": 1}');
    expect(() => knowledgeList(dir)).toThrow(/is damaged/);
  });
});
