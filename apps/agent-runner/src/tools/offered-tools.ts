import type { OfferedTool } from '@inquest/model-client/chat-request';
import { TOOL_CATALOGUE } from '@inquest/toolsets/catalogue';

/** The catalogue as chat completions endpoints take it. */
export const OFFERED_TOOLS: readonly OfferedTool[] = [...TOOL_CATALOGUE.values()].map(
  ({ name, description, parameters }) => ({
    type: 'function',
    function: { name, description, parameters },
  }),
);
