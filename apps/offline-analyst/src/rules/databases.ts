import { fields, list } from '../evidence/fields';
import type { LogPattern, SystemObject, View } from '../evidence/view';
import { serviceOf } from './topology';

const SERVER_NAME =
  /mysql|maria|postgres|(?:^|[-_])(?:pg|db|mongo\w*|redis|sql)(?:$|[-_\d])|database|tsdb|mongo|redis/i;
const SERVER_IMAGE = /(?:^|\/)(?:mysql|mariadb|percona|postgres\w*|mongo|redis|valkey|xtradb)[^/]*$/i;

const imagesOf = ({ spec }: SystemObject): string[] => {
  const pod = spec.template === undefined ? spec : fields(fields(spec.template).spec);
  return list(pod.containers).map((container) => String(fields(container).image ?? ''));
};

/** Servers by what others call them or by the image that they run. */
export const databasesOf = (view: View): Set<string> =>
  new Set([
    ...view.dependencies.flatMap(({ to }) => (SERVER_NAME.test(to) ? [to] : [])),
    ...view.objects.flatMap((object) =>
      (['Service', 'Deployment', 'StatefulSet'].includes(object.kind) &&
        SERVER_NAME.test(serviceOf(object))) ||
      imagesOf(object).some((image) => SERVER_IMAGE.test(image))
        ? [serviceOf(object)]
        : [],
    ),
  ]);

const messageOf = ({ sample, pattern }: LogPattern): string => sample?.message ?? pattern;

/** The server that a client uses: by its dependencies, by a name in its lines, or the only one that there is. */
export const databaseFor = (view: View, client: string, lines: readonly LogPattern[]): string | undefined => {
  const servers = databasesOf(view);
  if (servers.has(client)) return client;
  const direct = view.dependencies.find(({ from, to }) => from === client && servers.has(to))?.to;
  const named = [...servers].find((server) => lines.some((line) => messageOf(line).includes(server)));
  return direct ?? named ?? (servers.size === 1 ? [...servers][0] : undefined);
};
