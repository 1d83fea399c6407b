import type { Client } from '@temporalio/client';
import { ApplicationFailure, defaultFailureConverter, defaultPayloadConverter } from '@temporalio/common';
import proto from '@temporalio/proto';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { AccountAccess } from '../../../src/activities/account-access.js';
import { repeatable } from '../../../src/activities/failures.js';
import type {
  PartnerAccountActivities,
  ProbeRequest,
  ProbeResult,
} from '../../../src/messages/partner-account.js';
import {
  PartnerError,
  type PartnerErrorDetails,
  type PartnerErrorKind,
} from '../../../src/partners/partner-error.js';
import { takesIntents } from '../../rigs/activities/takes-intents.js';

const MINUTE = 60_000;

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date', 'performance', 'setTimeout'] }));
afterEach(() => void vi.useRealTimers());

/** A process whose partner lets it in, or refuses it like this. */
function process() {
  const reports: { process: string; refusal: unknown }[] = [];
  const partner = { refusal: undefined as Partial<PartnerErrorDetails> | undefined, calls: 0, workflows: 0 };
  const temporal = { isUp: true, searches: 0, onIntent: async (): Promise<unknown> => undefined };
  /** The activities of workflows of the account, whose last attempt failed like this. */
  const waiting = new Map<string, Partial<PartnerErrorDetails>>();
  const retried: unknown[] = [];
  const intents: unknown[] = [];
  const { PENDING_ACTIVITY_STATE_SCHEDULED: state } = proto.temporal.api.enums.v1.PendingActivityState;
  const failureOf = (details: Partial<PartnerErrorDetails>) => {
    const error = ApplicationFailure.create({ type: 'PartnerError', details: [details] });
    return defaultFailureConverter.errorToFailure(error, defaultPayloadConverter);
  };
  const converters = { payloadConverter: defaultPayloadConverter, failureConverter: defaultFailureConverter };
  const probing = { activityId: 'probe', activityType: { name: 'probeAccount' } };
  const dueLater = { state, nextAttemptScheduleTime: { seconds: Date.now() / 1_000 + 3_600 } };
  const client = {
    ...takesIntents,
    options: { namespace: 'default', loadedDataConverter: { ...converters, payloadCodecs: [] } },
    workflowService: {
      listWorkflowExecutions: async () => {
        temporal.searches += 1;
        return { executions: [] };
      },
      resetActivity: async ({ execution, id }: { execution: { workflowId: string }; id: string }) =>
        retried.push([execution.workflowId, id]),
    },
    activity: {
      heartbeat: async (_: Uint8Array, intent: unknown) => {
        intents.push(intent);
        await temporal.onIntent();
      },
    },
    workflow: {
      signalWithStart: async (_: string, { signalArgs }: { signalArgs: typeof reports }) => {
        if (!temporal.isUp) throw new Error('Temporal is down');
        reports.push(...signalArgs);
        partner.workflows = 1;
      },
      getHandle: (workflowId: string) => ({
        describe: async () => {
          const details = waiting.get(workflowId);
          const step = details && { activityId: 'step', lastFailure: failureOf(details) };
          const pending = workflowId === 'partner-account-boarding' && partner.workflows ? probing : step;
          const status = { name: 'RUNNING' };
          return { status, raw: { pendingActivities: pending ? [{ ...dueLater, ...pending }] : [] } };
        },
      }),
    },
  } as unknown as Client;
  const call = async () => {
    partner.calls += 1;
    const { refusal } = partner;
    if (!refusal) return 'let in';
    throw refusedAs(refusal);
  };
  const signIns: string[] = [];
  const place = { fourEyes: [], system: 'boarding', account: undefined, taskQueue: 'gangway' } as const;
  const access = new AccountAccess(place, {
    read: async ({ signal }) => {
      signIns.push(signal ? 'read' : 'read without end');
      return call();
    },
    forget: () => void signIns.push('forget'),
    useCode: (code) => void signIns.push(`code ${code}`),
  });
  const environment = (info: object) =>
    new MockActivityEnvironment(
      { activityType: 'readStatus', workflowType: 'merchantBoarding', ...info },
      { logger: new DefaultLogger('ERROR'), client, interceptors: [access.interceptors] },
    );

  /** Runs an activity that makes a call. Default of `info`: an activity of a workflow. */
  const run = (make: () => Promise<unknown> = call, info: object = {}) =>
    environment(info).run(() => repeatable(make));
  const heartbeats: unknown[] = [];
  const probe = (request: Partial<ProbeRequest> = {}, heartbeatDetails?: unknown): Promise<ProbeResult> => {
    const probing = environment({ activityType: 'probeAccount', heartbeatDetails });
    probing.on('heartbeat', (details) => heartbeats.push(details));
    const process = reports[0]?.process ?? '';
    return probing.run(access.activities.probeAccount, { process, ...request });
  };
  const activity = <Name extends keyof PartnerAccountActivities>(
    name: Name,
    ...request: Parameters<PartnerAccountActivities[Name]>
  ) => {
    const activities = access.activities as Record<Name, (...request: unknown[]) => Promise<unknown>>;
    return environment({ activityType: name }).run(activities[name], ...request);
  };
  const calls = { run, probe, activity, probeNow: () => access.probeNow(client) };
  return { ...calls, partner, temporal, waiting, retried, reports, signIns, heartbeats, intents };
}

type Process = ReturnType<typeof process>;

/** A process of which one call was refused. */
async function refusedOnce(): Promise<Process> {
  const made = process();
  made.partner.refusal = {};
  await failure(made.run());
  return made;
}

const failure = (activity: Promise<unknown>) =>
  activity.then(
    () => {
      throw new Error('expected a failure');
    },
    (error: unknown) => {
      if (!(error instanceof ApplicationFailure)) throw error;
      const { type, nonRetryable, nextRetryDelay, details } = error;
      const refusal = details?.[0] as PartnerErrorDetails | undefined;
      return { type, nonRetryable, nextRetryDelay, kind: refusal?.kind, refusal };
    },
  );

const refusedAs = (more: Partial<PartnerErrorDetails> = {}) => {
  const details = { system: 'boarding', operation: 'get-status', fields: [], reason: 'HTTP 401' };
  return new PartnerError({ ...details, kind: 'Unauthorized', ...more });
};

const waits = { nonRetryable: false, kind: 'Unauthorized' };
const waitsForPermission = { nonRetryable: false, kind: 'Forbidden', nextRetryDelay: MINUTE };

// Proves W5.
describe('a process whose credentials are refused', () => {
  it('makes one call a minute for all activities, and one report while its workflow tries the credentials', async () => {
    const { run, partner, reports } = await refusedOnce();
    vi.advanceTimersByTime(MINUTE - 1);
    for (let time = 0; time < 20; time++) expect(await failure(run())).toMatchObject(waits);
    expect([partner.calls, reports.length]).toEqual([1, 1]);
    vi.advanceTimersByTime(1);
    await failure(run());
    expect([partner.calls, reports.length]).toEqual([2, 1]);
    partner.workflows = 0;
    vi.advanceTimersByTime(MINUTE);
    await failure(run());
    expect([partner.calls, reports.length]).toEqual([3, 2]);
  });

  it('calls and probes again after a minute although the clock was set back by six hours', async () => {
    const { run, probe, partner, reports } = await refusedOnce();
    vi.setSystemTime(Date.now() - 360 * MINUTE);
    vi.advanceTimersByTime(MINUTE);
    await failure(run());
    expect(partner.calls).toBe(2);
    vi.advanceTimersByTime(MINUTE);
    partner.refusal = undefined;
    const seen = reports[0]?.refusal as ProbeRequest['seen'];
    expect(await probe(seen && { seen })).not.toHaveProperty('refusal');
  });

  it('records that a write was not started, so that a reset does not make it uncertain', async () => {
    const { run, intents } = await refusedOnce();
    const write = { activityType: 'createMerchant' };
    // A read without a heartbeat timeout is no write.
    await failure(run(undefined, { heartbeatTimeoutMs: undefined }));
    await failure(run(undefined, { ...write, heartbeatDetails: { sending: true, sentAt: '' } }));
    expect(intents).toEqual([]);
    await failure(run(undefined, write));
    expect(intents).toMatchObject([{ sending: false }]);
  });

  it('holds a write back although a probe succeeds while it records that', async () => {
    const { run, probe, partner, temporal } = await refusedOnce();
    temporal.onIntent = async () => {
      partner.refusal = undefined;
      await probe();
    };
    expect(await failure(run(undefined, { activityType: 'createMerchant' }))).toMatchObject(waits);
  });

  it('does not release a write that may have been sent before a reset that removed its intent', async () => {
    const { run, partner, intents } = await refusedOnce();
    const reset = {
      activityType: 'restoreSubUser',
      scheduledTimestampMs: 0,
      currentAttemptScheduledTimestampMs: 5_000,
    };
    expect(await failure(run(undefined, { startToCloseTimeoutMs: 5_000, ...reset }))).toMatchObject(waits);
    expect(intents).toEqual([{ sending: true, sentAt: '1970-01-01T00:00:00.000Z' }]);
    expect(partner.calls).toBe(1);
  });

  it('reports again at once when Temporal did not take the report', async () => {
    const { run, partner, temporal, reports } = process();
    partner.refusal = {};
    temporal.isUp = false;
    let reject = (_: Error): void => {};
    const underWay = new Promise<never>((_, fail) => {
      reject = fail;
    });
    const second = failure(run(() => underWay));
    for (let time = 0; time < 4; time++) {
      vi.advanceTimersByTime(MINUTE);
      expect(await failure(run())).toMatchObject(waits);
    }
    expect(reports).toEqual([]);
    temporal.isUp = true;
    reject(refusedAs());
    expect(await second).toMatchObject(waits);
    expect(reports).toHaveLength(1);
  });

  it('reports what is missing, and the beginning of the partner’s words without private values', async () => {
    const { run, partner, reports } = process();
    const fields = ['ada@example.com is locked', 'x'.repeat(400)].map((message) => ({ field: '', message }));
    partner.refusal = { kind: 'Forbidden', needs: 'one-time-code', fields };
    await failure(run());
    const refusal = {
      kind: 'Forbidden',
      operation: 'get-status',
      reason: 'HTTP 401',
      needs: 'one-time-code',
    };
    expect(reports[0]?.refusal).toEqual({ ...refusal, words: `[Redacted] is locked; ${'x'.repeat(278)}` });
  });

  it('fails at once for the caller of a single activity', async () => {
    const { run, partner } = process();
    partner.refusal = {};
    const atOnce = { nonRetryable: true, kind: 'Unauthorized' };
    expect(await failure(run(undefined, { inWorkflow: false }))).toMatchObject(atOnce);
  });
});

describe('a call that is refused although the credentials work', () => {
  const refusedTwice = async (between: (rig: Process) => Promise<unknown>) => {
    const rig = await refusedOnce();
    rig.partner.refusal = undefined;
    await rig.probe();
    await between(rig);
    rig.partner.refusal = {};
    return failure(rig.run());
  };

  const ended = ({ run }: Process, kind: PartnerErrorKind) =>
    failure(run(() => Promise.reject(refusedAs({ kind }))));

  it.each([
    ['at once', async () => undefined],
    ['almost five minutes later', async () => vi.advanceTimersByTime(5 * MINUTE - 1)],
    ['although the partner did not respond meanwhile', (rig: Process) => ended(rig, 'NotSent')],
    ['although it was too much for the partner meanwhile', (rig: Process) => ended(rig, 'RateLimited')],
    ['although the response was unclear meanwhile', (rig: Process) => ended(rig, 'Uncertain')],
  ])('waits for a permission: %s', async (_, between) => {
    expect(await refusedTwice(between)).toMatchObject(waitsForPermission);
  });

  it.each([
    ['rejected its input', (rig: Process) => ended(rig, 'Rejected')],
    ['did not permit it', (rig: Process) => ended(rig, 'Forbidden')],
    ['let it in', ({ run }: Process) => run()],
    ['was let in and met a bug', ({ run }: Process) => run(() => Promise.reject(new Error())).catch(String)],
  ])('is about the credentials when the partner %s since the probe', async (_, between) => {
    expect(await refusedTwice(between)).toMatchObject(waits);
  });
});

describe('a probe', () => {
  it('is made once a minute while the same process is refused in the same way, and returns any other result', async () => {
    const { probe, partner } = await refusedOnce();
    const { refusal } = await probe();
    const seen = refusal && { seen: refusal };
    for (const expected of [2, 3]) {
      expect(await failure(probe(seen))).toMatchObject({ type: 'StillRefused', nonRetryable: false });
      expect(partner.calls).toBe(expected);
      vi.advanceTimersByTime(MINUTE);
    }
    const others = [{ kind: 'Forbidden' }, { needs: 'one-time-code' }, { reason: 'HTTP 403' }] as const;
    for (const other of others) {
      partner.refusal = { ...other, ...('kind' in other && { atSignIn: true }) };
      expect(await probe(seen)).toMatchObject({ refusal: other });
      vi.advanceTimersByTime(MINUTE);
    }
    partner.refusal = undefined;
    expect(await probe(seen)).not.toHaveProperty('refusal');
  });

  it('is passed to the process that needs it twenty times, 50 ms apart, and then counts it as gone until it returns', async () => {
    const { run, probe, partner, signIns, heartbeats } = process();
    const elsewhere = { process: 'elsewhere', code: '123456' };
    const passed = { type: 'OtherProcess', nonRetryable: false, nextRetryDelay: 50 };
    expect(await failure(probe(elsewhere))).toMatchObject(passed);
    expect(await failure(probe(elsewhere, { passes: 19 }))).toMatchObject(passed);
    expect([signIns, heartbeats]).toEqual([[], [{ passes: 1 }, { passes: 20 }]]);
    await probe(elsewhere, { passes: 20 });
    expect(signIns).toEqual(['code 123456', 'read']);
    partner.refusal = { kind: 'NotSent' };
    await failure(probe(elsewhere, { passes: 20 }));
    expect(heartbeats.slice(2)).toEqual([]);
    partner.refusal = {};
    await failure(run());
    await probe({}, { passes: 20 });
    expect(heartbeats.slice(2)).toEqual([{ passes: 0 }]);
  });

  it('forgets earlier refusals before it stores a code, even when the partner was busy the first time', async () => {
    const { probe, partner, reports, signIns, heartbeats } = await refusedOnce();
    partner.refusal = { kind: 'RateLimited' };
    const request = { afresh: true, code: '123456' } as const;
    expect(await failure(probe(request))).toMatchObject({ kind: 'RateLimited', nonRetryable: false });
    // A read that is rejected for another reason shows that the credentials work.
    for (const refusal of [undefined, { kind: 'Rejected', status: 404 } as const]) {
      partner.refusal = refusal;
      expect(await probe(request)).toEqual({ process: reports[0]?.process });
    }
    const signIn = ['forget', 'code 123456', 'read'];
    expect([signIns, heartbeats]).toEqual([[...signIn, ...signIn, ...signIn], []]);
  });

  it('that meets a bug reports the bug', async () => {
    const { probe, partner } = process();
    const get = () => {
      throw new TypeError('a bug');
    };
    Object.defineProperty(partner, 'refusal', { get });
    await expect(probe({}, { passes: 20 })).rejects.toThrow('a bug');
  });
});

describe('the workflow of an account', () => {
  const reads = [
    { operation: 'get-status', workflowIds: ['m-1', 'm-2'] },
    { operation: 'get-fees', workflowIds: ['m-3'] },
  ];

  it('waits until the responses of an operation can be read for every workflow, and learns which', async () => {
    const { activity, waiting } = process();
    waiting.set('m-2', { unreadable: 'get-status' }).set('m-3', { unreadable: 'get-fees' });
    const later = { type: 'StillUnreadable', nonRetryable: false, nextRetryDelay: 5_000 };
    expect(await failure(activity('awaitReadable', { reads }))).toMatchObject(later);
    waiting.set('m-2', { unreadable: 'get-fees' });
    expect(await activity('awaitReadable', { reads })).toEqual(['get-status']);
  });

  it.each([
    ['NotSent', []],
    ['Rejected', ['get-status']],
  ] as const)('learns from a later call that ended as %s that it can read: %s', async (kind, readable) => {
    const { activity, waiting } = process();
    waiting.set('m-2', { operation: 'get-status', kind }).set('m-3', { unreadable: 'get-fees' });
    const learned = activity('awaitReadable', { reads });
    if (readable.length > 0) expect(await learned).toEqual(readable);
    else expect(await failure(learned)).toMatchObject({ type: 'StillUnreadable' });
  });

  it('makes the workflows read whose last response could not be read', async () => {
    const { activity, waiting, retried } = process();
    waiting.set('m-1', { unreadable: 'get-fees' }).set('m-2', { unreadable: 'get-status' });
    await activity('retryReads', { operation: 'get-status', workflowIds: ['m-1', 'm-2', 'm-3'] });
    expect(retried).toEqual([['m-2', 'step']]);
  });

  it('wakes the refused steps a second after the credentials work, when their failures have arrived', async () => {
    const { activity, temporal } = process();
    const woken = activity('wakeRefused');
    await vi.advanceTimersByTimeAsync(999);
    expect(temporal.searches).toBe(0);
    await vi.advanceTimersByTimeAsync(1);
    expect([await woken, temporal.searches]).toEqual([0, 1]);
  });

  it('tries the credentials at once when a process starts, if it asks a person about them', async () => {
    const { probeNow, partner, retried } = process();
    await probeNow();
    expect(retried).toEqual([]);
    partner.workflows = 1;
    await probeNow();
    expect(retried).toEqual([['partner-account-boarding', 'probe']]);
  });
});
