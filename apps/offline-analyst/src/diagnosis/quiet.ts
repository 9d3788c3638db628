import type { Series, View } from '../evidence/view';
import { at, factAt } from '../evidence/place';
import type { Finding } from '../rules/finding';
import { finding, seriesEntities, seriesFinding } from '../rules/findings';
import { listed } from '../rules/wording';
import { errorRatios } from './symptoms';

const LATENCIES_MAX = 3;

const isLatency = ({ name }: Series) => /duration|latency/i.test(name) && /p9\d/i.test(name);

/** Services whose error ratio stayed at zero, in one sentence for each metric. */
const errorFree = (view: View): Finding[] => {
  const clean = errorRatios(view).filter(
    ({ statistics, service }) => statistics.max === 0 && service !== null,
  );
  const [first] = clean;
  if (!first) return [];
  const names = clean.map(({ service }) => service as string);
  return [
    finding({
      key: `quiet:${first.name}`,
      sort: 'METRIC',
      text: `${first.name} of ${listed(names)} stayed at 0 throughout.`,
      facts: clean.flatMap((series) =>
        factAt(view.documents, at(series.statistics.place, 'max'), series.unit),
      ),
      entities: clean.flatMap(seriesEntities),
      weight: 0,
    }),
  ];
};

/** What shows that users were served: requests without errors, at a steady pace. */
export const quietFindings = (view: View): Finding[] => {
  const latencies = view.series.filter(isLatency).sort((a, b) => b.statistics.p50 - a.statistics.p50);
  return [
    ...errorFree(view),
    ...latencies.slice(0, LATENCIES_MAX).map((series) => seriesFinding(view, series, 0)),
  ];
};
