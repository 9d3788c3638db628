import type { WorkService } from '@inquest/contracts/ids';

/** Which service runs a tool. A table, not a workflow: the model decides what is called, this only says where. */
const SERVICE_OF_TOOL: Readonly<Record<string, WorkService>> = { knowledge_lookup: 'rag' };

/** Unknown names go to the tool service, which answers them with a typed error. */
export const serviceOfTool = (tool: string): WorkService => SERVICE_OF_TOOL[tool] ?? 'tool';

export const KNOWLEDGE_TOOL = 'knowledge_lookup';
