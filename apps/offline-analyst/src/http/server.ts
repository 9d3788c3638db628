import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { MODELS, replyTo } from '../conversation/reply-to';
import { parseChatRequest } from './chat-request';
import { bodyOf, chunksOf, completionOf, type Completion } from './completion';
import { OpenAiError } from './openai-error';

/** A judge's snapshot is the largest request: 128 projections of 32 KiB and the draft, with room to spare. */
const BODY_BYTES_MAX = 32 * 1024 * 1024;
const STARTED_AT_SECONDS = Math.floor(Date.now() / 1_000);

const readBody = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > BODY_BYTES_MAX)
      throw new OpenAiError(413, `The body is larger than ${BODY_BYTES_MAX} bytes.`, 'request_too_large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
};

const sendJson = (response: ServerResponse, status: number, body: unknown): void => {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
  });
  response.end(text);
};

const sendStream = (response: ServerResponse, completion: Completion, includeUsage: boolean): void => {
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
  });
  for (const chunk of chunksOf(completion, includeUsage))
    response.write(`data: ${JSON.stringify(chunk)}\n\n`);
  response.end('data: [DONE]\n\n');
};

const complete = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const chat = parseChatRequest(await readBody(request));
  if (!MODELS.includes(chat.model))
    throw new OpenAiError(
      404,
      `There is no model ${JSON.stringify(chat.model.slice(0, 64))} here.`,
      'model_not_found',
      'model',
    );
  const promptChars = chat.messages.reduce((sum, message) => sum + message.content.length, 0);
  const created = Math.floor(Date.now() / 1_000);
  const completion = completionOf({ model: chat.model, reply: replyTo(chat), promptChars, created });
  if (chat.stream) sendStream(response, completion, chat.stream_options?.include_usage === true);
  else sendJson(response, 200, bodyOf(completion));
};

const models = () => ({
  object: 'list',
  data: MODELS.map((id) => ({ id, object: 'model', created: STARTED_AT_SECONDS, owned_by: 'rules' })),
});

const METHODS: Record<string, 'GET' | 'POST'> = {
  '/v1/chat/completions': 'POST',
  '/v1/models': 'GET',
  '/healthz': 'GET',
};

const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const path = (request.url ?? '/').split('?', 1)[0] ?? '/';
  const method = METHODS[path];
  if (method === undefined) throw new OpenAiError(404, 'There is nothing at this URL.', 'unknown_url');
  if (method !== request.method) {
    response.setHeader('allow', method);
    throw new OpenAiError(405, `Only ${method} is answered here.`, 'method_not_supported');
  }
  if (path === '/v1/chat/completions') return complete(request, response);
  sendJson(response, 200, path === '/healthz' ? { status: 'ok' } : models());
};

const fail = (response: ServerResponse, error: unknown): void => {
  const known =
    error instanceof OpenAiError ? error : new OpenAiError(500, 'The rules failed on this request.');
  if (known.status === 500)
    process.stderr.write(`offline-analyst: ${(error as Error)?.stack ?? String(error)}\n`);
  if (response.headersSent) response.destroy();
  else {
    // What is left of an oversized body is not worth reading.
    if (known.status === 413) response.setHeader('connection', 'close');
    sendJson(response, known.status, known.body);
  }
};

export type Analyst = { port: number; stop(): Promise<void> };

/** Listens; resolves when requests are answered. Rejects when the port is taken. */
export const startAnalyst = ({ port, host }: { port: number; host: string }): Promise<Analyst> => {
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => fail(response, error));
  });
  const stop = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => resolve({ port: (server.address() as AddressInfo).port, stop }));
  });
};
