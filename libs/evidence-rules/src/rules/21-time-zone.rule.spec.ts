import { answer, describeRule, withAnalysis, type LooseAnalysis } from '../../test/draft';
import { result } from '../../test/ledger';
import { timeZone } from './21-time-zone.rule';

const call = result('call_times', {
  rows: [
    {
      time: '2026-03-02T10:14:05Z',
      at: 1_772_446_445,
      atMs: 1_772_446_445_000,
      message: 'at 08:30:00 it began',
    },
    { started: 'Mon, 02 Mar 2026 20:49:26 +0800' },
  ],
});
/** Run in Berlin, an hour ahead of UTC. */
const saying = (text: string, zone = 'Europe/Berlin') => ({
  ...withAnalysis({ text, toolCallIds: ['call_times'] }, { extra: [call] }),
  zone,
});
type Fact = NonNullable<LooseAnalysis['facts']>[number];
const fact = (path: string, value: Fact['value'], unit?: string) => ({
  ...withAnalysis(
    {
      toolCallIds: ['call_times'],
      facts: [
        { toolCallId: 'call_times', path, value, policy: 'exact', ...(unit === undefined ? {} : { unit }) },
      ],
    },
    { extra: [call] },
  ),
  zone: 'Europe/Berlin',
});
const at = '/analyses/0/text';
const value = '/analyses/0/facts/0/value';
const unit = '/analyses/0/facts/0/unit';

describeRule(timeZone, {
  passes: {
    'a time with its offset': saying('At 10:14:05Z.'),
    'an instant with another offset': saying('At 2026-03-02T12:14:05+02:00.'),
    'a time in the zone of the run': saying('At 11:14.'),
    'a date and a time in the zone of the run': saying('At 2026-03-02 11:14:05.'),
    'twelve hours in the zone of the run': saying('At 11:14 am.'),
    'UTC where the run is in UTC': saying('At 10:14.', 'UTC'),
    'a time that the evidence writes without an offset': saying('At 08:30.'),
    'a time of a mail date in the zone of the run': saying('At 13:49:26.'),
    'a time that stands nowhere, which is rule 28’s': saying('At 07:07.'),
    'a time of an answer, which is rule 41’s': { ...answer([{ text: 'At 12:14.' }]), zone: 'Europe/Berlin' },
    'a moment in a call that is not there, which is rule 6’s': withAnalysis({
      facts: [{ toolCallId: 'call_none', path: '/at', value: 1_772_446_445, unit: 's', policy: 'exact' }],
    }),
    'a fact with the moment’s own text': fact('/rows/0/time', '2026-03-02T10:14:05Z'),
    'a fact in the zone of the run': fact('/rows/0/time', '2026-03-02T11:14:05'),
    'a fact in seconds since 1970': fact('/rows/0/at', 1_772_446_445, 's'),
    'a fact in milliseconds since 1970': fact('/rows/0/at', 1_772_446_445_000, 'ms'),
    'a number of seconds as an instant': fact('/rows/0/at', '2026-03-02T10:14:05Z'),
    'another moment, which is rule 25’s': fact('/rows/0/time', '2026-03-02T10:14:06Z'),
  },
  fails: {
    'UTC that does not say so': [saying('At 10:14.'), at],
    'a date and a time in UTC that do not say so': [saying('At 2026-03-02 10:14:05.'), at],
    'the zone applied twice': [saying('At 12:14.'), at],
    'a local time called UTC': [saying('At 11:14:05Z.'), at],
    'an offset that was dropped': [saying('At 20:49:26.'), at],
    'an instant with the wrong offset': [saying('At 2026-03-02T10:14:05+01:00.'), at],
    'a fact that lacks its offset': [fact('/rows/0/time', '2026-03-02T10:14:05'), value],
    'a fact that dropped its offset from seconds': [fact('/rows/0/at', '2026-03-02 10:14:05'), value],
    'seconds called milliseconds': [fact('/rows/0/at', 1_772_446_445, 'ms'), unit],
    'milliseconds called seconds': [fact('/rows/0/atMs', 1_772_446_445_000, 's'), unit],
  },
});
