import type { Page } from '../incident-source';

/** What is known of the names that a query uses. */
export type Standing = Pick<Page<unknown>, 'selectorKnown' | 'suggestions' | 'permissionFiltered'>;

export const emptyPage = <Item>(standing: Partial<Standing> = {}): Page<Item> => ({
  items: [],
  matched: 0,
  limitHit: false,
  sampled: false,
  partial: false,
  permissionFiltered: false,
  selectorKnown: null,
  suggestions: [],
  ...standing,
});
