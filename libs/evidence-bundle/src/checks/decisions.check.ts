import { parseSubject } from '@inquest/contracts/subjects';
import { fails, holds, notChecked, unless, type Check, type Examined } from '../check';
import { OUTCOME_OF } from '../make-bundle';

const tailOf = (subject: string): string => subject.split('.').slice(3).join('.');

/** Each entry names its predecessor's position and the facts that it took in: both have to be there. */
const chainHolds: Check = ({ bundle, story: { chain } }) => {
  const check = 'The decisions are one chain, each naming the one before it and the facts it took in';
  const entries = bundle.excerpt.filter(({ subject }) => parseSubject(subject)?.family === 'run');
  if (entries.length !== chain.length) return [fails(check, 'a decision cannot be read')];
  const facts = new Map(bundle.excerpt.map(({ seq, subject }) => [seq, tailOf(subject)]));
  const gone = new Set(bundle.manifest.missing);
  const wrong = chain.flatMap(({ seq, decision: { n, prevSeq, took } }, i) => [
    ...(n === i ? [] : [`the decision at position ${seq} is number ${n}, where ${i} is due`]),
    ...(prevSeq === (chain[i - 1]?.seq ?? 0) ? [] : [`the decision at position ${seq} follows another one`]),
    ...took.flatMap(({ fact, seq: at }) => {
      if (facts.get(at) === fact)
        return at < seq ? [] : [`decision ${n} took in ${fact}, which came after it`];
      return gone.has(fact) ? [] : [`decision ${n} took in ${fact} at position ${at}, which is not here`];
    }),
  ]);
  return [unless(check, wrong, `${chain.length} decisions`)];
};

const startHolds: Check = ({ bundle, story: { started } }) => {
  const request = bundle.excerpt.find(({ subject }) => subject.endsWith('.in.request'));
  const { manifest } = bundle;
  const right =
    started?.runId === manifest.runId &&
    started.tenant === manifest.tenant &&
    started.ruleSet === manifest.ruleSet &&
    started.requestSeq === request?.seq;
  const check = 'The run began with the request that stands in the log';
  return [
    right
      ? holds(check, `request at position ${request?.seq}`)
      : fails(check, 'the first decision is not about this run, this tenant, this rule set and this request'),
  ];
};

const endHolds: Check = ({ bundle: { manifest }, story: { terminal, terminals, sealed } }) => {
  const check = 'The run has exactly one ending, and it is the one that the manifest names';
  if (!terminal || terminals !== 1) return [fails(check, `the chain has ${terminals} endings`)];
  const { event, seq } = terminal;
  const right =
    OUTCOME_OF[event.type] === manifest.outcome &&
    seq === manifest.terminalSeq &&
    (sealed?.seq ?? null) === manifest.sealedSeq &&
    event.intent === manifest.intent;
  if (!right)
    return [
      fails(check, `the chain ends with ${event.type} at position ${seq}, the manifest says otherwise`),
    ];
  return [holds(check, `${event.type} at position ${seq}`)];
};

/** The seal is the line: what people did before it counts, what they did behind it comes too late. */
const sealHolds: Check = ({ bundle, story: { sealed, terminal } }) => {
  const check = 'The ending is what was sealed before it, and nobody cancelled before the seal';
  const event = terminal?.event;
  if (!event) return [fails(check, 'the chain has no ending')];
  if (event.type === 'RunCancelled') return [holds(check, `the run was cancelled: ${event.cause}`)];
  if (!sealed || sealed.seq > terminal.seq) return [fails(check, 'nothing was sealed before the ending')];
  const outcome = sealed.event.outcome;
  const matches =
    (event.type === 'RunReleased' &&
      outcome.kind === 'SUCCESS' &&
      outcome.snapshotHash === event.snapshotHash &&
      outcome.evidenceStep === event.evidenceStep &&
      outcome.form === event.form) ||
    (event.type === 'RunFellBack' && outcome.kind === 'FALLBACK' && outcome.type === event.fallback) ||
    (event.type === 'RunFailed' && outcome.kind === 'FAILED' && outcome.reason === event.reason);
  if (!matches) return [fails(check, 'the ending is not the one that was sealed')];
  const cancel = bundle.excerpt.find(({ subject }) => subject.endsWith('.in.cancel'));
  if (cancel && cancel.seq < sealed.seq)
    return [
      fails(check, `a cancellation stands at position ${cancel.seq}, before the seal at ${sealed.seq}`),
    ];
  return [holds(check, `sealed at position ${sealed.seq}, ended at ${terminal.seq}`)];
};

const wrongCalls = ({ bundle: { ledger }, story: { calls } }: Examined): string[] => {
  const wrong = calls.flatMap(({ accepted, completed }, i) => {
    const entry = ledger[i];
    const id = accepted.toolCallId;
    const bundledId = entry?.kind === 'RESULT' ? entry.entry.toolCallId : entry?.toolCallId;
    if (!entry || bundledId !== id || entry.step !== accepted.step || entry.service !== accepted.service)
      return [`the ledger does not hold ${id} where the run accepted it`];
    if (entry.kind === 'NO_RESULT') return [];
    const { status, evidenceStatus, errorClass } = entry.entry;
    return status === completed?.status &&
      evidenceStatus === completed.evidenceStatus &&
      errorClass === completed.errorClass
      ? []
      : [`the ledger tells another status of ${id} than the decision that took it in`];
  });
  return ledger.length > calls.length
    ? [...wrong, 'the ledger holds calls that the run never accepted']
    : wrong;
};

const ledgerHolds: Check = (examined) => {
  const { ledger } = examined.bundle;
  const without = ledger.filter(({ kind }) => kind === 'NO_RESULT').length;
  const told = without === 0 ? '' : `, ${without} of them without a result that was taken in`;
  return [
    unless(
      'The ledger holds every tool call of the run, as the decisions recorded it, and no other',
      wrongCalls(examined),
      `${ledger.length} calls${told}`,
    ),
  ];
};

const draftsHold: Check = ({ bundle: { drafts, manifest }, story }) => {
  const check = 'The drafts are the ones that the decisions received';
  const wrong = drafts.flatMap(({ revision, step, data }) => {
    const received = story.drafts.find((draft) => draft.revision === revision && draft.step === step);
    return data.kind === 'DRAFT' && data.draft.sha256 === received?.sha256
      ? []
      : [`draft ${revision} is not the one that was received`];
  });
  const lacking = story.drafts.filter(({ step }) => !drafts.some((draft) => draft.step === step));
  if (wrong.length === 0 && lacking.some(({ step }) => manifest.missing.includes(`res.agent.${step}`)))
    return [notChecked(check, 'the log has forgotten a draft, and the archive keeps its hash only')];
  const lost = lacking.map(({ revision }) => `draft ${revision} is not here`);
  return [unless(check, [...wrong, ...lost], `${drafts.length} of them`)];
};

export const DECISION_CHECKS: readonly Check[] = [
  chainHolds,
  startHolds,
  endHolds,
  sealHolds,
  ledgerHolds,
  draftsHold,
];
