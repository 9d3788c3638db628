import type { DiagnosisDraft } from '@inquest/contracts/draft';
import type { ToolCallId } from '@inquest/contracts/ids';
import type { Answered, View } from '../evidence/view';
import { listed } from '../rules/wording';

type Limitation = DiagnosisDraft['limitations'][number];

const IDS_MAX = 128;

const isFailed = ({ meta }: Pick<Answered, 'meta'>): boolean =>
  meta.status !== 'READY' || meta.evidenceStatus === 'ERROR';
/** Slips in a call's own words, which another call makes good; everything else that failed is a source that was not read. */
const OWN_SLIPS: ReadonlySet<unknown> = new Set(['UNKNOWN_TOOL', 'BAD_ARGUMENTS']);

/** Whether a source gave no answer: what it holds is not known, a fault perhaps. */
export const isBlind = ({ calls }: View): boolean =>
  calls.some((call) => isFailed(call) && !OWN_SLIPS.has(call.meta.errorClass));

const isCut = ({ tool, meta }: Answered): boolean =>
  !isFailed({ meta }) &&
  // A lookup returns the best passages; that there are others is no gap in the evidence.
  (tool !== 'knowledge_lookup' || meta.truncated === true) &&
  [meta.truncated, meta.limitHit, meta.sampled, meta.partial, meta.permissionFiltered].includes(true);

const toolsOf = (calls: readonly Answered[]): string => listed([...new Set(calls.map(({ tool }) => tool))]);

const groups: readonly { of: (call: Answered) => boolean; text: (calls: readonly Answered[]) => string }[] = [
  {
    of: isFailed,
    text: (calls) => `Calls of ${toolsOf(calls)} failed; what they would have shown is not known.`,
  },
  {
    of: (call) => isCut(call) && call.tool === 'search_logs',
    text: () =>
      'Log searches returned only their first lines; counts, first and last times come from their summaries over the matching lines.',
  },
  {
    of: (call) => isCut(call) && call.tool !== 'search_logs',
    text: (calls) => `Answers of ${toolsOf(calls)} are incomplete: they were cut, limited or sampled.`,
  },
  {
    of: ({ meta }) => meta.status === 'READY' && meta.selectorKnown === false,
    text: (calls) =>
      `Calls of ${toolsOf(calls)} asked for a name that the source does not know, so their empty answers prove nothing.`,
  },
];

/** Everything that the investigation did not see, one item for each way of not seeing it. */
export const limitationsOf = (view: View): Limitation[] =>
  groups
    .flatMap(({ of, text }) => {
      const calls = view.calls.filter(of);
      return calls.length === 0
        ? []
        : [{ text: text(calls), toolCallIds: calls.map(({ toolCallId }) => toolCallId as ToolCallId) }];
    })
    .map(({ text, toolCallIds }, index) => ({
      id: `l${index + 1}`,
      text,
      toolCallIds: toolCallIds.slice(0, IDS_MAX),
    }));
