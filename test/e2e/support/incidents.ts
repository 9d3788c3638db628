import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const AT = '2026-03-04T10:00:00.000Z';

/** The file of these messages, a tenth of a second apart. */
export const logLines = (...messages: string[]): string =>
  messages
    .map((message, i) => {
      const time = new Date(Date.parse(AT) + i * 100).toISOString();
      return `${JSON.stringify({ time, service: 'checkout', level: 'ERROR', message })}\n`;
    })
    .join('');

/** A small folder in which everything is in order: one service, two log lines, one metric, one alert. */
const FILES = {
  'incident.json': {
    format: 1,
    name: 'small',
    title: 'A small incident',
    namespace: 'shop',
    zone: 'UTC',
    window: { from: AT, to: '2026-03-04T11:00:00.000Z' },
    recordedAt: '2026-03-04T11:00:00.000Z',
    question: 'Why does checkout fail?',
    services: ['checkout'],
  },
  'objects.json': [
    {
      kind: 'Pod',
      metadata: { name: 'checkout-1', namespace: 'shop', labels: { app: 'checkout' } },
      status: { phase: 'Running' },
    },
  ],
  'events.json': [],
  'metrics.json': [
    {
      name: 'http_errors',
      unit: 'requests',
      labels: { service: 'checkout' },
      stepSeconds: 60,
      points: [[Date.parse(AT) / 1_000, 4]],
    },
  ],
  'alerts.json': [
    {
      name: 'CheckoutErrors',
      severity: 'page',
      service: 'checkout',
      startsAt: AT,
      summary: 'errors',
      labels: {},
    },
  ],
  'dependencies.json': [],
  'logs.ndjson': logLines('upstream answered 502'),
} as const;

/** Writes the small incident; `changes` replaces files by other content, text as it is. `null`: the file is missing. */
export const writeIncident = (
  parent: string,
  name: string,
  changes: Partial<Record<keyof typeof FILES, unknown>> = {},
): string => {
  const dir = join(parent, name);
  mkdirSync(dir, { recursive: true });
  for (const [file, content] of Object.entries({ ...FILES, ...changes })) {
    if (content === null) continue;
    writeFileSync(join(dir, file), typeof content === 'string' ? content : JSON.stringify(content));
  }
  return dir;
};

/** Log lines of at least this many bytes together, each of them a different one. */
export const manyLogLines = (bytes: number): string => {
  const message = (i: number) =>
    `order ${i} was refused by the upstream of checkout after ${i % 997} ms: ${'detail '.repeat(10)}`;
  const lines = Math.ceil(bytes / logLines(message(0)).length);
  return logLines(...Array.from({ length: lines }, (_, i) => message(i)));
};
