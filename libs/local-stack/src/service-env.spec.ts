import { readStackConfig } from './config';
import { ANALYST, SERVICES, serviceEnv, type ProgramName, type Surroundings } from './service-env';

describe('the environment of a service', () => {
  it('holds its own broker user and nobody else’s', () => {
    for (const name of SERVICES) {
      expect(envOf(name)).toMatchObject({ NATS_URL: `nats://${name}@broker` });
    }
    expect(envOf(ANALYST)).not.toHaveProperty('NATS_URL');
  });

  it('gives the database to those that read it, and its owner’s role to the projector alone', () => {
    const urls = Object.fromEntries(ALL.map((name) => [name, envOf(name).DATABASE_URL]));
    expect(urls).toEqual({
      'chat-gateway': 'postgres://reader',
      'harness-orchestrator': 'postgres://reader',
      'agent-runner': undefined,
      'evidence-guard': undefined,
      'semantic-guard': undefined,
      'knowledge-rag': undefined,
      'run-projector': 'postgres://owner',
      'offline-analyst': undefined,
    });
  });

  it('gives model keys to the two services that call a model, and incident folders to the one that reads them', () => {
    const around = surroundings({
      OPENAI_BASE_URL: 'https://model/v1',
      OPENAI_API_KEY: 'key',
      MODEL_AGENT: 'm',
    });
    const holders = ALL.filter((name) => Object.values(serviceEnv(name, around)).includes('key'));
    expect(holders).toEqual(['agent-runner', 'semantic-guard']);
    const readers = SERVICES.filter((name) =>
      JSON.stringify(serviceEnv(name, around)).includes('/incidents/one'),
    );
    expect(readers).toEqual(['agent-runner']);
    expect(envOf('chat-gateway').INCIDENT_SOURCES).toBe('one,two');
  });

  it('points every role at the offline analyst where no model is configured, by names that say rules', () => {
    expect(envOf('agent-runner')).toMatchObject({
      OPENAI_BASE_URL: 'http://127.0.0.1:4010/v1',
      MODEL_ROUTER: 'rules-router',
      MODEL_AGENT: 'rules-diagnosis',
    });
    expect(envOf('semantic-guard')).toMatchObject({ MODEL_JUDGE: 'rules-judge' });
  });

  it('has the judge at an endpoint of its own where one is configured', () => {
    const around = surroundings({
      OPENAI_BASE_URL: 'https://author/v1',
      MODEL_AGENT: 'm',
      MODEL_JUDGE: 'j',
      JUDGE_BASE_URL: 'https://judge/v1',
      JUDGE_API_KEY: 'other',
    });
    expect(serviceEnv('semantic-guard', around)).toMatchObject({
      MODEL_JUDGE: 'j',
      JUDGE_BASE_URL: 'https://judge/v1',
      JUDGE_API_KEY: 'other',
    });
    expect(JSON.stringify(serviceEnv('agent-runner', around))).not.toContain('judge');
  });
});

const ALL: ProgramName[] = [...SERVICES, ANALYST];

const surroundings = (env: Record<string, string> = {}): Surroundings => ({
  config: readStackConfig(env),
  natsUrlFor: (user) => `nats://${user}@broker`,
  databaseUrl: 'postgres://owner',
  databaseReaderUrl: 'postgres://reader',
  gatewayPort: 4780,
  analystPort: 4010,
  tokensFile: '/data/gateway-tokens.json',
  publishers: {},
  sources: { one: '/incidents/one', two: '/incidents/two' },
});

const envOf = (name: ProgramName): Record<string, string> => serviceEnv(name, surroundings());
