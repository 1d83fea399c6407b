import type { Client } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { AccountAccess } from '../../../src/activities/account-access.js';
import { repeatable } from '../../../src/activities/failures.js';
import type { ProbeRequest, ProbeResult } from '../../../src/messages/partner-account.js';
import { PartnerError, type PartnerErrorDetails } from '../../../src/partners/partner-error.js';
import { takesMarks } from '../../rigs/activities/takes-marks.js';

const MINUTE = 60_000;

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date', 'performance'] }));
afterEach(() => void vi.useRealTimers());

/** A process whose partner lets it in, or refuses it like this. */
function process() {
  const reports: { process: string; refusal: unknown }[] = [];
  const partner = { refusal: undefined as Partial<PartnerErrorDetails> | undefined, calls: 0, workflows: 0 };
  const marks: unknown[] = [];
  const client = {
    ...takesMarks,
    activity: { heartbeat: async (_: Uint8Array, mark: unknown) => marks.push(mark) },
    workflow: {
      signalWithStart: async (_: string, { signalArgs }: { signalArgs: typeof reports }) => {
        reports.push(...signalArgs);
        partner.workflows = 1;
      },
      getHandle: () => ({
        describe: async () => ({
          raw: { pendingActivities: partner.workflows ? [{ activityType: { name: 'probeAccount' } }] : [] },
        }),
      }),
    },
  } as unknown as Client;
  const call = async () => {
    partner.calls += 1;
    const { refusal } = partner;
    if (!refusal) return 'let in';
    const details = { system: 'boarding', operation: 'get-status', fields: [], reason: 'HTTP 401' };
    throw new PartnerError({ ...details, kind: 'Unauthorized', ...refusal });
  };
  const codes: string[] = [];
  const place = { system: 'boarding', account: undefined, taskQueue: 'gangway' } as const;
  const access = new AccountAccess(place, { read: call, useCode: (code) => codes.push(code) });
  const environment = (info: object) =>
    new MockActivityEnvironment(
      { activityType: 'readStatus', workflowType: 'merchantBoarding', ...info },
      { logger: new DefaultLogger('ERROR'), client, interceptors: [access.interceptors] },
    );

  /** Runs an activity that makes a call. Default of `info`: an activity of a workflow. */
  const run = (make: () => Promise<unknown> = call, info: object = {}) =>
    environment(info).run(() => repeatable(make));
  const probe = (request: Partial<ProbeRequest> = {}, heartbeatDetails?: unknown): Promise<ProbeResult> =>
    environment({ activityType: 'probeAccount', heartbeatDetails }).run(access.activities.probeAccount, {
      process: reports[0]?.process ?? '',
      ...request,
    });
  return { run, probe, partner, reports, codes, marks };
}

const failure = (activity: Promise<unknown>) =>
  activity.then(
    () => {
      throw new Error('expected a failure');
    },
    (error: unknown) => {
      if (!(error instanceof ApplicationFailure)) throw error;
      const { type, nonRetryable, details } = error;
      return { type, nonRetryable, kind: (details?.[0] as PartnerErrorDetails | undefined)?.kind };
    },
  );

const waits = { nonRetryable: false, kind: 'Unauthorized' };
const asksItself = { nonRetryable: true, kind: 'Forbidden' };

describe('a process whose credentials are refused', () => {
  it('makes one call and one report for all activities, which wait for the server to retry them', async () => {
    const { run, partner, reports } = process();
    partner.refusal = {};
    for (let time = 0; time < 20; time++) expect(await failure(run())).toMatchObject(waits);
    expect(partner.calls).toBe(1);
    expect(reports).toHaveLength(1);
  });

  it('calls again after a minute, and reports no more while the account’s workflow tries the credentials', async () => {
    const { run, partner, reports } = process();
    partner.refusal = {};
    await failure(run());
    vi.advanceTimersByTime(MINUTE);
    await failure(run());
    expect([partner.calls, reports.length]).toEqual([2, 1]);
    partner.workflows = 0;
    vi.advanceTimersByTime(MINUTE);
    await failure(run());
    expect([partner.calls, reports.length]).toEqual([3, 2]);
  });

  it('calls and probes again after a minute although the clock was set back by six hours', async () => {
    const { run, probe, partner, reports } = process();
    partner.refusal = {};
    await failure(run());
    vi.setSystemTime(Date.now() - 360 * MINUTE);
    vi.advanceTimersByTime(MINUTE);
    await failure(run());
    expect(partner.calls).toBe(2);
    vi.advanceTimersByTime(MINUTE);
    partner.refusal = undefined;
    const seen = reports[0]?.refusal as ProbeRequest['seen'];
    expect(await probe(seen && { seen })).not.toHaveProperty('refusal');
  });

  it('makes one call in a minute although the clock is set ahead by six hours', async () => {
    const { run, partner } = process();
    partner.refusal = {};
    await failure(run());
    vi.setSystemTime(Date.now() + 360 * MINUTE);
    await failure(run());
    expect(partner.calls).toBe(1);
  });

  it('calls at once after a successful probe', async () => {
    const { run, probe, partner } = process();
    partner.refusal = {};
    await failure(run());
    partner.refusal = undefined;
    expect(await probe()).not.toHaveProperty('refusal');
    expect(await run()).toBe('let in');
  });

  it('leaves a mark that a write was not started, so that a reset does not make it uncertain', async () => {
    const { run, partner, marks } = process();
    partner.refusal = {};
    await failure(run(undefined, { heartbeatTimeoutMs: 10_000 }));
    await failure(run(undefined, { heartbeatTimeoutMs: 10_000 }));
    expect(marks).toEqual([]);
    await failure(run(undefined, { heartbeatTimeoutMs: undefined }));
    expect(marks).toMatchObject([{ sending: false }]);
  });

  it('reports the partner’s words without private values', async () => {
    const { run, partner, reports } = process();
    partner.refusal = { fields: [{ field: '', message: 'ada@example.com is locked' }] };
    await failure(run());
    expect(reports[0]?.refusal).toEqual({
      kind: 'Unauthorized',
      operation: 'get-status',
      reason: 'HTTP 401',
      words: '[Redacted] is locked',
    });
  });

  it.each([{ workflowType: undefined }, { workflowType: 'singleActivity' }])(
    'fails at once for the caller of a single activity (%j)',
    async (info) => {
      const { run, partner } = process();
      partner.refusal = {};
      expect(await failure(run(undefined, info))).toMatchObject({ nonRetryable: true, kind: 'Unauthorized' });
    },
  );

  it('leaves the question to each workflow when no probe reaches it, as in a worker of an old build', async () => {
    const { run, partner } = process();
    partner.refusal = {};
    for (let time = 0; time < 3; time++) {
      expect(await failure(run())).toMatchObject(waits);
      partner.workflows = 0;
      vi.advanceTimersByTime(MINUTE);
    }
    expect(await failure(run())).toMatchObject(asksItself);
  });
});

describe('a call that is refused although the credentials work', () => {
  const refusedTwice = async (between: (rig: ReturnType<typeof process>) => Promise<unknown>) => {
    const rig = process();
    rig.partner.refusal = {};
    await failure(rig.run());
    rig.partner.refusal = undefined;
    await rig.probe();
    await between(rig);
    rig.partner.refusal = {};
    return failure(rig.run());
  };

  it('is a requirement of its workflow', async () => {
    expect(await refusedTwice(async () => undefined)).toMatchObject(asksItself);
  });

  it.each([
    ['it was let in meanwhile', ({ run }: ReturnType<typeof process>) => run()],
    [
      'a poll of it found no change meanwhile',
      ({ run }: ReturnType<typeof process>) =>
        failure(run(() => Promise.reject(ApplicationFailure.retryable('unchanged', 'StatusUnchanged')))),
    ],
    ['that was long ago', async () => vi.advanceTimersByTime(10 * MINUTE)],
  ])('is one of the account when %s', async (_, between) => {
    expect(await refusedTwice(between)).toMatchObject(waits);
  });
});

describe('a probe', () => {
  it('is made once a minute while the same process is refused in the same way, and returns any other result', async () => {
    const { run, probe, partner } = process();
    partner.refusal = {};
    await failure(run());
    const { refusal } = await probe();
    const seen = refusal && { seen: refusal };
    for (const expected of [2, 3]) {
      expect(await failure(probe(seen))).toMatchObject({ type: 'StillRefused', nonRetryable: false });
      expect(partner.calls).toBe(expected);
      vi.advanceTimersByTime(MINUTE);
    }
    partner.refusal = { kind: 'Forbidden', needs: 'one-time-code', reason: 'HTTP 403' };
    expect(await probe(seen)).toMatchObject({ refusal: { needs: 'one-time-code' } });
    partner.refusal = undefined;
    vi.advanceTimersByTime(MINUTE);
    expect(await probe(seen)).not.toHaveProperty('refusal');
  });

  it('passes a code to the process that needs it, and to another one when that is gone', async () => {
    const { probe, codes } = process();
    const elsewhere = { process: 'elsewhere', code: '123456' };
    expect(await failure(probe(elsewhere))).toMatchObject({ type: 'OtherProcess', nonRetryable: false });
    expect(codes).toEqual([]);
    await probe(elsewhere, { passes: 20 });
    expect(codes).toEqual(['123456']);
  });

  it.each([
    ['Rejected', true],
    ['Forbidden', true],
    ['NotSent', false],
    ['RateLimited', false],
    ['Uncertain', false],
  ] as const)('that ends as %s: the partner accepts the credentials: %s', async (kind, isIn) => {
    const { probe, partner } = process();
    partner.refusal = { kind };
    const outcome = probe({}, { passes: 20 });
    if (isIn) expect(await outcome).not.toHaveProperty('refusal');
    else expect(await failure(outcome)).toMatchObject({ kind, nonRetryable: false });
  });
});
