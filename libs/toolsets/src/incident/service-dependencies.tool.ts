import type { Json } from '@inquest/contracts/canonical-json';
import { z } from 'zod';
import { ServiceArgument, coverageOf, incidentTool, scopeOf } from './incident-tool';

export const serviceDependencies = incidentTool(
  {
    name: 'service_dependencies',
    description:
      'Lists who calls whom: one row for each edge from a caller to the service it depends on, with protocol and port. ' +
      'With service only the edges from and to that service. Trouble travels against the arrows: a failing dependency shows up in its callers.',
    parameters: z.strictObject({ service: ServiceArgument.optional() }),
  },
  async ({ service }, { source, signal }) => {
    const page = await source.dependencies({ service }, signal);
    return {
      kind: 'ROWS',
      matched: page.matched,
      rows: page.items as Json[],
      ...coverageOf(page, { scope: scopeOf({ service }), window: null, dataSpan: null, untrustedPaths: [] }),
    };
  },
);
