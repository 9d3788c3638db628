import { headers, type MsgHdrs } from '@nats-io/transport-node';

/** Reads the `NATS/1.0` header block that STREAM.MSG.GET returns as bytes. */
export const parseHeaderBlock = (block: Uint8Array | undefined): MsgHdrs => {
  const h = headers();
  if (!block) return h;
  const [, ...lines] = new TextDecoder().decode(block).split('\r\n');
  for (const line of lines) {
    const colon = line.indexOf(':');
    if (colon > 0) h.append(line.slice(0, colon), line.slice(colon + 1).trim());
  }
  return h;
};
