import { readStackConfig } from './config';

describe('the stack configuration', () => {
  it('needs nothing and then runs everything embedded, with the offline analyst in place of a model', () => {
    const config = readStackConfig({});
    expect(config.dataDir).toMatch(/\/\.inquest$/);
    expect(config).toMatchObject({ toolCallIds: 'strict', logLevel: 'info' });
    expect(config.model).toBeUndefined();
    expect(config.natsUrl).toBeUndefined();
  });

  it('takes an empty variable for one that is not set', () => {
    expect(readStackConfig({ NATS_URL: '', GATEWAY_PORT: '' }).natsUrl).toBeUndefined();
  });

  it('does not send an incident to a model because a key happens to lie in the shell', () => {
    expect(readStackConfig({ OPENAI_API_KEY: 'sk-lying-around' }).model).toBeUndefined();
  });

  it('lets one model serve all roles', () => {
    const { model } = readStackConfig({ OPENAI_BASE_URL: 'http://127.0.0.1:11434/v1', MODEL_AGENT: 'qwen' });
    expect(model).toMatchObject({ agent: 'qwen', router: 'qwen', judge: 'qwen', apiKey: 'none' });
  });

  it.each([
    [{ NATS_URL: 'localhost' }, 'NATS_URL must be a URL that starts with nats:// or tls://'],
    [
      { DATABASE_URL: 'mysql://x' },
      'DATABASE_URL must be a URL that starts with postgres:// or postgresql://',
    ],
    [{ GATEWAY_PORT: 'eighty' }, 'GATEWAY_PORT must be a port number'],
    [{ GATEWAY_PORT: '70000' }, 'GATEWAY_PORT must be a port number'],
    [{ TOOL_CALL_IDS: 'loose' }, 'TOOL_CALL_IDS must be strict or mint'],
    [
      { OPENAI_BASE_URL: 'http://127.0.0.1:1/v1' },
      'MODEL_AGENT must name the model that OPENAI_BASE_URL serves',
    ],
    [{ MODEL_AGENT: 'm' }, 'MODEL_AGENT is set, so OPENAI_BASE_URL or OPENAI_API_KEY must be set as well'],
  ])('refuses %j in one clear line', (env: Record<string, string>, line) => {
    expect(() => readStackConfig(env)).toThrow(line);
  });

  it('never repeats a value: it may be a secret', () => {
    expect(() => readStackConfig({ DATABASE_URL: 'me:hunter2@host' })).toThrow(/^(?!.*hunter2)/);
  });
});
