import type { Answered, View } from '../evidence/view';
import type { Finding } from '../rules/finding';

/** An empty answer proves an absence only where the query was complete and asked for something that exists. */
const isProof = ({ meta }: Answered): boolean =>
  meta.status === 'READY' &&
  meta.evidenceStatus === 'NO_EVIDENCE' &&
  !meta.truncated &&
  !meta.limitHit &&
  !meta.sampled &&
  !meta.partial &&
  meta.permissionFiltered !== true &&
  meta.selectorKnown !== false;

const textOf = ({ tool, args }: Answered): string | undefined => {
  const service = typeof args.service === 'string' ? ` of ${args.service}` : '';
  if (tool === 'active_alerts') {
    return args.include_resolved === true
      ? `No alert${service} fired in the window.`
      : `No alert${service} is firing at the end of the window.`;
  }
  if (tool === 'search_logs' && args.contains === undefined && typeof args.level === 'string')
    return `The logs${service} hold no line of level ${args.level} or above in the window.`;
  return undefined;
};

/** That none fired says that none is firing. */
const withoutWeaker = (proofs: readonly Answered[]): Answered[] => {
  const strong = proofs.filter(
    ({ tool, args }) => tool === 'active_alerts' && args.include_resolved === true,
  );
  return proofs.filter(
    (call) =>
      call.tool !== 'active_alerts' ||
      strong.includes(call) ||
      !strong.some(({ args }) => args.service === call.args.service),
  );
};

/** What was asked for and is not there, each within the scope and window of its query. */
export const negativeFindings = (
  view: View,
  isRelevant: (call: Answered) => boolean = () => true,
): Finding[] =>
  withoutWeaker(view.calls.filter(isProof)).flatMap((call) => {
    const text = isRelevant(call) ? textOf(call) : undefined;
    if (text === undefined) return [];
    const { scope, window } = call.meta;
    return [
      {
        key: `none:${call.toolCallId}`,
        sort: 'LOG',
        kind: 'NEGATIVE_OBSERVATION',
        text,
        toolCallIds: [call.toolCallId],
        facts: [],
        quotes: [],
        entities: [],
        scope: { ...scope, ...(window ? { window: { from: window.from, to: window.to } } : {}) },
        weight: 0,
        fromMs: null,
        toMs: null,
      },
    ];
  });
