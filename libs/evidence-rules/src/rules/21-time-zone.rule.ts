import { figuresIn } from '../figures-in';
import { proseItems } from '../prose-items';
import { supportOf } from '../prose-support';
import type { Finding, Rule } from '../rule';
import { momentProblem } from '../fact-moments';
import { factsOf } from '../typed-facts';
import { resolvePointer } from '../json-pointer';
import type { TimeReading } from '../time-readings';

const WRONG: Partial<Record<TimeReading, string>> = {
  UNLABELLED:
    'is a moment of the evidence in another zone: write its offset, or the time in the zone of the run',
  MISLABELLED:
    'is no moment of the evidence with this offset: the zone of the run was applied twice, or to the wrong time',
};

export const timeZone: Rule = {
  id: '21 TIME_ZONE',
  meaning:
    "A written time has an offset, or is read in the run's zone once; a number of seconds since 1970 is not one of milliseconds.",
  severity: 'HARD',
  *check(view): Generator<Finding> {
    for (const item of proseItems(view.reading)) {
      if (item.section === 'answer') continue;
      for (const time of figuresIn(view, item.text).times) {
        const wrong = WRONG[supportOf(view, item).readingOf(time)];
        if (wrong === undefined) continue;
        const what = `the time ${time.raw.trim().slice(0, 40)}`;
        yield { path: item.path, analysisId: item.id, message: `${what} ${wrong}` };
      }
    }
    for (const { at, analysis, fact } of factsOf(view.reading)) {
      const document = view.ledger.byId.get(fact.toolCallId)?.index?.document;
      const actual = document === undefined ? null : resolvePointer(document, fact.path);
      const problem = actual?.found ? momentProblem(fact, actual.value, view.input.zone) : null;
      if (!problem) continue;
      yield {
        path: `${at}/${problem.member}`,
        analysisId: analysis.id,
        toolCallId: fact.toolCallId,
        message: problem.why,
        candidates: [fact.path],
      };
    }
  },
};
