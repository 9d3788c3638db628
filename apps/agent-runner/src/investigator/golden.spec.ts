import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { hashOf, sha256 } from '@inquest/contracts/canonical-json';
import { investigatorRequested, type InvestigatorRequested } from '@inquest/contracts/case-facts';
import { InvestigationPrompt } from '@inquest/contracts/case-parts';
import type { ChatOutcome } from '@inquest/model-client/chat-outcome';
import type { ChatMessage } from '@inquest/model-client/chat-request';
import { caseTranscript, type CaseEvidence } from './case-transcript';
import { investigatorResultOf, investigatorSchema } from './investigator-answer';

// The calls of a case as they were under each version. A call that is pending when the software changes ends as it was
// begun (E11): the same bytes go to the endpoint, and the same answer means the same.

type Call = {
  call: string;
  request: InvestigatorRequested;
  draft: string | null;
  messages: ChatMessage[];
  /** Of a turn's protocol. The form of a draft is the draft's contract, which may grow. */
  answerSchemaHash: string | null;
  answers: { text: string; result: Record<string, unknown> }[];
};
type Log = { evidence: Record<string, CaseEvidence>; calls: Call[] };

const GOLDEN = join(__dirname, 'fixtures/golden');
const textOf = (file: string): string => readFileSync(join(GOLDEN, file), 'utf8');
const HASHES = JSON.parse(textOf('hashes.json')) as Record<string, string>;
const logOf = (version: string): Log => JSON.parse(textOf(`${version}.json`)) as Log;

const record = {
  model: 'm',
  startedAt: '2026-03-01T10:00:00.000Z',
  ms: 1,
  requestHash: null,
  rawHash: null,
  usage: null,
  finishReason: 'stop',
};
const resultOf = (text: string, request: InvestigatorRequested) => {
  const outcome: ChatOutcome = { kind: 'TEXT', text, record };
  return investigatorResultOf(outcome, request, (draft) =>
    Promise.resolve({ sha256: sha256(draft), bytes: Buffer.byteLength(draft, 'utf8'), inline: draft }),
  );
};

describe('E11 golden logs of the investigator', () => {
  it('stand unchanged, one of each version', () => {
    const files = readdirSync(GOLDEN).filter((file) => file !== 'hashes.json');
    expect(files.sort()).toEqual(InvestigationPrompt.options.map((version) => `${version}.json`).sort());
    expect(Object.fromEntries(files.map((file) => [file, sha256(textOf(file))]))).toEqual(HASHES);
  });

  describe.each(InvestigationPrompt.options)('%s', (version) => {
    const { evidence, calls } = logOf(version);

    it.each(calls.map((each) => [each.call, each] as const))(
      'sends the same bytes again: %s',
      (_, { request, draft, messages, answerSchemaHash }) => {
        expect(request.promptVersion).toBe(version);
        // Still a request by today's contract, with nothing added to it or left out.
        expect(investigatorRequested.schema.parse(request)).toEqual(request);
        const replayed = caseTranscript(request, new Map(Object.entries(evidence)), draft);
        expect(JSON.stringify(replayed)).toBe(JSON.stringify(messages));
        const isFinal = request.mode === 'DIAGNOSE' || request.mode === 'REPAIR';
        expect(isFinal ? null : hashOf(investigatorSchema(request.mode, version))).toBe(answerSchemaHash);
      },
    );

    it.each(
      calls.flatMap(({ call, request, answers }) =>
        answers.map(({ text, result }, i) => [`${call}, ${i + 1}`, request, text, result] as const),
      ),
    )('reads the same answer as the same: %s', async (_, request, text, result) => {
      const read: unknown = await resultOf(text, request);
      expect(read).toEqual({ ...result, record });
    });
  });
});
