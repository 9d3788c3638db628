import { stackConfig } from '@inquest/local-stack/config';
import { addKnowledge, knowledgeList, removeKnowledge } from '@inquest/local-stack/knowledge-list';
import { mkdirSync } from 'node:fs';
import { textOption, type Call, type Command } from '../command';
import { ExitCode } from '../exit-code';
import { UsageError } from '../usage-error';

const USAGE = 'list | add <folder> | remove <name>';
const SOON = 'a running stack takes it in within half a minute; its log names documents that it leaves out';

const ACTIONS: Readonly<Record<string, (call: Call, dataDir: string, argument: string | undefined) => void>> =
  {
    list: ({ out }, dataDir) => {
      const folders = Object.entries(knowledgeList(dataDir));
      out.lines(
        ...folders.map(([name, dir]) => `  ${name.padEnd(20)} ${dir}`),
        folders.length === 0 ? 'the shipped runbooks alone' : 'beside the shipped runbooks',
      );
      out.result({ folders: Object.fromEntries(folders) });
    },
    add: ({ options, out }, dataDir, folder) => {
      if (folder === undefined) throw new UsageError(`the folder is missing: knowledge ${USAGE}`);
      mkdirSync(dataDir, { recursive: true });
      const added = addKnowledge(dataDir, folder, textOption(options, 'name'));
      out.lines(`${added.name}: Markdown, HTML and PDF below ${added.dir}`, SOON);
      out.result(added);
    },
    remove: ({ out }, dataDir, name) => {
      if (name === undefined) throw new UsageError(`the name is missing: knowledge ${USAGE}`);
      removeKnowledge(dataDir, name);
      out.lines(`${name} is looked up no longer; reports that cite it keep what they cite`, SOON);
      out.result({ removed: name });
    },
  };

const run = (call: Call): Promise<ExitCode> => {
  const [action = 'list', argument] = call.positionals;
  const act = Object.hasOwn(ACTIONS, action) ? ACTIONS[action] : undefined;
  if (act === undefined) throw new UsageError(`knowledge does not know "${action}": ${USAGE}`);
  act(call, stackConfig().dataDir, argument);
  return Promise.resolve(ExitCode.success);
};

export const knowledge: Command = {
  name: 'knowledge',
  usage: USAGE,
  summary: 'Choose the folders of documents that are looked up beside the shipped runbooks.',
  details: [
    'A folder may be a git checkout. Ids of passages follow from path and heading, so that edits elsewhere leave them as they are.',
  ],
  options: { name: { type: 'string' } },
  optionHelp: { name: 'the name that ids of its documents begin with (default: that of the folder)' },
  examples: [
    'knowledge add ~/ops-handbook',
    'knowledge add ./docs --name wiki',
    'knowledge list',
    'knowledge remove wiki',
  ],
  positionalsMax: 2,
  run,
};
