import { DiagnosisDraft, KnowledgeAnswer } from '@inquest/contracts/draft';
import type { Intent } from '@inquest/contracts/outcome';
import { readJson } from './json-text';

type Issue = NonNullable<ReturnType<typeof DiagnosisDraft.safeParse>['error']>['issues'][number];

/** One disagreement with the closed schema; `keys` are the members it does not know. */
export type SchemaIssue = { path: readonly PropertyKey[]; code: Issue['code']; keys: readonly string[] };

/** A draft text, read once. At most one of `diagnosis` and `answer` is set, by intent, and only if the schema holds. */
export type DraftReading = {
  text: string;
  /** What JSON.parse made of it; undefined when it is no JSON. */
  raw: unknown;
  notJson: 'TOO_LONG' | 'TOO_DEEP' | 'SYNTAX' | null;
  duplicateKeys: readonly string[];
  issues: readonly SchemaIssue[];
  diagnosis: DiagnosisDraft | null;
  answer: KnowledgeAnswer | null;
};

const ISSUES_MAX = 64;

const hasProtoKey = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, '__proto__');

export const readDraft = (text: string, intent: Intent, charsMax: number): DraftReading => {
  const json = readJson(text, charsMax);
  const none = {
    text,
    raw: undefined,
    notJson: null,
    duplicateKeys: [],
    issues: [],
    diagnosis: null,
    answer: null,
  };
  if (json.kind === 'NOT_JSON') return { ...none, notJson: json.why };
  const read = { ...none, raw: json.value, duplicateKeys: json.duplicateKeys };
  const schema = intent === 'KNOWLEDGE_QUERY' ? KnowledgeAnswer : DiagnosisDraft;
  const result = schema.safeParse(json.value);
  if (!result.success) {
    const issues = result.error.issues.slice(0, ISSUES_MAX).map((issue) => ({
      path: issue.path,
      code: issue.code,
      keys: issue.code === 'unrecognized_keys' ? issue.keys : [],
    }));
    return { ...read, issues };
  }
  if (hasProtoKey(json.value))
    return { ...read, issues: [{ path: [], code: 'unrecognized_keys', keys: ['__proto__'] }] };
  return 'items' in result.data ? { ...read, answer: result.data } : { ...read, diagnosis: result.data };
};
