import type { Analysis } from '@inquest/contracts/draft';
import type { DraftView, Finding, Rule } from '../rule';

/** Words that speak of every case. `no` is left to the negatives, which have a scope. */
const UNIVERSAL =
  /(?<![\p{L}-])(?:all|every|each|always|never|none|nowhere|everywhere|alle[rsn]?|jede[rsnm]?|immer|niemals|nie|keine[rsnm]?|überall)(?![\p{L}-])|所有|全部|每个|一切|总是|从不|从未|没有任何|均未/iu;

const isUniversal = ({ kind, text }: Analysis): boolean =>
  kind !== 'NEGATIVE_OBSERVATION' && UNIVERSAL.test(text);

const sawAll = ({ ledger }: DraftView, { toolCallIds }: Analysis): boolean =>
  !toolCallIds.some((id) => ledger.byId.get(id)?.entry?.truncated === true);

function* universals(view: DraftView, complete: boolean, message: string): Generator<Finding> {
  for (const [i, analysis] of (view.reading.diagnosis?.analyses ?? []).entries()) {
    if (!isUniversal(analysis) || sawAll(view, analysis) !== complete) continue;
    yield { path: `/analyses/${i}/text`, analysisId: analysis.id, message };
  }
}

export const universal: Rule = {
  id: '17 UNIVERSAL',
  meaning: '"All", "never" and the like outside negatives: for the judge to weigh.',
  severity: 'SOFT',
  check: (view) => universals(view, true, 'speaks of every case'),
};

export const universalOverCut: Rule = {
  id: '17 UNIVERSAL',
  meaning: 'What was truncated did not show every case.',
  severity: 'HARD',
  check: (view) => universals(view, false, 'this speaks of every case, and a cited output was truncated'),
};
