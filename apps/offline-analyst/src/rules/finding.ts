import type { Analysis, Entity, Fact, Quote } from '@inquest/contracts/draft';
import type { View } from '../evidence/view';

/** Independent kinds of evidence: two findings of one sort are one witness, two of different sorts are two. */
export type Sort = 'STATE' | 'EVENT' | 'LOG' | 'METRIC' | 'SETTING' | 'ALERT' | 'DEPENDENCY';

/** One statement about the system with everything that carries it. Numbers in `text` stand in `facts` or in the quoted lines. */
export type Finding = {
  /** Equal keys are the same statement. */
  key: string;
  sort: Sort;
  kind: Exclude<Analysis['kind'], 'CAUSE'>;
  text: string;
  toolCallIds: string[];
  facts: Fact[];
  quotes: Quote[];
  entities: Entity[];
  scope?: Analysis['scope'];
  /** How much it speaks for the hypothesis that carries it, 0 (context) to 3 (names the mechanism itself). */
  weight: number;
  /** When what it tells began and, where it is over, ended. */
  fromMs: number | null;
  toMs: number | null;
};

/** A possible cause with its evidence; what the rules look for, and what they rank. */
export type Hypothesis = {
  /** Word of the closed vocabulary of causes. */
  cause: string;
  /** `<Kind>/<name>` of the object that the fault lies in. */
  object: string;
  /** The service whose trouble this explains; its callers' trouble follows. Null: the whole namespace or cluster. */
  service: string | null;
  /** One sentence, no numbers, for the conclusion. */
  headline: string;
  /** How the findings hang together; the text of the CAUSE. */
  mechanism: string;
  findings: Finding[];
  /** A SYMPTOM points at another place and yields to any CAUSE found there. */
  rank: 'CAUSE' | 'SYMPTOM';
  /** What is broken says so itself, as a stopped service of a machine does: that outweighs what others merely suffer. */
  isPlain?: boolean;
  /** First things to check or stop, most urgent first. */
  actions: string[];
  /** What keeps it from coming back. */
  recommendations: string[];
  /** What to ask the runbooks. */
  lookup: string;
};

export type Rule = (view: View) => Hypothesis[];
