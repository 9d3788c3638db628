import { canonicalJson } from '@inquest/contracts/canonical-json';
import type { Locale, SafeFallback, VerifiedSource } from '@inquest/contracts/outcome';
import type { RunId } from '@inquest/contracts/ids';
import { safeFallback } from '@inquest/contracts/safe-texts';
import type { Finding } from '../rule';

export type FallbackFacts = { runId: RunId; locale: Locale; verifiedSources: readonly VerifiedSource[] };

export const fallbackPure = {
  id: '45 FALLBACK_PURE',
  meaning:
    'A fallback is exactly what constants, type, run id and the accepted sources make; anything else in it came from a draft, a tool or an error (H6).',
  severity: 'HARD',
  *check(fallback: SafeFallback, facts: FallbackFacts): Generator<Finding> {
    if (canonicalJson(fallback) === canonicalJson(safeFallback({ type: fallback.type, ...facts }))) return;
    yield {
      path: '',
      message: 'the fallback is not the one that its type, run, locale and sources make',
      repairable: false,
    };
  },
} as const;
