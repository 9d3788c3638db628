import { ADMISSION, SCHEDULING, STARTUP } from './made-faults-of-placement';
import { INFRASTRUCTURE, RUNTIME, SERVICE } from './made-faults-of-running';
import type { MadeFault } from './made-helpers';

export const FAULTS: readonly MadeFault[] = [
  ...STARTUP,
  ...ADMISSION,
  ...SCHEDULING,
  ...RUNTIME,
  ...SERVICE,
  ...INFRASTRUCTURE,
];
