import type { Command } from './command';
import { ask } from './commands/ask';
import { cutover } from './commands/cutover';
import { diagnose } from './commands/diagnose';
import { doctor } from './commands/doctor';
import { evidence } from './commands/evidence';
import { rebuild } from './commands/rebuild';
import { runs } from './commands/runs';
import { start } from './commands/start';
import { stop } from './commands/stop';
import { token } from './commands/token';

/** In the order of the help. */
export const COMMANDS: readonly Command[] = [
  diagnose,
  ask,
  runs,
  evidence,
  start,
  stop,
  doctor,
  cutover,
  rebuild,
  token,
];
