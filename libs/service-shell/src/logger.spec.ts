import { Logger, nestLogger } from './logger';

const lines = (level?: 'debug' | 'info' | 'warn' | 'silent') => {
  const written: Record<string, unknown>[] = [];
  const logger = new Logger({ service: 'x' }, level, (line) =>
    written.push(JSON.parse(line) as Record<string, unknown>),
  );
  return { logger, written };
};

describe('The logger', () => {
  it('writes one JSON object a line, with what it is bound to', () => {
    const { logger, written } = lines();
    logger.with({ runId: 'r1' }).warn('late', { ms: 7 });
    expect(written).toEqual([
      { time: expect.any(String), level: 'warn', service: 'x', runId: 'r1', message: 'late', ms: 7 },
    ]);
  });

  it.each([
    ['debug', 4],
    ['info', 3],
    ['warn', 2],
    ['silent', 0],
  ] as const)('at level %s lets %i of four through', (level, count) => {
    const { logger, written } = lines(level);
    logger.debug('a');
    logger.info('b');
    logger.warn('c');
    logger.error('d');
    expect(written).toHaveLength(count);
  });

  it('takes Nest’s chatter for debug output, and its errors for errors', () => {
    const { logger, written } = lines();
    const nest = nestLogger(logger);
    nest.log('Nest application started', 'NestApplication');
    nest.error(new Error('broken'), 'ExceptionHandler');
    expect(written).toMatchObject([{ level: 'error', message: 'broken', context: 'ExceptionHandler' }]);
  });
});
