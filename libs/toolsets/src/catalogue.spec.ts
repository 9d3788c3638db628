import { KnowledgeLookupArguments, TOOL_CATALOGUE } from './catalogue';

describe('the tool catalogue', () => {
  it('names every tool that an agent sees and the service that runs it', () => {
    expect(
      Object.fromEntries([...TOOL_CATALOGUE.values()].map(({ name, service }) => [name, service])),
    ).toEqual({
      active_alerts: 'tool',
      service_dependencies: 'tool',
      list_objects: 'tool',
      describe_object: 'tool',
      search_logs: 'tool',
      list_metrics: 'tool',
      query_metric: 'tool',
      knowledge_lookup: 'rag',
    });
  });

  it.each([...TOOL_CATALOGUE.values()])(
    'gives $name a closed JSON schema that a model endpoint accepts',
    ({ parameters }) => {
      expect(parameters).toMatchObject({ type: 'object', additionalProperties: false });
      expect(JSON.stringify(parameters)).not.toMatch(/\$schema|"pattern"|propertyNames/);
      const described = Object.values(parameters['properties'] as Record<string, { description?: string }>);
      expect(described.every(({ description }) => description)).toBe(true);
    },
  );

  it('bounds a knowledge lookup', () => {
    expect(KnowledgeLookupArguments.safeParse({ query: 'pool', limit: 11 }).success).toBe(false);
    expect(KnowledgeLookupArguments.safeParse({ query: 'connection pool exhausted' }).success).toBe(true);
  });
});
