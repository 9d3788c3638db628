import type { View } from '../evidence/view';
import type { Hypothesis, Rule } from './finding';
import { patternFinding } from './findings';
import { dependenciesOf } from './topology';

const LINES_MIN = 5;
const LASTING_SHARE = 0.2;

const loudServices = (view: View): Map<string, View['patterns']> => {
  const { window } = view;
  const late = window === null ? 0 : window.toMs - LASTING_SHARE * (window.toMs - window.fromMs);
  const loud = new Map<string, View['patterns']>();
  for (const pattern of view.patterns) {
    if (!['ERROR', 'FATAL'].includes(pattern.level) || pattern.count < LINES_MIN || pattern.lastMs < late)
      continue;
    loud.set(pattern.service, [...(loud.get(pattern.service) ?? []), pattern]);
  }
  return loud;
};

/** Services that log errors to the end of the data: the deepest of them is where to look, whatever the reason is. */
export const failingService: Rule = (view) => {
  const loud = loudServices(view);
  return [...loud].flatMap(([service, patterns]): Hypothesis[] => {
    if (dependenciesOf(view, service).some((dependency) => loud.has(dependency))) return [];
    return [
      {
        cause: 'SERVICE_FAILING',
        object: `Service/${service}`,
        service,
        rank: 'SYMPTOM',
        headline: `${service} logs errors to the end of the data`,
        mechanism: `${service} fails with errors of its own; its dependencies are quieter.`,
        findings: patterns.slice(0, 3).map((pattern) => patternFinding(view, pattern, 3)),
        actions: [
          `Start with the error lines of ${service} that are quoted here, and with what changed before the first of them.`,
        ],
        recommendations: [],
        lookup: `${patterns[0]?.pattern.replaceAll('#', ' ').slice(0, 120) ?? service} errors`,
      },
    ];
  });
};
