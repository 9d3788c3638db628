import type { LogPattern, SystemEvent, View } from '../evidence/view';
import type { Finding, Hypothesis, Rule } from './finding';
import { eventFinding, patternFinding } from './findings';
import { stateFinding, statesMatching } from './object-state';
import { changeBefore, serviceOfEvent } from './topology';
import { unwellFindings } from './unwell';

/** A failure that names itself, in logs, in events or in the state of containers. */
export type Signature = {
  cause: string;
  rank?: Hypothesis['rank'];
  log?: RegExp;
  /** Tested on `Reason: message`. */
  event?: RegExp;
  /** Tested on `Reason: message` of a container's state. */
  state?: RegExp;
  /** Lines from this level on count. */
  least?: 'WARN' | 'ERROR';
  object?: (subject: string, match: Match) => string;
  /** What shows that the failure has passed, whatever was logged before. */
  unless?: (view: View, subject: string) => boolean;
  headline: (subject: string, match: Match) => string;
  mechanism: (subject: string, match: Match) => string;
  actions: (subject: string, match: Match) => string[];
  recommendations: string[];
  lookup: string;
};

/** What matched for one service. */
export type Match = {
  patterns: LogPattern[];
  events: SystemEvent[];
  states: ReturnType<typeof statesMatching>;
  words: string;
};

const PATTERNS_MAX = 3;
const EVENTS_MAX = 3;
const STATES_MAX = 2;
const STRONG = 3;
const LEVELS = { WARN: ['WARN', 'ERROR', 'FATAL'], ERROR: ['ERROR', 'FATAL'] } as const;

const messageOf = ({ sample, pattern }: LogPattern): string => sample?.message ?? pattern;

const matchesBySubject = (view: View, signature: Signature): Map<string, Match> => {
  const matches = new Map<string, Match>();
  const matchOf = (subject: string): Match => {
    const match = matches.get(subject) ?? { patterns: [], events: [], states: [], words: '' };
    matches.set(subject, match);
    return match;
  };
  const levels: readonly string[] = LEVELS[signature.least ?? 'WARN'];
  for (const pattern of view.patterns) {
    if (levels.includes(pattern.level) && signature.log?.test(messageOf(pattern)))
      matchOf(pattern.service).patterns.push(pattern);
  }
  for (const event of view.events) {
    if (signature.event?.test(`${event.reason}: ${event.message}`))
      matchOf(serviceOfEvent(view, event)).events.push(event);
  }
  if (signature.state) {
    for (const found of statesMatching(view, signature.state)) matchOf(found.service).states.push(found);
  }
  for (const match of matches.values()) {
    const { patterns, events, states } = match;
    match.words = [
      ...patterns.map(messageOf),
      ...events.map(({ message }) => message),
      ...states.map(({ state }) => state.message ?? ''),
    ].join('\n');
  }
  return matches;
};

const findingsOf = (view: View, subject: string, { patterns, events, states }: Match): Finding[] => {
  const named = [
    ...states.slice(0, STATES_MAX).map(({ object, state }) => stateFinding(view, object, state, STRONG)),
    ...events.slice(0, EVENTS_MAX).map((event) => eventFinding(view, event, STRONG)),
    ...[...patterns]
      .sort((a, b) => b.count - a.count)
      .slice(0, PATTERNS_MAX)
      .map((pattern) => patternFinding(view, pattern, STRONG)),
  ];
  const direct = states.length > 0 ? named : [...named, ...unwellFindings(view, subject)];
  const starts = direct.flatMap(({ fromMs }) => (fromMs ? [fromMs] : []));
  const change = starts.length > 0 ? changeBefore(view, subject, Math.min(...starts)) : undefined;
  if (!change || events.includes(change)) return direct;
  const plain = eventFinding(view, change, 1);
  return [
    ...direct,
    {
      ...plain,
      kind: 'CORRELATION',
      text: `${plain.text.slice(0, -1)}; the trouble of ${subject} set in after it.`,
    },
  ];
};

/** One hypothesis for each service in which the signature shows. */
export const signatureRule =
  (...signatures: readonly Signature[]): Rule =>
  (view) =>
    signatures.flatMap((signature) =>
      [...matchesBySubject(view, signature)]
        .filter(([subject]) => !signature.unless?.(view, subject))
        .map(([subject, match]) => ({
          cause: signature.cause,
          object: signature.object?.(subject, match) ?? `Service/${subject}`,
          service: subject,
          rank: signature.rank ?? 'CAUSE',
          headline: signature.headline(subject, match),
          mechanism: signature.mechanism(subject, match),
          findings: findingsOf(view, subject, match),
          actions: signature.actions(subject, match),
          recommendations: signature.recommendations,
          lookup: signature.lookup,
        })),
    );
