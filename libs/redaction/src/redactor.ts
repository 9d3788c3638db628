import type { Json } from '@inquest/contracts/canonical-json';
import { defang } from './defang';
import type { Marker } from './marker';
import { redactFreeText, stepsUnder, type HintedStep } from './redact-text';
import { redactionMark } from './redaction-mark';
import { DEFAULT_POLICY, type RedactionPolicy } from './redaction-policy';
import { isDockerAuth, isPlainValue, isShortSecretName, secretClassOf } from './sensitive-keys';

export interface Redactor {
  /** The same structure with every secret replaced by its mark and no active text left. `count` is the number of marks. */
  redact(value: Json): { value: Json; count: number };
  redactText(text: string): { text: string; count: number };
}

type Entry = readonly [string, Json];

/** A Kubernetes Secret keeps its values under ordinary names. */
const isKubernetesSecret = (entries: readonly Entry[]): boolean =>
  entries.some(([key, value]) => key === 'kind' && value === 'Secret');

/** `{name: "DB_PASSWORD", value: "..."}`, as container environments are written. */
const pairedClass = (entries: readonly Entry[]): string | undefined => {
  const name = entries.find(([key]) => key === 'name' || key === 'key')?.[1];
  if (typeof name !== 'string') return undefined;
  return secretClassOf(name) ?? (isShortSecretName(name) ? 'password' : undefined);
};

/** Under a sensitive name, the members that hold the secret itself. */
const VALUE_NAMES: ReadonlySet<string> = new Set(['value', 'plaintext', 'raw', 'content', 'secret']);

const DOCUMENT_CHARS_MAX = 65_536;
const DOCUMENT_DEPTH_MAX = 32;

/** Looks like one JSON object or array, and is nested so little that walking it needs no more stack than there is. */
const isShallowDocument = (text: string): boolean => {
  if (text.length > DOCUMENT_CHARS_MAX || !/^\s*[[{]/.test(text) || !/[\]}]\s*$/.test(text)) return false;
  let depth = 0;
  for (const character of text) {
    if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') depth -= 1;
    if (depth > DOCUMENT_DEPTH_MAX) return false;
  }
  return true;
};

class Redaction {
  count = 0;
  private readonly mark: Marker;

  constructor(
    key: string,
    private readonly defangs: boolean,
    private readonly steps: readonly HintedStep[],
  ) {
    this.mark = (secretClass, secret) => {
      this.count += 1;
      return redactionMark(key, secretClass, secret);
    };
  }

  text(text: string): string {
    const redacted = redactFreeText(this.documentIn(text) ?? text, this.mark, this.steps);
    return this.defangs ? defang(redacted) : redacted;
  }

  /**
   * Many services log JSON: what its names and its structure tell of a secret is lost on who reads it as text. Undefined
   * where the text is no document, or one in which nothing was found: then it stays as it was written.
   */
  private documentIn(text: string): string | undefined {
    if (!isShallowDocument(text)) return undefined;
    let document: Json;
    try {
      document = JSON.parse(text) as Json;
    } catch {
      return undefined;
    }
    const before = this.count;
    const redacted = this.json(document);
    return this.count > before ? JSON.stringify(redacted) : undefined;
  }

  json(value: Json): Json {
    if (typeof value === 'string') return this.text(value);
    if (Array.isArray(value)) return this.array(value);
    if (value !== null && typeof value === 'object') return this.object(value);
    return value;
  }

  /** Everything below a sensitive name: strings and numbers are secrets, structure is kept. */
  private secret(secretClass: string, value: Json): Json {
    if (typeof value === 'string') {
      // A token of a known form keeps its own class, and a text that carries one keeps the rest of itself.
      const before = this.count;
      const text = this.text(value);
      if (this.count > before || isPlainValue(value)) return text;
      return this.mark(secretClass, value);
    }
    if (typeof value === 'number') return this.mark(secretClass, String(value));
    if (Array.isArray(value)) return value.map((item) => this.secret(secretClass, item));
    if (value === null || typeof value !== 'object') return this.json(value);
    // `{clientSecret: {value: "..."}}`; references such as `{secretKeyRef: {name, key}}` stay.
    return Object.fromEntries(
      Object.entries(value).map(([key, item]): Entry => [
        this.text(key),
        typeof item === 'string' && VALUE_NAMES.has(key)
          ? this.secret(secretClass, item)
          : this.member(key, item),
      ]),
    );
  }

  private member(key: string, value: Json, paired?: string): Json {
    const secretClass = secretClassOf(key) ?? (key === 'value' ? paired : undefined);
    if (secretClass) return this.secret(secretClass, value);
    if (typeof value === 'string' && (isShortSecretName(key) || (key === 'auth' && isDockerAuth(value))))
      return this.secret('password', value);
    return this.json(value);
  }

  private array(items: readonly Json[]): Json[] {
    let flagClass: string | undefined;
    return items.map((item) => {
      const value = flagClass && typeof item === 'string' ? this.secret(flagClass, item) : this.json(item);
      flagClass =
        typeof item === 'string' && /^--?[A-Za-z-]{2,40}$/.test(item) ? secretClassOf(item) : undefined;
      return value;
    });
  }

  private object(object: { [key: string]: Json }): Json {
    const entries = Object.entries(object);
    const wholeSecret = isKubernetesSecret(entries);
    const paired = pairedClass(entries);
    // Object.fromEntries defines own members, so that a member called __proto__ stays data.
    return Object.fromEntries(
      entries.map(([key, value]): Entry => {
        if (
          wholeSecret &&
          (key === 'data' || key === 'stringData') &&
          value !== null &&
          typeof value === 'object'
        ) {
          const values = Object.entries(value).map(([name, item]): Entry => [
            name,
            this.secret('secret', item),
          ]);
          return [key, Object.fromEntries(values)];
        }
        return [this.text(key), this.member(key, value, paired)];
      }),
    );
  }
}

/**
 * The one choke point for secrets, used at both borders: on questions and on tool output. `key` makes the marks
 * comparable within one run and only there: give it the run's id, or a secret derived from it.
 */
export const createRedactor = (key: string, policy: Partial<RedactionPolicy> = {}): Redactor => {
  const full: RedactionPolicy = { ...DEFAULT_POLICY, ...policy };
  const steps = stepsUnder(full);
  return {
    redact: (json) => {
      const redaction = new Redaction(key, full.defang, steps);
      const value = redaction.json(json);
      return { value, count: redaction.count };
    },
    redactText: (text) => {
      const redaction = new Redaction(key, full.defang, steps);
      const redacted = redaction.text(text);
      return { text: redacted, count: redaction.count };
    },
  };
};
