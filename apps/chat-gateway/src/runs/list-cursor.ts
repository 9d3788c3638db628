import { RunId } from '@inquest/contracts/ids';
import { z } from 'zod';
import { badRequest } from '../http/problem-error';

/** Where a page ended. Opaque to clients. */
export type ListPlace = { requestedAt: string; runId: string };

const Place = z.tuple([z.iso.datetime({ offset: true }), RunId]);

export const cursorOf = ({ requestedAt, runId }: ListPlace): string =>
  Buffer.from(JSON.stringify([requestedAt, runId])).toString('base64url');

export const placeOf = (cursor: string): ListPlace => {
  try {
    const [requestedAt, runId] = Place.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')));
    return { requestedAt, runId };
  } catch {
    throw badRequest('The cursor is not one of ours.', [
      { at: 'cursor', message: 'take nextCursor of the page before' },
    ]);
  }
};
