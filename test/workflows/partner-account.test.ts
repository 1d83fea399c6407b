import { afterEach, describe, expect, it, vi } from 'vitest';
import { PARTNER_ACTIVITIES } from '../../src/activities/partner-activities.js';
import { partnerAccountId } from '../../src/messages/ids.js';
import type { MerchantBoardingInput } from '../../src/messages/inputs.js';
import type { MerchantBoardingOutcome } from '../../src/messages/onboardings.js';
import { readWaits } from '../../src/services/inbox/waiting-state.js';
import { type CountingProxy, countingProxy } from '../rigs/counting-proxy.js';
import { business, merchant } from '../rigs/inputs.js';
import type { Onboarding } from '../rigs/onboarding.js';
import type { Rig, RigOptions } from '../rigs/rig.js';
import { eventually } from '../rigs/waiting.js';
import { bankOf } from '../rigs/workflows/bank.js';
import {
  accountOf,
  allRefused,
  asked,
  begun,
  soon,
  untilOnlyWaiting,
  waiting,
  withAccounts,
} from '../rigs/workflows/partner-account.js';

const PROBE = 'GET /api/v1/agentProfiles';

/** Boardings under review, in which nothing happens. */
async function underReview(rig: Rig, count: number): Promise<Onboarding<MerchantBoardingOutcome>[]> {
  const boardings = await Promise.all(Array.from({ length: count }, () => rig.board(merchant('waiting'))));
  for (const boarding of boardings) await boarding.until(({ stage }) => stage === 'underwriting');
  return boardings;
}

async function approve(rig: Rig, boardings: readonly Onboarding<MerchantBoardingOutcome>[]): Promise<void> {
  for (const boarding of boardings) {
    const { merchantProfileId = 0 } = await boarding.state();
    await rig.sandbox.transition(merchantProfileId, { status: 'Approved', mid: `888${merchantProfileId}` });
  }
}

const eventsOf = (onboardings: readonly Onboarding<unknown>[]) =>
  Promise.all(onboardings.map((onboarding) => onboarding.events())).then((all) => all.flat());

describe('a password that the partner refuses', () => {
  it('is one question for 21 polling boardings, which go on by themselves with the right one', async () => {
    await withAccounts(async (rig) => {
      const right = await rig.startWorker();
      const boardings = await underReview(rig, 21);
      await right.stop();
      const wrong = await rig.startWorker({ password: 'wrong' });
      const account = accountOf(rig, 'boarding');
      const requirement = await asked(account, 'credentials');
      expect(requirement).toMatchObject({
        id: 'credentials-1',
        title: 'No access: the boarding partner',
        answers: ['retry'],
      });
      expect(requirement.detail).toContain('rejects our credentials (401)');
      await allRefused(boardings);
      await untilOnlyWaiting(rig, partnerAccountId('boarding'));
      expect((await account.state()).requirements).toHaveLength(1);
      const { events = [] } = await account.handle.fetchHistory();
      expect(events?.filter((event) => event.workflowExecutionSignaledEventAttributes)).toHaveLength(1);
      await approve(rig, boardings);

      await wrong.stop();
      await rig.startWorker();
      const outcomes = await soon(boardings);
      expect(outcomes.map(({ outcome }) => outcome)).toEqual(Array(21).fill('boarded'));
      expect(await account.outcome()).toEqual({ outcome: 'done' });
      const { timeline, requirements } = await account.state();
      expect(requirements).toEqual([]);
      expect(timeline.map(({ event, detail }) => `${event}: ${detail}`)).toContain(
        'requirement-closed: credentials-1: no longer refused',
      );
      expect(await eventsOf(boardings)).not.toContain('requirement-raised');
      expect(await waiting(rig)).toEqual([]);
    });
  });
});

describe.concurrent('a password that the partner refuses', () => {
  it('lets writes that were refused go on and take effect once', async () => {
    await withAccounts(async (rig) => {
      const wrong = await rig.startWorker({ password: 'wrong' });
      const inputs = [merchant(), merchant(), merchant()];
      const [first, ...others] = inputs as [MerchantBoardingInput, MerchantBoardingInput];
      const boardings = [await rig.board(first)];
      await asked(accountOf(rig, 'boarding'), 'credentials');
      // These are held back without a call.
      for (const input of others) boardings.push(await rig.board(input));
      await allRefused(boardings);
      for (const { externalId } of inputs) expect(await rig.sandbox.writes(externalId)).toEqual([]);
      await wrong.stop();
      await rig.startWorker();
      const outcomes = await soon(boardings);
      expect(outcomes.map(({ outcome }) => outcome)).toEqual(Array(3).fill('boarded'));
      for (const { externalId } of inputs)
        expect(await rig.sandbox.writes(externalId)).toEqual(['create-merchant', 'submit-merchant']);
      const events = await eventsOf(boardings);
      expect(events).not.toContain('requirement-raised');
      expect(events).not.toContain('write-uncertain');
      const { timeline } = await accountOf(rig, 'boarding').state();
      const woken = timeline.find(({ event }) => event === 'credentials-work');
      expect(woken?.detail).toBe('retried at once: 3');
    });
  });

  it('is tried once for all, and again at once when a person says so', async () => {
    await withAccounts(async (rig) => {
      const proxy = await countingProxy(rig.sandbox.url, rig.atClose);
      await rig.startWorker({ password: 'wrong', boardingUrl: proxy.url });
      const boarding = await rig.board(merchant());
      const account = accountOf(rig, 'boarding');
      const first = await asked(account, 'credentials');
      const others = await Promise.all([1, 2, 3].map(() => rig.board(merchant())));
      await allRefused([boarding, ...others]);
      // The first write, and two reads.
      expect(proxy.seen().map(({ status }) => status)).toEqual([401, 401, 401]);
      await account.resolve(first.id, { kind: 'retry' });
      const requirements = await account.asksAgain(first.id);
      expect(requirements.map(({ kind }) => kind)).toEqual(['credentials']);
      expect(
        proxy
          .seen()
          .map(({ line }) => line)
          .slice(3),
      ).toEqual([PROBE]);
    });
  });

  // The task queue of a process that has ended has no poller: a check on it must not wait for one.
  it('in one of two processes names that process, lets the other one work, and is no question once the process has ended', {
    timeout: 400_000,
  }, async () => {
    await withAccounts(async (rig) => {
      const proxy = await countingProxy(rig.sandbox.url, rig.atClose);
      await rig.startWorker();
      const wrong = await rig.startWorker({ password: 'wrong', boardingUrl: proxy.url });
      const boardings = await Promise.all([1, 2, 3, 4].map(() => rig.board(merchant())));
      const account = accountOf(rig, 'boarding');
      const { detail } = await asked(account, 'credentials');
      expect(detail).toMatch(/ It refuses worker process \S+-[0-9a-z]+\. /);
      const first = await Promise.race(boardings.map((boarding) => boarding.outcome()));
      expect(first).toMatchObject({ outcome: 'boarded' });
      expect((await account.state()).requirements.map(({ id }) => id)).toEqual(['credentials-1']);
      await wrong.stop();
      expect(await account.outcome()).toEqual({ outcome: 'done' });
      const outcomes = await soon(boardings);
      expect(outcomes.map(({ outcome }) => outcome)).toEqual(Array(4).fill('boarded'));
      expect(await eventsOf(boardings)).not.toContain('requirement-raised');
      expect((await account.state()).timeline.map(({ event, detail }) => [event, detail])).toContainEqual([
        'requirement-closed',
        'credentials-1: no longer refused',
      ]);
      // Calls that met the wrong password at the same time, with two reads, and then one read a minute.
      const [[, ...tries], others] = [proxy.seen(PROBE), proxy.seen().filter(({ line }) => line !== PROBE)];
      expect(others.length).toBeLessThanOrEqual(4);
      const gaps = tries.slice(1).map(({ at }, index) => at - (tries[index]?.at ?? 0));
      expect(gaps.filter((gap) => gap < 59_000)).toEqual([]);
    });
  });

  it('after a restart with another wrong one is a question about the new process, and about no other', async () => {
    await withAccounts(async (rig) => {
      const wrong = await rig.startWorker({ password: 'wrong' });
      const boarding = await rig.board(merchant());
      const account = accountOf(rig, 'boarding');
      const first = await asked(account, 'credentials');
      await wrong.stop();
      await rig.startWorker({ password: 'wrong, too' });
      const processIn = (detail: string) => / worker process (\S+)\. /.exec(detail)?.[1];
      const { requirements } = await account.until((state) =>
        state.requirements.some(({ detail }) => processIn(detail) !== processIn(first.detail)),
      );
      expect(requirements.map(({ kind }) => kind)).toEqual(['credentials']);
      await untilOnlyWaiting(rig, account.workflowId);
      await allRefused([boarding]);
    });
  });

  // Alone notices an account that asks about a process whose refusal is older than the success of another, or forgets one.
  it('in four processes is one question when the partner lets all in again', async () => {
    await withAccounts(async (rig) => {
      const denied = { status: 401, body: '{"message":"Locked"}' };
      let isLocked = true;
      for (const _ of [1, 2, 3, 4]) {
        const instead = () => (isLocked ? denied : undefined);
        const { url } = await countingProxy(rig.sandbox.url, rig.atClose, instead);
        await rig.startWorker({ boardingUrl: url });
      }
      const boardings = await Promise.all(Array.from({ length: 16 }, () => rig.board(merchant())));
      const account = accountOf(rig, 'boarding');
      const { id } = await asked(account, 'credentials');
      await eventually(
        async () => (await account.handle.fetchHistory()).events ?? [],
        (events) => events.filter((event) => event.workflowExecutionSignaledEventAttributes).length === 4,
        'a report of each process',
      );
      isLocked = false;
      await account.resolve(id, { kind: 'retry' });
      const outcomes = await soon(boardings);
      expect(outcomes.map(({ outcome }) => outcome)).toEqual(Array(16).fill('boarded'));
      expect(await account.outcome()).toEqual({ outcome: 'done' });
      expect(await raised(account)).toBe(1);
    });
  });

  it('is not what a 401 of one submission is about: its onboarding asks whether it took effect', async () => {
    await withAccounts(async (rig) => {
      const denied = { status: 401, body: '{"message":"Not yours"}' };
      const isSubmission = (line: string) => /^POST .*submit/i.test(line);
      let left = 1;
      const proxy = await countingProxy(rig.sandbox.url, rig.atClose, ({ method, url }) =>
        isSubmission(`${method} ${url}`) && left-- > 0 ? denied : undefined,
      );
      await rig.startWorker({ boardingUrl: proxy.url });
      const boarding = await rig.board(merchant());
      const { id } = await boarding.requirement('uncertain-write');
      await boarding.resolve(id, { kind: 'retry' });
      expect(await boarding.outcome()).toMatchObject({ outcome: 'boarded' });
      await expect(accountOf(rig, 'boarding').handle.describe()).rejects.toThrow('not found');
    });
  });

  it('in one account is no question in another', async () => {
    await withAccounts(async (rig) => {
      const accounts = ['a', 'b'];
      const wrong = await rig.startWorker({ accounts, accountPasswords: { a: 'wrong' } });
      const atA = await rig.board(merchant(undefined, { account: 'a' }));
      const { title } = await asked(accountOf(rig, 'boarding', 'a'), 'credentials');
      expect(title).toBe('No access: the boarding partner (account a)');
      const others = [await rig.board(merchant(undefined, { account: 'b' })), await rig.board(merchant())];
      expect(await soon(others)).toMatchObject(others.map(() => ({ outcome: 'boarded' })));
      await untilOnlyWaiting(rig, 'partner-account-boarding@a');
      await wrong.stop();
      await rig.startWorker({ accounts });
      expect(await soon([atA])).toMatchObject([{ outcome: 'boarded' }]);
      expect(await accountOf(rig, 'boarding', 'a').outcome()).toEqual({ outcome: 'done' });
    });
  });
});

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
      await untilOnlyWaiting(rig, account.workflowId);
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

  // Of three, two wait while one is asked about: the later one must not take the place of the other.
  it('has a person asked for a code for each worker process, one after the other', async () => {
    await asUser('mfa', async (rig, first) => {
      const proxies = [first];
      for (const _ of [2, 3]) {
        const proxy = await countingProxy(rig.sandbox.url, rig.atClose);
        await rig.startWorker({ bankingUser: 'mfa', bankingUrl: proxy.url });
        proxies.push(proxy);
      }
      const onboardings = await Promise.all(
        Array.from({ length: 12 }, () => rig.onboardBusiness(business())),
      );
      await allRefused(onboardings);
      await eventually(
        async () => proxies.map((proxy) => statuses(proxy).length),
        (counts) => counts.every((count) => count === 1),
        'a refusal of each',
      );
      const account = accountOf(rig, 'banking');
      let open = [await asked(account, 'one-time-code')];
      for (const signedIn of [1, 2]) {
        const [{ id } = { id: '' }] = open;
        await account.resolve(id, { kind: 'code', code: '000000' });
        open = [...(await account.asksAgain(id))];
        expect(open).toHaveLength(1);
        expect(proxies.filter((proxy) => statuses(proxy).includes(200))).toHaveLength(signedIn);
      }
      await account.resolve(open[0]?.id ?? '', { kind: 'code', code: '000000' });
      const outcomes = await soon(onboardings);
      expect(outcomes.map(({ outcome }) => outcome)).toEqual(Array(12).fill('onboarded'));
      await account.outcome();
      expect(proxies.map((proxy) => statuses(proxy).at(-1))).toEqual([200, 200, 200]);
      expect(await raised(account)).toBe(3);
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
      await untilOnlyWaiting(rig, account.workflowId);
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

const text = 'Who are you?';

/** A business under review, in which nothing happens. */
async function businessUnderReview(rig: Rig, account?: string) {
  const onboarding = await rig.onboardBusiness(business('waiting', account === undefined ? {} : { account }));
  const { profileId = 0 } = await onboarding.until(({ partnerStatus }) => partnerStatus === 'Submitted');
  return { onboarding, profileId };
}

/** Has the bank's staff open a ticket that names nobody, or what its topic names. */
function opened(rig: Rig, profileId: number, topic = 'General'): Promise<unknown> {
  const ticket = { topic, text, userProfileId: null };
  return rig.sandbox.transitionProfile(profileId, { tickets: [ticket] });
}

const idOf = (requirementId: string) => Number(requirementId.replace('ticket-', ''));

describe.concurrent('a ticket that no onboarding shows', () => {
  // In concurrent tests, only the `expect` of the test knows which of them polls.
  it('is one requirement of the account, and a text answers it once', async ({ expect }) => {
    await withAccounts(async (rig) => {
      await rig.startWorker();
      const [{ onboarding, profileId }] = [await businessUnderReview(rig), await businessUnderReview(rig)];
      await opened(rig, profileId);
      const account = accountOf(rig, 'banking');
      const requirement = await asked(account, 'ticket');
      expect(requirement).toMatchObject({
        id: expect.stringMatching(/^ticket-\d+$/),
        title: 'Ticket about General',
        detail: text,
        answers: ['text', 'retry'],
      });
      await expect.poll(() => waiting(rig)).toEqual(['partner-account-banking']);
      await account.resolve(requirement.id, { kind: 'text', text: 'A bakery.' });
      expect(await account.outcome()).toEqual({ outcome: 'done' });
      expect(await bankOf(rig).repliesTo(requirement.id)).toEqual(['A bakery.']);
      expect(await rig.sandbox.ledger({ operation: 'create-ticket' })).toHaveLength(1);
      expect(await account.events()).toContain('ticket-answered');
      expect(await raised(account)).toBe(1);
      expect(await raised(onboarding)).toBe(0);
    });
  });

  it('is not asked about again when a person abandons a reply that was lost', async () => {
    await withAccounts(async (rig) => {
      await rig.startWorker();
      const { profileId } = await businessUnderReview(rig);
      await opened(rig, profileId);
      const account = accountOf(rig, 'banking');
      const { id } = await asked(account, 'ticket');
      await rig.sandbox.plan('drop-before-commit', 'create-ticket', { about: 'A bakery.' });
      await account.resolve(id, { kind: 'text', text: 'A bakery.' });
      const warning = await asked(account, 'uncertain-write');
      await account.resolve(warning.id, { kind: 'abandon' });
      const { timeline } = await account.until((state) =>
        state.timeline.some(({ event }) => event === 'answer-dropped'),
      );
      expect(timeline.at(-1)?.detail).toBe(`${id}: a person abandoned the reply`);
      expect((await account.state()).requirements).toEqual([]);
    });
  });

  it('is not answered with what a person takes back while another is answered', async ({ expect }) => {
    await withAccounts(async (rig) => {
      await rig.startWorker();
      const { profileId } = await businessUnderReview(rig);
      const tickets = [1, 2, 3].map(() => ({ topic: 'General', text, userProfileId: null }));
      await rig.sandbox.transitionProfile(profileId, { tickets });
      const account = accountOf(rig, 'banking');
      const { requirements } = await account.until((state) => state.requirements.length === 3);
      const [first = '', second = '', third = ''] = requirements.map(({ id }) => id);
      const held = [await rig.sandbox.hold('create-ticket', 'A bakery.')];
      await account.resolve(first, { kind: 'text', text: 'A bakery.' });
      await held[0]?.underWay();
      held.push(await rig.sandbox.hold('create-ticket', 'A baker.'));
      await account.resolve(second, { kind: 'text', text: 'A baker.' });
      await account.resolve(third, { kind: 'text', text: 'Nobody.' });
      await held[0]?.letGo();
      await held[1]?.underWay();
      await account.resolve(third, { kind: 'take-back' });
      await held[1]?.letGo();
      await account.until(
        ({ timeline }) => timeline.filter(({ event }) => event === 'ticket-answered').length === 2,
      );
      await account.resolve(third, { kind: 'text', text: 'Ada Baker.' });
      await account.until(
        (state) => state.timeline.filter(({ event }) => event === 'ticket-answered').length === 3,
      );
      const replies = await Promise.all([first, second, third].map((id) => bankOf(rig).repliesTo(id)));
      expect(replies).toEqual([['A bakery.'], ['A baker.'], ['Ada Baker.']]);
    });
  });

  it('closes at the account once an onboarding shows it', async () => {
    await withAccounts(async (rig) => {
      await rig.startWorker();
      const { onboarding, profileId } = await businessUnderReview(rig);
      await opened(rig, profileId);
      const account = accountOf(rig, 'banking');
      const { id } = await asked(account, 'ticket');
      const named = { ticketId: idOf(id), text: `About profile ${profileId}`, status: 'New' } as const;
      await bankOf(rig).client.updateTicket(named);
      expect(await account.outcome()).toEqual({ outcome: 'done' });
      const closed = (await account.state()).timeline.find(({ event }) => event === 'requirement-closed');
      expect(closed?.detail).toBe(`${id}: the partner no longer asks, or an onboarding shows the ticket`);
      expect(await onboarding.requirement('ticket')).toMatchObject({ id, detail: named.text });
    });
  });

  it('is asked about in the account whose poll lists it, and in no other', async ({ expect }) => {
    await withAccounts(async (rig) => {
      await rig.startWorker({ accounts: ['a', 'b'] });
      const { profileId } = await businessUnderReview(rig, 'a');
      await opened(rig, profileId);
      const account = accountOf(rig, 'banking', 'a');
      const { id } = await asked(account, 'ticket');
      await expect.poll(() => waiting(rig)).toEqual(['partner-account-banking@a']);
      await account.resolve(id, { kind: 'text', text: 'A bakery.' });
      expect(await account.outcome()).toEqual({ outcome: 'done' });
      expect(await bankOf(rig).repliesTo(id)).toEqual(['A bakery.']);
      for (const other of [undefined, 'b'])
        await expect(accountOf(rig, 'banking', other).handle.describe()).rejects.toThrow('not found');
    });
  });
});

describe.concurrent('a ticket that an onboarding shows', () => {
  it('is not asked about at the account', async () => {
    await withAccounts(async (rig) => {
      await rig.startWorker();
      const [first, second] = [await businessUnderReview(rig), await businessUnderReview(rig)];
      await opened(rig, first.profileId, `Profile ${second.profileId}`);
      const account = await begun(accountOf(rig, 'banking'));
      expect(await account.outcome()).toEqual({ outcome: 'done' });
      expect(await raised(account)).toBe(0);
      const { title } = await second.onboarding.requirement('ticket');
      expect(title).toBe(`Ticket about Profile ${second.profileId}`);
      expect(await raised(first.onboarding)).toBe(0);
    });
  });
});

describe('an error of our own code', () => {
  const real = PARTNER_ACTIVITIES.boarding;

  const bug = () => new TypeError('cannot read the street of ada@example.com');

  /** In workers from here on, the create throws before its call, or after it. */
  const breaks = (when: 'before' | 'after') =>
    vi.spyOn(PARTNER_ACTIVITIES, 'boarding').mockImplementation((dependencies) => {
      const activities = real(dependencies);
      const broken = async (request: never) => {
        if (when === 'after') await (activities.createMerchant(request) as unknown as Promise<unknown>);
        throw bug();
      };
      return { ...activities, createMerchant: broken as unknown as typeof activities.createMerchant };
    });

  afterEach(() => vi.restoreAllMocks());

  it('is one question for all boardings of the build, shows on each, and closes with a corrected build', async () => {
    await withAccounts(async (rig) => {
      breaks('before');
      const broken = await rig.startWorker();
      const boardings = await Promise.all([1, 2, 3].map(() => rig.board(merchant())));
      const account = accountOf(rig, 'boarding');
      const { title, detail, answers } = await asked(account, 'software-error');
      expect([title, answers]).toEqual([
        'Our software fails: build without an ID at the boarding partner',
        ['retry'],
      ]);
      expect(detail).toMatch(
        /^Since .+ UTC, build without an ID of the workers fails in createMerchant \(TypeError: cannot read the street of \[Redacted\]\)\. merchant-boarding-\S+ waits for it/,
      );
      await untilOnlyWaiting(rig, 'partner-account-boarding');
      expect((await account.state()).requirements).toHaveLength(1);
      for (const { workflowId } of boardings) {
        const { obstacles, requirements: open } = await readWaits(rig.client, workflowId);
        expect(obstacles).toEqual([
          expect.stringMatching(
            /^our software fails: createMerchant: TypeError: cannot read the street of \[Redacted\], since [\d-]{10} [\d:]{5} UTC$/,
          ),
        ]);
        expect(open.map(({ requirement }) => requirement.kind)).toEqual(['software-error']);
      }
      await broken.stop();
      vi.restoreAllMocks();
      await rig.startWorker();
      for (const boarding of boardings)
        expect(await boarding.outcome()).toMatchObject({ outcome: 'boarded' });
      expect(await account.outcome()).toEqual({ outcome: 'done' });
    });
  });

  it('after the response of a create keeps the response, and a corrected build continues with it', async () => {
    await withAccounts(async (rig) => {
      breaks('after');
      const broken = await rig.startWorker();
      const input = merchant();
      const boarding = await rig.board(input);
      await asked(accountOf(rig, 'boarding'), 'software-error');
      await broken.stop();
      vi.restoreAllMocks();
      await rig.startWorker();
      expect(await boarding.outcome()).toMatchObject({ outcome: 'boarded' });
      expect(await boarding.events()).not.toContain('write-uncertain');
      expect(await rig.sandbox.writes(input.externalId)).toEqual(['create-merchant', 'submit-merchant']);
    });
  });

  it('after a write was sent leaves it uncertain, and it is never sent twice', async () => {
    await withAccounts(async (rig) => {
      vi.spyOn(PARTNER_ACTIVITIES, 'boarding').mockImplementation((dependencies) => {
        const { boarding: client } = dependencies.clients;
        const submitMerchant: typeof client.submitMerchant = async (...call) => {
          await client.submitMerchant(...call);
          throw bug();
        };
        const boarding = Object.assign(Object.create(client), { submitMerchant });
        return real({ ...dependencies, clients: { ...dependencies.clients, boarding } });
      });
      await rig.startWorker();
      const input = merchant();
      const boarding = await rig.board(input);
      expect(await boarding.outcome()).toMatchObject({ outcome: 'boarded' });
      expect(await boarding.events()).toContain('write-uncertain');
      expect(await rig.sandbox.writes(input.externalId)).toEqual(['create-merchant', 'submit-merchant']);
    });
  });
});
