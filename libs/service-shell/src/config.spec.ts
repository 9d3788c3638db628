import { z } from 'zod';
import { BadEnvironment, parseConfig, readConfig, serviceEnv } from './config';

const schema = serviceEnv.extend({
  DATABASE_URL: z.string().startsWith('postgres://', 'must start with postgres://'),
});
const good = { NATS_URL: 'nats://u:p@127.0.0.1:4222', DATABASE_URL: 'postgres://x' };

describe('The configuration of a service', () => {
  it('has defaults for all but what must be said', () => {
    expect(parseConfig(schema, good)).toEqual({
      ...good,
      LOG_LEVEL: 'info',
      HEALTH_PORT: 0,
      SLOTS: 64,
      ACK_WAIT_MS: 30_000,
    });
  });

  it('takes an empty variable for an absent one', () => {
    expect(parseConfig(schema, { ...good, LOG_LEVEL: '', INSTANCE_ID: '' }).LOG_LEVEL).toBe('info');
  });

  it('names every variable that is wrong in one line each, and no value', () => {
    const wrong = {
      NATS_URL: 'http://user:hunter2@x',
      HEALTH_PORT: '99999',
      SLOTS: 'many',
      INSTANCE_ID: 'A B',
    };
    const lines = linesOf(() => parseConfig(schema, wrong));
    expect(lines).toContain('DATABASE_URL: is required');
    expect(lines).toContain('NATS_URL: must look like nats://user:password@host:4222');
    expect(lines.map((line) => line.split(':')[0]).sort()).toEqual(
      ['DATABASE_URL', 'HEALTH_PORT', 'INSTANCE_ID', 'NATS_URL', 'SLOTS'].sort(),
    );
    expect(lines.join()).not.toContain('hunter2');
  });

  it('ends a process that cannot have it with code 2', () => {
    const exit = jest.spyOn(process, 'exit').mockImplementation((code) => {
      throw new Error(`exit ${code}`);
    });
    const stderr = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
    try {
      expect(() => readConfig(schema, {})).toThrow('exit 2');
      expect(stderr.mock.calls.map(([text]) => text)).toEqual([
        'config: NATS_URL: is required\n',
        'config: DATABASE_URL: is required\n',
      ]);
    } finally {
      exit.mockRestore();
      stderr.mockRestore();
    }
  });
});

const linesOf = (act: () => unknown): string[] => {
  try {
    act();
  } catch (error) {
    if (error instanceof BadEnvironment) return error.lines;
    throw error;
  }
  throw new Error('nothing was wrong');
};
