import { sha256 } from '@inquest/contracts/canonical-json';
import { parseRunbook, PASSAGE_BYTES_MAX, RunbookUnreadable } from './runbook';

const file = (body: string, head = 'id: rb-disk\ntitle: Disk full\ntags: disk, no space left'): string =>
  `---\n${head}\n---\n${body}`;
const BODY = '\n## Symptoms\n\nWrites fail.\n\n## How to confirm\n\nRun `df -h`.\n';
const idsOf = (text: string): string[] => parseRunbook(text).passages.map(({ id }) => id);
const passage = (text: string, id: string) => parseRunbook(text).passages.find((each) => each.id === id);

describe('A runbook', () => {
  it('is its front matter and one passage for each section', () => {
    expect(parseRunbook(file(BODY))).toEqual({
      id: 'rb-disk',
      title: 'Disk full',
      tags: ['disk', 'no space left'],
      passages: [
        {
          id: 'rb-disk#symptoms',
          runbookId: 'rb-disk',
          title: 'Disk full',
          heading: 'Symptoms',
          tags: ['disk', 'no space left'],
          text: 'Writes fail.',
          versionHash: sha256('Writes fail.'),
        },
        expect.objectContaining({ id: 'rb-disk#how-to-confirm', text: 'Run `df -h`.' }),
      ],
    });
  });

  it.each([
    [
      'a list in brackets, with quotes',
      file(BODY, 'title: "Disk full"\nid: rb-disk\ntags: [disk, "no space left"]'),
    ],
    ['a byte order mark and Windows line ends', `\uFEFF${file(BODY).replace(/\n/g, '\r\n')}`],
    ['the title once more as a heading', file(`# Disk full\n${BODY}`)],
  ])('reads the same with %s', (_, text) => {
    expect(parseRunbook(text)).toEqual(parseRunbook(file(BODY)));
  });

  it('keeps what stands before the first section as its overview', () => {
    expect(idsOf(file(`About disks.\n${BODY}`))).toEqual([
      'rb-disk#overview',
      'rb-disk#symptoms',
      'rb-disk#how-to-confirm',
    ]);
  });

  it('sees no heading inside a code block', () => {
    const text = file('## Symptoms\n```sh\n## not a heading\n~~~\ndf\n```\n### Detail\nmore');
    expect(idsOf(text)).toEqual(['rb-disk#symptoms']);
  });

  it('makes slugs from letters of any script', () => {
    expect(idsOf(file('## Ursache & Lösung: 2\nx\n## 症状\ny'))).toEqual([
      'rb-disk#ursache-lösung-2',
      'rb-disk#症状',
    ]);
  });

  describe('keeps document ids', () => {
    const edited = file(
      BODY.replace('Writes fail.', 'Writes fail at once.').replace(
        '\n## Symptoms',
        '\n## Before\n\nnew\n\n## Symptoms',
      ),
    );

    it('where other sections are edited, added or moved, with the version of each unchanged section', () => {
      expect(passage(edited, 'rb-disk#how-to-confirm')).toEqual(
        passage(file(BODY), 'rb-disk#how-to-confirm'),
      );
    });

    it('where the section itself is edited, and tells so by another version', () => {
      const [before, after] = [passage(file(BODY), 'rb-disk#symptoms'), passage(edited, 'rb-disk#symptoms')];
      expect(after?.versionHash).not.toBe(before?.versionHash);
    });

    it('where a heading is reworded and its slug is written out', () => {
      expect(idsOf(file(BODY.replace('How to confirm', 'How one confirms it {#how-to-confirm}')))).toEqual(
        idsOf(file(BODY)),
      );
    });
  });

  it.each([
    ['no front matter', '# Disk\n', /does not begin with front matter/],
    ['an unclosed front matter', '---\nid: rb-disk\n', /does not begin with front matter/],
    ['a line that is no pair', file(BODY, 'id: rb-disk\n- tag'), /cannot hold the line "- tag"/],
    ['an unknown key', file(BODY, 'id: rb-disk\nauthor: me'), /unknown key author/],
    ['a key twice', file(BODY, 'id: rb-disk\nid: rb-disk'), /has id twice/],
    ['no id', file(BODY, 'title: Disk\ntags: disk'), /id is missing/],
    ['an id with a dot', file(BODY, 'id: rb.disk\ntitle: Disk\ntags: disk'), /id is missing or is not/],
    ['no title', file(BODY, 'id: rb-disk\ntags: disk'), /title is missing/],
    ['no tags', file(BODY, 'id: rb-disk\ntitle: Disk\ntags: []'), /tags are missing/],
    ['no section', file('\n'), /has no section/],
    ['an empty section', file('## Symptoms\n\n## Remedy\nx'), /section "Symptoms" is empty/],
    [
      'two sections of one id',
      file('## Remedy\nx\n## remedy!\ny'),
      /two sections share the id rb-disk#remedy/,
    ],
    ['a heading of signs', file('## ???\nx'), /neither letters nor digits/],
    ['an open code block', file('## Symptoms\n```\nx'), /never closed/],
    [
      'a section over the bound',
      file(`## Symptoms\n${'é'.repeat(PASSAGE_BYTES_MAX)}`),
      /split it by another ## heading/,
    ],
    [
      'more sections than anybody cites',
      file(Array.from({ length: 65 }, (_, i) => `## S${i}\nx`).join('\n')),
      /65 sections/,
    ],
    ['a hidden direction mark', file('## Symptoms\nsafe\u202Eefas'), /control, zero-width or direction/],
    ['NUL', file('## Symptoms\na\u0000b'), /control, zero-width or direction/],
    ['half a surrogate pair', file('## Symptoms\na\uD800b'), /well-formed/],
  ])('is refused with %s', (_, text, why) => {
    expect(() => parseRunbook(text)).toThrow(RunbookUnreadable);
    expect(() => parseRunbook(text)).toThrow(why);
  });
});
