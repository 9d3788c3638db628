import { inspect } from 'node:util';
import { z } from 'zod';
import { getJson } from '../http-json';
import { HTTP_CONFIG, endpointOf } from './http-config';

const Config = z.strictObject(HTTP_CONFIG);
const NOWHERE = 'http://127.0.0.1:9';
const headersOf = (config: object, env: Record<string, string> = {}) =>
  endpointOf(Config.parse({ url: NOWHERE, ...config }), env).headers?.();

describe('as whom a source is asked', () => {
  it.each([
    ['nobody', {}, {}],
    ['a token', { bearerToken: { env: 'T' } }, { authorization: 'Bearer t0ken' }],
    [
      'a user',
      { basicAuth: { user: 'ada', password: { env: 'T' } } },
      { authorization: `Basic ${Buffer.from('ada:t0ken').toString('base64')}` },
    ],
    [
      'a tenant with a key',
      { headers: { 'X-Scope-OrgID': 'shop', 'X-Api-Key': { env: 'T' } } },
      { 'X-Scope-OrgID': 'shop', 'X-Api-Key': 't0ken' },
    ],
  ])('%s', (_, config, headers) => expect(headersOf(config, { T: 't0ken' })).toEqual(headers));

  it('a secret that was renewed is used with the next request', () => {
    const env: Record<string, string> = { T: 'old' };
    const endpoint = endpointOf(Config.parse({ url: NOWHERE, bearerToken: { env: 'T' } }), env);
    expect(endpoint.headers?.()).toEqual({ authorization: 'Bearer old' });
    env['T'] = 'new';
    expect(endpoint.headers?.()).toEqual({ authorization: 'Bearer new' });
  });

  it.each([
    ['that is missing', undefined],
    ['of two lines', 'one\nhunter2'],
    ['that no header can carry', 'ключ-hunter2'],
  ])('a secret %s is a refused access that shows nothing of it', async (_, value) => {
    const endpoint = endpointOf(Config.parse({ url: NOWHERE, bearerToken: { env: 'T' } }), { T: value });
    const failure: unknown = await getJson(endpoint, '/', {}, new AbortController().signal).catch(
      (error: unknown) => error,
    );
    expect(failure).toMatchObject({ name: 'SourceFailure', errorClass: 'ACCESS_DENIED' });
    expect(inspect(failure, { depth: 9 })).not.toContain('hunter2');
  });
});
