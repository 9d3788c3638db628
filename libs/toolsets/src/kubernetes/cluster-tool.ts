import { z } from 'zod';
import {
  ArgumentsRefused,
  defineTool,
  PROJECTION_BYTES_MAX,
  TOOL_TIMEOUT_MS,
  type RawResult,
  type ReadOnlyTool,
} from '../tool';
import type { ClusterScope } from './cluster-scope';
import type { IncidentObject } from '../incident-format';
import type { Standing } from './empty-page';
import { findObjects } from './find-objects';
import { nameStanding, namespaceStanding } from './name-standing';
import { isObjectName, resourceNamed, type Resource } from './resources';

export const KUBERNETES_TOOLSET = 'kubernetes';

const Name = z.string().min(1).max(253);
export const NameArgument = Name;
export const NamespaceArgument = Name.describe(
  'Exact namespace. Needed where several namespaces hold the name.',
);

type ToolContext = Parameters<Parameters<typeof defineTool>[1]>[1];

/** A tool of one cluster. */
export const clusterTool = <Schema extends z.ZodObject>(
  description: { name: string; description: string; parameters: Schema },
  run: (args: z.output<Schema>, context: ToolContext) => Promise<RawResult>,
): ReadOnlyTool =>
  defineTool(
    {
      ...description,
      toolset: KUBERNETES_TOOLSET,
      service: 'tool',
      timeoutMs: TOOL_TIMEOUT_MS,
      projectionBytesMax: PROJECTION_BYTES_MAX,
      needsSource: false,
    },
    run,
  );

export type One = { object: IncidentObject; standing: Standing } | { object: null; standing: Standing };

/** The object of this name, or what is known of the name. */
export const oneObject = async (
  scope: ClusterScope,
  kind: string | Resource,
  { namespace, name }: { namespace?: string; name: string },
  signal: AbortSignal,
): Promise<One> => {
  const resource = typeof kind === 'string' ? resourceNamed(kind) : kind;
  const unknown = (standing: Standing): One => ({ object: null, standing });
  const place = await namespaceStanding(scope, resource.isNamespaced ? namespace : undefined, signal);
  if (place.selectorKnown === false) return unknown(place);
  if (!isObjectName(name))
    return unknown({ selectorKnown: false, suggestions: [], permissionFiltered: false });
  const { objects, isDenied } = await findObjects(scope, resource, { namespace, name }, signal);
  const [first, second] = objects;
  if (second) throw new ArgumentsRefused('namespace: must be given, since several namespaces hold this name');
  if (!first) return unknown(await nameStanding(scope, resource, { namespace, name }, isDenied, signal));
  return { object: first, standing: { selectorKnown: true, suggestions: [], permissionFiltered: isDenied } };
};
