import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { hashOf, sha256 } from '@inquest/contracts/canonical-json';
import { evaluatorRequested, type EvaluatorRequested } from '@inquest/contracts/case-facts';
import { EvaluatorPrompt } from '@inquest/contracts/case-parts';
import type { ChatMessage } from '@inquest/model-client/chat-request';
import { readEvaluation, type EvaluationReading } from './evaluation-validation';
import { answerOf } from './evaluator';
import { evaluatorMessages, type EvaluatorEvidence } from './evaluator-document';

// Passes of early reviews as they were under each version: a pending one sends the same bytes again, and the same answer
// means the same (E11). Of what is sent only the boundary is drawn anew each time.

type Pass = {
  pass: 1 | 2;
  request: EvaluatorRequested;
  boundary: string;
  messages: ChatMessage[];
  answerSchemaHash: string;
  answers: { text: string; reading: EvaluationReading }[];
};
type Log = { evidence: Record<string, EvaluatorEvidence>; passes: Pass[] };

const GOLDEN = join(__dirname, 'fixtures/golden');
const textOf = (file: string): string => readFileSync(join(GOLDEN, file), 'utf8');
const HASHES = JSON.parse(textOf('hashes.json')) as Record<string, string>;
const logOf = (version: string): Log => JSON.parse(textOf(`${version}.json`)) as Log;

describe('E11 golden logs of the evaluator', () => {
  it('stand unchanged, one of each version', () => {
    const files = readdirSync(GOLDEN).filter((file) => file !== 'hashes.json');
    expect(files.sort()).toEqual(EvaluatorPrompt.options.map((version) => `${version}.json`).sort());
    expect(Object.fromEntries(files.map((file) => [file, sha256(textOf(file))]))).toEqual(HASHES);
  });

  describe.each(EvaluatorPrompt.options)('%s', (version) => {
    const log = logOf(version);
    const evidence = new Map(Object.entries(log.evidence));

    it.each(log.passes.map((each) => [each.pass, each] as const))(
      'sends the same bytes again: pass %i',
      (_, { request, boundary, messages, answerSchemaHash }) => {
        expect(request.promptVersion).toBe(version);
        expect(evaluatorRequested.schema.parse(request)).toEqual(request);
        const replayed = evaluatorMessages(request, evidence, boundary);
        expect(JSON.stringify(replayed)).toBe(JSON.stringify(messages));
        expect(hashOf(answerOf(version))).toBe(answerSchemaHash);
      },
    );

    it.each(
      log.passes.flatMap(({ pass, request, answers }) =>
        answers.map(({ text, reading }, i) => [`pass ${pass}, ${i + 1}`, request, text, reading] as const),
      ),
    )('reads the same answer as the same: %s', (_, request, text, reading) => {
      expect(readEvaluation({ text, finishReason: 'stop' }, request, evidence)).toEqual(reading);
    });
  });
});
