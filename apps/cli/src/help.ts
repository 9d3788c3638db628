import { typedCommand } from '@inquest/contracts/typed-command';
import { COMMON_HELP, COMMON_OPTIONS, type Command } from './command';
import { table } from './render/text';

const PROGRAM = typedCommand('').trimEnd();

const optionLines = (command: Command): string[] => {
  const options = { ...command.options, ...COMMON_OPTIONS };
  const help: Record<string, string> = { ...command.optionHelp, ...COMMON_HELP };
  return table(
    Object.entries(options).map(([name, { type, short }]) => [
      `  ${short ? `-${short}, ` : ''}--${name}${type === 'string' ? ' <value>' : ''}`,
      help[name] ?? '',
    ]),
  );
};

const ENVIRONMENT: readonly (readonly [string, string])[] = [
  ['INQUEST_DATA_DIR', 'where everything is kept (.inquest in the project)'],
  ['GATEWAY_PORT', 'port of the gateway (4780, or a free one)'],
  ['NATS_URL, NATS_SERVER_BIN', 'a running broker with JetStream, or the server to start'],
  ['DATABASE_URL, DATABASE_READER_URL', 'a running Postgres, and its read-only role'],
  ['OPENAI_BASE_URL, OPENAI_API_KEY', 'a model endpoint in place of the offline analyst'],
  ['MODEL_AGENT, MODEL_ROUTER, MODEL_JUDGE', 'models by role; the agent’s serves all unless said otherwise'],
  ['JUDGE_BASE_URL, JUDGE_API_KEY', 'another endpoint for the judge'],
  ['TOOL_CALL_IDS', 'strict, or mint for endpoints with unusable tool call ids'],
  ['INQUEST_CONFIG', 'the configuration of live sources (default: inquest.yaml where the command runs)'],
  ['EMBEDDINGS_BASE_URL, EMBEDDINGS_MODEL', 'look knowledge up by meaning as well'],
  ['KNOWLEDGE_DIR, LEGACY_CHAT_URL, LOG_LEVEL', 'runbooks, the old path before the cut-over, debug to error'],
  ['INQUEST_URL, INQUEST_TOKEN', 'a gateway that runs elsewhere'],
  [
    'INQUEST_SIGNING_KEY, INQUEST_VERIFY_KEY',
    'key files that sign bundles, and that have to have signed them',
  ],
  ['NO_COLOR, FORCE_COLOR', 'colour off, colour on'],
];

export const commandHelp = (command: Command): string[] => [
  `inquest ${command.name} ${command.usage}`.trimEnd(),
  '',
  command.summary,
  ...(command.details ?? []).flatMap((paragraph) => ['', paragraph]),
  '',
  'Options',
  ...optionLines(command),
  '',
  'Examples',
  ...command.examples.map((example) => `  ${PROGRAM} ${example}`),
];

export const overview = (commands: readonly Command[]): string[] => [
  'inquest: evidence-guarded incident diagnosis. Nothing is released that two guards have not passed.',
  '',
  'Commands',
  ...table(commands.map(({ name, summary }) => [`  ${name}`, summary])),
  '',
  'Each command has --help with examples. Run them as',
  `  ${PROGRAM} <command> ...      or  npm run diagnose -- ...,  npm start,  npm run stop`,
  '',
  'Exit codes: 0 success, 3 fallback or inconclusive, 4 failed, 5 cancelled, 2 bad input, 1 anything that is broken.',
  '',
  'Environment',
  ...table(ENVIRONMENT.map(([names, meaning]) => [`  ${names}`, meaning])),
];
