import type { Json } from '@inquest/contracts/canonical-json';
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { filterText, scopeOf } from '../incident/incident-tool';
import { SourceFailure } from '../incident-source';
import type { ConnectionCheck, OpenToolset } from '../sources/toolset';
import { PROJECTION_BYTES_MAX, TOOL_TIMEOUT_MS, defineTool, type ReadOnlyTool } from '../tool';
import type { AllowedTool, McpConfig } from './config';
import { McpConnection, type ListedTool } from './mcp-connection';
import { readResult } from './mcp-result';
import { modelSchema, plainText } from './model-schema';

export const MCP = 'mcp';
/** What chat completions endpoints take as a function's name. */
const NAME_CHARS_MAX = 64;

/** `mcp_<server>_<tool>` in the letters that every endpoint takes; a long one is cut and told apart by its hash. */
export const offeredName = (server: string, tool: string): string => {
  const plain = `mcp_${server}_${tool}`.replace(/[^A-Za-z0-9_]/g, '_');
  const isWhole = plain.length <= NAME_CHARS_MAX && plain === `mcp_${server}_${tool}`;
  if (isWhole) return plain;
  const hash = createHash('sha256').update(`${server}\n${tool}`).digest('hex').slice(0, 8);
  return `${plain.slice(0, NAME_CHARS_MAX - 9)}_${hash}`;
};

/** Why an allowed tool is not offered; null where it is. */
const refusalOf = (allowed: AllowedTool, listed: ListedTool | undefined): string | null => {
  if (listed === undefined) return 'the server has no such tool';
  if (!allowed.readOnly && listed.annotations?.readOnlyHint !== true)
    return 'it is neither marked nor declared read-only';
  return modelSchema(listed.inputSchema) === undefined ? 'its arguments are too large to describe' : null;
};

const toolOf = (connection: McpConnection, allowed: AllowedTool, listed: ListedTool): ReadOnlyTool => {
  const about = allowed.description ?? plainText(listed.description ?? '');
  const tool = defineTool(
    {
      name: offeredName(connection.name, listed.name),
      toolset: MCP,
      service: 'tool',
      timeoutMs: TOOL_TIMEOUT_MS,
      projectionBytesMax: PROJECTION_BYTES_MAX,
      description: `${about === '' ? listed.name.slice(0, 64) : about.replace(/[.\s]+$/, '')}. A tool of the server ${connection.name}.`,
      // The server checks its own arguments; what it does not take comes back as an error.
      parameters: z.looseObject({}),
    },
    async (args, { signal }) => {
      const { rows, matched } = readResult(await connection.call(listed.name, args, signal));
      return {
        kind: 'ROWS',
        matched,
        rows,
        scope: scopeOf({ filter: filterText({ arguments: JSON.stringify(args as Json) }) }),
        window: null,
        dataSpan: null,
        limitHit: matched > rows.length,
        sampled: false,
        // Nobody but the server knows what it left out.
        partial: false,
        permissionFiltered: false,
        selectorKnown: null,
        suggestions: [],
        untrustedPaths: ['/rows'],
      };
    },
  );
  return { ...tool, jsonSchema: modelSchema(listed.inputSchema) ?? { type: 'object', properties: {} } };
};

type Standing = { allowed: AllowedTool; listed: ListedTool | undefined; refusal: string | null };

const standingsOf = (config: McpConfig, listed: readonly ListedTool[]): Standing[] =>
  config.tools.map((allowed) => {
    const found = listed.find(({ name }) => name === allowed.name);
    return { allowed, listed: found, refusal: refusalOf(allowed, found) };
  });

/** Opens one server; it is started or asked when its tools are first wanted. */
export const openMcp: OpenToolset<McpConfig> = (config, { instance, env }) => {
  const connection = new McpConnection(instance, config, env);
  const made = new WeakMap<ListedTool, ReadOnlyTool>();
  const offered = ({ allowed, listed, refusal }: Standing): ReadOnlyTool[] => {
    if (listed === undefined || refusal !== null) return [];
    const tool = made.get(listed) ?? toolOf(connection, allowed, listed);
    made.set(listed, tool);
    return [tool];
  };
  return {
    name: `${MCP}.${instance}`,
    tools: async (signal) => standingsOf(config, await connection.tools(signal)).flatMap(offered),
    check: async (signal): Promise<ConnectionCheck> => {
      try {
        const standings = standingsOf(config, await connection.tools(signal));
        const refused = standings.filter(({ refusal }) => refusal !== null);
        const [first] = refused;
        return first === undefined
          ? { ok: true, detail: `${standings.length} tools`, remedy: null }
          : {
              ok: false,
              detail: refused.map(({ allowed, refusal }) => `${allowed.name}: ${refusal ?? ''}`).join('; '),
              remedy:
                'correct the list of tools; declare readOnly: true only for what cannot change anything',
            };
      } catch (error) {
        if (!(error instanceof SourceFailure)) throw error;
        return { ok: false, detail: error.message, remedy: 'check command or url, and run it by hand' };
      }
    },
    close: () => connection.close(),
  };
};
