export type ToolArguments = {
  [name: string]: string | number | boolean | null | { [label: string]: string };
};
export type Call = { tool: string; args: ToolArguments };

/** What a role answers: text (always one JSON document, or a plain sentence to a stranger), or tool calls. */
export type Reply = { kind: 'TEXT'; text: string } | { kind: 'CALLS'; calls: Call[] };

export const json = (value: unknown): Reply => ({ kind: 'TEXT', text: JSON.stringify(value) });
