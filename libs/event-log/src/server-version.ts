import type { NatsConnection } from '@nats-io/transport-node';

/** Old servers ignore what they do not know without a word, so features are asked of the version. */
export const isAtLeast = (version: string, wanted: string): boolean => {
  const [a, b] = [version, wanted].map((text) => text.split(/[.-]/).slice(0, 3).map(Number)) as [
    number[],
    number[],
  ];
  for (let i = 0; i < 3; i++) {
    const difference = (a[i] ?? 0) - (b[i] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return true;
};

export const serverVersion = (nc: NatsConnection): string => nc.info?.version ?? '0.0.0';

/** Below it, concurrent conditional appends to a replicated stream had several winners (300 of 400 tries on 2.9.10). */
export const REPLICAS_SINCE = '2.10.23';
