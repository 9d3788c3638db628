import { evidenceTimes } from '@inquest/evidence-rules/evidence-times';
import { offsetAt } from '@inquest/evidence-rules/zone-offset';
import type { Chance } from './chance';
import { exhibitOf } from './leaves';
import type { Bound } from './prose';
import type { SnapshotCase } from './snapshot-cases';

const ONES =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(
    ' ',
  );
const TENS = 'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ');

const inWords = (n: number): string => {
  if (n < 20) return ONES[n] ?? '';
  const ones = n % 10 === 0 ? '' : `-${ONES[n % 10]}`;
  return `${TENS[Math.floor(n / 10) - 2]}${ones}`;
};

const CJK = '零一二三四五六七八九';
const inCjk = (n: number): string => {
  if (n < 10) return CJK[n] ?? '';
  const tens = Math.floor(n / 10);
  return `${tens === 1 ? '' : CJK[tens]}十${n % 10 === 0 ? '' : CJK[n % 10]}`;
};

const fullWidth = (text: string): string =>
  text.replace(/\d/g, (d) => String.fromCharCode(d.charCodeAt(0) + 0xfee0));

/** A whole number in the forms in which people write it; each says the same. */
const formsOf = (n: number): string[] => [
  `It was seen ${n} times in all.`,
  `There were (${n}) of them, or “${n}”.`,
  `count=${n}; nothing else was counted.`,
  `全角で${fullWidth(String(n))}です and so on.`,
  ...(n >= 1_000 ? [`In total ${n.toLocaleString('en-US')} of them were there.`] : []),
  ...(n >= 2 && n < 100
    ? [`In words these are ${inWords(n)} of them.`, `一共有${inCjk(n)}个副本 in the list.`]
    : []),
  ...(n >= 20 ? [`Roughly ${n} of them were there.`, `At least ${n} of them were there.`] : []),
];

const pad = (n: number): string => String(n).padStart(2, '0');

/** A moment in the zone of the run, or with its offset. */
const timesOf = (epochMs: number, zone: string): string[] => {
  const local = new Date(epochMs + offsetAt(zone, epochMs) * 1000);
  const [h, m, s] = [local.getUTCHours(), local.getUTCMinutes(), local.getUTCSeconds()];
  const half = h < 12 ? 'am' : 'pm';
  const utc = new Date(epochMs).toISOString().slice(0, 19);
  return [
    `It began at ${pad(h)}:${pad(m)} and went on from there.`,
    `It began at ${pad(h)}:${pad(m)}:${pad(s)} and went on.`,
    `It began at ${h % 12 === 0 ? 12 : h % 12}:${pad(m)} ${half} and went on.`,
    `It began at ${utc}Z and went on from there.`,
    `It began at ${utc.slice(11)} UTC and went on.`,
    `它开始于${h}点${pad(m)}分 and went on from there.`,
    `Es begann um ${h} Uhr ${pad(m)} und dauerte an.`,
  ];
};

/** True sentences about real outputs, whose figures are written in every form that the reader is to know. */
export const paraphrases = (cases: readonly SnapshotCase[], chance: Chance): Bound[] =>
  cases.flatMap(({ entries, zone }) =>
    chance.some(entries, 6).flatMap((entry): Bound[] => {
      const { numbers } = exhibitOf(entry);
      const whole = numbers.map(({ value }) => value).filter((n) => Number.isInteger(n) && n >= 0 && n < 1e9);
      const times = evidenceTimes(entry.projection.inline ?? '').flatMap(({ epochMs }) => epochMs ?? []);
      const figure = chance.pick(whole);
      const moment = chance.pick(times);
      return [
        ...(figure === undefined ? [] : formsOf(figure)),
        ...(moment === undefined ? [] : timesOf(moment, zone)),
      ].map((sentence) => ({ sentence, entry }));
    }),
  );
