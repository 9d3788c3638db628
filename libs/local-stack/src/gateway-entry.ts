import { setTimeout as sleep } from 'node:timers/promises';
import { serviceAnnounced } from '@inquest/contracts/platform-facts';
import { z } from 'zod';

const REQUEST_TIMEOUT_MS = 3_000;
const LOOK_EVERY_MS = 50;

/** What is read here of `GET /v1/system`; the gateway may say more. */
const SystemView = z.object({
  services: z.array(serviceAnnounced.schema),
  entry: z.object({ path: z.enum(['GUARDED', 'LEGACY', 'REFUSED']), detail: z.string().nullable() }),
});
export type SystemView = z.infer<typeof SystemView>;

/** Who is announced, and which way a question would go now. */
export const readSystem = async (gatewayUrl: string, token: string): Promise<SystemView> => {
  const response = await fetch(`${gatewayUrl}/v1/system`, {
    headers: { authorization: `Bearer ${token}` },
    signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
  });
  if (!response.ok) throw new Error(`GET /v1/system answers ${response.status}`);
  return SystemView.parse(await response.json());
};

/** Waits until a question would go through the guards; what still refuses it after the deadline, else undefined. */
export const untilGuarded = async (
  gatewayUrl: string,
  token: string,
  timeoutMs: number,
): Promise<string | undefined> => {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const why = await readSystem(gatewayUrl, token).then(
      ({ entry }) => (entry.path === 'GUARDED' ? undefined : (entry.detail ?? entry.path)),
      (error: Error) => error.message,
    );
    if (why === undefined || performance.now() > deadline) return why;
    await sleep(LOOK_EVERY_MS);
  }
};
