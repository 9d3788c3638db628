import type { ToolErrorClass } from '@inquest/contracts/ledger';
import { SourceFailure } from '../incident-source';

/** The API answered with an error, or not at all (`status` null). */
export class KubernetesFailure extends SourceFailure {
  constructor(
    readonly status: number | null,
    errorClass: Extract<ToolErrorClass, 'SOURCE_FAILED' | 'ACCESS_DENIED' | 'RESULT_UNUSABLE'>,
    message: string,
    cause?: unknown,
  ) {
    super(errorClass, message, cause);
    this.name = 'KubernetesFailure';
  }
}

const isStatus = (error: unknown, status: number): boolean =>
  error instanceof KubernetesFailure && error.status === status;

/** The credential is good and has no right to this. */
export const isForbidden = (error: unknown): boolean => isStatus(error, 403);
/** No such object, or the cluster does not serve this kind. */
export const isNotFound = (error: unknown): boolean => isStatus(error, 404);
/** A `continue` token that outlived its snapshot of the list. */
export const isGone = (error: unknown): boolean => isStatus(error, 410);
/** A query that means nothing, e.g. the log of a container that has not begun. */
export const isBadRequest = (error: unknown): boolean => isStatus(error, 400);
