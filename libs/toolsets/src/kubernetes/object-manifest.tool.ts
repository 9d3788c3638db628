import type { Json } from '@inquest/contracts/canonical-json';
import { z } from 'zod';
import { filterText, scopeOf } from '../incident/incident-tool';
import { ArgumentsRefused, type JsonObject, type ReadOnlyTool } from '../tool';
import type { ClusterScope } from './cluster-scope';
import { clusterTool, NameArgument, NamespaceArgument, oneObject } from './cluster-tool';
import { denySecrets } from './deny-secrets';
import { present, record } from './json-fields';
import { publicObject } from './public-object';
import { kindsNear, resourceOf } from './resources';

const PART_DEPTH_MAX = 12;

/** The member that a path leads to, `/spec/template/spec/containers/0`. Throws where it leads nowhere, and says what is there. */
export const partOf = (object: Json, path: string): Json => {
  let part: Json = object;
  for (const key of path.split('/').slice(1, PART_DEPTH_MAX + 1)) {
    const holder: JsonObject = Array.isArray(part) ? Object.fromEntries(part.entries()) : record(part);
    const next = Object.hasOwn(holder, key) ? holder[key] : undefined;
    if (next === undefined) {
      const there = Object.keys(holder)
        .filter((name) => /^[A-Za-z0-9_.-]{1,64}$/.test(name))
        .slice(0, 12);
      throw new ArgumentsRefused(`part: leads nowhere; there are ${there.join(', ') || 'no members'}`);
    }
    part = next;
  }
  return part;
};

export const objectManifest = (scope: ClusterScope): ReadOnlyTool =>
  clusterTool(
    {
      name: 'kubernetes_manifest',
      description:
        'Shows what one object asks for as `kubectl get -o yaml` does: metadata and spec, without status, secrets and bookkeeping. ' +
        'Where it is cut, part narrows it to a member, e.g. /spec/template/spec/containers/0. describe_object shows the state and the events instead.',
      parameters: z.strictObject({
        kind: NameArgument.describe('Kind of the object, e.g. Deployment.'),
        name: NameArgument.describe('Exact name of the object.'),
        namespace: NamespaceArgument.optional(),
        part: z
          .string()
          .regex(/^(?:\/[A-Za-z0-9_.-]{1,128}){1,12}$/, 'must be members joined by /')
          .describe('Path of the only member to show.')
          .optional(),
      }),
    },
    async ({ kind, name, namespace, part }, { signal }) => {
      denySecrets(kind);
      const resource = resourceOf(kind);
      const { object, standing } =
        resource === undefined
          ? {
              object: null,
              standing: { selectorKnown: false, suggestions: kindsNear(kind), permissionFiltered: false },
            }
          : await oneObject(scope, resource, { namespace, name }, signal);
      const filter = filterText({ kind: resource?.kind ?? kind, name, part });
      const { status: _, ...rest } = (object === null ? {} : publicObject(object)) as JsonObject;
      const head = { kind: rest['kind'], metadata: present({ name, namespace: object?.metadata.namespace }) };
      return {
        kind: 'OBJECT',
        object:
          object === null ? null : part === undefined ? rest : present({ ...head, part: partOf(rest, part) }),
        events: [],
        scope: scopeOf({ namespace: object?.metadata.namespace ?? namespace, filter }),
        window: null,
        dataSpan: null,
        limitHit: false,
        sampled: false,
        partial: false,
        ...standing,
        untrustedPaths: [
          '/object/metadata/labels',
          '/object/metadata/annotations',
          '/object/data',
          '/object/part',
        ],
      };
    },
  );
