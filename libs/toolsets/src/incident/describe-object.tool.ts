import type { Json } from '@inquest/contracts/canonical-json';
import { z } from 'zod';
import type { JsonObject } from '../tool';
import { NamespaceArgument, coverageOf, filterText, incidentTool, scopeOf, spanOf } from './incident-tool';

export const describeObject = incidentTool(
  {
    name: 'describe_object',
    description:
      'Shows one object in full (metadata, spec, status) together with the events about it, oldest first. ' +
      'kind and name must be exact; list_objects shows them. An object that does not exist is reported as no evidence, with similar names.',
    parameters: z.strictObject({
      kind: z.string().min(1).max(253).describe('Kind of the object, e.g. Pod, Service, Process.'),
      name: z.string().min(1).max(253).describe('Exact name of the object.'),
      namespace: NamespaceArgument.optional(),
    }),
  },
  async ({ kind, name, namespace }, { source, signal }) => {
    const page = await source.describeObject({ kind, name, namespace }, signal);
    const [object] = page.items;
    const events = [...page.events].sort((a, b) => (a.time < b.time ? -1 : 1));
    const scope = scopeOf({ namespace, filter: filterText({ kind, name }) });
    const dataSpan = spanOf(events.map(({ time }) => time));
    const untrustedPaths = [
      '/object/metadata/labels',
      '/object/metadata/annotations',
      '/object/status',
      '/events/*/message',
    ];
    return {
      kind: 'OBJECT',
      object: (object as JsonObject | undefined) ?? null,
      events: object
        ? events.map(({ time, type, reason, message, count }): Json => ({
            time,
            type,
            reason,
            message,
            count,
          }))
        : [],
      ...coverageOf(page, { scope, window: null, dataSpan, untrustedPaths }),
    };
  },
);
