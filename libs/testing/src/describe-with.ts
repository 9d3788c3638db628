import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** Test data that stands beside the project; it is never copied in. */
export const sharedData = (...path: string[]): string => join(__dirname, '../../../../shared/data', ...path);

/** `describe` where the data is there, a visibly skipped one where it is not. */
export const describeWith = (path: string): jest.Describe => (existsSync(path) ? describe : describe.skip);
