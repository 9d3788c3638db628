import { fields, list, type Fields } from '../evidence/fields';

const OF_THE_MESH =
  /^(?:istio-proxy|istio-init|istio-validation|linkerd-proxy|linkerd-init|envoy|envoy-sidecar|dapr[-\w]*)$/;
/** Where a mesh answers in the place of the container. */
const MESH_PORTS = new Set<unknown>([15000, 15001, 15006, 15008, 15020, 15021, 15090, 4191]);

/** The containers that somebody wrote, with their index: a mesh adds its own, whose ports and probes are its affair. */
export const ownContainers = (podSpec: Fields): { container: Fields; index: number }[] =>
  list(podSpec.containers)
    .map((container, index) => ({ container: fields(container), index }))
    .filter(({ container }) => !OF_THE_MESH.test(String(container.name)));

/** A probe that a mesh has taken over says nothing about the port that was configured. */
export const isMeshPort = (port: unknown): boolean => MESH_PORTS.has(port);
