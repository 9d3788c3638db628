import { createHmac, timingSafeEqual } from 'node:crypto';

/** Proves that its bearer asked for this run: the event stream that presents it owns the run. */
export class StreamTokens {
  constructor(private readonly secret: string) {}

  for(runId: string): string {
    return createHmac('sha256', this.secret).update(`stream/${runId}`).digest('base64url');
  }

  matches(runId: string, presented: string): boolean {
    const expected = Buffer.from(this.for(runId));
    const given = Buffer.from(presented);
    return expected.length === given.length && timingSafeEqual(expected, given);
  }
}
