/** The SSE id of a chain entry: its position in the log, `<partition>-<sequence>`. */
export type EventId = { partition: number; seq: number };

export const eventIdOf = ({ partition, seq }: EventId): string => `${partition}-${seq}`;

/** `undefined`: not one of ours. */
export const parseEventId = (text: string): EventId | undefined => {
  const match = /^(\d{1,3})-(\d{1,15})$/.exec(text);
  return match ? { partition: Number(match[1]), seq: Number(match[2]) } : undefined;
};
