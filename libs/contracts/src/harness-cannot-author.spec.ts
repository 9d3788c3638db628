import { z } from 'zod';
import { CATALOGUE } from './catalogue';

/**
 * Free text that an orchestrator contract may carry, each copied from another author: the person's question, the
 * released conclusion of an earlier run, the model's arguments and the guard's message. Everything else is ids, enums,
 * numbers, hashes and instants.
 */
const COPIED = new Set([
  'question',
  'conclusion',
  'argumentsText',
  'providerId',
  'message',
  'tool',
  'tenant',
  'principal',
  'source',
  'zone',
  'ruleSet',
  'fact',
  'path',
  'toolCallId',
  'analysisId',
  'ruleId',
  'candidates',
  'service',
  'namespace',
  'step',
  'snapshotHash',
  'evidenceStep',
  'reason',
  'sessionId',
  // Of a case: what its investigator wrote down before and after each action, and what an evaluator answered.
  'statement',
  'confirmedBy',
  'refutedBy',
  'expectedIfTrue',
  'expectedIfFalse',
  'text',
  'assessment',
  // Of its opening: where code lives.
  'repository',
  'ref',
]);

const DUTIES_OF_OTHERS =
  /plan(?!_)|execut|compos|workflow|reason(ing)|hypothes|draftText|report$|answer$|narrative|summary/i;

type Node = {
  properties?: Record<string, Node>;
  anyOf?: Node[];
  oneOf?: Node[];
  items?: Node;
  type?: string;
  pattern?: string;
  format?: string;
  enum?: unknown[];
  const?: unknown;
};

const fields = (node: Node, name = ''): { name: string; node: Node }[] => [
  ...(name === '' ? [] : [{ name, node }]),
  ...Object.entries(node.properties ?? {}).flatMap(([key, member]) => fields(member, key)),
  ...[...(node.anyOf ?? []), ...(node.oneOf ?? [])].flatMap((option) => fields(option, name)),
  ...(node.items === undefined ? [] : fields(node.items, name)),
];

const isFreeText = ({ type, pattern, format, enum: values, const: constant }: Node): boolean =>
  type === 'string' &&
  pattern === undefined &&
  format === undefined &&
  values === undefined &&
  constant === undefined;

describe('H1 the harness is execution control and no author', () => {
  const orchestrator = CATALOGUE.filter(
    ({ writers, subject }) => writers.includes('harness-orchestrator') && !subject.startsWith('svc.'),
  );

  it('writes several contracts, so that the walk below means something', () => {
    expect(orchestrator.length).toBeGreaterThan(6);
  });

  it.each(orchestrator.map((contract) => [contract.type, contract] as const))(
    '%s has no field in which it could write prose',
    (_type, { schema }) => {
      const json = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', reused: 'inline' }) as Node;
      const own = fields(json).filter(({ name, node }) => isFreeText(node) && !COPIED.has(name));
      expect(own.map(({ name }) => name)).toEqual([]);
    },
  );

  it.each(orchestrator.map((contract) => [contract.type, contract] as const))(
    '%s names no planning, composing or reasoning',
    (_type, { schema, subject }) => {
      const json = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', reused: 'inline' }) as Node;
      expect(
        fields(json)
          .map(({ name }) => name)
          // A case keeps the accounts of hypotheses; their texts are the investigator's, see above.
          .filter((name) => !(subject.includes('<case>') && /hypothes/i.test(name)))
          .filter((name) => DUTIES_OF_OTHERS.test(name)),
      ).toEqual([]);
    },
  );
});
