import type { ScriptedReply, ScriptedRequest } from '@inquest/testing/scripted-model';
import type { ScriptedRole, ScriptedRunKnobs } from '@inquest/testing/scripted-run';

type Intercept = NonNullable<ScriptedRunKnobs['intercept']>;

export type HeldCall = {
  intercept: Intercept;
  /** The first held request, once it has come. */
  reached: Promise<ScriptedRequest>;
  /** Lets every held request go on to the script's own answer. */
  release: () => void;
};

/** Holds the model calls of one role, so that a run stands still at a known place for as long as the test wants. */
export const holdModelCall = (
  role: ScriptedRole,
  fits: (at: Parameters<Intercept>[2]) => boolean = () => true,
): HeldCall => {
  let arrive: (request: ScriptedRequest) => void = () => undefined;
  let release: () => void = () => undefined;
  const reached = new Promise<ScriptedRequest>((resolve) => (arrive = resolve));
  const released = new Promise<void>((resolve) => (release = resolve));
  const intercept: Intercept = async (who, request, at): Promise<ScriptedReply | undefined> => {
    // Canaries of the judge are no calls of a run.
    if (who !== role || request.key.startsWith('canary/') || !fits(at)) return undefined;
    arrive(request);
    await released;
    return undefined;
  };
  return { intercept, reached, release: () => release() };
};
