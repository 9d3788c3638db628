import type { Json } from '@inquest/contracts/canonical-json';
import { redactFreeText, type Marker } from './redact-text';
import { redactionMark } from './redaction-mark';
import { isPlainValue, secretClassOf } from './sensitive-keys';

export type RedactionPolicy = {
  /** E-mail addresses are personal data rather than secrets; on by default. */
  emails: boolean;
};

export interface Redactor {
  /** The same structure with every secret replaced by its mark. `count` is the number of replacements. */
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
  return typeof name === 'string' ? secretClassOf(name) : undefined;
};

class Redaction {
  count = 0;
  private readonly mark: Marker;

  constructor(
    key: string,
    private readonly policy: RedactionPolicy,
  ) {
    this.mark = (secretClass, secret) => {
      this.count += 1;
      return redactionMark(key, secretClass, secret);
    };
  }

  text(text: string): string {
    return redactFreeText(text, this.mark, this.policy);
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
        const secretClass = secretClassOf(key) ?? (key === 'value' ? paired : undefined);
        return [this.text(key), secretClass ? this.secret(secretClass, value) : this.json(value)];
      }),
    );
  }
}

/**
 * The one choke point for secrets, used at both borders: on questions and on tool output. `key` makes the marks
 * comparable within one run and only there: give it the run's id, or a secret derived from it.
 */
export const createRedactor = (key: string, policy: Partial<RedactionPolicy> = {}): Redactor => {
  const full: RedactionPolicy = { emails: true, ...policy };
  return {
    redact: (json) => {
      const redaction = new Redaction(key, full);
      const value = redaction.json(json);
      return { value, count: redaction.count };
    },
    redactText: (text) => {
      const redaction = new Redaction(key, full);
      const redacted = redaction.text(text);
      return { text: redacted, count: redaction.count };
    },
  };
};
