import { usingAnalyst } from '../../test/analyst';

type Chunk = {
  choices: {
    delta: { role?: string; content?: string | null; tool_calls?: ToolCallDelta[] };
    finish_reason: string | null;
  }[];
  usage?: unknown;
};
type ToolCallDelta = { index: number; id?: string; function: { name?: string; arguments?: string } };

const route = (question: string) => ({ role: 'user', content: JSON.stringify({ kind: 'route', question }) });
const question = {
  role: 'user',
  content: JSON.stringify({
    kind: 'question',
    intent: 'DIAGNOSIS',
    question: 'Why?',
    limits: { toolCallsLeft: 40, callsPerResponseMax: 16 },
  }),
};
const tool = (name: string) => ({ type: 'function', function: { name, parameters: {} } });
const TOOLS = ['active_alerts', 'list_objects', 'search_logs'].map(tool);

const chunksOf = async (response: Response): Promise<{ chunks: Chunk[]; done: boolean }> => {
  const frames = (await response.text())
    .split('\n\n')
    .filter(Boolean)
    .map((frame) => frame.replace(/^data: /, ''));
  const done = frames.at(-1) === '[DONE]';
  return {
    chunks: frames.filter((frame) => frame !== '[DONE]').map((frame) => JSON.parse(frame) as Chunk),
    done,
  };
};

describe('the endpoint speaks chat completions', () => {
  const { url, post } = usingAnalyst();

  it('answers a route question with one JSON object and counts its tokens', async () => {
    const response = await post({
      model: 'rules-router',
      messages: [{ role: 'system', content: 'Sort.' }, route('Why do checkouts fail?')],
    });
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({
      object: 'chat.completion',
      model: 'rules-router',
      system_fingerprint: 'rules-no-language-model',
      choices: [
        {
          index: 0,
          finish_reason: 'stop',
          message: { role: 'assistant', content: '{"intent":"DIAGNOSIS"}', refusal: null },
        },
      ],
      usage: { prompt_tokens: expect.any(Number), completion_tokens: 6, total_tokens: expect.any(Number) },
    });
  });

  it('proposes parallel tool calls with ids that are unique within and between answers', async () => {
    const ids = new Set<string>();
    for (let n = 0; n < 2; n += 1) {
      const body = (await (
        await post({ model: 'rules-diagnosis', messages: [question], tools: TOOLS, tool_choice: 'auto' })
      ).json()) as {
        choices: [
          {
            finish_reason: string;
            message: {
              content: null;
              tool_calls: { id: string; type: string; function: { arguments: string } }[];
            };
          },
        ];
      };
      const [{ finish_reason: reason, message }] = body.choices;
      expect(reason).toBe('tool_calls');
      expect(message.content).toBeNull();
      expect(message.tool_calls.length).toBeGreaterThan(3);
      for (const call of message.tool_calls) {
        expect(call.id).toMatch(/^call_[0-9a-f]{24}$/);
        expect(JSON.parse(call.function.arguments)).toEqual(expect.any(Object));
        ids.add(call.id);
      }
    }
    expect(ids.size).toBeGreaterThan(6);
  });

  it('streams content in pieces, with usage when asked, and closes with [DONE]', async () => {
    const messages = [question, { role: 'user', content: '{"kind":"conclude"}' }];
    const whole = (await (
      await post({ model: 'rules-diagnosis', messages, tool_choice: 'none' })
    ).json()) as { choices: [{ message: { content: string } }] };
    const response = await post({
      model: 'rules-diagnosis',
      messages,
      tool_choice: 'none',
      stream: true,
      stream_options: { include_usage: true },
    });
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    const { chunks, done } = await chunksOf(response);
    expect(done).toBe(true);
    expect(chunks[0]?.choices[0]?.delta.role).toBe('assistant');
    expect(chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('')).toBe(
      whole.choices[0].message.content,
    );
    expect(chunks.at(-2)?.choices[0]?.finish_reason).toBe('stop');
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: expect.any(Number) } });
  });

  it('streams tool calls: id and name first, arguments in pieces under the same index', async () => {
    const { chunks } = await chunksOf(
      await post({ model: 'rules-diagnosis', messages: [question], tools: TOOLS, stream: true }),
    );
    const calls = new Map<number, { id: string; name: string; args: string }>();
    for (const delta of chunks.flatMap((chunk) => chunk.choices[0]?.delta.tool_calls ?? [])) {
      const call = calls.get(delta.index) ?? { id: '', name: '', args: '' };
      calls.set(delta.index, {
        id: call.id || (delta.id ?? ''),
        name: call.name || (delta.function.name ?? ''),
        args: call.args + (delta.function.arguments ?? ''),
      });
    }
    expect([...calls.keys()]).toEqual([...calls.keys()].map((_, index) => index));
    for (const { id, name, args } of calls.values()) {
      expect(id).toMatch(/^call_/);
      expect(TOOLS.map((t) => t.function.name)).toContain(name);
      expect(() => JSON.parse(args) as unknown).not.toThrow();
    }
    expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe('tool_calls');
  });

  it('lists its models as rules and reports its health', async () => {
    const models = (await (await fetch(`${url()}/v1/models`)).json()) as {
      data: { id: string; owned_by: string }[];
    };
    expect(models.data.map(({ id }) => id)).toEqual(['rules-router', 'rules-diagnosis', 'rules-judge']);
    expect(models.data.every(({ owned_by: owner }) => owner === 'rules')).toBe(true);
    expect((await fetch(`${url()}/healthz`)).status).toBe(200);
  });

  it('tells a stranger that it is no language model', async () => {
    const body = (await (
      await post({ model: 'rules-diagnosis', messages: [{ role: 'user', content: 'Hello!' }] })
    ).json()) as { choices: [{ message: { content: string } }] };
    expect(body.choices[0].message.content).toContain('not a language model');
  });

  it('takes content that comes as a list of text parts', async () => {
    const content = [
      { type: 'text', text: '{"kind":"route","question":"How do I ' },
      { type: 'text', text: 'restart a pod?"}' },
    ];
    const body = await (await post({ model: 'rules-router', messages: [{ role: 'user', content }] })).json();
    expect(body).toMatchObject({ choices: [{ message: { content: '{"intent":"KNOWLEDGE_QUERY"}' } }] });
  });
});

describe('bad requests get errors in the shape of OpenAI', () => {
  const { url, post } = usingAnalyst();

  it.each<[string, unknown, number, string | null]>([
    ['no JSON', '{"model":', 400, null],
    ['no messages', { model: 'rules-router', messages: [] }, 400, 'messages'],
    [
      'a role that does not exist',
      { model: 'rules-router', messages: [{ role: 'oracle', content: 'x' }] },
      400,
      'messages[0].role',
    ],
    [
      'a tool message without an id',
      { model: 'rules-router', messages: [{ role: 'tool', content: 'x' }] },
      400,
      'messages[0].tool_call_id',
    ],
    ['several answers', { model: 'rules-router', messages: [route('x')], n: 2 }, 400, 'n'],
    ['another model', { model: 'gpt-4o', messages: [route('x')] }, 404, 'model'],
  ])('%s', async (_, body, status, param) => {
    const response = await post(body);
    expect(response.status).toBe(status);
    expect(await response.json()).toEqual({
      error: {
        message: expect.any(String),
        type: 'invalid_request_error',
        param,
        code: status === 404 ? 'model_not_found' : null,
      },
    });
  });

  it('a URL or a method that is not there', async () => {
    expect((await fetch(`${url()}/v1/embeddings`)).status).toBe(404);
    const response = await fetch(`${url()}/v1/chat/completions`);
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe('POST');
  });

  it('a body beyond the bound', async () => {
    const response = await post(`"${'x'.repeat(33 * 1024 * 1024)}"`).catch(() => undefined);
    // The server may close before the client has sent everything.
    if (response) expect(response.status).toBe(413);
    expect((await fetch(`${url()}/healthz`)).status).toBe(200);
  });
});
