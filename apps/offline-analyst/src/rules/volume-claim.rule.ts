import { fields, list, text } from '../evidence/fields';
import type { SystemEvent, SystemObject, View } from '../evidence/view';
import type { Hypothesis, Rule } from './finding';
import { eventFinding, objectFinding } from './findings';
import { serviceOf } from './topology';

const UNITS: Record<string, number> = {
  '': 1,
  K: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
};

/** A Kubernetes quantity in bytes; NaN for anything else. */
export const bytesOf = (quantity: unknown): number => {
  const match = /^(\d+(?:\.\d+)?)([KMGT]i?)?$/.exec(String(quantity));
  return match ? Number(match[1]) * (UNITS[match[2] ?? ''] ?? Number.NaN) : Number.NaN;
};

const storageOf = (holder: unknown): unknown => fields(holder).storage;
const modesOf = ({ spec }: SystemObject): string[] =>
  list(spec.accessModes).filter((mode): mode is string => typeof mode === 'string');
const requested = ({ spec }: SystemObject): number => bytesOf(storageOf(fields(spec.resources).requests));
const capacity = ({ spec }: SystemObject): number => bytesOf(storageOf(spec.capacity));
const classOf = ({ spec }: SystemObject): string => text(spec.storageClassName) ?? '';

const selectorMisses = (claim: SystemObject, volume: SystemObject): boolean =>
  Object.entries(fields(fields(claim.spec.selector).matchLabels)).some(
    ([key, value]) => volume.labels[key] !== value,
  );

type Mismatch = {
  cause: string;
  what: string;
  /** Why this volume cannot be given to this claim. */
  holds: (claim: SystemObject, volume: SystemObject) => boolean;
};

/** In the order in which the binder would need them to fit. */
const MISFITS: readonly Mismatch[] = [
  {
    cause: 'PVC_STORAGE_CLASS_MISMATCH',
    what: 'no volume has the storage class that it asks for',
    holds: (claim, volume) => classOf(volume) !== classOf(claim),
  },
  {
    cause: 'PVC_SELECTOR_MISMATCH',
    what: 'no volume has the labels that it selects',
    holds: selectorMisses,
  },
  {
    cause: 'PVC_ACCESS_MODE_MISMATCH',
    what: 'no volume offers the access mode that it asks for',
    holds: (claim, volume) => modesOf(claim).some((mode) => !modesOf(volume).includes(mode)),
  },
  {
    cause: 'PVC_CAPACITY_MISMATCH',
    what: 'it asks for more storage than any volume holds',
    holds: (claim, volume) => requested(claim) > capacity(volume),
  },
];
const OCCUPIED: Mismatch = {
  cause: 'PV_BINDING_OCCUPIED',
  what: 'the volume that it means is bound to another claim',
  holds: (claim, volume) => isTaken(claim, volume),
};
const MISMATCHES: readonly Mismatch[] = [...MISFITS, OCCUPIED];

/** Given to another claim, or still holding the data of a former one. */
const isTaken = ({ name }: SystemObject, { spec, status }: SystemObject): boolean => {
  const holder = fields(spec.claimRef).name;
  return status.phase === 'Released' || (holder !== undefined && holder !== name);
};

const misfitsOf = (claim: SystemObject, volume: SystemObject): Mismatch[] =>
  MISFITS.filter(({ holds }) => holds(claim, volume));

/** Why none of the volumes is given: the one that would fit is taken, or the nearest of the others does not fit. */
const mismatchOf = (claim: SystemObject, volumes: readonly SystemObject[]): Mismatch | undefined => {
  const taken = volumes.filter((volume) => isTaken(claim, volume));
  const free = volumes.filter((volume) => !taken.includes(volume));
  if (taken.some((volume) => misfitsOf(claim, volume).length === 0)) return OCCUPIED;
  const nearest = (free.length > 0 ? free : taken)
    .map((volume) => misfitsOf(claim, volume))
    .sort((a, b) => a.length - b.length)[0];
  return nearest?.[0];
};

/** What the volume controller says of a claim, or of the volume that it names. */
const EVENT_SIGNS: readonly (readonly [RegExp, string])[] = [
  [/storageclass[\w.]* "?[\w.-]*"? not found|storageClassName does not match/i, 'PVC_STORAGE_CLASS_MISMATCH'],
  [
    /incompatible accessModes?|access ?modes? .{0,40}(?:not support|incompatible)/i,
    'PVC_ACCESS_MODE_MISMATCH',
  ],
  [/requested PV is too small|insufficient (?:capacity|storage)/i, 'PVC_CAPACITY_MISMATCH'],
  [/already bound to a different claim/i, 'PV_BINDING_OCCUPIED'],
];

const eventCause = ({ message }: SystemEvent): Mismatch | undefined =>
  EVENT_SIGNS.map(([sign, cause]) =>
    sign.test(message) ? MISMATCHES.find((of) => of.cause === cause) : undefined,
  ).find(Boolean);

/** The pod that waits for a claim, where the claim says so itself. */
const userNamed = (view: View, claim: SystemObject): string | undefined => {
  const name = text(claim.status.usedBy)?.split(/,\s*/)[0];
  return name === undefined
    ? undefined
    : serviceOf(
        view.objects.find((object) => object.kind === 'Pod' && object.name === name) ?? {
          kind: 'Pod',
          name,
          labels: {},
          owners: [],
        },
      );
};

const usersOf = (view: View, claim: SystemObject): string =>
  userNamed(view, claim) ??
  view.objects
    .filter(
      ({ kind, spec }) =>
        kind !== 'PersistentVolumeClaim' && JSON.stringify(spec).includes(`"claimName":"${claim.name}"`),
    )
    .map(serviceOf)[0] ??
  serviceOf(claim);

const examine = (view: View, claim: SystemObject): Hypothesis[] => {
  const events = view.events.filter(
    ({ object }) => object.kind === 'PersistentVolumeClaim' && object.name === claim.name,
  );
  // The line of a list has neither class nor modes: it cannot show that they differ.
  const all = view.objects.filter(({ kind, described }) => kind === 'PersistentVolume' && described);
  // A volume that was made for this claim, by name, is the one that should fit.
  const meant = all.filter(({ name }) => name === claim.spec.volumeName);
  const volumes = meant.length > 0 ? meant : all;
  const mismatch = events.map(eventCause).find(Boolean) ?? mismatchOf(claim, volumes);
  if (!mismatch) return [];
  const service = usersOf(view, claim);
  const state = objectFinding(
    view,
    claim,
    `PersistentVolumeClaim ${claim.name} is ${String(claim.status.phase)}.`,
    3,
    '/status/phase',
  );
  return [
    {
      cause: mismatch.cause,
      object: `Service/${service}`,
      service,
      rank: 'CAUSE',
      headline: `The volume claim ${claim.name} of ${service} cannot be bound: ${mismatch.what}`,
      mechanism: `The volume claim ${claim.name} stays ${String(claim.status.phase)}, since ${mismatch.what}; the pods of ${service} wait for the volume and do not start.`,
      findings: [state, ...events.slice(-2).map((event) => eventFinding(view, event, 3))],
      actions: [
        `Compare storage class, access modes, size and selector of ${claim.name} with the volumes that exist, and correct the claim.`,
        'A claim cannot be changed in these members: delete it and create it anew, once it is certain that it holds no data.',
      ],
      recommendations: [
        'Keep claims and the volumes or storage classes that they need in one place of the configuration.',
      ],
      lookup: 'PersistentVolumeClaim pending not bound storage class access mode',
    },
  ];
};

/** Claims that wait for a volume. */
export const volumeClaim: Rule = (view) =>
  view.objects
    .filter(
      ({ kind, status }) =>
        kind === 'PersistentVolumeClaim' && (status.phase === 'Pending' || status.phase === 'Lost'),
    )
    .flatMap((claim) => examine(view, claim));
