import type { Script, ScriptedReply, ScriptedRequest } from '@inquest/testing/scripted-model';
import { scriptedRun, type ScriptedRunKnobs } from '@inquest/testing/scripted-run';

/** The JSON documents that the user messages of a request hold. */
export const documentsOf = ({ body }: ScriptedRequest): Record<string, unknown>[] =>
  body.messages
    .filter(({ role }) => role === 'user')
    .map(({ content }) => JSON.parse(content ?? '{}') as Record<string, unknown>);

/** Router, agent and judge are all told the question; a question that no entry names is played by default. */
export const scriptByQuestion = (byQuestion: Record<string, ScriptedRunKnobs>): Script => {
  const scripts = new Map(
    Object.entries(byQuestion).map(([question, knobs]) => [question, scriptedRun(knobs)]),
  );
  const byDefault = scriptedRun();
  return (request) => (scripts.get(String(documentsOf(request)[0]?.question)) ?? byDefault)(request);
};

export type Draft = {
  conclusion: { status: string; text: string; analysisIds: string[] };
  analyses: ({ id: string; kind: string; text: string; toolCallIds: string[] } & Record<string, unknown>)[];
  limitations: { id: string; text: string; toolCallIds: string[] }[];
} & Record<string, unknown>;

const isDraft = (value: unknown): value is Draft =>
  typeof value === 'object' && value !== null && 'conclusion' in value && 'analyses' in value;

export type Drafting = {
  script: Script;
  /** The texts of the drafts as the model wrote them, in order. */
  texts: string[];
};

/**
 * The default run, but for the drafts, whose text `write` decides; `n` counts them from 1. What it makes of the draft
 * goes over the wire as it is.
 */
export const drafting = (
  write: (draft: Draft, n: number) => string,
  knobs: ScriptedRunKnobs = {},
): Drafting => {
  const inner = scriptedRun(knobs);
  const texts: string[] = [];
  const rewritten = (reply: ScriptedReply): ScriptedReply => {
    if (reply.kind !== 'TEXT') return reply;
    const draft: unknown = JSON.parse(reply.text);
    if (!isDraft(draft)) return reply;
    const text = write(draft, texts.length + 1);
    texts.push(text);
    return { ...reply, text };
  };
  return { texts, script: async (request) => rewritten(await inner(request)) };
};
