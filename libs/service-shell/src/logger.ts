import type { LoggerService } from '@nestjs/common';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';
export type LogFields = Record<string, unknown>;

const RANK = { debug: 0, info: 1, warn: 2, error: 3, silent: 4 } as const;

/**
 * JSON lines on stderr: `{time, level, service, instance, message, ...fields}`; a line about a run carries `runId`.
 * Fields are ids, counts and enums: texts of people, models and tools do not belong in a log.
 */
export class Logger {
  constructor(
    private readonly bound: LogFields,
    private readonly level: keyof typeof RANK = 'info',
    private readonly write: (line: string) => void = (line) => process.stderr.write(line),
  ) {}

  with(fields: LogFields): Logger {
    return new Logger({ ...this.bound, ...fields }, this.level, this.write);
  }

  debug(message: string, fields?: LogFields): void {
    this.log('debug', message, fields);
  }

  info(message: string, fields?: LogFields): void {
    this.log('info', message, fields);
  }

  warn(message: string, fields?: LogFields): void {
    this.log('warn', message, fields);
  }

  error(message: string, fields?: LogFields): void {
    this.log('error', message, fields);
  }

  log(level: LogLevel, message: string, fields: LogFields = {}): void {
    if (RANK[level] < RANK[this.level]) return;
    this.write(
      `${JSON.stringify({ time: new Date().toISOString(), level, ...this.bound, message, ...fields })}\n`,
    );
  }
}

/** Nest's own words, at one level below ours: its start-up chatter is debug output. */
export const nestLogger = (logger: Logger): LoggerService => {
  const at =
    (level: LogLevel) =>
    (message: unknown, ...rest: unknown[]): void => {
      const context = rest.length > 0 && typeof rest.at(-1) === 'string' ? rest.at(-1) : undefined;
      const stack = message instanceof Error ? message.stack : undefined;
      logger.log(level, message instanceof Error ? message.message : String(message), { context, stack });
    };
  return {
    log: at('debug'),
    error: at('error'),
    warn: at('warn'),
    debug: at('debug'),
    verbose: at('debug'),
    fatal: at('error'),
  };
};
