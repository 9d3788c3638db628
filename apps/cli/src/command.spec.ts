import { questionFrom } from './question';
import { parseCall } from './command';
import { COMMANDS } from './commands';
import { readCliConfig } from './config';
import { ExitCode, exitCodeOf } from './exit-code';
import { commandHelp, overview } from './help';

const command = (name: string) => {
  const found = COMMANDS.find((each) => each.name === name);
  if (!found) throw new Error(`no command ${name}`);
  return found;
};

describe('the command line', () => {
  it('has help with an example for every command, and a line for every option', () => {
    for (const each of COMMANDS) {
      const help = commandHelp(each).join('\n');
      expect(help).toContain(`npm run -s inquest -- ${each.name}`);
      for (const option of Object.keys(each.options)) expect(each.optionHelp[option]).toBeTruthy();
    }
    const page = overview(COMMANDS).join('\n');
    for (const { name } of COMMANDS) expect(page).toContain(`  ${name}`);
  });

  it('takes options before and behind the question', () => {
    expect(parseCall(command('diagnose'), ['--json', 'why?', '--session', 's1'])).toEqual({
      options: { json: true, session: 's1' },
      positionals: ['why?'],
    });
  });

  it.each([
    ['diagnose', ['--nonsense'], /Unknown option '--nonsense'.*see npm run -s inquest -- diagnose --help/],
    ['diagnose', ['--incident'], /--incident/],
    [
      'diagnose',
      ['why', 'is', 'it'],
      /does not know what to do with "is"; a question of several words needs quotes/,
    ],
    ['start', ['now'], /does not know what to do with "now"/],
    ['ask', ['--json=yes', 'q'], /--json/],
  ])('%s %j is refused in one line', (name, args, line) => {
    expect(() => parseCall(command(name), args)).toThrow(line);
    expect(() => parseCall(command(name), args)).toThrow(/^[^\n]*$/);
  });

  it.each([
    ['   ', {}, /must not be empty/],
    ['x'.repeat(4_001), {}, /4001 characters/],
    ['q', { from: '2026-05-04T09:00:00Z' }, /--from and --to belong together/],
    [
      'q',
      { from: '2026-05-04T09:00', to: '2026-05-04T10:00:00Z' },
      /--from must be an instant with an offset/,
    ],
    ['q', { from: '2026-05-04T11:00:00Z', to: '2026-05-04T10:00:00Z' }, /--from must lie before --to/],
    ['q', { session: 'a b' }, /--session takes/],
    ['q', { locale: 'fr' }, /--locale must be en, de or zh/],
  ])('a question %j with %j is refused before anything is started', (text, options, line) => {
    expect(() => questionFrom(text, options, undefined)).toThrow(line);
  });

  it('asks detached: a lost terminal cancels nothing', () => {
    expect(questionFrom(' why? ', { session: 's' }, 'shop')).toMatchObject({
      question: 'why?',
      sessionId: 's',
      source: 'shop',
      detached: true,
    });
  });

  it('exits 0, 3, 4 and 5 for the four outcomes', () => {
    expect((['SUCCESS', 'FALLBACK', 'FAILED', 'CANCELLED'] as const).map(exitCodeOf)).toEqual([0, 3, 4, 5]);
    expect(ExitCode.badInput).toBe(2);
  });

  it('colours on a terminal only, never with NO_COLOR, always with FORCE_COLOR', () => {
    expect(readCliConfig({}).colour(true)).toBe(true);
    expect(readCliConfig({}).colour(false)).toBe(false);
    expect(readCliConfig({ TERM: 'dumb' }).colour(true)).toBe(false);
    expect(readCliConfig({ NO_COLOR: '1' }).colour(true)).toBe(false);
    expect(readCliConfig({ FORCE_COLOR: '1' }).colour(false)).toBe(true);
    expect(() => readCliConfig({ INQUEST_URL: 'inquest.example.org' })).toThrow(
      'INQUEST_URL must be an http',
    );
  });
});
