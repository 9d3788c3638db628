import type { LogLine } from '../incident-format';
import { levelOfLine } from '../log-level';

const STAMPED = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)) ?(.*)$/s;

/**
 * Lines of a container as the API gives them with `timestamps=true`. A line without an instant goes on with the one
 * before it. Where the text was cut, its last line may be half of one and is left out.
 */
export const logLinesOf = (
  text: string,
  { service, pod, isCut }: { service: string; pod: string; isCut: boolean },
): LogLine[] => {
  const raw = text.split('\n');
  const last = raw.pop();
  if (last !== undefined && last !== '' && !isCut) raw.push(last);
  let time: string | undefined;
  return raw.flatMap((line): LogLine[] => {
    const [, stamp, rest] = STAMPED.exec(line) ?? [];
    if (stamp !== undefined && !Number.isNaN(Date.parse(stamp)))
      time = new Date(Date.parse(stamp)).toISOString();
    // Before the first instant there is nothing that could be placed.
    if (time === undefined) return [];
    const message = rest ?? line;
    return [{ time, service, pod, level: levelOfLine(message), message }];
  });
};
