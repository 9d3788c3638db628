import { readFileSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { typedCommand } from '@inquest/contracts/typed-command';
import { COMMANDS } from './commands';

const ROOT = join(__dirname, '../../..');
const NAMES = new Set(['help', ...COMMANDS.map(({ name }) => name)]);

/** The code of every app and lib as it ships, line by line and without comments. */
const codeLines = (): { place: string; line: string }[] =>
  ['apps', 'libs'].flatMap((group) =>
    readdirSync(join(ROOT, group)).flatMap((project) => {
      const sources = join(ROOT, group, project, 'src');
      return readdirSync(sources, { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith('.ts') && !file.endsWith('spec.ts'))
        .flatMap((file) =>
          readFileSync(join(sources, file), 'utf8')
            .split('\n')
            .map((line, i) => ({ place: `${relative(ROOT, join(sources, file))}:${i + 1}`, line }))
            .filter(({ line }) => !/^\s*(\/\/|\/?\*)/.test(line)),
        );
    }),
  );

describe('a command that a text tells a person to type', () => {
  const lines = codeLines();

  it('is one that the project answers to', () => {
    const told = lines.flatMap(({ place, line }) =>
      [...line.matchAll(/typedCommand\([`']([a-z]+)/g)].map((match) => ({ place, name: match[1] ?? '' })),
    );
    expect(told.length).toBeGreaterThan(8);
    expect(told.filter(({ name }) => !NAMES.has(name))).toEqual([]);
    expect(typedCommand('doctor')).toBe('npm run -s inquest -- doctor');
  });

  it('is never written by hand: there is no program "inquest" on anybody’s path', () => {
    const bare = new RegExp(`\\binquest (--help|${[...NAMES].join('|')})\\b|npm run (-s )?inquest --`);
    const home = 'libs/contracts/src/typed-command.ts';
    expect(lines.filter(({ place, line }) => bare.test(line) && !place.startsWith(home))).toEqual([]);
  });
});
