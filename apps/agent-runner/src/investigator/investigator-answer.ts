import { z } from 'zod';
import { canonicalJson, type Json } from '@inquest/contracts/canonical-json';
import {
  InvestigatorTurn,
  type InvestigatorMode,
  type InvestigatorResult,
} from '@inquest/contracts/case-facts';
import { Confidence, FindingId, Hypothesis, type InvestigationPrompt } from '@inquest/contracts/case-parts';
import { NewFinding } from '@inquest/contracts/case-facts';
import { DiagnosisDraft } from '@inquest/contracts/draft';
import type { Payload } from '@inquest/contracts/payload';
import type { AnswerSchema } from '@inquest/model-client/chat-request';
import type { ChatOutcome } from '@inquest/model-client/chat-outcome';
import { cleanJsonText } from '@inquest/model-client/clean-text';
import { jsonTextOf } from '@inquest/model-client/json-answer';
import { draftTextOf } from '../agent/agent-result-of';

const ANSWER_CHARS_MAX = 200_000;
const DEPTH_MAX = 32;

/** Of protocols that did not ask for expectations yet. */
const NOT_STATED = 'not stated';

const Formed = z.strictObject({
  hypotheses: z
    .array(Hypothesis.omit({ id: true }))
    .min(1)
    .max(7),
});

const action = (expectation: z.ZodType<string, string | undefined>) =>
  z.strictObject({
    tool: z.string().min(1).max(128),
    arguments: z.record(z.string(), z.unknown()),
    expectedIfTrue: expectation,
    expectedIfFalse: expectation,
  });

const stated = z.string().min(1).max(400);
const maybeStated = stated.optional().transform((text) => text ?? NOT_STATED) as unknown as z.ZodType<
  string,
  string | undefined
>;

const reasoned = <const Kind extends string>(kind: Kind) =>
  z.strictObject({ kind: z.literal(kind), reason: z.string().min(1).max(600) });

const nextOf = ({ requests, expects }: Protocol) =>
  z.discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('research'),
      actions: z
        .array(action(expects ? stated : maybeStated))
        .min(1)
        .max(8),
    }),
    z.strictObject({ kind: z.literal('assess') }),
    z.strictObject({ kind: z.literal('conclude') }),
    ...(requests
      ? [
          z.strictObject({
            kind: z.literal('request_diagnosis'),
            reason: z.string().min(1).max(1_000),
            countercheck_refs: z.array(FindingId).min(1).max(16),
          }),
          reasoned('defer'),
        ]
      : []),
    reasoned('reject'),
  ]);

const turnOf = (protocol: Protocol) =>
  z.strictObject({
    findings: z.array(NewFinding).max(8),
    assessment: z
      .strictObject({ confidence: Confidence.exclude(['unassessed']), text: z.string().min(1).max(600) })
      .nullable(),
    next: nextOf(protocol),
  });

/** What a version's answers may hold; kept for ever, since its calls may be pending (E2, E11). */
type Protocol = { requests: boolean; expects: boolean };

const PROTOCOLS: Readonly<Record<InvestigationPrompt, Protocol>> = {
  investigation_v1: { requests: false, expects: false },
  investigation_v2: { requests: true, expects: false },
  investigation_v3: { requests: true, expects: true },
  investigation_project_v2: { requests: false, expects: false },
  investigation_project_v3: { requests: true, expects: false },
  investigation_project_v4: { requests: true, expects: true },
};

const TURNS = Object.fromEntries(
  Object.entries(PROTOCOLS).map(([version, protocol]) => [version, turnOf(protocol)]),
) as Record<InvestigationPrompt, ReturnType<typeof turnOf>>;

const jsonSchemaOf = (schema: z.ZodType): Record<string, unknown> => {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return rest;
};

export const investigatorSchema = (mode: InvestigatorMode, version: InvestigationPrompt): AnswerSchema => {
  switch (mode) {
    case 'FORM':
      return { name: 'hypotheses', strict: true, schema: jsonSchemaOf(Formed) };
    case 'INVESTIGATE':
    case 'PREPARE':
      return { name: 'investigator_turn', strict: false, schema: jsonSchemaOf(TURNS[version]) };
    case 'DIAGNOSE':
    case 'REPAIR':
      return { name: 'diagnosis_draft', strict: false, schema: jsonSchemaOf(DiagnosisDraft) };
  }
};

/** From the wire to the contract: arguments become their canonical text, snake case becomes camel case. */
const contractTurn = (turn: z.output<ReturnType<typeof turnOf>>): unknown => {
  const { next, ...rest } = turn;
  if (next.kind === 'research') {
    const actions = next.actions.map(({ arguments: written, ...asked }) => ({
      ...asked,
      argumentsText: canonicalJson(written as Json),
    }));
    return { ...rest, next: { kind: next.kind, actions } };
  }
  if (next.kind === 'request_diagnosis') {
    const { countercheck_refs: countercheckRefs, ...asked } = next;
    return { ...rest, next: { ...asked, countercheckRefs } };
  }
  return turn;
};

/** Whether this can be written down again as canonical text: `1e999` is JSON, and so is any depth. */
const isWritable = (value: unknown, depth = 0): boolean => {
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || value === null) return true;
  return depth < DEPTH_MAX && Object.values(value).every((member) => isWritable(member, depth + 1));
};

/** The one document of an answer; undefined where there is none. Nothing may throw after the call: there is no second one. */
const documentIn = (text: string): unknown => {
  const json = jsonTextOf(text);
  if (json === undefined || json.length > ANSWER_CHARS_MAX) return undefined;
  const value: unknown = JSON.parse(cleanJsonText(json));
  return isWritable(value) ? value : undefined;
};

const parsedTurn = (value: unknown, version: InvestigationPrompt): InvestigatorTurn | undefined => {
  const wire = TURNS[version].safeParse(value);
  return wire.success ? InvestigatorTurn.safeParse(contractTurn(wire.data)).data : undefined;
};

export type Asked = {
  mode: InvestigatorMode;
  promptVersion: InvestigationPrompt;
  draftBytesMax: number;
};

/** What one attempt means under the version that it was asked under. Nothing is guessed from prose. */
export const investigatorResultOf = async (
  outcome: ChatOutcome,
  { mode, promptVersion, draftBytesMax }: Asked,
  store: (draft: string) => Promise<Payload>,
): Promise<InvestigatorResult> => {
  if (outcome.kind === 'FAILED') return outcome;
  const { record } = outcome;
  const failed = (failure: 'INVALID_RESPONSE' | 'LENGTH'): InvestigatorResult => ({
    kind: 'FAILED',
    failure,
    retryAfterMs: null,
    record,
  });
  // No tools may be called in a turn: research is asked for in the answer, where it can be reserved.
  if (outcome.kind === 'TOOL_CALLS') return failed('INVALID_RESPONSE');
  if (mode === 'DIAGNOSE' || mode === 'REPAIR') {
    const draft = draftTextOf(outcome.text);
    if (Buffer.byteLength(draft, 'utf8') > draftBytesMax) return failed('LENGTH');
    return { kind: 'DRAFT', draft: await store(draft), record };
  }
  const value = documentIn(outcome.text);
  if (mode === 'FORM') {
    const formed = Formed.safeParse(value);
    return formed.success
      ? { kind: 'FORMED', hypotheses: formed.data.hypotheses, record }
      : failed('INVALID_RESPONSE');
  }
  const turn = parsedTurn(value, promptVersion);
  return turn === undefined ? failed('INVALID_RESPONSE') : { kind: 'TURN', turn, record };
};
