/**
 * Tokens by which chat templates tell roles, turns and tool results apart. A server that looks for them in content would
 * take a log line for a message of the system; with a space inside they are text to every template that is known.
 */
const BARRED = /<([|｜])(?=[^|｜<>\s][^|｜<>\r\n]{0,40}[|｜]>)/g;
const INSTRUCTION = /\[(\/?)(INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS)\]/g;
const SYSTEM = /<<(\/?)SYS>>/g;
const TAGS =
  /<(?=\/?(?:s|system|user|assistant|developer|human|tool|think(?:ing)?|start_of_turn|end_of_turn|bos|eos|tools?_?(?:call|response|result|use)s?|function(?:_?(?:calls?|results?))?|invoke|result|instructions?)(?:[=\s][^<>]{0,80})?>)/gi;

export const breakControlTokens = (text: string): string =>
  text
    .replace(BARRED, '<$1 ')
    .replace(INSTRUCTION, '[$1 $2]')
    .replace(SYSTEM, '<< $1SYS>>')
    .replace(TAGS, '< ');
