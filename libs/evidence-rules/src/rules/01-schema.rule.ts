import { toPointer } from '../json-pointer';
import type { SchemaIssue } from '../read-draft';
import type { Finding, Rule } from '../rule';
import { ownerOf } from '../schema-issues';

const NOT_JSON: Record<'TOO_LONG' | 'TOO_DEEP' | 'SYNTAX', string> = {
  TOO_LONG: 'the draft is longer than allowed',
  TOO_DEEP: 'the draft is nested more deeply than any draft needs',
  SYNTAX: 'the draft is not one JSON document and nothing else',
};

const MEANING: Record<Exclude<SchemaIssue['code'], 'unrecognized_keys'>, string> = {
  invalid_type: 'a member is missing here or has the wrong type',
  too_big: 'this is longer than allowed',
  too_small: 'this is shorter than allowed',
  invalid_format: 'this does not have the form that the schema asks for',
  invalid_value: 'this is none of the values that the schema knows',
  invalid_union: 'this has none of the forms that the schema allows',
  invalid_key: 'the schema knows no key of this form',
  invalid_element: 'an element has none of the forms that the schema allows',
  not_multiple_of: 'this is none of the numbers that the schema allows',
  custom: 'this does not fit the schema',
};

export const schema: Rule = {
  id: '1 SCHEMA',
  meaning: 'Closed schema, no unknown keys, caps on every size.',
  severity: 'HARD',
  *check({ reading }): Generator<Finding> {
    if (reading.notJson) yield { path: '', message: NOT_JSON[reading.notJson] };
    for (const issue of reading.issues) {
      if (ownerOf(issue) !== '1 SCHEMA') continue;
      if (issue.code === 'unrecognized_keys') {
        for (const key of issue.keys)
          yield { path: toPointer([...issue.path, key]), message: 'the schema knows no such key: remove it' };
      } else {
        yield { path: toPointer(issue.path), message: MEANING[issue.code] };
      }
    }
  },
};
