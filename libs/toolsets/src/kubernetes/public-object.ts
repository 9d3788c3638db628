import type { Json } from '@inquest/contracts/canonical-json';
import { isPlainValue, isShortSecretName, secretClassOf } from '@inquest/redaction/sensitive-keys';
import type { IncidentObject } from '../incident-format';
import type { JsonObject } from '../tool';
import { list, record, text } from './json-fields';

/** Stands where a value was that could be a credential. */
export const HIDDEN_VALUE = '<hidden: looks like a secret>';

const LAST_APPLIED = /last-applied/;
/** Bookkeeping of the API server that tells nothing about what runs. */
const BOOKKEEPING = new Set(['managedFields', 'selfLink', 'uid', 'resourceVersion', 'generateName']);
/** What a pod has by default, in every pod alike. */
const DEFAULT_TOLERATION = /^node\.kubernetes\.io\/(?:not-ready|unreachable)$/;

/** Under these, values are secrets by definition, whatever they look like. */
const SECRET_MEMBERS = ['data', 'stringData'];

const hasSecretName = (name: string): boolean => secretClassOf(name) !== undefined || isShortSecretName(name);

/** A key by its looks: long hexadecimal, or a long mixture that no host, version or path is written in. */
const looksLikeKey = (value: string): boolean =>
  /^[0-9a-f]{32,}$/i.test(value) ||
  (/^[A-Za-z0-9+/=_-]{20,}$/.test(value) &&
    /[A-Z]/.test(value) &&
    /[a-z]/.test(value) &&
    /(?:\d.*){2}/.test(value));

const looksLikeSecret = (name: string, value: string): boolean =>
  !isPlainValue(value) && (hasSecretName(name) || looksLikeKey(value));

type Hidden = Map<string, number>;
const hide = (hidden: Hidden, what: string): void => {
  hidden.set(what, (hidden.get(what) ?? 0) + 1);
};

/** `{name, value}` of a container's environment; a reference to a Secret names it and holds nothing. */
const withoutSecretValue = (entry: JsonObject, hidden: Hidden): JsonObject => {
  const [name, value] = [text(entry['name']), text(entry['value'])];
  if (name === undefined || value === undefined || !looksLikeSecret(name, value)) return entry;
  hide(hidden, 'values of env that look like secrets');
  return { ...entry, value: HIDDEN_VALUE };
};

const withoutLastApplied = (annotations: JsonObject, hidden: Hidden): JsonObject =>
  Object.fromEntries(
    Object.entries(annotations).filter(([key]) => {
      if (!LAST_APPLIED.test(key)) return true;
      hide(hidden, 'metadata.annotations of last-applied');
      return false;
    }),
  );

/** Who puts a password into a ConfigMap gives it such a name. */
const withoutSecretEntries = (data: JsonObject, hidden: Hidden): JsonObject =>
  Object.fromEntries(
    Object.entries(data).map(([name, value]) => {
      if (typeof value !== 'string' || !looksLikeSecret(name, value)) return [name, value];
      hide(hidden, 'entries that look like secrets');
      return [name, HIDDEN_VALUE];
    }),
  );

/** Walks everything, since what an object holds may hold whole objects. */
const cleaned = (value: Json, key: string, hidden: Hidden): Json => {
  if (Array.isArray(value)) {
    if (key === 'env') return value.map((entry) => withoutSecretValue(record(entry), hidden));
    if (key === 'tolerations')
      return value.filter((entry) => !DEFAULT_TOLERATION.test(text(record(entry)['key']) ?? ''));
    return value.map((item) => cleaned(item, '', hidden));
  }
  if (value === null || typeof value !== 'object') return value;
  const isSecret = value['kind'] === 'Secret';
  const entries = Object.entries(value).flatMap(([name, item]): [string, Json][] => {
    if (isSecret && SECRET_MEMBERS.includes(name)) {
      hide(hidden, 'data of a Secret');
      return [];
    }
    if (name === 'managedFields') hide(hidden, 'metadata.managedFields');
    if (key === 'metadata' && BOOKKEEPING.has(name)) return [];
    if (name === 'annotations') return [[name, withoutLastApplied(record(item), hidden)]];
    if (name === 'binaryData') {
      hide(hidden, 'binaryData');
      return [];
    }
    if (name === 'data') return [[name, withoutSecretEntries(record(item), hidden)]];
    return [[name, cleaned(item, name, hidden)]];
  });
  return Object.fromEntries(entries);
};

/* ---------- what matters first, so that a small budget cuts the rest ---------- */

const FIRST: readonly string[] = [
  ...['kind', 'status', 'metadata', 'hidden', 'spec', 'name', 'namespace', 'deletionTimestamp'],
  ...['phase', 'reason', 'message', 'type', 'ready', 'restartCount', 'state', 'lastState', 'conditions'],
  ...['containerStatuses', 'initContainerStatuses', 'replicas', 'selector', 'template', 'image', 'command'],
  ...['args', 'ports', 'env', 'resources', 'readinessProbe', 'livenessProbe', 'startupProbe', 'containers'],
  ...['initContainers', 'nodeName', 'nodeSelector', 'volumes', 'hard', 'used', 'capacity', 'labels'],
];
const RANK: ReadonlyMap<string, number> = new Map(FIRST.map((name, at) => [name, at]));
const rankOf = (name: string): number => RANK.get(name) ?? FIRST.length;

/** 0 for what is wrong: a container that is not ready, a condition that is not as it should be. */
const wellness = (item: Json): number => {
  const { ready, status, type } = record(item);
  if (typeof ready === 'boolean') return ready ? 1 : 0;
  if (typeof status !== 'string' || typeof type !== 'string') return 1;
  const isGoodWhenFalse = /Pressure|Unavailable|Failure|Failed|Suspended/.test(type);
  return status === (isGoodWhenFalse ? 'False' : 'True') ? 1 : 0;
};

const SORTED_LISTS = new Set(['conditions', 'containerStatuses', 'initContainerStatuses']);

const ordered = (value: Json, key: string): Json => {
  if (Array.isArray(value)) {
    const items = SORTED_LISTS.has(key) ? [...value].sort((a, b) => wellness(a) - wellness(b)) : value;
    return items.map((item) => ordered(item, ''));
  }
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => rankOf(a) - rankOf(b))
      .map(([name, item]) => [name, ordered(item, name)]),
  );
};

/**
 * An object as an agent may see it: without the data of Secrets, values of env that look like secrets, and the
 * bookkeeping of the API server; what matters first stands first. `hidden` counts what was taken out.
 */
export const publicObject = (object: IncidentObject): IncidentObject => {
  const hidden: Hidden = new Map();
  const clean = record(cleaned(object as Json, '', hidden));
  return ordered(
    {
      ...clean,
      ...(hidden.size > 0 ? { hidden: list([...hidden].map(([what, count]) => ({ what, count }))) } : {}),
    },
    '',
  ) as IncidentObject;
};
