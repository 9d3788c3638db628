import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { incidentFolder, sourceNameOf, withSource } from './incident-sources';

describe('incident sources', () => {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'inquest-incident-'));
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  const folder = (name: string, manifest: string): string => {
    const path = join(dir, name);
    mkdirSync(path);
    writeFileSync(join(path, 'incident.json'), manifest);
    return path;
  };

  it('are named after their folder, in the alphabet of names', () => {
    expect(sourceNameOf('/data/Checkout Pool_7/')).toBe('checkout-pool-7');
    expect(sourceNameOf('/data/断')).toBe('incident');
    expect(sourceNameOf(`/data/${'a'.repeat(80)}`)).toHaveLength(64);
  });

  it('bring the question that was recorded with them', () => {
    const path = folder('pool', '{"question":"Why?"}');
    expect(incidentFolder(path)).toEqual({ name: 'pool', dir: path, question: 'Why?' });
    expect(incidentFolder(folder('mute', '{}')).question).toBeUndefined();
  });

  it('may hold recorded answers of tools instead, which bring no question', () => {
    const path = join(dir, 'recorded');
    mkdirSync(path);
    writeFileSync(join(path, 'tool_cache.json'), '{}');
    expect(incidentFolder(path)).toEqual({ name: 'recorded', dir: path, question: undefined });
  });

  it('that are none are refused in one line', () => {
    expect(() => incidentFolder(join(dir, 'absent'))).toThrow(/there is no folder/);
    expect(() => incidentFolder(dir)).toThrow(
      /is no incident folder: it has neither incident\.json nor tool_cache\.json/,
    );
    expect(() => incidentFolder(folder('broken', '{'))).toThrow(/is not valid JSON/);
    expect(() => incidentFolder(folder('a,b', '{}'))).toThrow(/must not contain a comma/);
  });

  it('of one name but two folders get names of their own, and one folder keeps one name', () => {
    const known = { pool: '/a/pool' };
    expect(withSource(known, 'pool', '/a/pool')).toEqual({ sources: known, name: 'pool' });
    expect(withSource(known, 'pool', '/b/pool')).toEqual({
      sources: { ...known, 'pool-2': '/b/pool' },
      name: 'pool-2',
    });
  });
});
