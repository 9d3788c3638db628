import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BadEnvironment, parseConfig } from '@inquest/service-shell/config';
import { agentRunnerEnv } from './config';

const ENV = {
  NATS_URL: 'nats://127.0.0.1:4222',
  OPENAI_BASE_URL: 'http://127.0.0.1:1/v1',
  OPENAI_API_KEY: 'k',
  MODEL_ROUTER: 'r',
  MODEL_AGENT: 'a',
};

describe('the configuration of live sources', () => {
  let dir: string;
  beforeAll(() => {
    dir = mkdtempSync(join(tmpdir(), 'inquest-agent-config-'));
  });
  afterAll(() => rmSync(dir, { recursive: true, force: true }));
  const configured = (text: string) => {
    const file = join(dir, 'inquest.yaml');
    writeFileSync(file, text);
    return () => parseConfig(agentRunnerEnv, { ...ENV, INQUEST_CONFIG: file });
  };

  it('is named by its path', () => {
    expect(configured('sources:\n  shop:\n    prometheus: {url: "http://p"}\n')().INQUEST_CONFIG).toBe(
      join(dir, 'inquest.yaml'),
    );
  });

  it('refuses the start with the place in the file and without what stands there', () => {
    const start = configured('sources:\n  shop:\n    prometheus: {url: "http://p", bearerToken: s3cret}\n');
    expect(start).toThrow(BadEnvironment);
    expect(start).toThrow(
      /INQUEST_CONFIG: .*inquest\.yaml:3: sources\.shop\.prometheus\.bearerToken must be/,
    );
    expect(start).not.toThrow(/s3cret/);
  });
});
