import { readdirSync, readFileSync } from 'node:fs';
import { beforeEach, describe, expect, it } from 'vitest';
import { chosenItems } from '../../src/apps/console/pages/inbox-filter.js';
import { formatWarnings } from '../../src/services/batches/warnings.js';
import { mondayOf, weekOf } from '../../src/services/reports/statistics.js';
import { Times, timeBefore } from '../../src/services/texts/time.js';
import { credentialAgeGauges } from '../../src/worker/watch.js';
import { stoppedAt } from '../rigs/clock.js';
import { gauges } from '../rigs/gauges.js';
import { machineIn, ZONES, type Zone } from '../rigs/zones.js';

it('the tests of functions run in another zone than UTC, and than those that tests name', () => {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  expect(timeZone).toBe('America/St_Johns');
});

/** The code that runs where the time is that of a person: texts for people, and the browser. */
const LOCAL = /^(services\/texts\/time\.ts|apps\/link\/texts\.ts|apps\/console\/client\/.*)$/;

/** Parts of a date by the zone of the machine. Those by UTC have `UTC` in their names. */
const OF_THE_MACHINE = [
  /\.[gs]et(Date|Day|Month|FullYear|Hours|Minutes|Seconds|TimezoneOffset)\(/,
  /\.to(Date|Time|LocaleDate|LocaleTime)String\(/,
  /DateTimeFormat\(/,
  // Its parts one by one.
  /new Date\(\s*\d{4},|new Date\([^()]*\bgetUTC/,
];

it('only texts for people and the browser know the zone of a machine', () => {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter(
    (file) => /\.tsx?$/.test(file) && !LOCAL.test(file),
  );
  expect(files.length).toBeGreaterThan(300);
  const matches = files.filter((file) => {
    const text = readFileSync(`src/${file}`, 'utf8');
    return OF_THE_MACHINE.some((pattern) => pattern.test(text));
  });
  expect(matches).toEqual([]);
});

/** In most of these zones it is Monday, and a day after summer time began in New York. In Auckland it is Tuesday. */
const NOW = '2026-03-09T12:00:00.000Z';

const MIDNIGHTS: Readonly<Record<Zone, Readonly<Record<'today' | 'yesterday' | '2026-01-31', string>>>> = {
  UTC: {
    today: '2026-03-09T00:00:00.000Z',
    yesterday: '2026-03-08T00:00:00.000Z',
    '2026-01-31': '2026-01-31T00:00:00.000Z',
  },
  'America/St_Johns': {
    today: '2026-03-09T02:30:00.000Z',
    yesterday: '2026-03-08T03:30:00.000Z',
    '2026-01-31': '2026-01-31T03:30:00.000Z',
  },
  'America/New_York': {
    today: '2026-03-09T04:00:00.000Z',
    yesterday: '2026-03-08T05:00:00.000Z',
    '2026-01-31': '2026-01-31T05:00:00.000Z',
  },
  'Asia/Kathmandu': {
    today: '2026-03-08T18:15:00.000Z',
    yesterday: '2026-03-07T18:15:00.000Z',
    '2026-01-31': '2026-01-30T18:15:00.000Z',
  },
  'Pacific/Auckland': {
    today: '2026-03-09T11:00:00.000Z',
    yesterday: '2026-03-08T11:00:00.000Z',
    '2026-01-31': '2026-01-30T11:00:00.000Z',
  },
};

describe.each(ZONES)('on a machine in %s', (zone) => {
  beforeEach(() => {
    machineIn(zone);
    stoppedAt(NOW);
  });

  it.each(Object.entries(MIDNIGHTS[zone]))('the time %s begins at its midnight, %s', (text, at) => {
    expect(timeBefore(text)?.toISOString()).toBe(at);
  });

  it.each([
    ['12h', '2026-03-09T00:00:00.000Z'],
    ['2d', '2026-03-07T12:00:00.000Z'],
    ['2026-01-31T10:00:00Z', '2026-01-31T10:00:00.000Z'],
    ['2026-01-31T10:00:00+05:45', '2026-01-31T04:15:00.000Z'],
    ['tomorrow', undefined],
    ['toString', undefined],
    ['31.1.2026', undefined],
    ['2026-01-32', undefined],
    // A query with these fails.
    ['99999999999d', undefined],
    ['1000000d', undefined],
    ['0000-01-01', undefined],
  ])('the time %s is %s, as everywhere', (text, at) => {
    expect(timeBefore(text)?.toISOString()).toBe(at);
  });

  it('a week of a report is that of UTC', () => {
    const weeks = ['2026-03-01T23:59:59Z', '2026-03-02T00:00:00Z', '2026-03-08T23:59:59Z', NOW].map(
      (time) => {
        const monday = mondayOf(new Date(time));
        return `${monday} ${weekOf(monday)}`;
      },
    );
    expect(weeks).toEqual([
      '2026-02-23 2026-W09',
      '2026-03-02 2026-W10',
      '2026-03-02 2026-W10',
      '2026-03-09 2026-W11',
    ]);
  });

  it('a date of an input is one that the calendar has', () => {
    const warnings = ['1980-02-29', '1980-02-30', '1981-02-29', '1980-12-31T00:00:00Z'].map(
      (dateOfBirth) => formatWarnings({ holder: { dateOfBirth } }).length,
    );
    expect(warnings).toEqual([0, 1, 1, 0]);
    // Who is born today is not born in the future.
    expect(formatWarnings({ holder: { dateOfBirth: '2026-03-09' } })).toEqual([]);
  });

  it('the day of a key is one of UTC', () => {
    const { meter, shown: render } = gauges();
    credentialAgeGauges(meter).payloadKey([{ id: 'k20260131-a' }] as never);
    const at = Date.parse('2026-01-31T00:00:00Z') / 1_000;
    expect(render('gangway_payload_key_created_timestamp_seconds')).toEqual({ 'key=k20260131-a': at });
  });

  it('what is due today is so where the person is', () => {
    const due = [
      '2026-03-09T18:14:59Z',
      '2026-03-09T18:15:00Z',
      '2026-03-10T03:59:59Z',
      '2026-03-10T04:00:00Z',
    ];
    const items = due.map((dueAt) => ({ workflowId: dueAt, dueAt, overdue: false })) as never[];
    const shownIn = (TZ: string) =>
      chosenItems(items, { due: 'today' } as never, { times: new Times({ TZ }), user: {} as never }).length;
    expect(['Asia/Kathmandu', 'America/New_York'].map(shownIn)).toEqual([1, 3]);
  });

  it('a time for a person without a zone is that of the machine', () => {
    expect(new Times({}).at(NOW)).toBe(new Times({ TZ: zone }).at(NOW));
  });
});
