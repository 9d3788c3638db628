export type PlannedChange = { stage: string; title: string; name: string };
export type Commit = { id: string; added: string[]; removed: string[] };

/** Reads the table of a plan, in the order of its rows. */
export function readPlan(markdown: string): PlannedChange[];

/** One sentence per violation, each with its commit; empty when the order holds. Commits are given oldest first. */
export function changeOrderViolations(plan: readonly PlannedChange[], commits: readonly Commit[]): string[];
