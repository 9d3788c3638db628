import { Token } from '@inquest/contracts/ids';
import { z } from 'zod';
import { HTTP_CONFIG } from '../sources/http-config';
import { SecretRef } from '../sources/secret';

const ToolName = z.string().min(1).max(128);

/**
 * A tool that an agent may call. A bare name needs the server's own mark (`readOnlyHint`); `readOnly: true` is the word of
 * whoever writes the configuration. `description` replaces the server's, which is text of a third party.
 */
const AllowedTool = z.union([
  ToolName.transform((name) => ({ name, readOnly: false, description: undefined })),
  z
    .strictObject({
      name: ToolName,
      readOnly: z.literal(true).optional(),
      description: z.string().min(1).max(1_000).optional(),
    })
    .transform(({ name, readOnly = false, description }) => ({ name, readOnly, description })),
]);
export type AllowedTool = z.infer<typeof AllowedTool>;

/** A server of the Model Context Protocol: a command that speaks over stdio, or a URL that speaks streamable HTTP. */
export const McpConfig = z
  .strictObject({
    command: z.string().min(1).max(4_096).optional(),
    args: z.array(z.string().max(4_096)).max(64).default([]),
    /** The whole environment of the command beside PATH; secrets by reference. */
    env: z
      .record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/), z.union([z.string().max(4_096), SecretRef]))
      .default({}),
    dir: z.string().min(1).max(4_096).optional(),
    url: HTTP_CONFIG.url.optional(),
    bearerToken: HTTP_CONFIG.bearerToken,
    headers: HTTP_CONFIG.headers,
    tools: z.array(AllowedTool).min(1).max(64),
    timeoutMs: z.number().int().min(100).max(18_000).default(15_000),
  })
  .refine(({ command, url }) => (command === undefined) !== (url === undefined), {
    error: 'has either a command or a url',
  });
export type McpConfig = z.infer<typeof McpConfig>;

export const McpConfigs = z
  .record(Token, McpConfig)
  .refine((servers) => Object.keys(servers).length >= 1 && Object.keys(servers).length <= 20, {
    error: 'has between 1 and 20 servers',
  });
