import { CaseAccepted } from '@inquest/contracts/case-view';
import type { RunId } from '@inquest/contracts/ids';
import { acceptedEarly, declinedThenAccepted } from '@inquest/testing/played-case';
import type { Writers } from './a-run';
import { CasePlayer } from './case-player';
import { call, TOKENS, World, type Gateway } from './harness';
import { SseClient } from './sse-client';

describe('The event stream of a case', () => {
  let world: World;
  let gateway: Gateway;
  let writers: Writers;

  beforeAll(async () => {
    world = await World.start();
    gateway = await world.openGateway();
    writers = {
      orchestrator: await world.log('harness-orchestrator'),
      agentRunner: await world.log('agent-runner'),
      evidenceGuard: await world.log('evidence-guard'),
    };
  });
  afterAll(() => world.stop());

  const opened = async (): Promise<RunId> => {
    const options = { token: TOKENS.ask, body: { question: 'Why is checkout slow?', source: 'shop-pool' } };
    return CaseAccepted.parse(await (await call(gateway, 'POST', '/v1/cases', options)).json()).caseId;
  };
  const follow = (caseId: string, after?: string): Promise<SseClient> =>
    SseClient.open(gateway, `/v1/cases/${caseId}/events`, {
      authorization: `Bearer ${TOKENS.watch}`,
      ...(after !== undefined && { 'last-event-id': after }),
    });

  it('tells a case live, in order, and ends with it; none of its words are in it', async () => {
    const caseId = await opened();
    const player = new CasePlayer(writers, declinedThenAccepted(caseId));
    await player.results();
    await player.decide(3);
    const client = await follow(caseId);
    await client.until('action.reserved');
    await player.decide();
    await client.ended();
    expect(client.types).toEqual([
      'case.opened',
      'step.requested',
      'hypotheses.formed',
      'step.requested',
      'turn.assessed',
      'action.reserved',
      'step.requested',
      'turn.assessed',
      'action.reserved',
      'step.requested',
      'action.settled',
      'action.settled',
      'turn.assessed',
      'review.requested',
      'alternative.deferred',
      'diagnosis.building',
      'step.requested',
      'review.pass',
      'review.declined',
      'prompt.adopted',
      'review.requested',
      'alternative.deferred',
      'diagnosis.building',
      'step.requested',
      'review.pass',
      'review.pass',
      'review.accepted',
      'draft.received',
      'evidence.accepted',
      'semantic.judged',
      'diagnosis.completed',
      'outcome.sealed',
      'case.diagnosed',
    ]);
    expect(client.raw).not.toMatch(/pool|certificate|Handshake|time-out|does not tell/i);
  });

  it('resumes behind the last whole entry, and says 204 to whom has it all', async () => {
    const caseId = await opened();
    await new CasePlayer(writers, acceptedEarly(caseId)).whole();
    const all = await follow(caseId);
    await all.ended();
    const position = all.received.find(({ event }) => event === 'review.requested')?.id;
    const rest = await follow(caseId, position);
    await rest.ended();
    expect(rest.types).toEqual(all.types.slice(all.types.indexOf('review.requested') + 1));
    const end = await follow(caseId, all.received.at(-1)?.id);
    await end.ended();
    expect(end.status).toBe(204);
  });

  it('goes on over another gateway when the first one goes down', async () => {
    const caseId = await opened();
    const player = new CasePlayer(writers, acceptedEarly(caseId));
    await player.results();
    await player.decide(3);
    const first = await world.openGateway();
    const client = await SseClient.open(first, `/v1/cases/${caseId}/events`, {
      authorization: `Bearer ${TOKENS.watch}`,
    });
    await client.until('action.reserved');
    await first.stop();
    await client.ended();
    expect(client.comments.at(-1)).toContain('resume with Last-Event-ID');
    const rest = await follow(caseId, client.received.at(-1)?.id);
    await player.decide();
    await rest.ended();
    expect(client.types.slice(0, 3)).toEqual(['case.opened', 'step.requested', 'hypotheses.formed']);
    expect(rest.types.at(0)).toBe('turn.assessed');
    expect(rest.types.at(-1)).toBe('case.diagnosed');
  });
});
