import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { endsCase, type CaseFrame } from '@inquest/contracts/case-frame';
import { isEndedCase, type CaseAccepted, type CaseView } from '@inquest/contracts/case-view';
import { askPatiently } from './ask-patiently';
import { cancelOnInterrupt } from './cancel-on-interrupt';
import { caseExitCode } from './case-exit-code';
import { textOption, type Call } from './command';
import type { ExitCode } from './exit-code';
import { followFrames } from './follow-frames';
import type { GatewayClient } from './gateway-client';
import type { CaseBody } from './new-case';
import type { Output } from './output';
import { drawCase } from './render/case';
import { advanceCase, NO_CASE_PROGRESS, NO_WORDS, needsWords, type CaseWords } from './render/case-progress';
import { drawLine } from './render/progress';
import { hang } from './render/text';

const VIEW_WAIT_MS = 15_000;
/** Below the mark of the line that it belongs to. */
const BELOW = ' '.repeat(11);

/** Shows the live progress of a case until it has ended. Frames hold no words: those come from the view. */
export const showCaseProgress = async (
  client: GatewayClient,
  caseId: string,
  out: Output,
  signal: AbortSignal,
): Promise<void> => {
  let progress = NO_CASE_PROGRESS;
  let known: CaseWords = NO_WORDS;
  const tick = setInterval(() => out.status(`         … waiting for ${progress.waitingFor}`), 500);
  const show = async (frame: CaseFrame): Promise<void> => {
    if (needsWords(frame, known)) known = await client.case(caseId);
    const next = advanceCase(progress, frame, known);
    progress = next.progress;
    if (next.line) {
      const below = next.line.below.flatMap((text) => hang(BELOW, text, out.columns));
      out.lines(drawLine(next.line, out.style), ...below.map((line) => out.style.dim(line)));
    }
    if (!progress.ended) out.status(`         … waiting for ${progress.waitingFor}`);
  };
  try {
    await followFrames(
      {
        follow: (position, until) => client.followCase(caseId, position, until),
        isEnd: endsCase,
        hasEnded: async () => isEndedCase((await client.case(caseId)).status),
      },
      show,
      signal,
    );
  } finally {
    clearInterval(tick);
    out.lines();
  }
};

/** The case as it ended. */
export const endedCase = async (client: GatewayClient, caseId: string): Promise<CaseView> => {
  const deadline = performance.now() + VIEW_WAIT_MS;
  for (;;) {
    const view = await client.case(caseId);
    if (isEndedCase(view.status)) return view;
    if (performance.now() > deadline)
      throw new Error(`case ${caseId} has ended, but its view does not say so`);
    await sleep(50);
  }
};

/** Draws a case, prints it as a JSON line, and gives its exit code. */
export const showCase = (
  view: CaseView,
  { out, options }: Pick<Call, 'out' | 'options'>,
  passing = false,
): ExitCode => {
  const page = { style: out.style, columns: out.columns, full: options['full'] === true, passing };
  out.lines(...drawCase(view, page));
  out.result(view);
  return caseExitCode(view.status);
};

/** Opens the case under the given key or a new one. */
export const openCase = (client: GatewayClient, body: CaseBody, call: Call): Promise<CaseAccepted> => {
  const key = textOption(call.options, 'key') ?? randomUUID();
  return askPatiently(() => client.openCase(body, key), call);
};

/** Opens the case, shows what happens, and shows what came of it. */
export const investigateAndShow = async (
  client: GatewayClient,
  body: CaseBody,
  call: Call,
  passing = false,
): Promise<ExitCode> => {
  const { out } = call;
  const { caseId } = await openCase(client, body, call);
  const asked = 'question' in body ? body.question : `run ${body.fromRun}, taken further`;
  const source = 'question' in body && body.source ? ` on source ${out.style.bold(body.source)}` : '';
  out.lines('', out.style.bold(asked), out.style.dim(`case ${caseId}`) + source, '');
  const until = cancelOnInterrupt('case', () => client.cancelCase(caseId), call);
  await showCaseProgress(client, caseId, out, until);
  return showCase(await endedCase(client, caseId), call, passing);
};
