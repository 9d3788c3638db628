import type { Cell } from '@inquest/contracts/case-parts';
import type { CaseDocument } from './case-request';
import {
  exonerationsFor,
  isQuietHypothesis,
  leaderAmong,
  supportOf,
  type Standing,
  type Stated,
} from './standing';
import { familiesOfStatement } from './families';

export type NewFinding = {
  text: string;
  toolCallIds: string[];
  cells: { hypothesisId: string; cell: Cell }[];
};

const FINDINGS_MAX = 8;
const SUPPORT_MAX = 5;
const CALLS_MAX = 10;
const TEXT_CHARS_MAX = 600;

const row = (hypotheses: readonly Stated[], cellOf: (stated: Stated) => Cell): NewFinding['cells'] =>
  hypotheses.map((stated) => ({ hypothesisId: stated.id, cell: cellOf(stated) }));

const support = (standing: Standing, hypotheses: readonly Stated[]): NewFinding[] => {
  const leader = leaderAmong(standing, hypotheses);
  if (!leader) return [];
  const cellOf = (stated: Stated): Cell =>
    stated.id === leader.id ? 'consistent' : isQuietHypothesis(stated) ? 'inconsistent' : 'neutral';
  return supportOf(standing)
    .filter(({ toolCallIds, kind }) => toolCallIds.length > 0 && kind !== 'NEGATIVE_OBSERVATION')
    .sort((a, b) => b.weight - a.weight)
    .slice(0, SUPPORT_MAX)
    .map(({ text, toolCallIds }) => ({ text, toolCallIds, cells: row(hypotheses, cellOf) }));
};

/** A finding against a family counts against a hypothesis that speaks of nothing else which is still possible. */
const against = (standing: Standing, hypotheses: readonly Stated[]): NewFinding[] =>
  standing.exonerations.map(({ family, text, toolCallIds }) => ({
    text,
    toolCallIds,
    cells: row(hypotheses, (stated) =>
      familiesOfStatement(stated.statement).includes(family) && exonerationsFor(standing, stated).length > 0
        ? 'inconsistent'
        : 'neutral',
    ),
  }));

/** What the rules see and the case does not hold yet, with its row of the matrix. */
export const newFindings = (standing: Standing, document: CaseDocument): NewFinding[] => {
  const settled = new Set(
    document.actions.filter(({ state }) => state === 'settled').map(({ toolCallId }) => toolCallId),
  );
  const told = new Set(document.findings.map(({ text }) => text));
  const found = [...support(standing, document.hypotheses), ...against(standing, document.hypotheses)]
    .map(({ text, toolCallIds, cells }) => ({
      text: text.slice(0, TEXT_CHARS_MAX),
      toolCallIds: toolCallIds.filter((id) => settled.has(id)).slice(0, CALLS_MAX),
      cells,
    }))
    .filter(({ text, toolCallIds }) => toolCallIds.length > 0 && !told.has(text));
  // What tells hypotheses apart is kept before what merely fits.
  const telling = ({ cells }: NewFinding) => cells.some(({ cell }) => cell !== 'neutral');
  return [...found.filter(telling), ...found.filter((item) => !telling(item))].slice(0, FINDINGS_MAX);
};
