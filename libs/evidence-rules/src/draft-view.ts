import type { GuardInput } from './guard-input';
import { ledgerView } from './ledger-view';
import { readDraft } from './read-draft';
import type { DraftView } from './rule';

/** Reads draft, previous draft and ledger once, for all rules. */
export const draftView = (input: GuardInput): DraftView => {
  const { draftText, previousDraftText, intent, draftBytesMax } = input;
  return {
    input,
    reading: readDraft(draftText, intent, draftBytesMax),
    previous: previousDraftText === undefined ? null : readDraft(previousDraftText, intent, draftBytesMax),
    ledger: ledgerView(input.ledger),
  };
};
