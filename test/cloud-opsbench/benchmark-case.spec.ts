import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BenchmarkDataInvalid, casesIn, chosen, namesIn, vocabularyFor } from './benchmark-case';
import { questionFor } from './benchmark-question';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'inquest-bench-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const write = (path: string, value: unknown): void => {
  mkdirSync(join(root, path, '..'), { recursive: true });
  writeFileSync(join(root, path), typeof value === 'string' ? value : JSON.stringify(value));
};
const METADATA = {
  namespace: 'tickets',
  query: 'Orders fail.',
  result: { fault_object: 'app/ts-order', root_cause: 'oom_killed' },
};
const addCase = (name: string, metadata: unknown = METADATA): void => {
  write(`data/${name}/metadata.json`, metadata);
  write(`data/${name}/tool_cache.json`, {});
};
const data = (): string => join(root, 'data');

describe('the cases of a data set', () => {
  it('are its folders by category and number, whatever system it is about', () => {
    for (const name of ['startup/10', 'startup/9', 'admission/2']) addCase(name);
    write('data/README.md', 'no case');
    expect(casesIn(data()).map(({ name }) => name)).toEqual(['admission/2', 'startup/9', 'startup/10']);
    expect(casesIn(data())[0]).toMatchObject({
      category: 'admission',
      namespace: 'tickets',
      query: 'Orders fail.',
      truth: { object: 'app/ts-order', cause: 'oom_killed' },
    });
  });

  it.each([
    ['no folder', () => undefined],
    ['a folder without a case', () => write('data/notes.txt', 'x')],
    ['a case without its truth', () => addCase('startup/1', { query: 'x' })],
    ['a case whose metadata is no JSON', () => addCase('startup/1', 'x')],
  ])('are refused in one sentence where there is %s', (_, make) => {
    make();
    expect(() => casesIn(data())).toThrow(BenchmarkDataInvalid);
  });

  it('can be picked by a list of names, and an unknown name is refused', () => {
    for (const name of ['startup/1', 'startup/2', 'admission/2']) addCase(name);
    write('some.txt', '# two of them\nstartup/2\nadmission/2 # the quota\n\n');
    write('some.json', ['startup/1']);
    const picked = (file: string) =>
      chosen(casesIn(data()), namesIn(join(root, file))).map(({ name }) => name);
    expect(picked('some.txt')).toEqual(['admission/2', 'startup/2']);
    expect(picked('some.json')).toEqual(['startup/1']);
    expect(() => chosen(casesIn(data()), ['startup/3'])).toThrow('startup/3');
    expect(() => namesIn(join(root, 'none'))).toThrow(BenchmarkDataInvalid);
  });
});

describe('the closed vocabulary', () => {
  it('is the nearest in or above the data, or the one that is named', () => {
    addCase('startup/1');
    expect(vocabularyFor(data())).toBeNull();
    write('vocabulary.json', { oom_killed: ['app'] });
    expect(vocabularyFor(data())).toEqual({ oom_killed: ['app'] });
    write('data/vocabulary.json', { kubelet_unavailable: ['node'] });
    expect(vocabularyFor(data())).toEqual({ kubelet_unavailable: ['node'] });
    expect(vocabularyFor(data(), join(root, 'vocabulary.json'))).toEqual({ oom_killed: ['app'] });
    expect(() => vocabularyFor(data(), join(root, 'none.json'))).toThrow(BenchmarkDataInvalid);
  });

  it('reaches the agent in the question and nowhere else', () => {
    const item = { query: 'Orders fail. ', namespace: 'tickets' };
    const asked = questionFor(item, { oom_killed: ['app'], kubelet_unavailable: ['node'] });
    expect(asked).toMatch(/^Orders fail\.\n/);
    expect(asked).toContain('namespace tickets');
    expect(asked).toContain('oom_killed (app), kubelet_unavailable (node)');
    const free = questionFor({ query: 'Orders fail.', namespace: null }, null);
    expect(free).not.toMatch(/one of these words|about the namespace/);
  });
});
