import fc from 'fast-check';
import { canonicalJson, hashOf, sha256 } from '@inquest/contracts/canonical-json';
import type { EvidenceBundle, ExcerptEntry } from '@inquest/contracts/evidence-bundle';
import { loggedRun, type RunKind } from '../test/a-logged-run';
import { DRAFT } from '../test/evidence-and-drafts';
import { chained } from './excerpt-chain';
import { bundleText, makeBundle } from './make-bundle';
import { headOf, manifestDigest, partHashes } from './manifest';
import { newKeyPair, signBundle } from './signature';
import { verifyBundle, type VerifyOptions } from './verify-bundle';

const KINDS: RunKind[] = ['RELEASED', 'REPAIRED', 'REJECTED_TWICE', 'UNSUPPORTED', 'FAILED'];
const textOf = (kind: RunKind): string => bundleText(makeBundle(loggedRun(kind)));
const RELEASED = textOf('RELEASED');
const KEYS = newKeyPair();

const failing = (file: Uint8Array | string, options?: VerifyOptions): string[] =>
  verifyBundle(file, options)
    .checks.filter(({ holds }) => holds === false)
    .map(({ check }) => check);

describe('A bundle as it was made', () => {
  it.each(KINDS)('holds in everything, for a run that is %s', (kind) => {
    const { holds, checks } = verifyBundle(textOf(kind));
    expect(checks.filter((check) => check.holds === false)).toEqual([]);
    expect(holds).toBe(true);
    expect(checks.filter((check) => check.holds === null).map(({ check }) => check)).toEqual([
      'The file is signed by the holder of the given key',
    ]);
  });

  it('is the same bytes each time', () => {
    expect(textOf('REPAIRED')).toBe(textOf('REPAIRED'));
  });

  it('shows that the guard, run again, passes the report and freezes the same snapshot', () => {
    const { checks } = verifyBundle(RELEASED);
    for (const check of [
      'The EvidenceGuard, run again here, passes the report',
      'It freezes the same snapshot again, byte for byte',
      'The EvidenceGuard passed these bytes',
      'The SemanticGuard found every item of these bytes supported',
      'The release names exactly this snapshot and this report',
    ])
      expect(checks.find((each) => each.check === check)).toMatchObject({ holds: true });
  });

  it('shows of a fallback that both drafts are rejected again, by the same rules', () => {
    const { checks } = verifyBundle(textOf('REJECTED_TWICE'));
    const again = checks.filter(({ check }) => /rejects draft \d as it did/.test(check));
    expect(again).toMatchObject([
      { holds: true, detail: '25 FACT_VALUE' },
      { holds: true, detail: '25 FACT_VALUE' },
    ]);
  });
});

/** What a re-run of the guard says: holds, and the detail. */
const rerun = (file: string, options?: VerifyOptions) =>
  verifyBundle(file, options).checks.flatMap(({ check, holds, detail }) =>
    /again/.test(check) ? [[holds, detail]] : [],
  );

const LINKING = canonicalJson({
  ...DRAFT,
  actionPlan: [{ id: 'p1', text: 'See https://runbooks.example/pool.', analysisIds: ['a1'] }],
});
const linking = (guard: Parameters<typeof loggedRun>[1]): string =>
  bundleText(
    makeBundle(loggedRun('RELEASED', { draftText: LINKING, linkHosts: ['runbooks.example'], ...guard })),
  );

describe('A bundle of a run with links', () => {
  it('is checked with the hosts that the verdict tells, and says which', () => {
    expect(rerun(linking({ tellsHosts: true }))).toEqual([
      [true, expect.stringContaining('with links to runbooks.example allowed') as string],
      [true, expect.any(String)],
    ]);
  });

  it('is checked with the hosts that are named instead, whatever the verdict tells', () => {
    const [again] = rerun(linking({ tellsHosts: true }), { linkHosts: [] });
    expect(again).toEqual([false, expect.stringContaining('37 UNSAFE_TEXT at /actionPlan/0/text')]);
    expect(verifyBundle(linking({}), { linkHosts: ['runbooks.example'] }).holds).toBe(true);
  });

  it('does not hold where neither allows the host, and says why', () => {
    const [again] = rerun(linking({}));
    expect(again).toEqual([false, expect.stringContaining('no verdict in the file tells')]);
  });
});

describe('A bundle of a run that was guarded by another rule set', () => {
  const OTHER = 'the run was guarded by rule set evidence-1, this program has evidence-2';
  const of = (kind: RunKind) => bundleText(makeBundle(loggedRun(kind, { ruleSet: 'evidence-1' })));

  it('says so, and that these rules pass it too', () => {
    expect(verifyBundle(of('RELEASED')).holds).toBe(true);
    expect(rerun(of('RELEASED'))).toEqual([
      [true, expect.stringMatching(new RegExp(`^\\d+ items over the bundled ledger; ${OTHER}$`)) as string],
      [null, OTHER],
    ]);
  });

  it('says so of what these rules would reject, without counting it', () => {
    const file = linking({ ruleSet: 'evidence-1' });
    expect(verifyBundle(file).holds).toBe(true);
    expect(rerun(file)).toEqual([
      [null, `${OTHER}, which would reject it: 37 UNSAFE_TEXT at /actionPlan/0/text`],
      [null, OTHER],
    ]);
  });

  it('does not compare rejections by rules that are not here', () => {
    expect(verifyBundle(of('REJECTED_TWICE')).holds).toBe(true);
    const by = 'it did so by rule set evidence-1, this program has evidence-2';
    expect(rerun(of('REJECTED_TWICE'))).toEqual([
      [null, by],
      [null, by],
    ]);
  });
});

describe('One flipped byte', () => {
  it.each(KINDS)('anywhere in the file of a run that is %s is found', (kind) => {
    const file = new TextEncoder().encode(textOf(kind));
    fc.assert(
      fc.property(fc.nat(file.length - 1), fc.integer({ min: 1, max: 255 }), (at, mask) => {
        const flipped = Uint8Array.from(file);
        flipped[at] = (flipped[at] ?? 0) ^ mask;
        return !verifyBundle(flipped).holds;
      }),
      { numRuns: 150 },
    );
  });

  it('in the signature is found, and one in the signed file too', () => {
    const signature = signBundle(RELEASED, KEYS.privateKey);
    const options = { publicKey: KEYS.publicKey, signature };
    expect(failing(RELEASED, options)).toEqual([]);
    const file = new TextEncoder().encode(RELEASED);
    fc.assert(
      fc.property(
        fc.nat(signature.length + file.length - 1),
        fc.integer({ min: 1, max: 255 }),
        (at, mask) => {
          const both = Uint8Array.from([...signature, ...file]);
          both[at] = (both[at] ?? 0) ^ mask;
          return failing(both.slice(signature.length), {
            ...options,
            signature: both.slice(0, signature.length),
          }).includes('The file is signed by the holder of the given key');
        },
      ),
      { numRuns: 60 },
    );
  });

  it('is found when a byte is added or removed as well', () => {
    for (const file of [
      `${RELEASED}\n`,
      ` ${RELEASED}`,
      `\uFEFF${RELEASED}`,
      RELEASED.slice(0, -1),
      RELEASED.slice(1),
      '',
    ])
      expect(verifyBundle(file).holds).toBe(false);
  });
});

/** What somebody does who knows the format: every hash follows the change. */
const forged = (change: (bundle: EvidenceBundle) => void, kind: RunKind = 'RELEASED'): string => {
  const bundle = JSON.parse(textOf(kind)) as EvidenceBundle;
  change(bundle);
  const bodies = new Map<number, unknown>([
    ...bundle.ledger.flatMap((call) => (call.kind === 'RESULT' ? [[call.seq, call.entry] as const] : [])),
    ...[...bundle.drafts, ...bundle.evidence, ...bundle.semantic].map(
      ({ seq, data }) => [seq, data] as const,
    ),
  ]);
  const unchained = bundle.excerpt.map(({ hash: _, ...entry }) => ({
    ...entry,
    dataHash: entry.body === 'HERE' ? hashOf(entry.data) : hashOf(bodies.get(entry.seq) ?? entry.dataHash),
  }));
  const kept = unchained.map((entry, i) =>
    entry.body === 'NOT_CARRIED' ? { ...entry, dataHash: bundle.excerpt[i]?.dataHash ?? '' } : entry,
  );
  const { manifest, ...parts } = { ...bundle, excerpt: chained(kept) };
  const { schema, ...rest } = parts;
  const sealed = { ...manifest, parts: partHashes(rest), head: headOf(rest) };
  return canonicalJson({ schema, ...rest, manifest: { ...sealed, digest: manifestDigest(sealed) } });
};

const decisionOf = (
  bundle: EvidenceBundle,
  type: string,
): { entry: ExcerptEntry; event: Record<string, unknown> } => {
  for (const entry of bundle.excerpt) {
    const events = (entry.data as { events?: Record<string, unknown>[] } | null)?.events ?? [];
    const event = events.find((each) => each['type'] === type);
    if (event) return { entry, event };
  }
  throw new Error(`no ${type}`);
};

describe('A file whose hashes were all made to fit a change', () => {
  it('is what the helper of these tests makes of no change', () => {
    expect(forged(() => undefined)).toBe(RELEASED);
  });

  it.each<[string, (bundle: EvidenceBundle) => void, RegExp]>([
    [
      'another report',
      (bundle) => (bundle.report = (bundle.report ?? '').replace('42', '43')),
      /The release names exactly this snapshot/,
    ],
    [
      'another report in another snapshot',
      (bundle) => {
        bundle.report = (bundle.report ?? '').replaceAll('42', '43');
        bundle.snapshot = (bundle.snapshot ?? '').replaceAll('42', '43');
      },
      /The release names exactly this snapshot/,
    ],
    [
      'a tool result that says something else',
      (bundle) => {
        const call = bundle.ledger[0];
        if (call?.kind !== 'RESULT') throw new Error('no result');
        const inline = (call.entry.projection.inline ?? '').replace('42', '43');
        call.entry.projection = { sha256: sha256(inline), bytes: Buffer.byteLength(inline), inline };
      },
      /The evidence in the snapshot is what the tools returned|run again here, passes the report/,
    ],
    [
      'a judge that was not asked about one item',
      (bundle) => {
        const verdict = bundle.semantic[0]?.data;
        if (verdict?.kind === 'JUDGED') verdict.verdicts.pop();
      },
      /The SemanticGuard found every item/,
    ],
    [
      'a quote that the judge made up',
      (bundle) => {
        const verdict = bundle.semantic[0]?.data;
        if (verdict?.kind === 'JUDGED') verdict.verdicts[0]!.evidenceQuote = 'the disk was full at that time';
      },
      /Every quote of the SemanticGuard/,
    ],
    [
      'a cancellation before the seal',
      (bundle) => {
        const request = bundle.excerpt[0]!;
        const subject = request.subject.replace('in.request', 'in.cancel');
        bundle.excerpt.splice(1, 0, {
          ...request,
          seq: request.seq + 1,
          subject,
          headers: { ...request.headers, 'ce-id': subject, 'ce-type': 'inquest.in.cancel.v1' },
          data: { cause: 'PERSON', principal: 'acme/ada', requestedAt: request.storedAt },
        });
      },
      /nobody cancelled before the seal/,
    ],
    [
      'a decision that follows another one',
      (bundle) => {
        const { entry } = decisionOf(bundle, 'OutcomeSealed');
        (entry.data as { prevSeq: number }).prevSeq -= 1;
      },
      /The decisions are one chain/,
    ],
    [
      'a decision that names a fact at another position',
      (bundle) => {
        const { entry } = decisionOf(bundle, 'EvidenceAccepted');
        (entry.data as { took: { seq: number }[] }).took[0]!.seq += 1;
      },
      /The decisions are one chain/,
    ],
    [
      'an ending that was not sealed',
      (bundle) => {
        (decisionOf(bundle, 'OutcomeSealed').event as { outcome: unknown }).outcome = {
          kind: 'FALLBACK',
          type: 'SEMANTIC_UNSUPPORTED',
        };
      },
      /The ending is what was sealed before it/,
    ],
    [
      'a guard that writes a decision',
      (bundle) => (decisionOf(bundle, 'RunReleased').entry.headers['ce-source'] = 'evidence-guard'),
      /written by the service that may write it/,
    ],
    [
      'a fact of another run',
      (bundle) => {
        const entry = bundle.excerpt.at(-2)!;
        entry.subject = entry.subject.replace('01234567', '11234567');
        entry.headers['ce-id'] = entry.subject;
      },
      /Every fact stands at its own position/,
    ],
    [
      'two facts in the other order',
      (bundle) => {
        bundle.excerpt[2]!.seq = bundle.excerpt[1]!.seq;
      },
      /Every fact stands at its own position/,
    ],
    ['a call that is left out', (bundle) => bundle.ledger.pop(), /The ledger holds every tool call/],
    [
      'another outcome in the manifest',
      (bundle) => (bundle.manifest.outcome = 'FALLBACK'),
      /exactly one ending/,
    ],
    ['another tenant in the manifest', (bundle) => (bundle.manifest.tenant = 'globex'), /The run began with/],
  ])('is found: %s', (_, change, check) => {
    expect(failing(forged(change))).toContainEqual(expect.stringMatching(check));
  });

  it('is found where a rejected draft is said to have been rejected by other rules', () => {
    const file = forged((bundle) => {
      const { event } = decisionOf(bundle, 'EvidenceRejected');
      (event['violations'] as { ruleId: string }[])[0]!.ruleId = '1 SCHEMA';
    }, 'REJECTED_TWICE');
    expect(failing(file)).toContain('The EvidenceGuard, run again here, rejects draft 1 as it did');
  });

  it('is not found where nothing in it contradicts anything, which is what the signature is for', () => {
    const file = forged((bundle) => {
      (bundle.excerpt[0]!.data as { principal: string }).principal = 'acme/eve';
    });
    expect(failing(file)).toEqual([]);
    const signature = signBundle(RELEASED, KEYS.privateKey);
    expect(failing(file, { publicKey: KEYS.publicKey, signature })).toEqual([
      'The file is signed by the holder of the given key',
    ]);
  });
});

describe('A file that is no bundle', () => {
  it.each([
    ['nothing', '', /not one JSON document/],
    ['prose', 'The pool was exhausted.', /not one JSON document/],
    ['other JSON', '{"a":1}', /no evidence bundle/],
    ['a list', '[]', /no evidence bundle/],
    ['null', 'null', /no evidence bundle/],
    ['a bundle of a later version', '{"schema":"inquest.bundle.v2"}', /another version/],
    ['a bundle without its parts', '{"schema":"inquest.bundle.v1"}', /does not have the form/],
    [
      'a bundle with one part more',
      RELEASED.replace('{"drafts"', '{"a":1,"drafts"'),
      /does not have the form/,
    ],
    ['JSON that is nested without end', '['.repeat(200_000), /not one JSON document|nested too deeply/],
  ])('is told apart from a broken one: %s', (_, text, why) => {
    const { holds, checks, bundle } = verifyBundle(text);
    expect({ holds, bundle }).toEqual({ holds: false, bundle: null });
    expect(checks[0]).toMatchObject({ holds: false, detail: expect.stringMatching(why) as unknown });
  });

  it('never ends in an exception, whatever its bytes and whatever stands in its members', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => !verifyBundle(bytes).holds),
      { numRuns: 100 },
    );
    const bundle = JSON.parse(RELEASED) as Record<string, unknown>;
    fc.assert(
      fc.property(fc.constantFrom(...Object.keys(bundle)), fc.jsonValue({ maxDepth: 3 }), (name, value) => {
        fc.pre(canonicalJson(value) !== canonicalJson(bundle[name]));
        return !verifyBundle(canonicalJson({ ...bundle, [name]: value })).holds;
      }),
      { numRuns: 200 },
    );
  });
});
