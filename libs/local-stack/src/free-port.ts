import { createServer } from 'node:net';

// Below the ephemeral ranges of Linux (32768+) and macOS (49152+), so that no outgoing connection takes a port
// between the check and the server's bind.
const LOWEST = 21_000;
const HIGHEST = 32_000;
const TRIES = 50;

/** True when nothing listens on the loopback port right now. */
export const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => resolve(true)));
  });

/** A free loopback port; `preferred` wins when it is free, so that ports stay the same from start to start. */
export const freePort = async (preferred?: number): Promise<number> => {
  if (preferred !== undefined && (await isFree(preferred))) return preferred;
  for (let i = 0; i < TRIES; i += 1) {
    const port = LOWEST + Math.floor(Math.random() * (HIGHEST - LOWEST));
    if (await isFree(port)) return port;
  }
  throw new Error(`no free loopback port found in ${TRIES} tries between ${LOWEST} and ${HIGHEST}`);
};
