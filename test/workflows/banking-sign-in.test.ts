import { describe, expect, it } from 'vitest';
import { type CountingProxy, countingProxy } from '../rigs/counting-proxy.js';
import { business } from '../rigs/inputs.js';
import type { Onboarding } from '../rigs/onboarding.js';
import type { Rig, RigOptions } from '../rigs/rig.js';
import { eventually } from '../rigs/waiting.js';
import {
  accountOf,
  allRefused,
  asked,
  soon,
  waiting,
  withAccounts,
} from '../rigs/workflows/partner-account.js';

const SIGN_IN = 'POST /api/auth/v2';

/** A worker that asks the bank as this user, by a way on which its sign-ins are counted. */
async function asUser(
  bankingUser: string,
  body: (rig: Rig, proxy: CountingProxy) => Promise<void>,
  more: RigOptions = {},
): Promise<void> {
  await withAccounts(async (rig) => {
    const proxy = await countingProxy(rig.sandbox.url, rig.atClose);
    await rig.startWorker({ bankingUser, bankingUrl: proxy.url });
    await body(rig, proxy);
  }, more);
}

const statuses = (proxy: CountingProxy) => proxy.seen(SIGN_IN).map(({ status }) => status);

const raised = async (account: Onboarding) =>
  (await account.events()).filter((event) => event === 'requirement-raised').length;

describe.concurrent('a bank that wants a second factor', () => {
  it('has a person asked for the one-time code once for all, who go on with it', async () => {
    await asUser('mfa', async (rig, proxy) => {
      const onboardings = await Promise.all([1, 2, 3].map(() => rig.onboardBusiness(business())));
      const account = accountOf(rig, 'banking');
      const requirement = await asked(account, 'one-time-code');
      expect(requirement).toMatchObject({
        title: 'One-time code needed: sign in to the banking partner',
        answers: ['code', 'retry'],
      });
      await allRefused(onboardings);
      expect(statuses(proxy)).toEqual([403]);
      expect(await waiting(rig)).toEqual([account.workflowId]);
      await account.resolve(requirement.id, { kind: 'code', code: '000000' });
      const outcomes = await soon(onboardings);
      expect(outcomes.map(({ outcome }) => outcome)).toEqual(Array(3).fill('onboarded'));
      expect(await account.outcome()).toEqual({ outcome: 'done' });
      expect(statuses(proxy)).toEqual([403, 200]);
      expect(await raised(account)).toBe(1);
      const states = await Promise.all([account, ...onboardings].map((each) => each.state()));
      expect(JSON.stringify(states)).not.toContain('000000');
    });
  });

  it('has a person asked for a code for each worker process, one after the other', async () => {
    await asUser('mfa', async (rig, one) => {
      const other = await countingProxy(rig.sandbox.url, rig.atClose);
      await rig.startWorker({ bankingUser: 'mfa', bankingUrl: other.url });
      const onboardings = await Promise.all(Array.from({ length: 8 }, () => rig.onboardBusiness(business())));
      await allRefused(onboardings);
      await eventually(
        async () => [one, other].map((proxy) => statuses(proxy).length),
        (counts) => counts.every((count) => count === 1),
        'a refusal of both',
      );
      const account = accountOf(rig, 'banking');
      const first = await asked(account, 'one-time-code');
      await account.resolve(first.id, { kind: 'code', code: '000000' });
      const requirements = await account.asksAgain(first.id);
      expect(requirements).toHaveLength(1);
      expect([statuses(one), statuses(other)].filter((all) => all.includes(200))).toHaveLength(1);
      await account.resolve(requirements[0]?.id ?? '', { kind: 'code', code: '000000' });
      const outcomes = await soon(onboardings);
      expect(outcomes.map(({ outcome }) => outcome)).toEqual(Array(8).fill('onboarded'));
      await account.outcome();
      expect(statuses(one).at(-1)).toBe(200);
      expect(statuses(other).at(-1)).toBe(200);
      expect(await raised(account)).toBe(2);
    });
  });
});

describe.concurrent('an account that the bank does not let in', () => {
  it('when it is locked, is one question, and is not tried again before a person says so', async () => {
    await asUser('locked', async (rig, proxy) => {
      const first = await rig.onboardBusiness(business());
      const account = accountOf(rig, 'banking');
      const requirement = await asked(account, 'credentials');
      expect(requirement.detail).toContain(
        'does not let us sign in (403): the account is locked or suspended; issue-token: HTTP 403. Ask the partner to unlock it.',
      );
      // The user's name, which is in the partner's words by chance, is its password as well.
      expect(requirement.detail).toContain('Response of the partner: The account is [Redacted]');
      // Others come to the same door meanwhile.
      const others = await Promise.all([1, 2, 3].map(() => rig.onboardBusiness(business())));
      await allRefused([first, ...others]);
      expect(await waiting(rig)).toEqual([account.workflowId]);
      expect(statuses(proxy)).toEqual([403]);

      await account.resolve(requirement.id, { kind: 'retry' });
      await account.asksAgain(requirement.id);
      expect(statuses(proxy)).toEqual([403, 403]);
      expect(proxy.seen()).toHaveLength(2);
    });
  });

  it.each([
    ['a wrong password (401)', { bankingPassword: 'wrong' }, 'Wrong nickName or password'],
    ['a user nobody knows (404)', { bankingUser: 'nobody' }, 'User not found'],
  ])('(%s) is reported to a person, with the partner’s words', async (_, user, words) => {
    await withAccounts(async (rig) => {
      await rig.startWorker(user);
      await rig.onboardBusiness(business());
      const { detail, answers } = await asked(accountOf(rig, 'banking'), 'credentials');
      expect(detail).toContain('rejects our credentials (401)');
      expect(detail).toContain(`Response of the partner: ${words}`);
      expect(answers).toEqual(['retry']);
    });
  });
});
