import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export type ScriptedMessage = {
  role: string;
  content: string | null;
  tool_calls?: { id: string; function: { name: string; arguments: string } }[];
  tool_call_id?: string;
};

export type ScriptedBody = {
  model: string;
  messages: ScriptedMessage[];
  tools?: { function: { name: string; parameters: unknown } }[];
  tool_choice?: unknown;
  stream?: boolean;
  [member: string]: unknown;
};

export type ScriptedRequest = {
  body: ScriptedBody;
  /** The Idempotency-Key: `<runId>/<step>`. */
  key: string;
  /** How many requests with this key there have been, this one included. */
  n: number;
  headers: IncomingHttpHeaders;
  /** Settles when the client went away before it had its whole answer. */
  abandoned: Promise<void>;
};

export type CallSpec = { id?: unknown; name?: unknown; arguments?: unknown; [state: string]: unknown };

/** What the endpoint does with one request. `delayMs` passes before the first byte; 0 is the default everywhere. */
export type ScriptedReply = { delayMs?: number } & (
  | { kind: 'TEXT'; text: string; finishReason?: string | null; usage?: unknown }
  | { kind: 'CALLS'; calls: CallSpec[]; finishReason?: string | null; usage?: unknown }
  /** Any body under any status. */
  | { kind: 'RAW'; status: number; body: string; headers?: Record<string, string> }
  /** Server-sent events: a string is sent as it is after `data: `, anything else as JSON. `end` false: the connection is cut. */
  | { kind: 'EVENTS'; events: unknown[]; end?: boolean }
  /** Not even a status line. */
  | { kind: 'HANG_HEADERS' }
  /** Headers and this much of a body, then nothing. */
  | { kind: 'HANG_BODY'; body?: string; contentType?: string }
  /** Headers and this much of a body, then the connection breaks; undefined: it breaks at once. */
  | { kind: 'CUT'; body?: string }
);

export type Script = (request: ScriptedRequest) => ScriptedReply | Promise<ScriptedReply>;

export type ScriptedModel = {
  /** Base URL for OPENAI_BASE_URL, with `/v1`. */
  url: string;
  /** Every request since the start, in order of arrival. */
  requests: ScriptedRequest[];
  /** Requests per Idempotency-Key. */
  counts: ReadonlyMap<string, number>;
  /** Replaces the script for requests from now on. */
  play(script: Script): void;
  close(): Promise<void>;
};

export const text = (value: string): ScriptedReply => ({ kind: 'TEXT', text: value });
export const json = (value: unknown): ScriptedReply => ({ kind: 'TEXT', text: JSON.stringify(value) });
export const calls = (...list: CallSpec[]): ScriptedReply => ({ kind: 'CALLS', calls: list });

const USAGE = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };

const wireCall = ({ id, name, arguments: args, ...state }: CallSpec) => ({
  ...(id === undefined ? {} : { id }),
  type: 'function',
  function: { name, ...(args === undefined ? {} : { arguments: args }) },
  ...state,
});

/** The body of an answer as a plain endpoint writes it. */
export const completionBody = (reply: Extract<ScriptedReply, { kind: 'TEXT' | 'CALLS' }>) => ({
  id: 'chatcmpl-scripted',
  object: 'chat.completion',
  created: 0,
  model: 'scripted',
  choices: [
    {
      index: 0,
      message:
        reply.kind === 'TEXT'
          ? { role: 'assistant', content: reply.text, refusal: null }
          : { role: 'assistant', content: null, refusal: null, tool_calls: reply.calls.map(wireCall) },
      finish_reason:
        reply.finishReason === undefined
          ? reply.kind === 'TEXT'
            ? 'stop'
            : 'tool_calls'
          : reply.finishReason,
    },
  ],
  ...(reply.usage === null ? {} : { usage: reply.usage ?? USAGE }),
});

/** The same as the events of a stream, `[DONE]` included. */
export const completionEvents = (reply: Extract<ScriptedReply, { kind: 'TEXT' | 'CALLS' }>): unknown[] => {
  const { choices, usage } = completionBody(reply);
  const [choice] = choices;
  const delta =
    reply.kind === 'TEXT'
      ? { role: 'assistant', content: reply.text }
      : { role: 'assistant', tool_calls: reply.calls.map((call, index) => ({ index, ...wireCall(call) })) };
  return [
    { choices: [{ index: 0, delta, finish_reason: null }] },
    { choices: [{ index: 0, delta: {}, finish_reason: choice?.finish_reason }] },
    ...(usage ? [{ choices: [], usage }] : []),
    '[DONE]',
  ];
};

const JSON_TYPE = { 'content-type': 'application/json' };

const respond = (reply: ScriptedReply, request: ScriptedRequest, response: ServerResponse): void => {
  switch (reply.kind) {
    case 'TEXT':
    case 'CALLS':
      if (request.body.stream === true)
        return respond({ kind: 'EVENTS', events: completionEvents(reply) }, request, response);
      response.writeHead(200, JSON_TYPE).end(JSON.stringify(completionBody(reply)));
      return;
    case 'RAW':
      response.writeHead(reply.status, { ...JSON_TYPE, ...reply.headers }).end(reply.body);
      return;
    case 'EVENTS':
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const event of reply.events)
        response.write(`data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`);
      if (reply.end === false) setImmediate(() => response.destroy());
      else response.end();
      return;
    case 'HANG_HEADERS':
      return;
    case 'HANG_BODY':
      response.writeHead(200, { 'content-type': reply.contentType ?? 'application/json' });
      response.write(reply.body ?? '{"choices":[');
      return;
    case 'CUT':
      if (reply.body === undefined) {
        response.destroy();
        return;
      }
      response.writeHead(200, JSON_TYPE);
      response.write(reply.body, () => response.destroy());
  }
};

const bodyOf = async (incoming: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
};

/** A chat completions endpoint on a free port of 127.0.0.1 that does what the script says, and remembers who asked. */
export const startScriptedModel = async (script: Script): Promise<ScriptedModel> => {
  let playing = script;
  const requests: ScriptedRequest[] = [];
  const counts = new Map<string, number>();
  const sockets = new Set<Socket>();

  const handle = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (incoming.method !== 'POST' || !incoming.url?.endsWith('/chat/completions')) {
      response
        .writeHead(incoming.url?.endsWith('/models') ? 200 : 404, JSON_TYPE)
        .end('{"object":"list","data":[]}');
      return;
    }
    const abandoned = new Promise<void>((resolve) =>
      response.once('close', () => (response.writableFinished ? undefined : resolve())),
    );
    const body = JSON.parse(await bodyOf(incoming)) as ScriptedBody;
    const key = String(incoming.headers['idempotency-key'] ?? '');
    const n = (counts.get(key) ?? 0) + 1;
    counts.set(key, n);
    const request: ScriptedRequest = { body, key, n, headers: incoming.headers, abandoned };
    requests.push(request);
    const reply = await playing(request);
    if (reply.delayMs) await new Promise((resolve) => setTimeout(resolve, reply.delayMs));
    if (!response.destroyed) respond(reply, request, response);
  };

  const server = createServer((incoming, response) => {
    handle(incoming, response).catch((error: unknown) => {
      // A script that throws is a broken test: say so where it is looked for.
      response
        .writeHead(500, JSON_TYPE)
        .end(JSON.stringify({ error: { message: `script: ${String(error)}` } }));
    });
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    url: `http://127.0.0.1:${address.port}/v1`,
    requests,
    counts,
    play: (next) => {
      playing = next;
    },
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
};
