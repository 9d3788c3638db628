import { z } from 'zod';
import { Coordinates } from './case-parts';
import { ConclusionStatus } from './draft';
import { RunId, Sha256, ToolCallId } from './ids';

/** What a coding task would need and nobody has said (E8). */
export const MissingInformation = z.strictObject({
  what: z.enum([
    /** The report names no cause that a change could remove. */
    'CAUSE',
    /** The cause is bound to no service. */
    'SERVICE',
    /** Nobody said where the code of the service lives. */
    'COORDINATES',
    /** More than one place was named for the same service. */
    'ONE_PLACE',
    /** The report recommends nothing that follows from the cause. */
    'WANTED_CHANGE',
    /** What is wanted was written as a patch, a query or a command. */
    'WANTED_CHANGE_IN_WORDS',
    /** The document did not stand up to the check of what may leave. */
    'VALID_DOCUMENT',
  ]),
  /** Of which service, where that is known. */
  service: z.string().max(253).nullable(),
  text: z.string().max(300),
});
export type MissingInformation = z.infer<typeof MissingInformation>;

const Text = z.string().min(1).max(2_000);

/**
 * What is handed to somebody who changes code: the accepted cause, what is wanted, and where. Words of a released
 * report and coordinates that a person gave; no patch, no query, no command. Nothing in Inquest acts on it.
 */
export const CodingTask = z.strictObject({
  schema: z.literal('inquest.coding-task.v1'),
  caseId: RunId,
  diagnosis: z.string().regex(/^analysis\/diagnosis\/\d{4}\/$/),
  /** The bytes that both guards passed, which every word here is taken from. */
  snapshotHash: Sha256,
  reportHash: Sha256,
  conclusion: ConclusionStatus.extract(['ROOT_CAUSE_IDENTIFIED', 'PROBABLE_CAUSE']),
  target: Coordinates,
  cause: z.strictObject({
    analysisId: z.string().max(16),
    text: Text,
    toolCallIds: z.array(ToolCallId).min(1).max(20),
  }),
  wanted: z
    .array(z.strictObject({ id: z.string().max(16), text: Text }))
    .min(1)
    .max(20),
  /** What whoever takes the task still has to find out. */
  unknown: z.array(z.enum(['PATH', 'REF'])).max(2),
});
export type CodingTask = z.infer<typeof CodingTask>;

export const ChangeRequest = z.union([
  z.strictObject({ issued: CodingTask }),
  z.strictObject({ issued: z.null(), missing: z.array(MissingInformation).min(1).max(16) }),
]);
export type ChangeRequest = z.infer<typeof ChangeRequest>;

export const MISSING_TEXT: Record<MissingInformation['what'], string> = {
  CAUSE: 'The diagnosis names no cause that a change of code could remove.',
  SERVICE: 'The diagnosis does not say in which service the cause lies.',
  COORDINATES: 'Nobody said where the code of this service lives: name its repository when opening the case.',
  ONE_PLACE: 'More than one repository or path was named for this service: name the one that is meant.',
  WANTED_CHANGE: 'The diagnosis recommends no change that follows from the cause.',
  WANTED_CHANGE_IN_WORDS:
    'What is wanted was written as a patch, a query or a command; it has to be said in words.',
  VALID_DOCUMENT: 'The task that came of it is not one that may leave.',
};
