import { sha256 } from '@inquest/contracts/canonical-json';
import { Snapshot } from '@inquest/contracts/semantic-facts';
import type { EvidenceBundle } from '@inquest/contracts/evidence-bundle';
import { quoteProblem } from '@inquest/evidence-rules/quote-search';
import { TextIndex } from '@inquest/evidence-rules/text-index';
import { fails, holds, notChecked, unless, type Check, type Examined } from '../check';

export const snapshotIn = ({ snapshot }: EvidenceBundle): Snapshot | null => {
  if (snapshot === null) return null;
  try {
    return Snapshot.safeParse(JSON.parse(snapshot)).data ?? null;
  } catch {
    return null;
  }
};

/** A release of bytes; the constant replies have none. */
const releaseOf = ({ story: { terminal } }: Examined) =>
  terminal?.event.type === 'RunReleased' && terminal.event.snapshotHash !== null ? terminal.event : null;

const NOTHING_RELEASED = 'nothing was released that a guard could have passed';

const releasedBytes: Check = (examined) => {
  const check = 'The release names exactly this snapshot and this report';
  const { bundle } = examined;
  const release = releaseOf(examined);
  if (!release) {
    return [
      bundle.report === null
        ? holds(check, NOTHING_RELEASED)
        : fails(check, 'the file holds a report of a run that released none'),
    ];
  }
  const snapshot = snapshotIn(bundle);
  if (bundle.snapshot === null || bundle.report === null || !snapshot)
    return [fails(check, 'the released snapshot is not here, or has another form')];
  const { manifest } = bundle;
  const wrong = [
    ...(sha256(bundle.snapshot) === release.snapshotHash
      ? []
      : ['the snapshot is not the one that RunReleased names']),
    ...(sha256(bundle.report) === release.reportHash
      ? []
      : ['the report is not the one that RunReleased names']),
    ...(snapshot.report === bundle.report ? [] : ['the report is not the one in the snapshot']),
    ...(snapshot.runId === manifest.runId ? [] : ['the snapshot is of another run']),
    ...(manifest.snapshotHash === release.snapshotHash && manifest.reportHash === release.reportHash
      ? []
      : ['the manifest names other bytes than RunReleased']),
  ];
  return [unless(check, wrong, `snapshot ${release.snapshotHash}, report ${release.reportHash}`)];
};

/** That the guard passed the bytes is told twice: by its own fact, and by the decision that took it in. */
const evidencePassed: Check = (examined) => {
  const check = 'The EvidenceGuard passed these bytes';
  const { bundle, story } = examined;
  const release = releaseOf(examined);
  if (!release) return [holds(check, NOTHING_RELEASED)];
  const { accepted } = story;
  if (accepted?.snapshotHash !== release.snapshotHash || accepted?.reportHash !== release.reportHash)
    return [fails(check, 'no decision says that it accepted what was released')];
  const verdict = bundle.evidence.find(({ step }) => step === release.evidenceStep)?.data;
  if (!verdict)
    return bundle.manifest.missing.includes(`res.evidence.${release.evidenceStep}`)
      ? [notChecked(check, 'its own verdict is forgotten; the decision that took it in says ACCEPTED')]
      : [fails(check, 'its verdict is not here')];
  const same =
    verdict.kind === 'ACCEPTED' &&
    verdict.snapshotHash === release.snapshotHash &&
    verdict.reportHash === release.reportHash;
  return [
    same
      ? holds(check, `its verdict in step ${release.evidenceStep} is ACCEPTED and names both hashes`)
      : fails(check, 'its own verdict is another one, or about other bytes'),
  ];
};

const judged = (verdicts: readonly { itemId: string; verdict: string }[], snapshot: Snapshot): string[] => {
  const byId = new Map(verdicts.map((each) => [each.itemId, each.verdict]));
  if (byId.size !== verdicts.length || verdicts.length !== snapshot.items.length)
    return ['the judge did not say exactly one thing about each item'];
  return snapshot.items.flatMap(({ id }) =>
    byId.get(id) === 'SUPPORTED' ? [] : [`the judge did not find ${id} supported`],
  );
};

const semanticPassed: Check = (examined) => {
  const check = 'The SemanticGuard found every item of these bytes supported';
  const { bundle, story } = examined;
  const release = releaseOf(examined);
  if (!release) return [holds(check, NOTHING_RELEASED)];
  const snapshot = snapshotIn(bundle);
  if (snapshot?.items.length === 0)
    return [holds(check, 'the fixed answer has no items that a judge could grade')];
  const recorded = story.attempts.filter(({ outcome }) => outcome !== 'FAILED');
  if (recorded.some(({ outcome }) => outcome === 'UNSUPPORTED') || recorded.length === 0)
    return [fails(check, 'no decision says that its verdict was SUPPORTED')];
  const verdicts = bundle.semantic.flatMap(({ data }) => (data.kind === 'JUDGED' ? [data] : []));
  const gone = recorded.filter(({ step }) => !bundle.semantic.some((each) => each.step === step));
  if (gone.some(({ step }) => bundle.manifest.missing.includes(`res.semantic.${step}`)))
    return [notChecked(check, 'its own verdict is forgotten; the decision that took it in says SUPPORTED')];
  const about = verdicts.filter(({ snapshotHash }) => snapshotHash === release.snapshotHash);
  if (about.length === 0 || !snapshot) return [fails(check, 'its verdict on this snapshot is not here')];
  if (about.some(({ verdict }) => verdict === 'UNSUPPORTED'))
    return [fails(check, 'one of its attempts found an item unsupported, which is final')];
  const wrong = about.flatMap(({ verdicts: items }) => judged(items, snapshot));
  const model = about[0]?.record.model ?? '';
  return [unless(check, wrong, `${snapshot.items.length} items, judged by ${model}`)];
};

/** A judge that invents a quote is no judge: rule 30 holds its words to the evidence. */
const quotesStand: Check = (examined) => {
  const check = 'Every quote of the SemanticGuard stands in the evidence that it points at';
  const snapshot = releaseOf(examined) && snapshotIn(examined.bundle);
  if (!snapshot) return [holds(check, NOTHING_RELEASED)];
  const indexes = new Map(
    snapshot.evidence.map(({ toolCallId, projection }) => [
      toolCallId as string,
      new TextIndex(projection, JSON.parse(projection)),
    ]),
  );
  const quotes = examined.bundle.semantic.flatMap(({ data }) =>
    data.kind === 'JUDGED' ? data.verdicts.filter(({ evidenceQuote }) => evidenceQuote !== null) : [],
  );
  const wrong = quotes.flatMap(({ itemId, evidenceQuote, toolCallId }) => {
    const index = indexes.get(toolCallId ?? '');
    return index && quoteProblem(index, evidenceQuote ?? '', undefined) === null
      ? []
      : [`the quote for ${itemId} does not stand in the evidence`];
  });
  return [unless(check, wrong, `${quotes.length} quotes`)];
};

/** The snapshot's evidence is what the judge read: byte for byte what the tools had returned. */
const evidenceIsLedger: Check = ({ bundle }) => {
  const check = 'The evidence in the snapshot is what the tools returned';
  const snapshot = snapshotIn(bundle);
  if (!snapshot) return [holds(check, 'there is no snapshot')];
  const ledger = new Map(
    bundle.ledger.flatMap((call) =>
      call.kind === 'RESULT' ? [[call.entry.toolCallId as string, call.entry] as const] : [],
    ),
  );
  const gone = bundle.manifest.missing.some((fact) => /^res\.(tool|rag)\./.test(fact));
  const wrong = snapshot.evidence.flatMap(({ toolCallId, sha256: digest, projection }) => {
    const entry = ledger.get(toolCallId);
    if (!entry && gone) return [];
    return entry?.projection.sha256 === digest && sha256(projection) === digest
      ? []
      : [`the evidence of ${toolCallId} is not what its call returned`];
  });
  return [unless(check, wrong, `${snapshot.evidence.length} cited calls`)];
};

export const GUARD_CHECKS: readonly Check[] = [
  releasedBytes,
  evidencePassed,
  semanticPassed,
  quotesStand,
  evidenceIsLedger,
];
