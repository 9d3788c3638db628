import { figuresIn } from '../figures-in';
import type { Hedge } from '../hedges';
import { proseItems } from '../prose-items';
import { mayHedge, supportOf } from '../prose-support';
import type { Finding, Rule } from '../rule';
import { nearIn } from './28-prose-number.rule';

const MEANING: Record<Hedge, string> = {
  ABOUT: 'within 10 % of it',
  OVER: 'above it by up to 10 %',
  UNDER: 'below it by up to 10 %',
  AT_LEAST: 'equal to it or above it by up to 10 %',
  AT_MOST: 'equal to it or below it by up to 10 %',
};

export const hedge: Rule = {
  id: '29 HEDGE',
  meaning: '`about 40`, `over 40`: a hedge says that the value is near, and on which side; both are held to.',
  severity: 'HARD',
  *check(view): Generator<Finding> {
    for (const item of proseItems(view.reading)) {
      if (!mayHedge(item)) continue;
      for (const figure of figuresIn(view, item.text).numbers) {
        if (!figure.hedge) continue;
        const support = supportOf(view, item);
        if (support.hedges(figure)) continue;
        const call = support.calls.find((cited) => nearIn(figure, cited).length > 0);
        yield {
          path: item.path,
          analysisId: item.id,
          message: `the number ${figure.raw.slice(0, 24)} is hedged, and neither a fact nor a cited output has a value ${MEANING[figure.hedge.kind]}`,
          toolCallId: call?.toolCallId,
          candidates: call ? nearIn(figure, call) : [],
        };
      }
    }
  },
};
