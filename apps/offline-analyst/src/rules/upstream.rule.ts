import type { LogPattern, View } from '../evidence/view';
import type { Hypothesis, Rule } from './finding';
import { patternFinding } from './findings';
import { dependenciesOf } from './topology';

const REFUSED =
  /ECONNREFUSED|connection refused|refused to connect|no healthy upstream|no route to host|EHOSTUNREACH|connection reset|ECONNRESET|unavailable/i;
const SLOW = /time[d-]? ?-?out|ETIMEDOUT|deadline exceeded|context canceled|took too long/i;
const ANSWERED =
  /(?:answered|returned|responded|status(?: code)?:?) ?(?:with )?(5\d\d)|\b(?:50[0234]) (?:bad gateway|service unavailable|gateway time)/i;

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
const names = (message: string, service: string) =>
  new RegExp(`(?<![\\w-])${escaped(service)}(?![\\w-])`, 'i').test(message);

const messageOf = ({ sample, pattern }: LogPattern): string => sample?.message ?? pattern;

const complaints = (view: View, caller: string, target: string): LogPattern[] =>
  view.patterns.filter((pattern) => {
    const message = messageOf(pattern);
    const fits = REFUSED.test(message) || SLOW.test(message) || ANSWERED.test(message);
    return (
      pattern.service === caller &&
      pattern.level !== 'INFO' &&
      pattern.level !== 'DEBUG' &&
      fits &&
      names(message, target)
    );
  });

/**
 * A caller complains about a dependency. That points at the dependency and no further: whatever is found there itself
 * takes precedence.
 */
export const upstream: Rule = (view) => {
  const callers = new Set(view.patterns.map(({ service }) => service));
  return [...callers].flatMap((caller) =>
    dependenciesOf(view, caller).flatMap((target): Hypothesis[] => {
      const found = complaints(view, caller, target);
      if (found.length === 0) return [];
      const isDown = found.some((pattern) => REFUSED.test(messageOf(pattern)));
      return [
        {
          cause: isDown ? 'DEPENDENCY_UNREACHABLE' : 'DEPENDENCY_FAILING',
          object: `Service/${target}`,
          service: target,
          rank: 'SYMPTOM',
          headline: `${target} does not serve ${caller} as it should`,
          mechanism: `Calls of ${caller} to ${target} fail; the reason lies in ${target} or on the way to it.`,
          findings: found.slice(0, 3).map((pattern) => patternFinding(view, pattern, 3)),
          actions: [
            `Look at ${target}: whether its processes run, what it logs, and what it depends on.`,
            `Check the address and port with which ${caller} calls ${target}.`,
          ],
          recommendations: [],
          lookup: `service ${isDown ? 'connection refused upstream unreachable' : 'upstream errors time-outs'}`,
        },
      ];
    }),
  );
};
