import { describe, expect, it } from 'vitest';
import {
  lackOf,
  numbersOf,
  type Report,
  type ReportOf,
  reportOf,
  weekRowsOf,
} from '../../../../src/services/reports/report.js';
import { stoppedAt } from '../../../rigs/clock.js';
import { answering, execution, type Facts, grpcError } from '../../../rigs/temporal/answering-service.js';

const NOW = '2026-03-06T12:00:00.000Z';
/** A Sunday and a Monday, UTC: two weeks, in every other time zone as well. */
const [SUNDAY, MONDAY] = ['2026-03-01T23:30:00Z', '2026-03-02T00:30:00Z'];

const requirement = (kind: string, raisedAt: string) => ({
  Requirements: [`${kind} ${kind}-1 ${raisedAt} 2026-03-07T00:00:00.000Z`, kind],
});

const ended = (workflowId: string, stage: string, closedAt: string, more: Facts = {}): Facts => ({
  workflowId,
  status: 'COMPLETED',
  closedAt,
  ...more,
  indexed: { OnboardingStage: stage, StageTimes: ['underwriting 60'], ...more.indexed },
});

const WEST = { PartnerAccount: 'west' };
const RUNNING: Facts = {
  workflowId: 'merchant-boarding-m-1@west',
  runId: 'run-3',
  startedAt: '2026-03-05T12:00:00Z',
  indexed: { OnboardingStage: 'underwriting', StageTimes: 'applying 3600', ...WEST },
};
const CUSTOMER = { type: 'customerOnboarding' };
const ROWS: readonly Facts[] = [
  RUNNING,
  ended('merchant-boarding-m-2', 'boarded', SUNDAY),
  ended('merchant-boarding-m-3@west', 'boarded', MONDAY, { indexed: WEST }),
  ended('merchant-boarding-m-4@west', 'boarded', MONDAY, { indexed: WEST }),
  ended('merchant-boarding-m-5', 'declined', MONDAY),
  ended('business-onboarding-b-1@west', 'onboarded', MONDAY, { type: 'businessOnboarding', indexed: WEST }),
  ended('customer-onboarding-c-1', 'onboarded', MONDAY, CUSTOMER),
];
/** The newest first, as the server lists them. */
const EARLIER: readonly Facts[] = ['2026-03-03', '2026-02-20'].map((day, index) => ({
  ...RUNNING,
  runId: `run-${2 - index}`,
  status: 'CONTINUED_AS_NEW',
  startedAt: `${day}T12:00:00Z`,
}));
const OTHERS: readonly Facts[] = [
  {
    workflowId: 'partner-account-banking',
    type: 'partnerAccount',
    indexed: requirement('credentials', '2026-03-06T11:00:00.000Z'),
  },
  {
    workflowId: 'operation-close-card-7',
    type: 'partnerOperation',
    indexed: requirement('uncertain-write', '2026-03-06T10:00:00.000Z'),
  },
];

/** The report of a server that sends one workflow at a time, and the queries that it got. */
async function report(options: ReportOf = {}, retention?: number) {
  stoppedAt(NOW);
  const { client, sent } = answering({
    listWorkflowExecutions({ query, nextPageToken }) {
      const rows = query.includes("'ContinuedAsNew'")
        ? EARLIER
        : query.includes("'partnerAccount'")
          ? OTHERS
          : ROWS;
      const place = Number(nextPageToken?.length ? Buffer.from(nextPageToken).toString() : 0);
      const next = place + 1 < rows.length ? Buffer.from(`${place + 1}`) : Buffer.of();
      return { executions: rows.slice(place, place + 1).map(execution), nextPageToken: next };
    },
    describeNamespace() {
      if (retention === undefined) throw grpcError('PERMISSION_DENIED');
      return { config: { workflowExecutionRetentionTtl: { seconds: retention } } };
    },
  });
  const record = await reportOf(client, options);
  return { record, queries: [...new Set(sent.map(([, { query }]) => query).filter(Boolean))] };
}

describe('a report', () => {
  it('counts every page of the list, each account, and the questions of accounts and operations', async () => {
    const { record } = await report({ by: 'account' });
    expect(record).toMatchObject({ running: 1, ended: 5, by: 'account' });
    expect(record.requirements.map(({ kind, open }) => [kind, open])).toEqual([
      ['credentials', 1],
      ['uncertain-write', 1],
    ]);
    expect(record.longest.map(({ workflowId }) => workflowId)).toEqual([
      'operation-close-card-7',
      'partner-account-banking',
      'merchant-boarding-m-1@west',
    ]);
    const group = (name: string | null, running: number, succeeded: number, others: number) => ({
      group: name,
      running,
      waiting: 0,
      succeeded,
      others,
      medianSeconds: 60,
    });
    // The largest first.
    expect(record.groups).toEqual([group('west', 1, 3, 0), group(null, 0, 1, 1)]);
  });

  it('counts the time of an onboarding from the first of its runs', async () => {
    const { record } = await report();
    const wait = record.longest.find(({ waits }) => waits === 'stage');
    expect(wait).toMatchObject({ since: '2026-02-20T13:00:00.000Z', for: 'underwriting' });
    expect(record.overADay).toBe(1);
  });

  it.each<[ReportOf, since: string, Record<string, string>]>([
    [{}, '2025-12-12T12:00:00.000Z', {}],
    [{ since: new Date('2026-02-01T05:00:00+05:45') }, '2026-01-31T23:15:00.000Z', {}],
    [
      { partnerAccounts: ['', 'west', 'east'], system: 'banking' },
      '2025-12-12T12:00:00.000Z',
      { partnerAccounts: 'default, west, east', system: 'banking' },
    ],
  ])(
    'of %j has what ended since %s, of the accounts that its filter names',
    async (options, since, filter) => {
      const { record, queries } = await report(options);
      expect([record.at, record.since, record.filter]).toEqual([NOW, since, filter]);
      expect(queries.filter((query) => query.includes(`CloseTime >= '${since}'`))).toHaveLength(1);
      if (options.partnerAccounts)
        for (const query of queries)
          expect(query).toContain("PartnerAccount IS NULL OR PartnerAccount IN ('west', 'east')");
    },
  );

  it.each([
    [undefined, undefined],
    [84 * 86_400, undefined],
    [84 * 86_400 - 1, /^Temporal keeps ended onboardings for 83 d /],
    [3 * 86_400, /^Temporal keeps ended onboardings for 3 d /],
  ])('says what is forgotten where Temporal keeps what has ended for %j s', async (seconds, lack) => {
    const { record } = await report({}, seconds);
    expect(record.retentionSeconds).toBe(seconds ?? null);
    if (lack) expect(lackOf(record)).toMatch(lack);
    else expect(lackOf(record)).toBeUndefined();
  });

  it('has a row for each week of UTC, with the outcomes of all kinds of onboardings but customers', async () => {
    const { record } = await report();
    expect(weekRowsOf(record)).toEqual([
      {
        week: '2026-W09',
        monday: '2026-02-23',
        ended: 1,
        succeeded: 1,
        boarded: 1,
        declined: 0,
        onboarded: 0,
      },
      {
        week: '2026-W10',
        monday: '2026-03-02',
        ended: 4,
        succeeded: 3,
        boarded: 2,
        declined: 1,
        onboarded: 1,
      },
    ]);
  });

  it('is a row for each number, also where it is zero, and for each one of several', async () => {
    const { record } = await report({ by: 'account' });
    const figure = { subject: 'merchant', system: 'boarding', sinceLastSeconds: null, hasStopped: false };
    const webhooks = [
      { ...figure, account: null, nudged: 0, pollOnly: 2 },
      { ...figure, account: 'west', nudged: 3, pollOnly: 0, sinceLastSeconds: 0 },
    ];
    const rows = numbersOf({ ...record, webhooks } as Report);
    const lines = rows.map((row) => Object.values(row).join(','));
    for (const section of ['outcomes', 'webhooks', 'longest', 'groups'])
      expect(lines.filter((line) => line.startsWith(section))).toEqual(EXPECTED[section]);
  });
});

const EXPECTED: Readonly<Record<string, readonly string[]>> = {
  outcomes: [
    'outcomes,merchant,boarded,2026-02-23,count,1',
    'outcomes,merchant,boarded,2026-03-02,count,2',
    'outcomes,merchant,declined,2026-03-02,count,1',
    'outcomes,business,onboarded,2026-03-02,count,1',
    'outcomes,customer,onboarded,2026-03-02,count,1',
  ],
  webhooks: [
    'webhooks,merchant,,,nudged,0',
    'webhooks,merchant,,,pollOnly,2',
    'webhooks,merchant,west,,nudged,3',
    'webhooks,merchant,west,,pollOnly,0',
    'webhooks,merchant,west,,sinceLastSeconds,0',
  ],
  longest: [
    'longest,,operation-close-card-7,,person-seconds,7200',
    'longest,,partner-account-banking,,person-seconds,3600',
    `longest,,merchant-boarding-m-1@west,,stage-seconds,${(14 * 24 - 1) * 3_600}`,
  ],
  groups: [
    'groups,,west,,running,1',
    'groups,,west,,waiting,0',
    'groups,,west,,succeeded,3',
    'groups,,west,,others,0',
    'groups,,west,,medianSeconds,60',
    'groups,,,,running,0',
    'groups,,,,waiting,0',
    'groups,,,,succeeded,1',
    'groups,,,,others,1',
    'groups,,,,medianSeconds,60',
  ],
};
