import { join } from 'node:path';

/** The checkout: the same from `src` (tests) and from `dist` (everything else). */
export const PROJECT_ROOT = join(__dirname, '../../..');
