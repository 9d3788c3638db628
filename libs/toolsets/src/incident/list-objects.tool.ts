import type { Json } from '@inquest/contracts/canonical-json';
import { z } from 'zod';
import {
  NamespaceArgument,
  coverageOf,
  filterText,
  incidentTool,
  limitArgument,
  scopeOf,
  spanOf,
} from './incident-tool';
import { objectRow } from './object-row';

const LIMIT_DEFAULT = 100;
const EVENT_KIND = /^events?$/i;

export const listObjects = incidentTool(
  {
    name: 'list_objects',
    description:
      'Lists the objects that the system consists of (for example Pod, Deployment, Service, Node, Process, Host, PostgresSession), ' +
      'one short row each: kind, name, namespace, labels, owner, status. With kind "Event" it lists events instead. ' +
      'Use it first to learn which kinds and names exist, then describe_object for all that is known about one of them.',
    parameters: z.strictObject({
      kind: z
        .string()
        .min(1)
        .max(253)
        .describe('Kind of object, e.g. Pod, Service, Process, Event.')
        .optional(),
      namespace: NamespaceArgument.optional(),
      name_contains: z
        .string()
        .min(1)
        .max(253)
        .describe('Part of the name, compared without regard to case.')
        .optional(),
      limit: limitArgument(500, LIMIT_DEFAULT).optional(),
    }),
  },
  async ({ kind, namespace, name_contains: nameContains, limit = LIMIT_DEFAULT }, { source, signal }) => {
    const query = { kind, namespace, nameContains, limit };
    const scope = scopeOf({ namespace, filter: filterText({ kind, name_contains: nameContains }) });
    if (kind !== undefined && EVENT_KIND.test(kind)) {
      const page = await source.listEvents(query, signal);
      const dataSpan = spanOf(page.items.map(({ time }) => time));
      const window = page.window ?? (await source.extent(signal)).window;
      const rows = page.items.map((event): Json => ({ kind: 'Event', ...event }) as Json);
      const untrustedPaths = ['/rows/*/message'];
      return {
        kind: 'ROWS',
        matched: page.matched,
        rows,
        ...coverageOf(page, { scope, window, dataSpan, untrustedPaths }),
      };
    }
    const page = await source.listObjects(query, signal);
    const untrustedPaths = ['/rows/*/labels', '/rows/*/status'];
    return {
      kind: 'ROWS',
      matched: page.matched,
      rows: page.items.map(objectRow),
      ...coverageOf(page, { scope, window: null, dataSpan: null, untrustedPaths }),
    };
  },
);
