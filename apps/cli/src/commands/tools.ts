import { typedCommand } from '@inquest/contracts/typed-command';
import { stackConfig } from '@inquest/local-stack/config';
import { shippedIncidents } from '@inquest/local-stack/incident-sources';
import { KNOWLEDGE_LOOKUP } from '@inquest/toolsets/catalogue';
import type { Environment } from '@inquest/toolsets/sources/environment';
import { textOption, type Call, type Command } from '../command';
import { configuredEnvironments } from '../configured-environments';
import { ExitCode } from '../exit-code';
import { UsageError } from '../usage-error';

const LISTING_MS = 15_000;

type Listed = {
  source: string;
  tools: { name: string; toolset: string; description: string }[];
  silent: string[];
};

const listed = async (environment: Environment, signal: AbortSignal): Promise<Listed> => {
  const { tools, silent } = await environment.tools(signal);
  return {
    source: environment.name,
    tools: [...tools, KNOWLEDGE_LOOKUP].map(({ name, toolset, description }) => ({
      name,
      toolset,
      description,
    })),
    silent: [...silent],
  };
};

const firstSentence = (text: string): string => text.split(/\. |\n/)[0]?.replace(/\.$/, '') ?? '';

const run = async (call: Call): Promise<ExitCode> => {
  const { out } = call;
  const wanted = textOption(call.options, 'source');
  const environments = configuredEnvironments(stackConfig(), shippedIncidents());
  try {
    if (wanted !== undefined && environments.find(wanted) === undefined)
      throw new UsageError(
        `there is no source ${wanted}; these are configured: ${environments.names.join(', ') || 'none'}`,
      );
    const signal = AbortSignal.any([call.interrupt, AbortSignal.timeout(LISTING_MS)]);
    const names = wanted === undefined ? environments.names : [wanted];
    const all = await Promise.all(
      names.flatMap((name) => {
        const environment = environments.find(name);
        return environment ? [listed(environment, signal)] : [];
      }),
    );
    for (const { source, tools, silent } of all) {
      out.lines(
        source,
        ...tools.map(({ name, description }) => `  ${name.padEnd(24)} ${firstSentence(description)}`),
      );
      if (silent.length > 0)
        out.lines(`  ${silent.join(', ')}: does not tell its tools; ${typedCommand('doctor')} says why`);
    }
    out.result({ sources: all });
    return all.some(({ silent }) => silent.length > 0) ? ExitCode.trouble : ExitCode.success;
  } finally {
    await environments.close();
  }
};

export const tools: Command = {
  name: 'tools',
  usage: '',
  summary: 'List what an agent can call on each source. All of it only reads.',
  options: { source: { type: 'string' } },
  optionHelp: { source: 'only this source' },
  examples: [
    'tools',
    'tools --source checkout-pool-exhaustion',
    "tools --json | jq -r '.sources[].tools[].name'",
  ],
  positionalsMax: 0,
  run,
};
