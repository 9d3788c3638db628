import type { StackMemory } from '@inquest/local-stack/memory';
import type { NatsReport } from '@inquest/local-stack/nats-report';
import type { Style } from './style';
import { table } from './text';

export type Check = { name: string; state: 'good' | 'warn' | 'bad'; text: string };

const SIGN = { good: '✓', warn: '!', bad: '✗' } as const;

export const drawChecks = (checks: readonly Check[], style: Style): string[] =>
  table(checks.map(({ name, state, text }) => [`  ${style[state](SIGN[state])} ${name}`, text]));

const mebibytes = (bytes: number): string =>
  `${(bytes / 1024 / 1024).toFixed(bytes < 10 * 1024 * 1024 ? 1 : 0)} MiB`;
const limit = (value: number, show: (n: number) => string = String): string =>
  value < 0 ? 'no limit' : show(value);

export const drawNats = ({
  version,
  server,
  maxPayloadBytes,
  jetStream,
  partitions,
}: NatsReport): string[] => {
  const used = partitions.map(
    ({ bytes, bytesMax }) => `${mebibytes(bytes)} of ${limit(bytesMax, mebibytes)}`,
  );
  const subjects = partitions.reduce((sum, each) => sum + each.subjects, 0);
  return table([
    ['  server', `${version} at ${server}`],
    ['  max payload', mebibytes(maxPayloadBytes)],
    ['  storage', `${mebibytes(jetStream.storageBytes)} of ${limit(jetStream.storageBytesMax, mebibytes)}`],
    ['  streams', `${jetStream.streams} of ${limit(jetStream.streamsMax)}`],
    ['  consumers', `${jetStream.consumers} of ${limit(jetStream.consumersMax)}`],
    [
      '  log',
      `${partitions.length} partitions (${[...new Set(used)].join('; ')}), ${subjects} subjects of 750000`,
    ],
  ]);
};

export const drawMemory = ({ processes, rssMb, pssMb }: StackMemory, style: Style): string[] => {
  const mb = (value: number | null) => (value === null ? '-' : `${Math.round(value)} MB`).padStart(7);
  const rows = processes.map(({ name, pid, rssMb: rss, pssMb: pss }) => [
    `  ${name}`,
    `pid ${pid}`,
    mb(pss),
    mb(rss),
  ]);
  const heads = ['  process', '', '    PSS', '    RSS'].map((head) => style.dim(head));
  return table([heads, ...rows, [style.bold('  together'), '', mb(pssMb), mb(rssMb)]]);
};
