import type { JsonObject } from '../tool';
import type { RecordedAnswers } from './recorded-answers';

const lineAfter = (text: string, word: string): string | null =>
  new RegExp(`^\\s*${word}:\\s*(.*)$`, 'm').exec(text)?.[1]?.trim() ?? null;

/** The services of a node's machine as systemd shows them; those that do not run are named in one word as well. */
export const nodeServices = (answers: RecordedAnswers, node: string): JsonObject => {
  const services = answers
    .of('CheckNodeServiceStatus')
    .filter(({ args, answer }) => args['node_name'] === node && typeof answer === 'string')
    .map(({ args, answer }): JsonObject & { name: string; active: string } => ({
      name: String(args['service_name']),
      active: lineAfter(answer as string, 'Active') ?? 'unknown',
    }));
  const stopped = services.filter(({ active }) =>
    /^(?:inactive|failed|deactivating|activating)/.test(active),
  );
  return {
    ...(services.length > 0 ? { services } : {}),
    ...(stopped.length > 0 ? { stoppedServices: stopped.map(({ name }) => name).join(', ') } : {}),
  };
};

/** Whether the service's ports answered from inside the cluster; also in one line, for lists. */
export const serviceConnections = (answers: RecordedAnswers, service: string): JsonObject => {
  const checks = answers
    .of('CheckServiceConnectivity')
    .filter(({ args, answer }) => args['service_name'] === service && typeof answer === 'string')
    .map(({ args, answer }) => {
      const failed = /Connection Failed/i.test(answer as string);
      const succeeded = /Connection Succeeded/i.test(answer as string);
      const result = failed
        ? succeeded
          ? 'failed from some nodes'
          : 'failed'
        : succeeded
          ? 'succeeded'
          : null;
      return { port: Number(args['port']), result: result ?? 'unknown' };
    });
  const worst = checks.find(({ result }) => result.startsWith('failed')) ?? checks[0];
  return worst ? { connectivity: `${worst.result} on port ${worst.port}`, connections: checks } : {};
};
