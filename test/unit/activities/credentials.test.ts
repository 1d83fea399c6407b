import type { Client } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { AccountCredentials } from '../../../src/activities/credentials.js';
import { withRetries } from '../../../src/activities/failures.js';
import { reportOutcomes } from '../../../src/at-most-once/activity.js';
import type { CredentialsCheck, RefusalReport } from '../../../src/messages/partner-account.js';
import {
  PartnerError,
  type PartnerErrorDetails,
  type PartnerErrorKind,
} from '../../../src/partners/partner-error.js';
import { takesIntents } from '../../rigs/activities/takes-intents.js';

const MINUTE = 60_000;

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date', 'performance'] }));
afterEach(() => void vi.useRealTimers());

const refusedAs = (more: Partial<PartnerErrorDetails> = {}) => {
  const details = { system: 'boarding', operation: 'get-status', fields: [], reason: 'HTTP 401' };
  return new PartnerError({ ...details, kind: 'Unauthorized', ...more });
};

/** A process. Its partner refuses the read that tries the credentials like `refusal`, and other calls like `refusalOfCalls`. */
function process() {
  const partner = {
    refusal: undefined as Partial<PartnerErrorDetails> | undefined,
    refusalOfCalls: undefined as Partial<PartnerErrorDetails> | undefined,
    calls: 0,
    tries: 0,
  };
  const temporal = { isUp: true, isHandling: false, onIntent: async (): Promise<unknown> => undefined };
  const [reports, intents, signIns]: [RefusalReport[], unknown[], string[]] = [[], [], []];
  const client = {
    ...takesIntents,
    activity: {
      heartbeat: async (_: Uint8Array, intent: unknown) => {
        intents.push(intent);
        await temporal.onIntent();
      },
    },
    workflow: {
      signalWithStart: async (_: string, { signalArgs }: { signalArgs: RefusalReport[] }) => {
        if (!temporal.isUp) throw new Error('Temporal is down');
        reports.push(...signalArgs);
        temporal.isHandling = true;
      },
      getHandle: () => ({
        describe: async () => {
          const pendingActivities = temporal.isHandling
            ? [{ activityType: { name: 'checkCredentials' } }]
            : [];
          return { status: { name: 'RUNNING' }, raw: { pendingActivities } };
        },
      }),
    },
  } as unknown as Client;
  const credentials = new AccountCredentials(
    { fourEyes: [], system: 'boarding', account: undefined, taskQueue: 'gangway' },
    'gangway-host-1',
    {
      forget: () => void signIns.push('forget'),
      useCode: (code) => void signIns.push(`code ${code}`),
      close: async () => undefined,
    },
    async () => {
      partner.tries += 1;
      signIns.push('read');
      if (partner.refusal) throw refusedAs({ operation: 'list-agent-profiles', ...partner.refusal });
    },
  );
  const environment = (info: object) =>
    new MockActivityEnvironment(
      { activityType: 'readStatus', workflowType: 'merchantBoarding', ...info },
      { logger: new DefaultLogger('ERROR'), client, interceptors: [reportOutcomes] },
    );
  const call = async () => {
    partner.calls += 1;
    if (partner.refusalOfCalls) throw refusedAs(partner.refusalOfCalls);
    return 'done';
  };
  /** Runs an activity that makes a call. Default of `info`: an activity of a workflow. */
  const run = (make: () => Promise<unknown> = call, info: object = {}) => {
    const { activity } = credentials.guard({ activity: () => withRetries(make) });
    return environment(info).run(activity);
  };
  const check = (request: CredentialsCheck = {}, attempt = 1) =>
    environment({ activityType: 'checkCredentials', workflowType: 'partnerAccount', attempt }).run(
      credentials.check,
      request,
    );
  const refuse = (refusal?: Partial<PartnerErrorDetails>) =>
    Object.assign(partner, { refusal, refusalOfCalls: refusal });
  return { run, check, refuse, partner, temporal, reports, intents, signIns };
}

/** A process of which one call was refused, and then the read that tries the credentials. */
async function refusedOnce() {
  const make = process();
  make.refuse({});
  await failure(make.run());
  return make;
}

const failure = (activity: Promise<unknown>) =>
  activity.then(
    () => {
      throw new Error('expected a failure');
    },
    (error: unknown) => {
      if (error instanceof PartnerError) return { type: 'thrown', kind: error.kind };
      if (!(error instanceof ApplicationFailure)) throw error;
      const { type, nonRetryable, nextRetryDelay, details } = error;
      return {
        type,
        nonRetryable,
        nextRetryDelay,
        kind: (details?.[0] as PartnerErrorDetails | undefined)?.kind,
      };
    },
  );

const waits = { nonRetryable: false, kind: 'Unauthorized', nextRetryDelay: MINUTE };
const waitsForPermission = { nonRetryable: false, kind: 'Forbidden', nextRetryDelay: MINUTE };

// Proves W5.
describe('a process whose credentials are refused', () => {
  it('tries them once a minute for all activities by a read, and calls nothing else', async () => {
    const { run, partner } = await refusedOnce();
    expect([partner.calls, partner.tries]).toEqual([1, 1]);
    vi.advanceTimersByTime(MINUTE - 1);
    for (let time = 0; time < 20; time++) expect(await failure(run())).toMatchObject(waits);
    expect([partner.calls, partner.tries]).toEqual([1, 1]);
    for (let tries = 2; tries < 10; tries++) {
      vi.advanceTimersByTime(tries === 2 ? 1 : MINUTE);
      for (let time = 0; time < 3; time++) expect(await failure(run())).toMatchObject(waits);
      expect([partner.calls, partner.tries]).toEqual([1, tries]);
    }
    partner.refusal = undefined;
    vi.advanceTimersByTime(MINUTE);
    partner.refusalOfCalls = undefined;
    expect(await run()).toBe('done');
  });

  it('tries them once for all calls that are refused at the same time', async () => {
    const { run, refuse, partner, reports } = process();
    refuse({});
    const failures = await Promise.all(Array.from({ length: 8 }, () => failure(run())));
    expect(failures).toMatchObject(Array(8).fill(waits));
    expect([partner.tries, reports.length]).toEqual([1, 1]);
  });

  it('reports once, and again only when the workflow of the account no longer tries them', async () => {
    const { run, temporal, reports } = await refusedOnce();
    for (let minute = 0; minute < 5; minute++) {
      vi.advanceTimersByTime(MINUTE);
      await failure(run());
    }
    expect(reports.map(({ process }) => process)).toEqual(['gangway-host-1']);
    temporal.isHandling = false;
    vi.advanceTimersByTime(MINUTE);
    await failure(run());
    expect(reports).toHaveLength(2);
  });

  it('reports each time that they begin to be refused, although the workflow tries others', async () => {
    const { run, check, refuse, reports } = await refusedOnce();
    vi.advanceTimersByTime(MINUTE);
    refuse();
    expect(await check()).toBeNull();
    refuse({});
    await failure(run());
    expect(reports).toHaveLength(2);
  });

  it('reports with the next try when Temporal did not take the report', async () => {
    const { run, refuse, temporal, reports } = process();
    refuse({});
    temporal.isUp = false;
    expect(await failure(run())).toMatchObject(waits);
    temporal.isUp = true;
    vi.advanceTimersByTime(MINUTE);
    expect(await failure(run())).toMatchObject(waits);
    expect(reports).toHaveLength(1);
  });

  it('reports what is missing, and the beginning of the partner’s words without private values', async () => {
    const { run, refuse, reports } = process();
    const fields = ['ada@example.com is locked', 'x'.repeat(400)].map((message) => ({ field: '', message }));
    refuse({ kind: 'Forbidden', needs: 'one-time-code', fields });
    await failure(run());
    expect(reports[0]?.refusal).toEqual({
      kind: 'Forbidden',
      operation: 'list-agent-profiles',
      reason: 'HTTP 401',
      needs: 'one-time-code',
      words: `[Redacted] is locked; ${'x'.repeat(278)}`,
    });
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

  it('holds a write back although the credentials begin to work while it records that', async () => {
    const { run, check, refuse, partner, temporal } = await refusedOnce();
    temporal.onIntent = async () => {
      refuse();
      await check({ now: true });
    };
    expect(await failure(run(undefined, { activityType: 'createMerchant' }))).toMatchObject(waits);
    expect(partner.calls).toBe(1);
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

  it('fails at once for the caller of a single activity', async () => {
    const { run } = await refusedOnce();
    const atOnce = { nonRetryable: true, kind: 'Unauthorized' };
    expect(await failure(run(undefined, { inWorkflow: false }))).toMatchObject(atOnce);
  });
});

describe('a call that is refused although the credentials work', () => {
  const ended = ({ run }: ReturnType<typeof process>, kind: PartnerErrorKind) =>
    failure(run(() => Promise.reject(refusedAs({ kind }))));

  it('is repeated once before it waits for a permission, and asks nobody about the credentials', async () => {
    const { run, partner, reports } = process();
    partner.refusalOfCalls = {};
    expect(await failure(run())).toMatchObject(waits);
    for (let hour = 0; hour < 3; hour++) {
      vi.advanceTimersByTime(60 * MINUTE);
      expect(await failure(run())).toMatchObject(waitsForPermission);
    }
    expect(reports).toEqual([]);
    // Another activity of the same type is refused for the first time, and others are called.
    expect(await failure(run(undefined, { activityId: 'other' }))).toMatchObject(waits);
    partner.refusalOfCalls = undefined;
    expect(await run()).toBe('done');
  });

  it('is about the credentials when these are refused by now', async () => {
    const { run, partner } = process();
    partner.refusalOfCalls = {};
    await failure(run());
    partner.refusal = {};
    expect(await failure(run())).toMatchObject(waits);
  });

  it.each<[string, (rig: ReturnType<typeof process>) => Promise<unknown>]>([
    ['permitted', ({ run }) => run(async () => 'done')],
    ['rejected for its input', (rig) => ended(rig, 'Rejected')],
    ['without a response', (rig) => ended(rig, 'NotSent')],
  ])('is repeated once more after it was %s in between', async (_, between) => {
    const rig = process();
    rig.partner.refusalOfCalls = {};
    await failure(rig.run());
    await between(rig);
    expect(await failure(rig.run())).toMatchObject(waits);
    expect(await failure(rig.run())).toMatchObject(waitsForPermission);
  });

  it.each(['Rejected', 'Forbidden'] as const)(
    'shows that they work where the read that tries them is %s, and not the sign-in',
    async (kind) => {
      const { run, partner, reports } = process();
      Object.assign(partner, { refusal: { kind }, refusalOfCalls: {} });
      await failure(run());
      expect(await failure(run())).toMatchObject(waitsForPermission);
      expect(reports).toEqual([]);
    },
  );

  it('is not permitted at once for the caller of a single activity', async () => {
    const { run, partner } = process();
    partner.refusalOfCalls = {};
    const atOnce = { nonRetryable: true, kind: 'Forbidden' };
    expect(await failure(run(undefined, { inWorkflow: false, workflowType: undefined }))).toMatchObject(
      atOnce,
    );
  });

  it('waits for a minute without a question while the partner does not say whether they work', async () => {
    const { run, partner, reports } = process();
    Object.assign(partner, { refusal: { kind: 'NotSent' }, refusalOfCalls: {} });
    for (let time = 0; time < 3; time++) expect(await failure(run())).toMatchObject(waits);
    expect([partner.calls, partner.tries, reports.length]).toEqual([1, 1, 0]);
    vi.advanceTimersByTime(MINUTE);
    partner.refusal = {};
    await failure(run());
    expect([partner.calls, partner.tries, reports.length]).toEqual([1, 2, 1]);
  });
});

describe('a check of the credentials', () => {
  it('calls nobody while they work, or while they were refused within the last minute', async () => {
    const working = process();
    expect(await working.check()).toBeNull();
    expect(await working.check({ now: true })).toBeNull();
    expect(working.partner.tries).toBe(0);
    const { check, partner } = await refusedOnce();
    const refusal = { kind: 'Unauthorized', operation: 'list-agent-profiles', reason: 'HTTP 401', words: '' };
    expect(await check()).toEqual(refusal);
    expect(partner.tries).toBe(1);
  });

  it('waits while they are refused in the same way, and returns any other result', async () => {
    const { check, refuse, partner } = await refusedOnce();
    const seen = { kind: 'Unauthorized', operation: 'get-status', reason: 'HTTP 401', words: 'No' } as const;
    for (const tries of [1, 2, 3]) {
      const still = { type: 'StillRefused', nonRetryable: false, nextRetryDelay: MINUTE };
      expect(await failure(check({ seen }))).toMatchObject(still);
      expect(partner.tries).toBe(tries);
      vi.advanceTimersByTime(MINUTE);
    }
    // The words of a partner may differ each time.
    refuse({ fields: [{ field: '', message: 'request 4711' }] });
    expect(await failure(check({ seen }))).toMatchObject({ type: 'StillRefused' });
    const others = [
      { kind: 'Forbidden', atSignIn: true },
      { needs: 'one-time-code' },
      { reason: 'HTTP 403' },
    ] as const;
    for (const { ...other } of others) {
      vi.advanceTimersByTime(MINUTE);
      refuse(other);
      const { atSignIn: _, ...output } = { atSignIn: true, ...other };
      expect(await check({ seen })).toMatchObject(output);
    }
    vi.advanceTimersByTime(MINUTE);
    refuse();
    expect(await check({ seen })).toBeNull();
  });

  it('after an answer forgets earlier refusals before it stores a code, also when the partner was busy the first time', async () => {
    const { check, refuse, signIns } = await refusedOnce();
    signIns.length = 0;
    refuse({ kind: 'RateLimited' });
    const request = { now: true, code: '123456' };
    expect(await failure(check(request))).toEqual({ type: 'thrown', kind: 'RateLimited' });
    refuse();
    // Catches a bank that sees sign-ins every five seconds, because each token that it issues is refused.
    expect(await failure(check(request, 2))).toMatchObject({ type: 'StillUnclear' });
    const signIn = ['forget', 'code 123456', 'read'];
    expect(signIns).toEqual(signIn);
    vi.advanceTimersByTime(MINUTE);
    expect(await check(request, 3)).toBeNull();
    expect(signIns).toEqual([...signIn, ...signIn]);
  });

  it('after an answer tries once more when a try was under way without the code', async () => {
    const { run, check, partner, signIns } = await refusedOnce();
    vi.advanceTimersByTime(MINUTE);
    signIns.length = 0;
    Object.defineProperty(partner, 'refusal', {
      get: () => (signIns.includes('code 123456') ? undefined : {}),
    });
    const running = failure(run());
    expect(await check({ now: true, code: '123456' })).toBeNull();
    await running;
    expect(signIns).toEqual(['read', 'forget', 'code 123456', 'read']);
  });

  it('that meets a bug reports the bug', async () => {
    const { check, partner } = await refusedOnce();
    const get = () => {
      throw new TypeError('a bug');
    };
    Object.defineProperty(partner, 'refusal', { get });
    await expect(check({ now: true })).rejects.toThrow('a bug');
  });
});
