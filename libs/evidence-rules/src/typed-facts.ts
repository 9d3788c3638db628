import type { Analysis, Fact } from '@inquest/contracts/draft';
import type { DraftReading } from './read-draft';

export const factsOf = ({ diagnosis }: DraftReading): { at: string; analysis: Analysis; fact: Fact }[] =>
  (diagnosis?.analyses ?? []).flatMap((analysis, i) =>
    (analysis.facts ?? []).map((fact, k) => ({ at: `/analyses/${i}/facts/${k}`, analysis, fact })),
  );
