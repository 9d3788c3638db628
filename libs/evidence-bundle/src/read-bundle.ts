import { canonicalJson } from '@inquest/contracts/canonical-json';
import { BUNDLE_SCHEMA, EvidenceBundle } from '@inquest/contracts/evidence-bundle';

export type ReadBundle =
  { kind: 'BUNDLE'; bundle: EvidenceBundle; isCanonical: boolean } | { kind: 'UNREADABLE'; why: string };

const unreadable = (why: string): ReadBundle => ({ kind: 'UNREADABLE', why });

const decoded = (file: Uint8Array | string): string | undefined => {
  if (typeof file === 'string') return file;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(file);
  } catch {
    return undefined;
  }
};

const schemaOf = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && 'schema' in value ? value.schema : undefined;

/**
 * What was parsed, not what the schema made of it: hashes are taken of every member that stands in the file. The text is
 * compared with the members that the manifest covers, so that nothing can stand in it that no check sees.
 */
const exactly = (value: EvidenceBundle, text: string): { bundle: EvidenceBundle; isCanonical: boolean } => {
  const { schema, manifest, report, snapshot, texts, ledger, drafts, evidence, semantic, excerpt } = value;
  const bundle = { schema, manifest, report, snapshot, texts, ledger, drafts, evidence, semantic, excerpt };
  return { bundle, isCanonical: canonicalJson(bundle) === text };
};

/** Total: whatever the file holds, the answer is a bundle or one sentence. */
export const readBundle = (file: Uint8Array | string): ReadBundle => {
  const text = decoded(file);
  if (text === undefined) return unreadable('the file is not UTF-8 text');
  try {
    const value: unknown = JSON.parse(text);
    const schema = schemaOf(value);
    if (schema !== BUNDLE_SCHEMA)
      return unreadable(
        typeof schema === 'string' && schema.startsWith('inquest.bundle.')
          ? `the file is an evidence bundle of another version than ${BUNDLE_SCHEMA}`
          : 'the file is JSON, but no evidence bundle',
      );
    const parsed = EvidenceBundle.safeParse(value);
    if (!parsed.success) {
      const at = parsed.error.issues[0]?.path.map(String).join('/') ?? '';
      return unreadable(
        `the file does not have the form of an evidence bundle, first at /${at.slice(0, 200)}`,
      );
    }
    return { kind: 'BUNDLE', ...exactly(value as EvidenceBundle, text) };
  } catch (error) {
    return unreadable(
      error instanceof SyntaxError
        ? 'the file is not one JSON document'
        : 'the file is nested too deeply to be read',
    );
  }
};
