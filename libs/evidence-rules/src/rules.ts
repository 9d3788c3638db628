import type { Rule } from './rule';
import { schema } from './rules/01-schema.rule';
import { dupKey } from './rules/02-dup-key.rule';
import { analysisId } from './rules/03-analysis-id.rule';
import { kind } from './rules/04-kind.rule';
import { noCitation } from './rules/05-no-citation.rule';
import { unknownId } from './rules/06-unknown-id.rule';
import { notReady } from './rules/07-not-ready.rule';
import { ledgerIntegrity } from './rules/08-ledger-integrity.rule';
import { conclusionBinding } from './rules/09-conclusion-binding.rule';
import { orphanText } from './rules/10-orphan-text.rule';
import { errorAsEvidence } from './rules/11-error-as-evidence.rule';
import { noEvidenceKind } from './rules/12-no-evidence-kind.rule';
import { negativeMixed } from './rules/13-negative-mixed.rule';
import { negativeScope } from './rules/14-negative-scope.rule';
import { negativeCoverage } from './rules/15-negative-coverage.rule';
import { negativeValidity } from './rules/16-negative-validity.rule';
import { universal, universalOverCut } from './rules/17-universal.rule';
import { causalFromAbsence } from './rules/18-causal-from-absence.rule';
import { scopeEntity } from './rules/19-scope-entity.rule';
import { window } from './rules/20-window.rule';
import { timeZone } from './rules/21-time-zone.rule';
import { order } from './rules/22-order.rule';
import { freshness } from './rules/23-freshness.rule';
import { factPath } from './rules/24-fact-path.rule';
import { factValue } from './rules/25-fact-value.rule';
import { unit } from './rules/26-unit.rule';
import { derived } from './rules/27-derived.rule';
import { proseNumber, proseNumberNear } from './rules/28-prose-number.rule';
import { hedge } from './rules/29-hedge.rule';
import { quoteField } from './rules/30-quote-field.rule';
import { proseQuote } from './rules/31-prose-quote.rule';
import { entity } from './rules/32-entity.rule';
import { entityProse } from './rules/33-entity-prose.rule';
import { contradictionLocal } from './rules/34-contradiction-local.rule';
import { singleUntrustedSource } from './rules/35-single-untrusted-source.rule';
import { telemetryCommand, telemetryEcho } from './rules/36-telemetry-echo.rule';
import { unsafeText } from './rules/37-unsafe-text.rule';
import { knowledgeAlone } from './rules/38-knowledge-alone.rule';
import { ragSingleLookup } from './rules/38-rag-single-lookup.rule';
import { ragDocId } from './rules/39-rag-doc-id.rule';
import { ragEmpty } from './rules/40-rag-empty.rule';
import { ragFact } from './rules/41-rag-fact.rule';
import { repairMonotone } from './rules/42-repair-monotone.rule';
import { repairOnce } from './rules/43-repair-once.rule';
import { missingLimitation } from './rules/46-missing-limitation.rule';

/**
 * The guard. Every rule runs on every draft; the order here is the order in which violations are reported. A rule is added as
 * a file and a line here. Rules 44 and 45 look at what becomes of a draft, not at the draft: validate-draft and the fallback's spec run them.
 */
export const RULES: readonly Rule[] = [
  schema,
  dupKey,
  analysisId,
  kind,
  noCitation,
  unknownId,
  notReady,
  ledgerIntegrity,
  conclusionBinding,
  orphanText,
  errorAsEvidence,
  noEvidenceKind,
  negativeMixed,
  negativeScope,
  negativeCoverage,
  negativeValidity,
  universal,
  universalOverCut,
  causalFromAbsence,
  scopeEntity,
  window,
  timeZone,
  order,
  freshness,
  factPath,
  factValue,
  unit,
  derived,
  proseNumber,
  proseNumberNear,
  hedge,
  quoteField,
  proseQuote,
  entity,
  entityProse,
  contradictionLocal,
  singleUntrustedSource,
  telemetryEcho,
  telemetryCommand,
  unsafeText,
  knowledgeAlone,
  ragSingleLookup,
  ragDocId,
  ragEmpty,
  ragFact,
  repairMonotone,
  repairOnce,
  missingLimitation,
];
