import proto from '@temporalio/proto';
import type { Logger } from 'pino';
import { Registry } from 'prom-client';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { NudgeQueue, nudgeMetrics, WebhookNudges } from '../../../../src/apps/receiver/nudges.js';
import { answering, execution, grpcError, time } from '../../../rigs/temporal/answering-service.js';

const NOW = Date.parse('2026-02-01T00:00:00Z');
const { PENDING_ACTIVITY_STATE_SCHEDULED: SCHEDULED, PENDING_ACTIVITY_STATE_STARTED: STARTED } =
  proto.temporal.api.enums.v1.PendingActivityState;

beforeEach(() => void vi.useFakeTimers({ fakeNodeBuiltins: true, now: NOW }));
afterEach(() => void vi.useRealTimers());

const passed = () => Date.now() - NOW;
const pass = (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds);

/** A status poll that sleeps for an hour, or that runs. */
const poll = (state: number) => ({
  activityId: 'await-status',
  state,
  attempt: 3,
  nextAttemptScheduleTime: time('2026-02-01T01:00:00Z'),
});

interface Workflows {
  /** The IDs that each search finds, one search after the other. */
  readonly searches?: readonly (readonly string[] | Error)[];
  /** Whether the poll of a workflow runs, sleeps, or why it cannot be described. */
  readonly pollOf?: (workflowId: string) => 'runs' | 'sleeps' | 'is not there' | Error;
}

/** Temporal with these workflows, and the log and the count of the receiver. */
function temporal({ searches = [], pollOf = () => 'sleeps' }: Workflows) {
  const [queries, reads]: [[number, string][], string[]] = [[], []];
  const { client, sent } = answering({
    listWorkflowExecutions: ({ query }) => {
      const result = searches[queries.length] ?? [];
      queries.push([passed(), query]);
      if (result instanceof Error) throw result;
      return { executions: result.map((workflowId) => execution({ workflowId })) };
    },
    describeWorkflowExecution: ({ execution: { workflowId } }) => {
      const how = pollOf(workflowId);
      if (how instanceof Error) throw how;
      const pending = how === 'is not there' ? [] : [poll(how === 'runs' ? STARTED : SCHEDULED)];
      return { workflowExecutionInfo: execution({ workflowId }), pendingActivities: pending };
    },
    resetActivity: ({ execution: { workflowId } }) => {
      reads.push(workflowId);
      return {};
    },
  });
  const warnings: unknown[][] = [];
  const logger = { warn: (...all: unknown[]) => warnings.push(all) } as unknown as Logger;
  const metrics = nudgeMetrics(new Registry(), ['acme']);
  const counted = async () =>
    Object.fromEntries(
      (await metrics.nudges.get()).values.map(({ labels, value }) => [labels.result, value]),
    );
  /** The samples of a metric, each as `workflow type, partner, account, value`. */
  const samples = async (name: 'changes' | 'last') =>
    (await metrics[name].get()).values.map(({ labels, value }) => [
      labels.workflowType,
      labels.system,
      labels.account,
      value,
    ]);
  return { client, sent, queries, reads, warnings, logger, metrics, counted, samples };
}

const ids = (...all: string[]) => new Map(all.map((id) => [`Mid ${id}`, { kind: 'Mid' as const, id }]));
const finds = (...all: string[]) =>
  `ExecutionStatus = 'Running' AND TaskQueue = 'gangway' AND (Mid IN (${all.map((id) => `'${id}'`).join(', ')}))`;

describe('a partner webhook', () => {
  function receiver(workflows: Workflows) {
    const server = temporal(workflows);
    const { client } = server;
    const backend = {
      client,
      taskQueue: 'gangway',
      dbaForm: 'shown',
      fourEyes: [],
      accounts: ['acme'],
    } as const;
    return { ...server, nudges: new WebhookNudges(backend, server.logger, server.metrics) };
  }

  it('without an id makes no search', async () => {
    const { nudges, queries } = receiver({});
    expect(await nudges.nudgeWorkflowsOf(new Map())).toBe(0);
    await pass(10_000);
    expect(queries).toEqual([]);
  });

  it('nudges what it is about at once, and three seconds later what could not be found before', async () => {
    const matches = ['w-1', 'w-2', 'w-3'];
    const { nudges, queries, reads, sent, counted } = receiver({
      searches: [matches.slice(0, 2), matches.slice(1)],
    });
    expect(await nudges.nudgeWorkflowsOf(ids('1'))).toBe(2);
    await pass(2_999);
    expect(reads).toEqual(['w-1', 'w-2']);
    await pass(1);
    expect(reads).toEqual(matches);
    await pass(60_000);
    expect(queries).toEqual([0, 3_000].map((at) => [at, finds('1')]));
    expect(sent[0]?.[1]).toMatchObject({ pageSize: 100 });
    expect(await counted()).toEqual({ nudged: 3 });
  });

  it('with an externalId is about the onboardings of each account', async () => {
    const { nudges, queries } = receiver({ searches: [['merchant-boarding-m-1@acme']] });
    expect(
      await nudges.nudgeWorkflowsOf(new Map([['externalId m-1', { kind: 'externalId', id: 'm-1' }]])),
    ).toBe(1);
    expect(queries[0]?.[1]).toMatch(/'merchant-boarding-m-1', .*'merchant-boarding-m-1@acme'/);
  });

  it('counts as the last one of the account and the kind that it is about', async () => {
    const [one, other] = ['merchant-boarding-m-1@acme', 'business-onboarding-b-1'];
    const { nudges, samples } = receiver({ searches: [[one], [one, other]] });
    expect(await samples('last')).toEqual([]);
    await nudges.nudgeWorkflowsOf(ids('1'));
    await pass(4_000);
    expect(await samples('last')).toEqual([
      ['merchantBoarding', 'boarding', 'acme', NOW / 1_000],
      ['businessOnboarding', 'banking', '', NOW / 1_000 + 3],
    ]);
  });

  it('counts for the change that the read after it shows', async () => {
    const [changes, stays] = ['merchant-boarding-m-1@acme', 'merchant-boarding-m-2'];
    const { nudges, samples } = receiver({
      searches: Array(2).fill([changes, stays]),
      pollOf: (id) => (id === changes && passed() > 0 ? 'is not there' : 'sleeps'),
    });
    await nudges.nudgeWorkflowsOf(ids('1'));
    const none = [
      ['merchantBoarding', 'boarding', '', 0],
      ['merchantBoarding', 'boarding', 'acme', 0],
      ['businessOnboarding', 'banking', '', 0],
      ['businessOnboarding', 'banking', 'acme', 0],
    ];
    expect(await samples('changes')).toEqual(expect.arrayContaining(none));
    await pass(70_000);
    expect(await samples('changes')).toEqual(
      expect.arrayContaining(none.with(1, ['merchantBoarding', 'boarding', 'acme', 1])),
    );
  });

  it('counts each time: as the last one again, and for a change of the same workflow again', async () => {
    const id = 'merchant-boarding-m-1@acme';
    let changes = true;
    const { nudges, samples, counted } = receiver({
      searches: Array(9).fill([id]),
      pollOf: () => (changes && passed() % 100_000 > 400 ? 'is not there' : 'sleeps'),
    });
    const of = ['merchantBoarding', 'boarding', 'acme'];
    for (const [round, expected] of [1, 1, 2].entries()) {
      changes = round !== 1;
      // Two webhooks in a row are about one change.
      for (const more of [0, 100]) {
        await pass(more);
        await nudges.nudgeWorkflowsOf(ids('1'));
      }
      expect(await samples('last')).toEqual([[...of, NOW / 1_000 + 100 * round]]);
      await pass(99_900);
      expect((await samples('changes')).find(([, , account, value]) => account === 'acme' && value)).toEqual([
        ...of,
        expected,
      ]);
    }
    expect((await counted())['nudged']).toBe(6);
  });

  it('shares the second search with those of the same second', async () => {
    const { nudges, queries, reads } = receiver({
      searches: [['w-1'], ['w-2'], ['w-3'], ['w-1', 'w-2'], ['w-3']],
    });
    await nudges.nudgeWorkflowsOf(ids('1'));
    await pass(999);
    await nudges.nudgeWorkflowsOf(ids('1', '2'));
    await pass(1);
    await nudges.nudgeWorkflowsOf(ids('3'));
    await pass(60_000);
    expect(queries).toEqual([
      [0, finds('1')],
      [999, finds('1', '2')],
      [1_000, finds('3')],
      [3_000, finds('1', '2')],
      [4_000, finds('3')],
    ]);
    expect(reads).toEqual(['w-1', 'w-2', 'w-3']);
  });

  it('shares it with a hundred IDs at most', async () => {
    const { nudges, queries } = receiver({});
    const all = Array.from({ length: 100 }, (_, place) => `${place}`);
    await nudges.nudgeWorkflowsOf(ids(...all.slice(0, 99)));
    await nudges.nudgeWorkflowsOf(ids('99', '100'));
    await pass(3_000);
    expect(queries[2]).toEqual([3_000, finds(...all)]);
  });

  it('fails when Temporal is unavailable, and is then searched for by its next delivery only', async () => {
    const { nudges, queries } = receiver({ searches: [grpcError('UNAVAILABLE')] });
    await expect(nudges.nudgeWorkflowsOf(ids('1'))).rejects.toMatchObject({ kind: 'temporal-unavailable' });
    await pass(60_000);
    expect(queries).toHaveLength(1);
  });

  it('logs a second search that fails, and searches again for the next one', async () => {
    const { nudges, queries, warnings } = receiver({ searches: [[], grpcError('UNAVAILABLE')] });
    await nudges.nudgeWorkflowsOf(ids('1'));
    await pass(3_000);
    expect(warnings).toEqual([[{ kind: 'Problem: 14' }, 'second search for IDs of partner webhooks failed']]);
    await nudges.nudgeWorkflowsOf(ids('2'));
    await pass(3_000);
    expect(queries.at(-1)).toEqual([6_000, finds('2')]);
  });

  it.each([500, 2_000])('makes no second search once the receiver closes, after %i ms', async (ms) => {
    const { nudges, queries, warnings, sent } = receiver({ searches: [['w-1']], pollOf: () => 'runs' });
    await nudges.nudgeWorkflowsOf(ids('1'));
    await pass(ms);
    nudges.close();
    const before = sent.length;
    await pass(60_000);
    expect([queries.length, sent.length, warnings]).toEqual([1, before, []]);
  });
});

describe('the queue of nudges', () => {
  function queue(workflows: Workflows) {
    const server = temporal(workflows);
    const described = () => server.sent.filter(([name]) => name === 'describeWorkflowExecution').length;
    return { ...server, described, nudges: new NudgeQueue(server.client, server.logger, server.metrics) };
  }

  it('nudges a workflow once more for all requests that came during its nudge', async () => {
    let runs = true;
    const { nudges, reads, counted, described } = queue({ pollOf: () => (runs ? 'runs' : 'sleeps') });
    nudges.add('w-1');
    await pass(100);
    nudges.add('w-1');
    nudges.add('w-1');
    await pass(100);
    // Every 50 ms by the one that is under way.
    expect(described()).toBe(5);
    runs = false;
    await pass(50);
    expect(reads).toEqual(['w-1', 'w-1']);
    nudges.add('w-1');
    await pass(50);
    expect(reads).toEqual(['w-1', 'w-1', 'w-1']);
    expect(await counted()).toEqual({ nudged: 3 });
  });

  it('has sixteen nudges under way, and drops those beyond a thousand', async () => {
    let runs = true;
    const { nudges, reads, described } = queue({ pollOf: () => (runs ? 'runs' : 'sleeps') });
    for (let count = 0; count < 1_001; count++) nudges.add(`w-${count}`);
    await pass(10);
    expect(described()).toBe(16);
    for (const id of ['w-0', 'w-999']) nudges.add(id);
    runs = false;
    await pass(100);
    expect(reads.filter((id) => id === 'w-0')).toHaveLength(2);
    expect(new Set(reads).size).toBe(1_000);
    expect(reads).toContain('w-999');
    expect(reads).not.toContain('w-1000');
    nudges.add('w-1000');
    await pass(10);
    expect(reads).toContain('w-1000');
  });

  const FAILED = [{ kind: 'ServiceError: 14' }, 'nudge failed: the workflow reads at its next poll'];
  it.each<[string, 'is not there' | Error, object, unknown[][]]>([
    ['no poll', 'is not there', { nobody: 1 }, []],
    ['no such workflow', grpcError('NOT_FOUND'), { nobody: 1 }, []],
    ['no response', grpcError('UNAVAILABLE'), { failed: 1 }, [FAILED]],
  ])('counts a workflow with %s', async (_, how, results, logged) => {
    const { nudges, counted, warnings } = queue({ pollOf: () => how });
    nudges.add('w-1');
    await pass(10);
    expect(await counted()).toEqual(results);
    expect(warnings).toEqual(logged);
  });

  it('drops and abandons all nudges when it closes', async () => {
    const { nudges, described, warnings, reads } = queue({ pollOf: () => 'runs' });
    for (let count = 0; count < 20; count++) nudges.add(`w-${count}`);
    await pass(60);
    nudges.add('w-1');
    nudges.close();
    await pass(60_000);
    expect([described(), reads, warnings]).toEqual([32, [], []]);
  });

  it('neither counts nor logs what fails because it closes', async () => {
    const server = queue({
      pollOf: () => {
        server.nudges.close();
        return grpcError('CANCELLED');
      },
    });
    server.nudges.add('w-1');
    await pass(10);
    expect([await server.counted(), server.warnings]).toEqual([{}, []]);
  });
});
