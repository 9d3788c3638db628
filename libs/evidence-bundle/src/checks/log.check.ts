import { hashOf } from '@inquest/contracts/canonical-json';
import { CATALOGUE } from '@inquest/contracts/catalogue';
import type { ExcerptEntry } from '@inquest/contracts/evidence-bundle';
import { parseSubject } from '@inquest/contracts/subjects';
import { notChecked, unless, type Check, type Examined } from '../check';
import { carriedBodies } from '../facts-of-bundle';

const CONTRACTS = new Map(CATALOGUE.map((contract) => [contract.type as string, contract]));

const baseOf = ({ bundle: { manifest } }: Examined): string =>
  `diag.${manifest.partition}.${manifest.runId}.`;

const wrongPlace = (entry: ExcerptEntry, base: string): string[] => {
  const at = parseSubject(entry.subject);
  if (at === undefined || !entry.subject.startsWith(base))
    return [`the fact at position ${entry.seq} belongs to another run or to none`];
  const id = entry.headers['ce-id'];
  if (id !== undefined && id !== entry.subject && !id.startsWith(`${entry.subject}#`))
    return [`the fact at position ${entry.seq} is a copy of another fact`];
  return [];
};

const wrongWriter = ({ seq, headers, body, data }: ExcerptEntry): string[] => {
  const contract = CONTRACTS.get(headers['ce-type']);
  if (!contract) return [`the fact at position ${seq} is of a type that this program does not know`];
  const source = headers['ce-source'];
  if (source !== undefined && !contract.writers.includes(source))
    return [`the fact at position ${seq} was written by ${source}, who may not write ${headers['ce-type']}`];
  return body === 'HERE' && !contract.schema.safeParse(data).success
    ? [`the fact at position ${seq} breaks its contract ${headers['ce-type']}`]
    : [];
};

/** The contract of a subject's family, so that no result can stand where a decision belongs. */
const wrongType = ({ seq, subject, headers }: ExcerptEntry): string[] => {
  const at = parseSubject(subject);
  const family =
    at?.family === 'in' ? `in.${at.kind.replace(/-\d+$/, '')}` : at?.family === 'run' ? 'run' : '';
  const expected =
    at?.family === 'res'
      ? `inquest.res.${at.service}.v1`
      : family === ''
        ? undefined
        : `inquest.${family}.v1`;
  return headers['ce-type'] === expected
    ? []
    : [`the fact at position ${seq} has a type that is not its subject’s`];
};

const positions: Check = (examined) => {
  const { excerpt, manifest } = examined.bundle;
  const base = baseOf(examined);
  const unordered = excerpt.flatMap(({ seq }, i) =>
    i > 0 && seq <= (excerpt[i - 1]?.seq ?? 0)
      ? [`position ${seq} does not come after the one before it`]
      : [],
  );
  const wrong = excerpt.flatMap((entry) => [
    ...wrongPlace(entry, base),
    ...wrongType(entry),
    ...wrongWriter(entry),
  ]);
  const archived = excerpt.filter(({ from }) => from === 'ARCHIVE').length;
  return [
    unless(
      'Every fact stands at its own position of this run’s part of the log, written by the service that may write it',
      [...unordered, ...wrong],
      `${excerpt.length} facts of ${manifest.stream}${archived > 0 ? `, ${archived} of them from the archive, which keeps no writer` : ''}`,
    ),
  ];
};

/** Bodies in the entry, and bodies in the other parts, against the hash that the chain of hashes binds to a position. */
const bodies: Check = ({ bundle }) => {
  const byPlace = new Map(bundle.excerpt.map((entry) => [entry.seq, entry]));
  const inline = bundle.excerpt.flatMap(({ seq, body, data, dataHash }) => {
    if (body === 'HERE')
      return hashOf(data) === dataHash ? [] : [`the body of position ${seq} does not have its hash`];
    return data === null ? [] : [`position ${seq} holds a body that should stand elsewhere`];
  });
  const carried = carriedBodies(bundle);
  const elsewhere = carried.flatMap(({ part, seq, hash }) => {
    const entry = byPlace.get(seq);
    if (entry?.body !== part)
      return [`something in "${part.toLowerCase()}" names position ${seq}, which is not its own`];
    return entry.dataHash === hash
      ? []
      : [`what stands in "${part.toLowerCase()}" is not the fact at position ${seq}`];
  });
  const held = new Set(carried.map(({ part, seq }) => `${part} ${seq}`));
  const lost = bundle.excerpt.flatMap(({ seq, body }) =>
    ['LEDGER', 'DRAFTS', 'EVIDENCE', 'SEMANTIC'].includes(body) && !held.has(`${body} ${seq}`)
      ? [`the fact at position ${seq} is said to stand in "${body.toLowerCase()}", and does not`]
      : [],
  );
  return [
    unless(
      'Tool results, drafts and verdicts are the facts of their positions',
      [...inline, ...elsewhere, ...lost],
      `${carried.length} of them`,
    ),
  ];
};

const nothingMissing: Check = ({ bundle: { manifest, excerpt } }) => {
  const check = 'Nothing of the run is missing';
  const counts = (body: ExcerptEntry['body']): number =>
    excerpt.filter((entry) => entry.body === body).length;
  const discarded = counts('DISCARDED');
  const told = discarded === 0 ? '' : `; ${discarded} late results are kept as hashes, as in the log`;
  if (manifest.missing.length > 0)
    return [
      notChecked(
        check,
        `neither the log nor the archive held these when the bundle was made: ${manifest.missing.join(', ')}`,
      ),
    ];
  return [unless(check, [], `every fact that the decisions took in is here${told}`)];
};

export const LOG_CHECKS: readonly Check[] = [positions, bodies, nothingMissing];
