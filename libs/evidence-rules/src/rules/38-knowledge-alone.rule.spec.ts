import { describeRule, withAnalysis, type LooseAnalysis } from '../../test/draft';
import { LOOKUP } from '../../test/ledger';
import { knowledgeAlone } from './38-knowledge-alone.rule';

const citing = (kind: LooseAnalysis['kind'], ...toolCallIds: string[]) =>
  withAnalysis({ kind, toolCallIds }, { extra: [LOOKUP] });

describe('H5 knowledge is not observation', () => {
  describeRule(knowledgeAlone, {
    passes: {
      'a cause on knowledge and a look': citing('CAUSE', 'call_lookup', 'call_logs'),
      'an observation on a call that is not there, which is rule 6’s': citing('OBSERVATION', 'call_none'),
      'a correlation on knowledge': citing('CORRELATION', 'call_lookup'),
    },
    fails: {
      'an observation on knowledge': [citing('OBSERVATION', 'call_lookup'), '/analyses/0/toolCallIds'],
      'a cause on knowledge': [citing('CAUSE', 'call_lookup'), '/analyses/0/toolCallIds'],
    },
  });
});
