import { hashOf } from '@inquest/contracts/canonical-json';
import type { NewRun } from '@inquest/contracts/platform-facts';
import type { AlertNotification, NotifiedAlert } from './alert-notification';

/** How long before an alert began its cause is looked for: rules wait minutes before they fire. */
const LEAD_MS = 30 * 60_000;
const NAMES_MAX = 5;
const LABELS_MAX = 6;
const CHARS_MAX = 120;

export type AlertQuestion = {
  /** Of the incident: the same for every notification of a group for as long as its first alert keeps firing. */
  key: string;
  bodyHash: string;
  body: NewRun;
};

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim().slice(0, CHARS_MAX);

/** Several names for one set: sorted, each once, bounded. */
const listed = (names: readonly string[]): string => {
  const all = [...new Set(names)].sort();
  const shown = all.slice(0, NAMES_MAX).join(', ');
  return all.length > NAMES_MAX ? `${shown} and ${all.length - NAMES_MAX} more` : shown;
};

/** The alert that began first; of several that began together, the one of the smallest fingerprint. */
const firstOf = (alerts: readonly NotifiedAlert[]): NotifiedAlert | undefined =>
  [...alerts].sort(
    (a, b) => Date.parse(a.startsAt) - Date.parse(b.startsAt) || (a.fingerprint < b.fingerprint ? -1 : 1),
  )[0];

const placeOf = ({ groupLabels, commonLabels }: AlertNotification): string =>
  Object.entries({ ...commonLabels, ...groupLabels })
    .filter(([label]) => label !== 'alertname' && label !== 'severity')
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .slice(0, LABELS_MAX)
    .map(([label, value]) => `${oneLine(label)}=${oneLine(value)}`)
    .join(', ');

/**
 * The question that a notification asks, or undefined where nothing fires any more. A group is one incident for as long
 * as its first alert fires: others that join it ask nothing new. Labels come from whoever writes rules and exporters: the
 * question is data to a model, like every other.
 */
export const questionOfAlerts = (
  notification: AlertNotification,
  source: string,
  receivedAtMs: number,
): AlertQuestion | undefined => {
  const firing = notification.alerts.filter(({ status }) => status === 'firing');
  const first = firstOf(firing);
  if (first === undefined) return undefined;
  const beganMs = Math.min(Date.parse(first.startsAt), receivedAtMs - 1);
  const names = listed(firing.map(({ labels }) => oneLine(labels['alertname'] ?? 'unnamed alert')));
  const place = placeOf(notification);
  const incident = {
    source,
    groupKey: notification.groupKey,
    fingerprint: first.fingerprint,
    startsAt: beganMs,
  };
  const hash = hashOf(incident);
  return {
    key: `alert-${hash}`,
    bodyHash: hash,
    body: {
      question: `Why is ${names} firing${place === '' ? '' : ` (${place})`} since ${new Date(beganMs).toISOString()}?`,
      source,
      window: {
        from: new Date(beganMs - LEAD_MS).toISOString(),
        to: new Date(receivedAtMs).toISOString(),
      },
      detached: true,
    },
  };
};
