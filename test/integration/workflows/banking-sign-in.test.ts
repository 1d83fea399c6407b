import { describe, expect, it } from 'vitest';
import { type CountingProxy, countingProxy } from '../../rigs/counting-proxy.js';
import { business } from '../../rigs/inputs.js';
import { createRig, type Rig, type RigOptions } from '../../rigs/rig.js';
import { eventually } from '../../rigs/waiting.js';

const SIGN_IN = 'POST /api/auth/v2';

/** A worker that asks the bank as this user, by a way on which its sign-ins are counted. */
async function asUser(
  bankingUser: string,
  story: (rig: Rig, proxy: CountingProxy) => Promise<void>,
  more: RigOptions = {},
): Promise<void> {
  const rig = await createRig({ ...more, worker: false });
  try {
    const proxy = await countingProxy(rig.sandbox.url, rig.atClose);
    await rig.startWorker({ bankingUser, bankingUrl: proxy.url });
    await story(rig, proxy);
  } finally {
    await rig.close();
  }
}

describe.concurrent('a bank that wants a second factor', () => {
  it('has a person asked for the one-time code, and goes on with it', async () => {
    await asUser('mfa', async (rig, proxy) => {
      const onboarding = await rig.onboardBusiness(business());
      const requirement = await onboarding.requirement('one-time-code');
      expect(requirement).toMatchObject({
        title: 'One-time code needed: look for the business at the bank',
        answers: ['code', 'retry', 'abandon'],
      });
      expect(proxy.seen(SIGN_IN).map(({ status }) => status)).toEqual([403]);
      await onboarding.resolve(requirement.id, { kind: 'code', code: '000000' });
      expect(await onboarding.outcome()).toMatchObject({ outcome: 'onboarded' });
      expect(proxy.seen(SIGN_IN).map(({ status }) => status)).toEqual([403, 200]);
      const { timeline } = await onboarding.state();
      expect(timeline.filter(({ event }) => event === 'requirement-raised')).toHaveLength(1);
      expect(JSON.stringify(timeline)).not.toContain('000000');
    });
  });

  it('has a person asked again after a wrong code', async () => {
    await asUser('mfa', async (rig, proxy) => {
      const onboarding = await rig.onboardBusiness(business());
      const first = await onboarding.requirement('one-time-code');
      await onboarding.resolve(first.id, { kind: 'code', code: '123456' });
      const { requirements } = await onboarding.until(
        (state) => state.requirements.some(({ id }) => id !== first.id),
        'the second question',
      );
      expect(requirements.map(({ kind }) => kind)).toEqual(['one-time-code']);
      expect(proxy.seen(SIGN_IN)).toHaveLength(2);
      await onboarding.resolve(requirements[0]?.id ?? '', { kind: 'code', code: '000000' });
      expect(await onboarding.outcome()).toMatchObject({ outcome: 'onboarded' });
      expect(proxy.seen(SIGN_IN).map(({ status }) => status)).toEqual([403, 403, 200]);
    });
  });

  it('lets everyone in by the code that one was asked for: the others only try again', async () => {
    await asUser('mfa', async (rig, proxy) => {
      const first = await rig.onboardBusiness(business('waiting'));
      const second = await rig.onboardBusiness(business());
      const asked = await first.requirement('one-time-code');
      const other = await second.requirement('one-time-code');
      expect(proxy.seen(SIGN_IN)).toHaveLength(1);
      await first.resolve(asked.id, { kind: 'code', code: '000000' });
      await first.until(({ partnerStatus }) => partnerStatus === 'Submitted', 'the status');
      await second.resolve(other.id, { kind: 'retry' });
      expect(await second.outcome()).toMatchObject({ outcome: 'onboarded' });
      expect((await first.state()).requirements).toEqual([]);
      expect(proxy.seen(SIGN_IN).map(({ status }) => status)).toEqual([403, 200]);
    });
  });

  it('asks for no other code as long as the token that came of one is renewed', async () => {
    // A token lives for ten minutes and is renewed after eight.
    let passedMs = 0;
    const clocks = {
      sandbox: { pace: { reads: 1 }, now: () => Date.now() + passedMs },
      bankingNow: () => performance.now() + passedMs,
    };
    await asUser(
      'mfa',
      async (rig, proxy) => {
        const onboarding = await rig.onboardBusiness(business('waiting'));
        const { id } = await onboarding.requirement('one-time-code');
        await onboarding.resolve(id, { kind: 'code', code: '000000' });
        await onboarding.until(({ profileId }) => profileId !== undefined, 'the profile');
        passedMs = 9 * 60_000;
        const renewals = () => proxy.seen('POST /api/auth/refresh').map(({ status }) => status);
        await eventually(
          async () => renewals(),
          (all) => all.length > 0,
          'a renewal',
        );
        expect(renewals()).toEqual([200]);
        const { profileId = 0 } = await onboarding.state();
        await rig.sandbox.transitionProfile(profileId, { bankingStatus: 'Approved' });
        expect(await onboarding.outcome()).toMatchObject({ outcome: 'onboarded' });
        expect(proxy.seen(SIGN_IN)).toHaveLength(2);
      },
      clocks,
    );
  });
});

describe.concurrent('a locked account', () => {
  it('is told to a person, and not tried again before that person says so', async () => {
    await asUser('locked', async (rig, proxy) => {
      const onboarding = await rig.onboardBusiness(business());
      const first = await onboarding.requirement('credentials');
      // The user's name, which is in the partner's words by chance, is its password as well.
      expect(first.detail).toBe(
        'The banking partner does not let us sign in (403): the account is locked or suspended. Have it unlocked, then retry.\n' +
          'The account is [Redacted]',
      );
      // Others come to the same door meanwhile.
      const others = await Promise.all([1, 2, 3].map(() => rig.onboardBusiness(business())));
      for (const other of others) await other.requirement('credentials');
      expect(proxy.seen()).toHaveLength(1);
      expect(proxy.seen(SIGN_IN)).toHaveLength(1);

      await onboarding.resolve(first.id, { kind: 'retry' });
      await onboarding.until(
        (state) => state.requirements.some(({ id }) => id !== first.id),
        'the second question',
      );
      expect(proxy.seen()).toHaveLength(2);
      expect(proxy.seen(SIGN_IN)).toHaveLength(2);
    });
  });

  it('that was unlocked lets the onboarding go on', async () => {
    const rig = await createRig({ worker: false });
    try {
      const locked = await rig.startWorker({ bankingUser: 'locked' });
      const onboarding = await rig.onboardBusiness(business());
      const { id } = await onboarding.requirement('credentials');
      await locked.stop();
      await rig.startWorker();
      await onboarding.resolve(id, { kind: 'retry' });
      expect(await onboarding.outcome()).toMatchObject({ outcome: 'onboarded' });
    } finally {
      await rig.close();
    }
  });
});

describe.concurrent('what the bank does not let us do', () => {
  it.each([
    [
      'a wrong password (401)',
      { bankingPassword: 'wrong' },
      'refuses our credentials (401)',
      'Wrong nickName or password',
    ],
    [
      'a user nobody knows (404)',
      { bankingUser: 'nobody' },
      'refuses our credentials (401)',
      'User not found',
    ],
    [
      'no permission (403)',
      { bankingUser: 'no-access' },
      'does not permit this (403)',
      'No permission for this operation',
    ],
  ])('(%s) is told to a person, in the partner’s words, too', async (_, user, words, partnersWords) => {
    const rig = await createRig(user);
    try {
      const onboarding = await rig.onboardBusiness(business());
      const { detail, answers } = await onboarding.requirement('credentials');
      expect(detail).toContain(words);
      expect(detail).toContain(`\n${partnersWords}`);
      expect(answers).toEqual(['retry', 'abandon']);
    } finally {
      await rig.close();
    }
  });
});
