import type { AdapterCase } from './cases/adapter-case';
import { ANSWERS_AND_PLUMBING } from './cases/answers-and-plumbing';
import { IDS_AND_PARALLEL } from './cases/ids-and-parallel';
import { STREAMS_AND_ARGUMENTS } from './cases/streams-and-arguments';

/** Every way in which OpenAI-compatible endpoints are known to misbehave, as fixtures for a scripted endpoint. */
export const ADAPTER_CASES: readonly AdapterCase[] = [
  ...IDS_AND_PARALLEL,
  ...STREAMS_AND_ARGUMENTS,
  ...ANSWERS_AND_PLUMBING,
];

export type Wire = 'plain' | 'stream';

/** One row for each case, variant and way of travelling. */
export const ADAPTER_ROWS = ADAPTER_CASES.flatMap(({ n, title, variants }) =>
  variants.flatMap((variant) => {
    const wires: readonly Wire[] = variant.over === 'either' ? ['plain', 'stream'] : [variant.over];
    const what = variant.what === undefined ? title : `${title}: ${variant.what}`;
    return wires.map((wire) => ({ n, name: `${n} ${what} (${wire})`, wire, variant }));
  }),
);
