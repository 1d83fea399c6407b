import { afterAll, beforeAll, beforeEach, expect, inject, it } from 'vitest';
import { business, merchant } from '../rigs/inputs.js';
import type { Onboarding } from '../rigs/onboarding.js';
import { createRig, type Rig } from '../rigs/rig.js';
import { eventually } from '../rigs/waiting.js';

/** People do what a question says, to the letter. */
let rig: Rig;
beforeAll(async () => {
  rig = await createRig();
});
beforeEach(() => rig.sandbox.habits());
afterAll(() => rig.close());

const later = (minutes: number) => new Promise((resolve) => void setTimeout(resolve, minutes * 60_000));

async function underwritten(boarding: Onboarding<unknown>): Promise<number> {
  return (await boarding.until(({ stage }) => stage === 'underwriting')).merchantProfileId ?? 0;
}

const holdersOf = async (name: string) =>
  (await rig.sandbox.ledger({ operation: 'submit-business-account-holder' })).filter(
    (each) => each.name === name,
  );

it('whose bank answers with the profile of another one: declined as told, the next submission finds the one that was made', async () => {
  await rig.sandbox.habits('ids-of-others');
  const first = await rig.onboardBusiness(business());
  const { profileId } = await first.until((state) => state.profileId !== undefined);
  const input = business();
  const second = await rig.onboardBusiness(input);
  const { id, detail } = await second.requirement('uncertain-write');
  expect(detail).toContain(`The bank responded to the submission with banking profile ${profileId}`);
  expect(detail).toContain('Retry only if it is not there, because the submission may have made it');
  await second.resolve(id, { kind: 'retry' });
  await second.until((state) => state.profileId !== undefined && state.profileId !== profileId);
  expect(await holdersOf(input.holder.doingBusinessAsName)).toHaveLength(1);
  expect(await second.outcome()).toMatchObject({ outcome: 'onboarded' });
});

it('whose partner saves what it refuses without a word: looked up as told, the merchant is confirmed, and none is doubled', async () => {
  await rig.sandbox.habits('refuses-and-saves-silently');
  const input = merchant();
  const boarding = await rig.board(input);
  const { id, detail } = await boarding.requirement('rejected-input');
  expect(detail).toContain(
    `guid ${input.externalId}. If it is there, confirm its merchant profile id. Correct it or retry only if`,
  );
  const [saved] = await rig.sandbox.ledger({ operation: 'create-merchant', guid: input.externalId });
  await boarding.resolve(id, { kind: 'confirm', id: String(saved?.id) });
  expect(await boarding.outcome()).toMatchObject({ outcome: 'boarded', merchantProfileId: saved?.id });
  expect(await rig.sandbox.writes(input.externalId)).toEqual(['create-merchant', 'submit-merchant']);
});

/** The habits of a partner that saves what it refuses in a way after which Gangway would send it again. */
const SAVED = [
  ['unauthorized-and-saved', 401],
  ['forbidden-and-saved', 403],
] as const;

// Catches a create that is sent again because its status says that it had no effect: the API has no search for merchants.
it.runIf(inject('isSimulated')).each(SAVED)(
  'whose partner has the habit %s: the merchant is asked about, confirmed, and created once',
  async (habit, status) => {
    await rig.sandbox.habits(habit);
    const input = merchant();
    const boarding = await rig.board(input);
    const { id, detail } = await boarding.requirement('uncertain-write');
    expect(detail).toContain(
      `Whether it took effect is unknown (HTTP ${status}: The application was saved, but the email could not be verified.`,
    );
    await later(90);
    const [record] = await rig.sandbox.ledger({ operation: 'create-merchant', guid: input.externalId });
    await boarding.resolve(id, { kind: 'confirm', id: String(record?.id) });
    expect(await boarding.outcome()).toMatchObject({ outcome: 'boarded', merchantProfileId: record?.id });
    expect(await rig.sandbox.writes(input.externalId)).toEqual(['create-merchant', 'submit-merchant']);
  },
);

// Catches a submission that is repeated although the bank's own search shows what the refused one made.
it.runIf(inject('isSimulated')).each(SAVED)(
  'whose bank has the habit %s: the profile that was made is the one of the business',
  async (habit) => {
    await rig.sandbox.habits(habit);
    const input = business();
    const onboarding = await rig.onboardBusiness(input);
    expect(await onboarding.outcome()).toMatchObject({ outcome: 'onboarded' });
    expect(await onboarding.events()).not.toContain('requirement-raised');
    expect(await holdersOf(input.holder.doingBusinessAsName)).toHaveLength(1);
  },
);

// Catches a submission that is sent again each minute for as long as the bank's search does not show what the refused one made.
it.runIf(inject('isSimulated')).each(SAVED)(
  'whose bank has the habit %s, and shows changes later: a person is asked, and nothing is sent again',
  async (habit) => {
    await rig.sandbox.habits(habit, 'shows-later');
    const input = business();
    const onboarding = await rig.onboardBusiness(input);
    await onboarding.requirement('uncertain-write');
    await later(4);
    expect(await holdersOf(input.holder.doingBusinessAsName)).toHaveLength(1);
  },
);

// Catches a timeline that says that a refused submission had no effect, after a cancellation during it: nobody would look.
it.runIf(inject('isSimulated')).each(SAVED)(
  'whose bank has the habit %s: canceled during the submission, its outcome is unknown',
  async (habit) => {
    await rig.sandbox.habits(habit);
    const input = business();
    const held = await rig.sandbox.hold(
      'submit-business-account-holder',
      input.holder.doingBusinessAsName,
      'delay-after-commit',
    );
    const onboarding = await rig.onboardBusiness(input);
    await held.underWay();
    await onboarding.handle.cancel();
    await onboarding.cancellationSeen();
    await held.letGo();
    await expect(onboarding.outcome()).rejects.toThrow('Workflow execution cancelled');
    expect((await onboarding.state()).timeline.at(-1)?.detail).toBe(
      'no banking profile is known at the partner; submit the business account holder: whether it took effect is unknown',
    );
    expect(await holdersOf(input.holder.doingBusinessAsName)).toHaveLength(1);
  },
);

it.runIf(inject('isSimulated'))(
  'whose partner takes it for another one by its e-mail, which nobody else knows yet: nothing is written to that one',
  async () => {
    await rig.sandbox.habits('same-email');
    const email = 'shared@example.com';
    const input = () => merchant(undefined, { merchant: { ...merchant().merchant, email } });
    const first = input();
    await rig.sandbox.plan('drop-after-commit', 'create-merchant', { about: first.externalId });
    const lost = await rig.board(first);
    await lost.requirement('uncertain-write');
    const [theirs] = await rig.sandbox.ledger({ guid: first.externalId });
    // Minutes later, both clocks show that it was there before.
    await later(5);
    const boarding = await rig.board({ ...input(), fees: { minimumDiscountAmount: 30 } });
    const { detail } = await boarding.requirement('rejected-input');
    expect(detail).toContain(
      `The partner responded to the create with merchant ${theirs?.id}, but its status dates from`,
    );
    expect(await rig.sandbox.writes(first.externalId)).toEqual(['create-merchant']);
    expect((await boarding.state()).merchantProfileId).not.toBe(theirs?.id);
  },
);

// Catches a status that is believed although its response names another merchant.
it.runIf(inject('isSimulated'))(
  'whose partner shows the status of another merchant: each boarding ends as its own',
  async () => {
    const [one, other] = [await rig.board(merchant('waiting')), await rig.board(merchant('waiting'))];
    const ids = [await underwritten(one), await underwritten(other)] as const;
    await rig.sandbox.habits('cached-status');
    await rig.sandbox.transition(ids[0], { status: 'Declined' });
    await rig.sandbox.transition(ids[1], { status: 'Approved', mid: '4713' });
    await later(10);
    expect(await one.outcome()).toMatchObject({ outcome: 'declined' });
    expect(await other.outcome()).toMatchObject({ outcome: 'boarded', mid: '4713' });
  },
);

// Catches a mid of another merchant that ends a boarding, where nothing else in the response names its merchant.
it('a merchant that is shown with the mid of another one is not boarded until it has its own', async () => {
  const [first, second] = [await rig.board(merchant('waiting')), await rig.board(merchant('waiting'))];
  const [id, own] = [await underwritten(first), await underwritten(second)];
  await rig.sandbox.transition(id, { status: 'Approved', mid: '4714' });
  expect(await first.outcome()).toMatchObject({ outcome: 'boarded', mid: '4714' });
  await rig.sandbox.transition(own, { status: 'Approved', mid: '4714' });
  await eventually(
    async () => (await second.handle.describe()).raw.pendingActivities?.[0]?.lastFailure?.message,
    (message) => message === 'boarding get-status: Uncertain, unreadable response (mid)',
    'a status that is not believed',
  );
  const { mid, partnerStatus } = await second.state();
  expect([mid, partnerStatus]).toEqual([undefined, 'Pending']);
  await rig.sandbox.transition(own, { status: 'Approved', mid: '4715' });
  expect(await second.outcome()).toMatchObject({ outcome: 'boarded', mid: '4715' });
});

it('that is canceled before the partner shows the merchant that it has just made says which one that is', async () => {
  await rig.sandbox.habits('sign-in-page');
  const input = merchant();
  const boarding = await rig.board(input);
  const entry = await boarding.until(({ timeline }) =>
    timeline.some(({ event }) => event === 'write-uncertain'),
  );
  const [record] = await rig.sandbox.ledger({ guid: input.externalId });
  await boarding.handle.cancel();
  await expect(boarding.outcome()).rejects.toThrow();
  expect(entry.timeline.at(-1)?.detail).toBe(
    `create the merchant: the partner responded with merchant ${record?.id}`,
  );
});

it('a merchant that is Pending right after its create is submitted, and boarded', async () => {
  const input = merchant('pending-first');
  const boarding = await rig.board(input);
  expect(await boarding.outcome()).toMatchObject({ outcome: 'boarded' });
  expect(await rig.sandbox.writes(input.externalId)).toContain('submit-merchant');
});

it('a merchant whose create was refused and saved is confirmed, and boarded once', async () => {
  await rig.sandbox.habits('refuses-and-saves');
  const input = merchant();
  const boarding = await rig.board(input);
  const { id, detail } = await boarding.requirement('rejected-input');
  const [, merchantProfileId = ''] = /names (\d+)/.exec(detail) ?? [];
  expect(detail).toContain('The application was saved, but the email could not be verified.');
  await boarding.resolve(id, { kind: 'confirm', id: merchantProfileId });
  expect(await boarding.outcome()).toMatchObject({ outcome: 'boarded' });
  const writes = await rig.sandbox.writes(input.externalId);
  expect(writes.filter((write) => write === 'create-merchant')).toHaveLength(1);
});

// Catches a merchant that counts as not saved because everything gets a 404 while the partner is deployed.
it.runIf(inject('isSimulated'))(
  'whose partner is deployed when it is asked for a merchant that it saved: that one is named, and none is doubled',
  async () => {
    await rig.sandbox.habits('refuses-and-saves');
    const boarding = await rig.board(merchant());
    const { id } = await boarding.requirement('rejected-input');
    await rig.sandbox.habits('deploys-404');
    const halfHour = 30 * 60_000;
    await new Promise((resolve) => void setTimeout(resolve, halfHour - (Date.now() % halfHour)));
    await boarding.resolve(id, { kind: 'retry' });
    await later(10);
    const [again] = await boarding.asksAgain(id);
    expect(again?.detail).toContain('nothing was sent, because the partner shows merchant');
    await boarding.handle.terminate();
  },
);

// Catches a submission or an answer that the partner accepted and lost, and that nobody is asked about, or that is doubled.
it.runIf(inject('isSimulated')).each([
  ['submit-lost', 'waiting', 'not-submitted', 'Submitted, and not shown', 'submit-merchant'],
  [
    'review-lost',
    'uw-level-1',
    'underwriting-note',
    'Note from Underwriting: Please send three months of processing statements.',
    'request-underwriting-review',
  ],
] as const)(
  'whose partner has the habit %s: asked once it is due',
  async (habit, scenario, kind, title, write) => {
    await rig.sandbox.habits(habit);
    const input = merchant(scenario, { dueInHours: 1 });
    const boarding = await rig.board(input);
    const answer =
      kind === 'not-submitted' ? { kind: 'retry' as const } : { kind: 'text' as const, text: 'Bread.' };
    if (answer.kind === 'text') await boarding.resolve((await boarding.requirement(kind)).id, answer);
    await later(50);
    const writes = async () => (await rig.sandbox.writes(input.externalId)).filter((each) => each === write);
    expect([(await boarding.state()).requirements, await writes()]).toEqual([[], []]);
    await later(15);
    const requirement = await boarding.requirement(kind);
    expect(requirement.title).toBe(title);
    await boarding.resolve(requirement.id, answer);
    await eventually(writes, (all) => all.length > 0, 'the write');
    await later(5);
    expect(await writes()).toEqual([write]);
    await boarding.handle.terminate().catch(() => undefined);
  },
);

it('a second boarding with the email of a first one is asked about, and writes nothing', async () => {
  await rig.sandbox.habits('same-email');
  const email = 'twin@example.com';
  const twin = (amount: number) => {
    const input = merchant(undefined, { fees: { minimumDiscountAmount: amount } });
    return { ...input, merchant: { ...input.merchant, email } };
  };
  const first = await rig.board(twin(20));
  const outcome = await first.outcome();
  expect(outcome).toMatchObject({ outcome: 'boarded' });
  const second = await rig.board(twin(90));
  expect((await second.requirement('rejected-input')).detail).toContain(`${first.workflowId} has it`);
  const { fees } = await rig.sandbox.merchant((outcome as { merchantProfileId: number }).merchantProfileId);
  expect(fees).toMatchObject({ minimumDiscountAmount: 20 });
  await second.handle.terminate();
});

it.runIf(inject('isSimulated'))(
  'whose partner shows new fees after half an hour, nobody is asked about them',
  async () => {
    await rig.sandbox.habits('reads-go-back', 'shows-later');
    const boarding = await rig.board(merchant(undefined, { fees: { minimumDiscountAmount: 30 } }));
    await later(80);
    // The poll of the rig reads so often that every read of half an hour may be an old one.
    await rig.sandbox.habits();
    expect(await boarding.outcome()).toMatchObject({ outcome: 'boarded' });
    expect(await boarding.events()).not.toContain('requirement-raised');
  },
);
