import { startAnalyst, type Analyst } from '../src/http/server';

/** An analyst on a free port, for the life of a describe block. */
export const usingAnalyst = (): { url: () => string; post: (body: unknown) => Promise<Response> } => {
  let analyst: Analyst | undefined;
  beforeAll(async () => {
    analyst = await startAnalyst({ port: 0, host: '127.0.0.1' });
  });
  afterAll(() => analyst?.stop());
  const url = () => `http://127.0.0.1:${analyst?.port}`;
  const post = (body: unknown) =>
    fetch(`${url()}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  return { url, post };
};
