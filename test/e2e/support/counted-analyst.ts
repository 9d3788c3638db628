import {
  startScriptedModel,
  type ScriptedModel,
  type ScriptedRequest,
} from '@inquest/testing/scripted-model';
import { startAnalyst } from '../../../apps/offline-analyst/src/http/server';

/** Answers in place of the analyst; undefined leaves it to the analyst, after whatever was awaited. */
export type Instead = (request: ScriptedRequest) => string | undefined | Promise<string | undefined>;

export type CountedAnalyst = {
  model: ScriptedModel;
  /** The environment of a stack that asks it. */
  env: Record<string, string>;
  answerInstead: (instead: Instead) => void;
  /** Requests of one run or case that reached the model, in order. */
  requestsOf: (id: string) => ScriptedRequest[];
  stop: () => Promise<void>;
};

/** The offline analyst behind an endpoint that counts requests and may answer in its place. */
export const startCountedAnalyst = async (): Promise<CountedAnalyst> => {
  const analyst = await startAnalyst({ port: 0, host: '127.0.0.1' });
  let instead: Instead = () => undefined;
  const model = await startScriptedModel(async (request) => {
    const text = await instead(request);
    if (text !== undefined) return { kind: 'TEXT', text };
    const answer = await fetch(`http://127.0.0.1:${analyst.port}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(request.body),
    });
    return { kind: 'RAW', status: answer.status, body: await answer.text() };
  });
  return {
    model,
    env: {
      OPENAI_BASE_URL: model.url,
      OPENAI_API_KEY: 'k',
      MODEL_ROUTER: 'rules-router',
      MODEL_AGENT: 'rules-diagnosis',
      MODEL_JUDGE: 'rules-judge',
    },
    answerInstead: (wanted) => (instead = wanted),
    requestsOf: (id) => model.requests.filter(({ key }) => key.startsWith(`${id}/`)),
    stop: async () => {
      await model.close();
      await analyst.stop();
    },
  };
};
