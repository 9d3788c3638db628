import type { FailureReason, FallbackType, Locale, SafeFallback, VerifiedSource } from './outcome';
import type { RunId } from './ids';
import { typedCommand } from './typed-command';

type Texts = Record<FallbackType, { title: string; text: string }>;

/** Every sentence that a person can see when a draft did not pass: constants, chosen by locale and type, never by content (H6). */
const FALLBACK_TEXTS: Record<Locale, Texts> = {
  en: {
    EVIDENCE_VALIDATION_FAILED: {
      title: 'No verified diagnosis',
      text: 'The drafted diagnosis made statements that its evidence does not carry, also after one correction, so it is withheld. Ask again with a narrower question or time range, or look at the sources yourself.',
    },
    SEMANTIC_UNSUPPORTED: {
      title: 'No verified diagnosis',
      text: 'An independent review found that the drafted diagnosis does not follow from its evidence, so it is withheld. The sources listed here were read and are in order; start from them.',
    },
    SEMANTIC_UNAVAILABLE: {
      title: 'Diagnosis could not be reviewed',
      text: 'The independent review could not be completed, so the drafted diagnosis is withheld. The sources listed here were read and are in order. Ask again in a few minutes.',
    },
  },
  de: {
    EVIDENCE_VALIDATION_FAILED: {
      title: 'Keine geprüfte Diagnose',
      text: 'Der Entwurf enthielt auch nach einer Korrektur Aussagen, die seine Belege nicht tragen, und wird deshalb zurückgehalten. Fragen Sie enger gefasst erneut, oder sehen Sie die Quellen selbst an.',
    },
    SEMANTIC_UNSUPPORTED: {
      title: 'Keine geprüfte Diagnose',
      text: 'Eine unabhängige Prüfung ergab, dass der Entwurf nicht aus seinen Belegen folgt; er wird zurückgehalten. Die hier genannten Quellen wurden gelesen und sind in Ordnung: beginnen Sie dort.',
    },
    SEMANTIC_UNAVAILABLE: {
      title: 'Diagnose konnte nicht geprüft werden',
      text: 'Die unabhängige Prüfung kam nicht zustande; der Entwurf wird zurückgehalten. Die hier genannten Quellen wurden gelesen und sind in Ordnung. Fragen Sie in einigen Minuten erneut.',
    },
  },
  zh: {
    EVIDENCE_VALIDATION_FAILED: {
      title: '没有经过验证的诊断',
      text: '诊断草稿在一次修正之后仍含有证据无法支持的陈述，因此不予发布。请缩小问题或时间范围后重新提问，或直接查看数据源。',
    },
    SEMANTIC_UNSUPPORTED: {
      title: '没有经过验证的诊断',
      text: '独立审查认为诊断草稿不能由其证据推出，因此不予发布。此处列出的数据源已被读取且完好，请从这些数据源入手。',
    },
    SEMANTIC_UNAVAILABLE: {
      title: '诊断未能得到审查',
      text: '独立审查未能完成，因此诊断草稿不予发布。此处列出的数据源已被读取且完好。请几分钟后重新提问。',
    },
  },
};

export const safeFallback = (input: {
  type: FallbackType;
  runId: RunId;
  locale: Locale;
  verifiedSources: readonly VerifiedSource[];
}): SafeFallback => ({
  schema: 'inquest.fallback.v1',
  type: input.type,
  runId: input.runId,
  locale: input.locale,
  ...FALLBACK_TEXTS[input.locale][input.type],
  verifiedSources: input.type === 'EVIDENCE_VALIDATION_FAILED' ? [] : [...input.verifiedSources],
});

export const OUT_OF_SCOPE_TEXT: Record<Locale, string> = {
  en: 'Inquest diagnoses incidents and answers questions from runbooks. This question is neither, so nothing was investigated.',
  de: 'Inquest untersucht Störungen und beantwortet Fragen aus Betriebshandbüchern. Diese Frage ist keines von beidem; es wurde nichts untersucht.',
  zh: 'Inquest 诊断故障，并根据运维手册回答问题。此问题不属于这两类，因此没有进行调查。',
};

export const KNOWLEDGE_NOT_FOUND_TEXT: Record<Locale, string> = {
  en: 'The knowledge base holds nothing that answers this question.',
  de: 'Die Wissensbasis enthält nichts, was diese Frage beantwortet.',
  zh: '知识库中没有能够回答此问题的内容。',
};

const DOCTOR = typedCommand('doctor');

/** What a failed run tells a person: the reason's meaning and what to do, never the error. */
export const FAILURE_TEXT: Record<FailureReason, string> = {
  ROUTER_UNAVAILABLE: `The model that sorts questions did not answer. Ask again; if it persists, look: ${DOCTOR}`,
  MODEL_UNAVAILABLE: `The model that investigates did not answer usably. Ask again; if it persists, look: ${DOCTOR}`,
  EVIDENCE_GUARD_UNAVAILABLE: `The evidence guard did not answer, so nothing may be released. Look: ${DOCTOR}`,
  DEADLINE_EXCEEDED:
    'The run reached its time limit before a draft was ready. Narrow the question or the time range.',
  BUDGET_EXHAUSTED:
    'The run used up its budget before a draft was ready. Narrow the question or the time range.',
  TOOL_IDS_UNUSABLE:
    'The model endpoint sent unusable tool call ids three times. See the model adapter page: a `mint` profile may be needed.',
  POISONED: `A message of this run could not be processed and was set aside. An operator can look: ${DOCTOR}`,
  OPERATOR_DROPPED: 'An operator ended this run.',
};
