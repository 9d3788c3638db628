import { factHolds, factsOf } from './lookup';
import type { Exhibit } from './exhibit';
import type { Item, Objection } from './judge-request';
import type { Statement } from './statement';

const SAYS_NONE =
  /\b(?:no|not|nothing|none|neither|nor|zero|without|never|absent|empty|0)\b|n't\b|没有|无|零|\bkein\w*|\bnicht/i;
const BEYOND =
  /\b(?:anywhere|everywhere|whole cluster|entire|all (?:services|namespaces|pods|nodes|systems)|every (?:service|namespace|pod|node)|at all times|ever)\b/i;

type Scope = Readonly<Record<string, unknown>>;

const scopeOf = (value: unknown): Scope =>
  typeof value === 'object' && value !== null ? (value as Scope) : {};

/** The claim's window lies in the query's; a query without one has no times to claim. */
const windowWithin = (claimed: unknown, exhibit: Exhibit): boolean => {
  if (claimed === undefined || claimed === null) return true;
  const { from, to } = scopeOf(claimed);
  if (exhibit.window === null || typeof from !== 'string' || typeof to !== 'string') return false;
  return (
    Date.parse(from) >= Date.parse(exhibit.window.from) && Date.parse(to) <= Date.parse(exhibit.window.to)
  );
};

/** Every restriction of the query is also one of the claim. */
const scopeWithin = (claim: Scope, exhibit: Exhibit): boolean =>
  Object.entries(exhibit.scope).every(([key, value]) => value === null || claim[key] === value) &&
  windowWithin(claim.window, exhibit);

const matchedNothing = (exhibit: Exhibit, item: Item): boolean => {
  if (exhibit.evidenceStatus === 'NO_EVIDENCE') return true;
  const zeros = factsOf(item.facts).filter(
    (fact) => fact.toolCallId === exhibit.toolCallId && fact.value === 0,
  );
  return zeros.length > 0 && zeros.every((fact) => factHolds(fact, [exhibit]));
};

export const negativeObjection = (item: Item, statement: Statement, cited: readonly Exhibit[]): Objection => {
  if (cited.length === 0) return 'NOT_IN_EVIDENCE';
  if (!SAYS_NONE.test(item.text)) return 'NEGATION';
  if (!cited.every((exhibit) => matchedNothing(exhibit, item))) return 'CONTRADICTED';
  if (cited.some(({ truncated }) => truncated)) return 'NEGATION';
  const claim = scopeOf(item.scope);
  if (!cited.every((exhibit) => scopeWithin(claim, exhibit))) return 'SCOPE';
  const restricted = cited.some(({ scope }) => Object.keys(scope).length > 0);
  if (restricted && BEYOND.test(item.text)) return 'SCOPE';
  const asked = cited.map(({ scope, window, text }) => JSON.stringify({ scope, window }) + text).join(' ');
  const alien = [...statement.identifiers, ...statement.times.map((time) => time.replace(/Z$/, ''))].some(
    (name) => !asked.includes(name),
  );
  if (alien) return 'SCOPE';
  const foreign = statement.numbers.some(
    ({ value }) => value !== 0 && !new RegExp(`(?<!\\d)${value}(?!\\d)`).test(asked),
  );
  return foreign ? 'NOT_IN_EVIDENCE' : undefined;
};
