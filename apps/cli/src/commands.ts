import type { Command } from './command';
import { ask } from './commands/ask';
import { bundle } from './commands/bundle';
import { cases } from './commands/cases';
import { cutover } from './commands/cutover';
import { diagnose } from './commands/diagnose';
import { doctor } from './commands/doctor';
import { evidence } from './commands/evidence';
import { explain } from './commands/explain';
import { investigate } from './commands/investigate';
import { keys } from './commands/keys';
import { knowledge } from './commands/knowledge';
import { rebuild } from './commands/rebuild';
import { runs } from './commands/runs';
import { start } from './commands/start';
import { stop } from './commands/stop';
import { token } from './commands/token';
import { tools } from './commands/tools';
import { verify } from './commands/verify';

/** In the order of the help. */
export const COMMANDS: readonly Command[] = [
  diagnose,
  ask,
  investigate,
  runs,
  cases,
  evidence,
  explain,
  bundle,
  verify,
  keys,
  start,
  stop,
  doctor,
  tools,
  knowledge,
  cutover,
  rebuild,
  token,
];
