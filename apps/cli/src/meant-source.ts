import { stackConfig } from '@inquest/local-stack/config';
import { shippedIncidents, type IncidentSources } from '@inquest/local-stack/incident-sources';
import { runningStack } from '@inquest/local-stack/stack-state';
import { textOption, type Call } from './command';
import { UsageError } from './usage-error';

/**
 * What a question that names no source is about. ONE: no choice was left to the person. SEVERAL: nobody but the person
 * can tell. UNKNOWN: a gateway that runs elsewhere keeps its sources to itself.
 */
export type MeantSource =
  | { kind: 'ONE'; name: string }
  | { kind: 'SEVERAL'; names: readonly string[]; own: readonly string[] }
  | { kind: 'UNKNOWN' };

/**
 * The shipped incidents are registered in every stack, so that one source that a person registered beside them is the
 * one that is meant. Between several the command never chooses: a report about another incident than the asked one
 * would be as well proven as any, and wrong.
 */
export const meantOf = (registered: IncidentSources, shipped: IncidentSources): MeantSource => {
  const names = Object.keys(registered);
  const theirs = new Set(Object.values(shipped));
  const own = names.filter((name) => !theirs.has(registered[name] ?? ''));
  const [only, ...others] = own.length > 0 ? own : names;
  return only !== undefined && others.length === 0
    ? { kind: 'ONE', name: only }
    : { kind: 'SEVERAL', names, own };
};

/** Looks before anything is started: the running stack's sources, else those that a start will register. */
export const meantSource = (call: Pick<Call, 'options' | 'config'>): MeantSource => {
  if ((textOption(call.options, 'url') ?? call.config.url) !== undefined) return { kind: 'UNKNOWN' };
  const shipped = shippedIncidents();
  return meantOf(runningStack(stackConfig().dataDir)?.sources ?? shipped, shipped);
};

/** `--source a or --source b`, as a person may type it. */
export const sourceFlags = (names: readonly string[]): string =>
  names.length === 0 ? '--incident DIR' : names.map((name) => `--source ${name}`).join(' or ');

export const unnamedSource = (names: readonly string[]): UsageError =>
  new UsageError(`the question names no source: ${sourceFlags(names)}`);

/** For commands that look into an incident, always: without a source there would be nothing to look into. */
export const sourceToInvestigate = (call: Call): string | undefined => {
  const meant = meantSource(call);
  switch (meant.kind) {
    case 'ONE':
      call.out.note(`on source ${meant.name}, the only one here (--source names another)`);
      return meant.name;
    case 'SEVERAL':
      throw unnamedSource(meant.names);
    case 'UNKNOWN':
      call.out.note('no source is named, so little can be read: --source NAME');
      return undefined;
  }
};
