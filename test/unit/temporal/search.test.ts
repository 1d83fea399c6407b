import { ValueError } from '@temporalio/common';
import { describe, expect, it } from 'vitest';
import {
  type Filter,
  listExecutions,
  listOnboardings,
  mostUrgent,
  searchOnboardings,
  toListed,
  visibilityQuery,
} from '../../../src/temporal/search.js';
import { stoppedAt } from '../../rigs/clock.js';
import { answering, execution, type Facts, known, payloads } from '../../rigs/temporal/answering-service.js';

describe('the query of gangway list', () => {
  const at = new Date('2026-01-31T10:00:00Z');
  const RUNS = " AND ExecutionStatus = 'Running'";
  const BOTH = " AND (PartnerAccount IS NULL OR PartnerAccount IN ('acme'))";
  const EITHER = "PartnerStatus = 'Pending' OR PartnerStatus = 'Declined'";
  const MERCHANTS = "WorkflowType IN ('merchantBoarding')";

  it.each<[string, Partial<Filter>, string]>([
    ['nothing but a type', {}, ''],
    ['a stage', { stage: 'underwriting' }, " AND OnboardingStage = 'underwriting'"],
    ['an agent', { agent: '101' }, " AND AgentProfileId = '101'"],
    ['an account', { partnerAccount: 'acme' }, " AND PartnerAccount = 'acme'"],
    ['accounts', { partnerAccounts: ['acme', 'zeta'] }, " AND (PartnerAccount IN ('acme', 'zeta'))"],
    ['the account without a name', { partnerAccounts: [''] }, ' AND (PartnerAccount IS NULL)'],
    ['both kinds of accounts', { partnerAccounts: ['acme', ''] }, BOTH],
    ['no account, which finds nothing', { partnerAccounts: [] }, " AND WorkflowId = ''"],
    ['a dba in both forms', { dba: "Joe's Bikes" }, " AND Dba IN ('Joe''s Bikes', 'J… B…')"],
    [
      'what a person looks for, which never is a part of the query',
      { find: " 'Joe's BIKES'\n" },
      " AND (DbaWords = 'joe' AND DbaWords = 's' AND DbaWords = 'bikes' OR DbaWords = 'maskedinitialsjb'" +
        " OR WorkflowId STARTS_WITH 'Joe''s BIKES' OR WorkflowId STARTS_WITH 'merchant-boarding-Joe''s BIKES')",
    ],
    [
      'digits to look for, which the IDs of partners have',
      { find: '518' },
      " AND (DbaWords = '518' OR DbaWords = 'maskedinitials5'" +
        " OR Mid STARTS_WITH '518' OR MerchantProfileId STARTS_WITH '518' OR BankingProfileId STARTS_WITH '518'" +
        " OR WorkflowId STARTS_WITH '518' OR WorkflowId STARTS_WITH 'merchant-boarding-518')",
    ],
    [
      'signs to look for, which only a whole name has',
      { find: '🍕!' },
      " AND (Dba IN ('🍕!', '🍕…')" +
        " OR WorkflowId STARTS_WITH '🍕!' OR WorkflowId STARTS_WITH 'merchant-boarding-🍕!')",
    ],
    ['quotes to look for, which find nothing', { find: " ''' \0\0'" }, " AND WorkflowId = ''"],
    ['blanks to look for, which are nothing', { find: ' \n ' }, ''],
    ['a kind of requirement', { kind: 'ticket' }, " AND Requirements = 'ticket'"],
    // Which only a running workflow has.
    ['open requirements', { actionRequired: true }, ` AND ActionRequired = true${RUNS}`],
    ['what is running', { running: true }, RUNS],
    ['whatever runs or not', { running: false, actionRequired: false }, ''],
    ['later due dates', { dueAfter: at }, " AND ActionDueAt > '2026-01-31T10:00:00.000Z'"],
    ['due dates up to one', { dueUntil: at }, " AND ActionDueAt <= '2026-01-31T10:00:00.000Z'"],
    ['earlier starts', { startedBefore: at }, " AND StartTime < '2026-01-31T10:00:00.000Z'"],
    ['later ends', { endedSince: at }, " AND CloseTime >= '2026-01-31T10:00:00.000Z'"],
    ['the partner of the type', { system: 'boarding' }, ''],
    ['filters together with a query with OR', { running: true, query: EITHER }, `${RUNS} AND (${EITHER})`],
    ['values with quotes', { agent: "x' OR ''='" }, " AND AgentProfileId = 'x'' OR ''''='''"],
  ])('has %s', (_, filter, clause) => {
    expect(visibilityQuery({ types: ['merchantBoarding'], ...filter })).toBe(MERCHANTS + clause);
  });

  it('has a bound for what a person looks for', () => {
    const find = Array.from({ length: 5_000 }, (_, number) => `w${number}'`).join(' ');
    const query = visibilityQuery({ types: ['merchantBoarding'], find });
    expect(query.split('DbaWords = ')).toHaveLength(1 + 7 + 1);
    expect(query.length).toBeLessThan(1_500);
  });

  it('finds what is at one partner, by the type or by the id of an account', () => {
    const types = ['merchantBoarding', 'businessOnboarding', 'partnerOperation', 'partnerAccount'] as const;
    expect(visibilityQuery({ types, system: 'banking' })).toBe(
      "WorkflowType IN ('businessOnboarding', 'partnerOperation', 'partnerAccount') AND " +
        "(WorkflowType != 'partnerAccount' OR WorkflowId STARTS_WITH 'partner-account-banking')",
    );
    expect(visibilityQuery({ types: ['partnerRecord'], system: 'payments' })).toBe(
      "WorkflowType IN ('partnerRecord') AND WorkflowId STARTS_WITH 'partner-record-payments'",
    );
    expect(visibilityQuery({ types: ['partnerAccount'] })).toBe("WorkflowType IN ('partnerAccount')");
  });
});

describe('a list', () => {
  /** A server with this many workflows, in pages. */
  function pages(count: number) {
    const server = answering({
      listWorkflowExecutions: ({ pageSize, nextPageToken }) => {
        const first = Number(nextPageToken ? Buffer.from(nextPageToken).toString() : 0);
        const last = Math.min(first + pageSize, count);
        const executions = Array.from({ length: last - first }, (_, place) =>
          execution({ workflowId: `merchant-boarding-${first + place}` }),
        );
        return { executions, nextPageToken: last < count ? Buffer.from(`${last}`) : Buffer.of() };
      },
    });
    const sizes = () => server.sent.map(([, { pageSize }]) => pageSize);
    return { ...server, sizes };
  }

  it.each<[count: number, most: number, listed: number, sizes: number[]]>([
    [0, Number.POSITIVE_INFINITY, 0, [1_000]],
    [2_500, Number.POSITIVE_INFINITY, 2_500, [1_000, 1_000, 1_000]],
    [2_500, 1_200, 1_200, [1_000, 200]],
    [2_500, 1_000, 1_000, [1_000]],
    [5, 3, 3, [3]],
    [3, 3, 3, [3]],
    [3, 0, 0, []],
  ])('of %i workflows, %i at most, is read in pages', async (count, most, expected, sizes) => {
    const server = pages(count);
    const matches = await Array.fromAsync(listExecutions(server.client, "WorkflowType = 'x'", most));
    const ids = Array.from({ length: expected }, (_, place) => `merchant-boarding-${place}`);
    expect(matches.map((raw) => raw.execution?.workflowId)).toEqual(ids);
    expect(server.sizes()).toEqual(sizes);
    for (const [, request] of server.sent)
      expect(request).toMatchObject({ namespace: 'default', query: "WorkflowType = 'x'" });
  });

  it('has all workflows without a limit', async () => {
    expect(await Array.fromAsync(listOnboardings(pages(1_001).client, ''))).toHaveLength(1_001);
  });

  /** A workflow as the list has it. */
  async function entry(facts: Facts, sealed?: Error) {
    const { client } = answering({ listWorkflowExecutions: () => ({ executions: [execution(facts)] }) });
    if (sealed)
      client.options.loadedDataConverter.payloadCodecs.push({
        decode: () => Promise.reject(sealed),
        encode: async (all) => all,
      });
    const [first] = await Array.fromAsync(listOnboardings(client, ''));
    return first;
  }

  const [dba] = payloads('Corner Bakery') as [object];
  const claim = { actor: 'ada', until: '2999-01-01T00:00:00.000Z' };
  const [handling] = payloads({ 'note-1': { claim } }) as [object];
  const note = { kind: 'underwriting-note', id: 'note-1', raisedAt: 'R', dueAt: 'D' };

  it('shows each fact of a workflow', async () => {
    const indexed = {
      Dba: 'C… B…',
      PartnerAccount: 'acme',
      OnboardingStage: 'underwriting',
      PartnerStatus: 'Pending',
      MerchantProfileId: '1001',
      BankingProfileId: '501',
      Mid: '9',
      AgentProfileId: '101',
      Requirements: ['underwriting-note note-1 R D', '+2', 'underwriting-note'],
      StageTimes: ['submission 60', 'underwriting 172800'],
    };
    const facts = { workflowId: 'merchant-boarding-m-1@acme', indexed, memo: { dba, handling } };
    expect(await entry({ ...facts, status: 'COMPLETED', closedAt: '2026-02-01T10:00:00Z' })).toEqual({
      workflowId: 'merchant-boarding-m-1@acme',
      runId: 'run-1',
      type: 'merchantBoarding',
      taskQueue: 'gangway',
      dba: 'Corner Bakery',
      system: 'boarding',
      partnerAccount: 'acme',
      state: 'completed',
      stage: 'underwriting',
      partnerStatus: 'Pending',
      merchantProfileId: '1001',
      mid: '9',
      bankingProfileId: '501',
      agentProfileId: '101',
      requirements: [{ ...note, claim }],
      moreRequirements: 2,
      stageSeconds: { submission: 60, underwriting: 172_800 },
      startedAt: new Date('2026-01-31T10:00:00Z'),
      endedAt: new Date('2026-02-01T10:00:00Z'),
    });
  });

  it('shows nothing of what a workflow does not have', async () => {
    expect(await entry({})).toEqual({
      workflowId: 'merchant-boarding-m-1',
      runId: 'run-1',
      type: 'merchantBoarding',
      taskQueue: 'gangway',
      system: 'boarding',
      state: 'running',
      requirements: [],
      moreRequirements: 0,
      stageSeconds: {},
      startedAt: new Date('2026-01-31T10:00:00Z'),
    });
  });

  it.each([
    ['RUNNING', 'running'],
    ['CANCELED', 'cancelled'],
    ['TERMINATED', 'terminated'],
    ['FAILED', 'failed'],
    ['TIMED_OUT', 'timed_out'],
  ] as const)('shows %s as %s', async (status, state) => {
    expect(await entry({ status })).toMatchObject({ state });
  });

  it('reads a list of one text, which the server returns as a text', async () => {
    const one = await entry({ indexed: { StageTimes: 'submission 60' } });
    expect(one?.stageSeconds).toEqual({ submission: 60 });
  });

  it('shows what the search attribute has where the key of the memo is missing', async () => {
    const indexed = { Dba: 'C… B…', Requirements: ['underwriting-note note-1 R D'] };
    const facts = { indexed, memo: { dba, handling } };
    const missing = new ValueError('Unknown encoding: binary/encrypted');
    expect(await entry(facts, missing)).toMatchObject({ dba: 'C… B…', requirements: [note] });
    await expect(entry(facts, new Error('a bug'))).rejects.toThrow('a bug');
  });

  it('shows a workflow that is described in the same way', async () => {
    const facts = { indexed: { Mid: '9' }, status: 'CANCELED' } as const;
    const { client } = answering(known({ ...facts, workflowId: 'merchant-boarding-m-1' }));
    const described = await client.workflow.getHandle('merchant-boarding-m-1').describe();
    expect(await toListed(client, described)).toEqual(await entry(facts));
  });
});

describe('a list of some accounts', () => {
  const rows: Facts[] = [
    { workflowId: 'merchant-boarding-m-1@west', indexed: { PartnerAccount: 'west' } },
    { workflowId: 'merchant-boarding-m-2@east', indexed: { PartnerAccount: 'east' } },
    { workflowId: 'merchant-boarding-m-3' },
    // Somebody started these by hand.
    { workflowId: 'merchant-boarding-m-4', indexed: { PartnerAccount: 'east' } },
    { workflowId: 'merchant-boarding-m-5@east', indexed: { PartnerAccount: 'west' } },
    { workflowId: 'merchant-boarding-m-6@west' },
    { workflowId: 'another', indexed: { PartnerAccount: 'west' } },
  ];

  it.each<[readonly string[] | undefined, string]>([
    [['west'], 'm-1@west m-6@west'],
    [['east'], 'm-2@east'],
    [[''], 'm-3'],
    [['', 'west'], 'm-1@west m-3 m-6@west'],
    [[], ''],
    [undefined, 'm-1@west m-2@east m-3 m-4 m-5@east m-6@west another'],
  ])('of %j shows no workflow of another one, whatever the server finds', async (partnerAccounts, text) => {
    const { client } = answering({ listWorkflowExecutions: () => ({ executions: rows.map(execution) }) });
    const onboardings = await Array.fromAsync(
      searchOnboardings(client, { types: ['merchantBoarding'], partnerAccounts }),
    );
    expect(onboardings.map(({ workflowId }) => workflowId.replace('merchant-boarding-', '')).join(' ')).toBe(
      text,
    );
  });
});

describe('the most urgent of many', () => {
  const NOW = Date.parse('2026-02-01T00:00:00Z');
  const HOUR = 3_600_000;
  const inHours = (hours: number) => new Date(NOW + hours * HOUR);
  const filter = { types: ['merchantBoarding'], actionRequired: true } as const;

  /** A server on which requirements are due in so many hours. */
  function due(...hours: number[]) {
    stoppedAt(NOW);
    const until = (time: number) => hours.filter((each) => NOW + each * HOUR <= time).length;
    const server = answering({
      countWorkflowExecutions: ({ query }) => {
        const [, time] = /ActionDueAt <= '([^']+)'/.exec(query) ?? [];
        return { count: time === undefined ? hours.length : until(Date.parse(time)) };
      },
    });
    return { ...server, result: ({ dueUntil }: Filter) => until(dueUntil?.getTime() ?? Number.NaN) };
  }

  it('are all of them when no more wait', async () => {
    const { client, sent } = due(1, 2, 3);
    expect(await mostUrgent(client, filter, 3)).toEqual({ filter, total: 3 });
    expect(sent).toHaveLength(1);
  });

  it.each<[string, hours: number[], most: number, found: number[], searches: number]>([
    ['as many as fit, in few searches', [1, 2, 3, 4], 3, [2, 3], 9],
    ['with half of the room filled', [-50, 5, 5, 5, 5], 2, [1], 44],
    ['those long overdue', [-8_000, -7_000, -6_000, -5_000], 2, [1, 2], 44],
    ['those due in a year, the latest that an input may have', [8_758, 8_759, 8_760], 2, [1, 2], 44],
    ['far apart', [-80_000, -9_000, -30, 0.01, 700, 9_000], 4, [2, 3, 4], 44],
    ['all of one second when they are the first, though they are too many', [5, 5, 5, 5, 5], 2, [5], 44],
    ['none of one second when others come before', [1, 5, 5, 5, 5, 5, 5], 4, [1], 44],
  ])('are found by their due date: %s', async (_, hours, most, counts, searches) => {
    const { client, sent, result } = due(...hours);
    const urgent = await mostUrgent(client, filter, most);
    expect(urgent).toEqual({ filter: { ...filter, dueUntil: expect.any(Date) }, total: hours.length });
    expect(counts).toContain(result(urgent.filter));
    expect(sent.length).toBeLessThanOrEqual(searches);
  });

  it.each<[near: number, isTaken: boolean]>([
    [0, false],
    [1, false],
    [2, true],
    [4, true],
    [5, false],
  ])('are found at once where %i are due by the date of an earlier search: %s', async (near, isTaken) => {
    const { client, sent, result } = due(1, 2, 3, 4, 5, 6);
    const urgent = await mostUrgent(client, filter, 4, inHours(near));
    if (isTaken) expect([urgent.filter.dueUntil, sent.length]).toEqual([inHours(near), 2]);
    else expect(urgent.filter.dueUntil).not.toEqual(inHours(near));
    expect([2, 3, 4]).toContain(result(urgent.filter));
  });
});
