import { agentResult, routerResult } from '@inquest/contracts/agent-facts';
import type { RunId } from '@inquest/contracts/ids';
import { runRequested, type RunRequested } from '@inquest/contracts/inbound-facts';
import { isTerminal, type RunEventOf } from '@inquest/contracts/run-decision';
import { semanticResult } from '@inquest/contracts/semantic-facts';
import { foldRun } from '@inquest/run-view/fold-run';
import { verifiedReport } from '@inquest/run-view/released-bytes';
import { waitFor } from '@inquest/testing/wait-for';
import type { CrashWorld } from './crash-world';

/** Services whose work is a model call, with the contract of their results. */
const MODEL_RESULTS = { router: routerResult, agent: agentResult, semantic: semanticResult };
type ModelService = keyof typeof MODEL_RESULTS;

const isModelStep = (
  event: RunEventOf<'StepRequested'>,
): event is RunEventOf<'StepRequested'> & { service: ModelService } => event.service in MODEL_RESULTS;

/**
 * Everything that must hold of a run whatever was killed in the middle of it. Returns the steps whose model call was
 * lost, as `<service>.<step>`.
 */
export const expectSoundRelease = async (world: CrashWorld, runId: RunId): Promise<string[]> => {
  await world.until(runId, 'RunReleased');
  await expectOneHistory(world, runId);
  const lost = await expectEachCallOnce(world, runId);
  await expectRowIsFold(world, runId);
  return lost;
};

/** One chain without gaps and with one end; each fact once; each accepted call completed once. */
const expectOneHistory = async (world: CrashWorld, runId: RunId): Promise<void> => {
  const chain = await world.chain(runId);
  expect(chain.map(({ decision }) => decision.n)).toEqual(chain.map((_, n) => n));
  const events = chain.flatMap(({ decision }) => decision.events);
  expect(events.filter(isTerminal).map(({ type }) => type)).toEqual(['RunReleased']);
  expect(events.filter(({ type }) => type === 'OutcomeSealed')).toHaveLength(1);

  expect(events.filter(({ type }) => type === 'StepTimedOut')).toEqual([]);

  const counts = Object.entries(await world.counts(runId));
  const repeated = counts.filter(([subject, count]) => /\.(in|req|res)\./.test(subject) && count !== 1);
  expect(repeated).toEqual([]);

  const accepted = events.filter((event) => event.type === 'ToolActionAccepted').map((e) => e.toolCallId);
  const completed = events
    .filter((event) => event.type === 'ToolInvocationCompleted')
    .map((e) => e.toolCallId);
  expect([...completed].sort()).toEqual([...accepted].sort());
  const unread = events.filter(
    (event) => event.type === 'ToolInvocationCompleted' && event.status !== 'READY',
  );
  expect(unread).toEqual([]);
};

/** A call that has a persisted result was made once; one that was lost at most once, and the next has another key. */
const expectEachCallOnce = async (world: CrashWorld, runId: RunId): Promise<string[]> => {
  const events = await world.events(runId);
  const steps = events.filter((event) => event.type === 'StepRequested').filter(isModelStep);
  const lost: string[] = [];
  for (const { service, step } of steps) {
    const result = MODEL_RESULTS[service].schema.parse(
      await world.fact(world.subjects(runId).res(service, step)),
    );
    const made = world.model.counts.get(`${runId}/${step}`) ?? 0;
    if (result.kind === 'FAILED') {
      expect({ step, failure: result.failure }).toEqual({ step, failure: 'ATTEMPT_LOST' });
      expect(made).toBeLessThanOrEqual(1);
      lost.push(`${service}.${step}`);
    } else {
      expect({ step, made }).toEqual({ step, made: 1 });
    }
  }
  const known = new Set(steps.map(({ step }) => `${runId}/${step}`));
  const foreign = [...world.model.counts.keys()].filter((key) => key.startsWith(runId) && !known.has(key));
  expect(foreign).toEqual([]);
  return lost;
};

/** `diagnosis_run` says of the run exactly what its chain says, and holds the bytes that it released. */
const expectRowIsFold = async (world: CrashWorld, runId: RunId): Promise<void> => {
  const row = await world.endedRow(runId);
  const request = runRequested.schema.parse(
    await world.fact(world.subjects(runId).in('request')),
  ) as RunRequested;
  const { view, release } = foldRun(request, await world.chain(runId));
  expect(release).not.toBeNull();
  const { form, reportHash } = release ?? { form: 'REPORT', reportHash: null };
  if (form === 'OUT_OF_SCOPE_REPLY' || reportHash === null) throw new Error('this run released no bytes');
  const released = verifiedReport(row.report_text ?? '', { runId, form, reportHash });
  expect(row).toMatchObject({ status: 'RELEASED', outcome: 'SUCCESS', report_hash: reportHash });
  expect(row.view).toEqual(JSON.parse(JSON.stringify({ ...view, ...released, author: 'scripted' })));
};

/** People see the release at the gateway as well. */
export const expectShown = async (world: CrashWorld, runId: RunId): Promise<void> => {
  const view = await waitFor('the gateway to show the run', () => world.view(runId).catch(() => undefined));
  expect(view).toMatchObject({ status: 'RELEASED', outcome: 'SUCCESS' });
};
