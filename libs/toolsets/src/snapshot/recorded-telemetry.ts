import type { Alert, Dependency, LogLine } from '../incident-format';
import { SourceFailure } from '../incident-source';
import { printed, type Answer, type RecordedAnswers } from './recorded-answers';

const fields = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
const list = (value: unknown): unknown[] => (Array.isArray(value) ? (value as unknown[]) : []);

/**
 * An answer as the document that it is: some recordings hold it parsed, some as the text that was printed. An empty text
 * is an empty answer.
 * @throws SourceFailure for a text that is neither, since it must not pass for "nothing found"
 */
const documentOf = (answer: Answer): Record<string, unknown> => {
  if (typeof answer !== 'string') return fields(answer);
  const text = printed(answer)?.trim() ?? '';
  if (text === '') return {};
  try {
    return fields(JSON.parse(text));
  } catch (error) {
    throw new SourceFailure('RESULT_UNUSABLE', 'a recorded answer is no document', error);
  }
};

/** The recorded errors of one service; null where its answer is a failure or no document, so that nothing is known of them. */
const patternsIn = (answer: Answer): unknown[] | null => {
  try {
    return list(documentOf(answer)['patterns']);
  } catch (error) {
    if (error instanceof SourceFailure) return null;
    throw error;
  }
};

/** Services whose recorded errors cannot be read. */
export const unreadableLogs = (answers: RecordedAnswers): string[] =>
  answers
    .of('GetErrorLogs')
    .filter(({ answer }) => patternsIn(answer) === null)
    .map(({ args }) => String(args['service_name']));

const LINE = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d))\s+([\s\S]*)$/;

/**
 * One line for each pattern of errors that was recorded, with the time that it bears itself. The recording keeps one
 * sample of each and counts the others, so that the lines are a sample.
 */
export const errorLines = (answers: RecordedAnswers, at: string): LogLine[] =>
  answers.of('GetErrorLogs').flatMap(({ args, answer }) =>
    (patternsIn(answer) ?? []).flatMap((pattern): LogLine[] => {
      const { sample } = fields(pattern);
      if (typeof sample !== 'string') return [];
      const [, time, message] = LINE.exec(sample) ?? [];
      return [
        {
          time: time === undefined ? at : new Date(time).toISOString(),
          service: String(args['service_name']),
          level: 'ERROR',
          message: (message ?? sample).trim(),
        },
      ];
    }),
  );

const RANGE = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d) ~ /;

/** `LATENCY_DEGRADATION [Slow Response] | ...`, one alert for each piece of evidence. */
export const recordedAlerts = (answers: RecordedAnswers, at: string, offset: string): Alert[] => {
  const found = documentOf(answers.get('GetAlerts', {}));
  return list(found['alerts']).flatMap((item): Alert[] => {
    const { type, name, time_range: range, evidence } = fields(item);
    const [, day, time] = RANGE.exec(String(range)) ?? [];
    const startsAt = day === undefined ? at : new Date(`${day}T${time}${offset}`).toISOString();
    return list(evidence).map((text) => ({
      name: /^(\w+)/.exec(String(text))?.[1] ?? 'ANOMALY',
      severity: 'warning',
      ...(type === 'Service' ? { service: String(name) } : {}),
      startsAt,
      summary: `${String(type)} ${String(name)}: ${String(text)}`,
      labels: { [String(type).toLowerCase()]: String(name) },
    }));
  });
};

const BRANCH = /^([│\s]*)[├└]──\s*(\S+)/;

/** The edges that the tree below a service shows, and those of its callers. */
const edgesIn = (service: string, text: string): Dependency[] => {
  const callers = /\[Upstream \(Called By\)\]:\s*(.*)/.exec(text)?.[1] ?? '';
  const up = callers
    .split(',')
    .map((name) => name.trim())
    .filter((name) => /^[a-z][\w-]*$/.test(name));
  const path: { depth: number; name: string }[] = [{ depth: -1, name: service }];
  const down = text.split('\n').flatMap((line): Dependency[] => {
    const [, indent = '', name] = BRANCH.exec(line) ?? [];
    if (name === undefined) return [];
    while ((path.at(-1)?.depth ?? -1) >= indent.length && path.length > 1) path.pop();
    const from = path.at(-1)?.name ?? service;
    path.push({ depth: indent.length, name });
    return [{ from, to: name }];
  });
  return [...up.map((from) => ({ from, to: service })), ...down];
};

export const recordedDependencies = (answers: RecordedAnswers): Dependency[] => {
  const edges = answers
    .of('GetServiceDependencies')
    .flatMap(({ args, answer }) => edgesIn(String(args['service_name']), printed(answer) ?? ''));
  return [...new Map(edges.map((edge) => [`${edge.from} ${edge.to}`, edge])).values()];
};
