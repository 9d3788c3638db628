import { readConfig } from './config';

describe('the configuration of the offline analyst', () => {
  it('listens on loopback unless it is told otherwise', () => {
    expect(readConfig({})).toEqual({ port: 4010, host: '127.0.0.1' });
    expect(readConfig({ PORT: '0', HOST: '::1' })).toEqual({ port: 0, host: '::1' });
  });

  it.each([{ PORT: 'many' }, { PORT: '70000' }, { HOST: '' }])(
    'refuses %p in one clear line',
    (environment) => {
      expect(() => readConfig(environment)).toThrow(new RegExp(`^${Object.keys(environment)[0]}: `));
    },
  );
});
