import { closeSync, fstatSync, mkdirSync, openSync, readSync, renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** A log larger than this is set aside (one generation) when its process starts. */
const LOG_BYTES_MAX = 2 * 1024 * 1024;
const TAIL_BYTES = 8 * 1024;

/** Opens a log for appending; the older generation is `<file>.1`. */
export const openLog = (file: string): number => {
  mkdirSync(dirname(file), { recursive: true });
  try {
    if (statSync(file).size > LOG_BYTES_MAX) renameSync(file, `${file}.1`);
  } catch {
    // No log yet.
  }
  return openSync(file, 'a', 0o600);
};

/** The last lines of a log, at most `lines` of them and 8 KiB. */
export const tailOf = (file: string, lines: number, fromByte = 0): string => {
  try {
    const fd = openSync(file, 'r');
    try {
      const { size } = fstatSync(fd);
      const start = Math.max(fromByte, size - TAIL_BYTES);
      const buffer = Buffer.alloc(Math.max(0, size - start));
      readSync(fd, buffer, 0, buffer.length, start);
      return buffer.toString('utf8').trimEnd().split('\n').slice(-lines).join('\n');
    } finally {
      closeSync(fd);
    }
  } catch {
    return '';
  }
};
