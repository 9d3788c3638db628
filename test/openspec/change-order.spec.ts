import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { changeOrderViolations, readPlan, type Commit } from '../../tools/change-order.cjs';

const root = join(__dirname, '..', '..');

const PLAN = [
  { stage: '4', title: 'diagnosis agent', name: 'agent' },
  { stage: '5', title: 'guards and repair', name: 'guards' },
  { stage: '6A', title: 'sessions', name: 'sessions' },
  { stage: '6B', title: 'public cut-over', name: 'cut-over' },
];

describe('H10 the changes are strictly serial', () => {
  it.each<{ case: string; given: Commit[]; then: string[] }>([
    { case: 'nothing has begun', given: [], then: [] },
    { case: 'one change is proposed', given: [proposes('agent')], then: [] },
    {
      case: 'each change is archived before the next is proposed',
      given: [proposes('agent'), archives('agent'), proposes('guards'), archives('guards'), proposes('sessions')],
      then: [],
    },
    {
      case: 'an active change is amended by a later commit',
      given: [proposes('agent'), amends('agent'), archives('agent')],
      then: [],
    },
    {
      case: 'a change is withdrawn and proposed once more',
      given: [proposes('agent'), withdraws('agent'), proposes('agent'), archives('agent')],
      then: [],
    },
    {
      case: 'a change starts while its predecessor is active',
      given: [proposes('agent'), proposes('guards')],
      then: [
        'propose guards: guards starts before agent is archived and committed',
        'propose guards: guards starts while agent is active',
      ],
    },
    {
      case: 'a change is skipped',
      given: [proposes('agent'), archives('agent'), proposes('sessions')],
      then: ['propose sessions: sessions starts before guards is archived and committed'],
    },
    {
      case: 'one commit archives a change and proposes the next',
      given: [proposes('agent'), together(archives('agent'), proposes('guards'))],
      then: [
        'archive agent + propose guards: guards starts before agent is archived and committed',
        'archive agent + propose guards: guards starts while agent is active',
      ],
    },
    {
      case: 'one commit proposes and archives a change',
      given: [together(proposes('agent'), archives('agent'))],
      then: ['propose agent + archive agent: agent is archived without an earlier proposal commit'],
    },
    {
      case: 'an archive appears from nowhere',
      given: [archives('agent')],
      then: ['archive agent: agent is archived without an earlier proposal commit'],
    },
    {
      case: 'a change stands in no plan',
      given: [proposes('rewrite-in-rust')],
      then: ['propose rewrite-in-rust: rewrite-in-rust stands in no plan'],
    },
    {
      case: 'an archived change stands in no plan',
      given: [archives('rewrite-in-rust')],
      then: ['archive rewrite-in-rust: rewrite-in-rust is archived and stands in no plan'],
    },
    {
      case: 'two changes are proposed by one commit',
      given: [together(proposes('agent'), proposes('guards'))],
      then: [
        'propose agent + propose guards: agent starts while guards is active',
        'propose agent + propose guards: guards starts before agent is archived and committed',
        'propose agent + propose guards: guards starts while agent is active',
      ],
    },
    {
      case: 'a change is copied to the archive and stays active',
      given: [proposes('agent'), { ...archives('agent'), removed: [] }],
      then: ['archive agent: agent is archived and still active'],
    },
    {
      case: 'an archived change is proposed again',
      given: [proposes('agent'), archives('agent'), proposes('agent')],
      then: ['propose agent: agent is proposed again after its archive'],
    },
    {
      case: 'the cut-over is archived without the guards',
      given: [proposes('cut-over'), archives('cut-over')],
      then: [
        'propose cut-over: cut-over starts before agent is archived and committed',
        'propose cut-over: cut-over starts before guards is archived and committed',
        'propose cut-over: cut-over starts before sessions is archived and committed',
        'archive cut-over: cut-over cuts over before guards is archived',
      ],
    },
  ])('$case', ({ given, then }) => {
    expect(changeOrderViolations(PLAN, given)).toEqual(then);
  });
});

describe('H10 the plan', () => {
  const plan = readPlan(readFileSync(join(root, 'openspec/plan.md'), 'utf8'));

  it('lists exactly eleven changes, in order', () => {
    expect(plan.map(({ stage }) => stage)).toEqual(['0', '1', '2', '3', '4', '5', '6A', '6B', '7', '8', '9']);
    expect(new Set(plan.map(({ name }) => name)).size).toBe(11);
  });

  it('names each change after its stage', () => {
    for (const { stage, name } of plan) expect(name).toMatch(new RegExp(`^c${stage.toLowerCase().padStart(/\D/.test(stage) ? 3 : 2, '0')}-`));
  });
});

describe('H10 the check over git history', () => {
  let repository: string;

  beforeEach(() => {
    repository = mkdtempSync(join(tmpdir(), 'inquest-order-'));
    for (const file of ['bootstrap.mjs', 'change-order.cjs', 'check-change-order.mjs'])
      cpSync(join(root, 'tools', file), join(repository, 'tools', file));
    write('openspec/plan.md', '| 0 | first | `one` |\n| 1 | second | `two` |\n');
  });

  afterEach(() => rmSync(repository, { recursive: true, force: true }));

  it('skips visibly without history, and fails where it is strict', () => {
    expect(check()).toEqual({ status: 3, says: 'order of changes not checked: this is no git working copy' });
    expect(check('--strict').status).toBe(1);
  });

  it('accepts proposal, archive, next proposal as three commits', () => {
    git('init', '--quiet');
    write('openspec/changes/one/proposal.md', 'one');
    commit('propose one');
    archive('one');
    commit('archive one');
    write('openspec/changes/two/proposal.md', 'two');
    commit('propose two');
    expect(check('--strict')).toEqual({ status: 0, says: 'the order of changes holds' });
  });

  it('refuses what the working tree is about to commit', () => {
    git('init', '--quiet');
    write('openspec/changes/one/proposal.md', 'one');
    commit('propose one');
    write('openspec/changes/two/proposal.md', 'two');
    expect(check()).toEqual({
      status: 1,
      says: 'working tree: two starts before one is archived and committed\nworking tree: two starts while one is active',
    });
  });

  const write = (file: string, text: string) => {
    mkdirSync(dirname(join(repository, file)), { recursive: true });
    writeFileSync(join(repository, file), text);
  };

  const git = (...args: string[]) =>
    spawnSync('git', ['-c', 'user.name=test', '-c', 'user.email=test@localhost', '-c', 'commit.gpgsign=false', ...args], {
      cwd: repository,
      encoding: 'utf8',
    });

  const commit = (message: string) => {
    git('add', '--all');
    git('commit', '--quiet', '--message', message);
  };

  const archive = (name: string) => {
    mkdirSync(join(repository, 'openspec/changes/archive'), { recursive: true });
    renameSync(
      join(repository, 'openspec/changes', name),
      join(repository, 'openspec/changes/archive', `2026-01-01-${name}`),
    );
  };

  const check = (...args: string[]) => {
    const { CI: _ci, ...env } = process.env;
    const { status, stdout } = spawnSync(process.execPath, ['tools/check-change-order.mjs', ...args], {
      cwd: repository,
      encoding: 'utf8',
      env,
    });
    return { status, says: stdout.trim() };
  };
});

function proposes(name: string): Commit {
  return { id: `propose ${name}`, added: [`openspec/changes/${name}/proposal.md`], removed: [] };
}

function amends(name: string): Commit {
  return { id: `amend ${name}`, added: [`openspec/changes/${name}/design.md`], removed: [] };
}

function withdraws(name: string): Commit {
  return { id: `withdraw ${name}`, added: [], removed: [`openspec/changes/${name}/proposal.md`] };
}

function archives(name: string): Commit {
  const files = ['proposal.md', 'design.md'];
  return {
    id: `archive ${name}`,
    added: files.map((file) => `openspec/changes/archive/2026-01-01-${name}/${file}`),
    removed: files.map((file) => `openspec/changes/${name}/${file}`),
  };
}

function together(...commits: Commit[]): Commit {
  return {
    id: commits.map(({ id }) => id).join(' + '),
    added: commits.flatMap(({ added }) => added),
    removed: commits.flatMap(({ removed }) => removed),
  };
}
