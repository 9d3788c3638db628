import type { RunId } from '@inquest/contracts/ids';
import { Snapshot } from '@inquest/contracts/semantic-facts';
import { validateDraft, type Verdict } from '@inquest/evidence-rules/validate-draft';
import { createRedactor } from '@inquest/redaction/redactor';
import { plainLetters } from '@inquest/evidence-rules/plain-letters';
import { review, type ScriptedJudge } from './judges';
import type { Payload } from './payload';
import { AS_OF, RUN, type Call } from './stage';

export type Ending =
  | { kind: 'RELEASED'; report: string }
  /** By the EvidenceGuard, with the rules that it names. */
  | { kind: 'REJECTED'; rules: string[] }
  /** By the judge, or because what it said is no verdict. */
  | { kind: 'WITHHELD'; why: string };

export type Guarded = { verdict: Verdict; question: string };

/** What the question becomes on its way in. */
export const asked = (question: string): string => createRedactor(RUN).redactText(question).text;

export const guard = (
  calls: readonly Call[],
  draftText: string,
  question: string,
  intent: 'DIAGNOSIS' | 'KNOWLEDGE_QUERY' = 'DIAGNOSIS',
): Verdict =>
  validateDraft({
    runId: RUN as RunId,
    intent,
    revision: 1,
    draftText,
    draftBytesMax: 128 * 1024,
    ledger: calls.map(({ entry, projection }) => ({ kind: 'RESULT', entry, projection })),
    question: asked(question),
    zone: 'UTC',
    asOf: AS_OF,
    repairOf: [],
    ruleSet: 'evidence-2',
  });

/** From the guard's verdict to what a person would get. */
export const release = (verdict: Verdict, judge: ScriptedJudge): Ending => {
  if (verdict.kind === 'REJECTED')
    return { kind: 'REJECTED', rules: [...new Set(verdict.violations.map(({ ruleId }) => ruleId))] };
  const snapshot = Snapshot.parse(JSON.parse(verdict.snapshotText));
  const validation = review(judge, snapshot, verdict.snapshotHash);
  if (validation.kind === 'INVALID') return { kind: 'WITHHELD', why: validation.why };
  return validation.verdict === 'SUPPORTED'
    ? { kind: 'RELEASED', report: snapshot.report }
    : { kind: 'WITHHELD', why: 'UNSUPPORTED' };
};

/** Whether any of the payload's marks stands in a text, however it is dressed up. */
export const carries = (
  text: string,
  { marks, letterByLetter }: Pick<Payload, 'marks' | 'letterByLetter'>,
): boolean => {
  const dressed = letterByLetter ? (same: string) => same : plainLetters;
  const plain = dressed(text);
  return marks.some((mark) => plain.includes(dressed(JSON.stringify(mark).slice(1, -1))));
};

/** What a renderer would follow, fetch or run. */
export const LIVE =
  /\b(?:https?|ftps?|wss?|file|slack|vscode):\/\/|\bwww\.[a-z0-9-]+\.|\b(?:javascript|vbscript|mailto|tel):\S|\bdata:(?:text|image)\/|!\[|\]\(\s*\/\/|<(?:img|a|script|iframe)[\s/>]/i;
