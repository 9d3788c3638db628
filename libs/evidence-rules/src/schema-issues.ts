import type { SchemaIssue } from './read-draft';

export type SchemaRuleId = '1 SCHEMA' | '3 ANALYSIS_ID' | '4 KIND' | '5 NO_CITATION' | '6 UNKNOWN_ID';

/**
 * A closed schema finds more than rule 1 speaks of. What is wrong with an analysis' id, kind and citations is reported under the
 * rule that names it, and each issue under one rule only.
 */
export const ownerOf = ({ path, code }: SchemaIssue): SchemaRuleId => {
  const [section, , member, ...deeper] = path;
  const ofAnalysis = section === 'analyses';
  if (ofAnalysis && member === 'id' && deeper.length === 0) return '3 ANALYSIS_ID';
  if (ofAnalysis && member === 'kind' && deeper.length === 0) return '4 KIND';
  if (ofAnalysis && member === 'toolCallIds' && deeper.length === 0) return '5 NO_CITATION';
  if (code === 'invalid_format' && (path.at(-1) === 'toolCallId' || path.at(-2) === 'toolCallIds'))
    return '6 UNKNOWN_ID';
  return '1 SCHEMA';
};
