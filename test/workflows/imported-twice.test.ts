import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { MerchantBoardingInput } from '../../src/messages/inputs.js';
import type { Requirement } from '../../src/messages/requirements.js';
import { BUSINESS, MERCHANT } from '../../src/temporal/kinds/kinds.js';
import { existing, imported } from '../rigs/commands/existing.js';
import { business, merchant } from '../rigs/inputs.js';
import { Onboarding } from '../rigs/onboarding.js';
import { createRig, type Rig } from '../rigs/rig.js';
import { bankOf } from '../rigs/workflows/bank.js';

// Each is listed long after it has imported.
let rig: Rig;
let there: ReturnType<typeof existing>;
beforeAll(async () => {
  rig = await createRig({ listedWithinMs: 60_000 });
  there = existing(rig);
});
afterAll(() => rig.close());

type Pair = readonly [Onboarding<unknown>, Onboarding<unknown>];

/** The one that comes second may see the other one when it looks for the merchant, or when it reserves it. */
const OTHER_HAS_IT = /(workflow \S+) has (?:this merchant|it|\d+ as well; abandon one of the two)/;

const isAboutOther = ({ detail }: Requirement) => OTHER_HAS_IT.test(detail);

const asksIn = async (each: Onboarding<unknown>) => (await each.state()).requirements.find(isAboutOther);

const firstAsking = (pair: Pair) =>
  Promise.any(
    pair.map(async (each) => {
      await each.until(
        ({ requirements }) => requirements.some(isAboutOther),
        'a question about the other one',
      );
      return each;
    }),
  );

/** Waits until one of two asks a person. @returns it and the other one */
const firstOf = ([first, second]: Pair) =>
  Promise.any(
    [[first, second] as const, [second, first] as const].map(async (pair) => {
      await pair[0].until(({ requirements }) => requirements.length > 0, 'a question');
      return pair;
    }),
  );

/** Waits until one of two asks whether to go on, and has only one of them go on. @returns it */
async function decide([first, second]: Pair): Promise<Onboarding<unknown>> {
  const asking = await firstAsking([first, second]);
  const other = asking === first ? second : first;
  const { id = '', detail } = (await asksIn(asking)) ?? {};
  expect(OTHER_HAS_IT.exec(detail ?? '')?.[1]).toBe(`workflow ${other.workflowId}`);
  await asking.resolve(id, { kind: 'abandon' });
  expect(await asking.outcome()).toMatchObject({ outcome: 'abandoned' });
  const requirement = await asksIn(other);
  if (requirement) await other.resolve(requirement.id, { kind: 'retry' });
  return other;
}

/** The statuses that one of two shows when it has asked, the partner has changed the status, and the other one has ended. */
async function statusesAfter(pair: Pair, change: () => Promise<unknown>) {
  const asking = await firstAsking(pair);
  for (const each of pair) if (each !== asking) await each.handle.cancel();
  await change();
  const { id = '' } = (await asksIn(asking)) ?? {};
  await asking.resolve(id, { kind: 'retry' });
  await asking.asleepAfter(2);
  const { timeline } = await asking.state();
  await asking.handle.terminate();
  return timeline.flatMap(({ event, detail }) => (event === 'status-changed' ? [detail] : []));
}

describe.concurrent('two boardings that import one merchant at the same moment', () => {
  const writesTo = async (merchantProfileId: number) =>
    (await rig.sandbox.ledger({ id: `${merchantProfileId}` })).map(({ operation }) => operation);

  const fees = { minimumDiscountAmount: 0 };
  it.each<[string, Partial<MerchantBoardingInput>, string[]]>([
    ['one submits it', {}, ['create-merchant', 'submit-merchant']],
    ['one changes its fees', { fees }, ['create-merchant', 'update-fees', 'submit-merchant']],
  ])('are not both let on: %s', async (_, more, writes) => {
    const { merchantProfileId } = await there.merchant();
    const inputs = [merchant('waiting', more), merchant('waiting', more)];
    const [first, second] = await Promise.all(
      inputs.map((input) => rig.board({ ...input, merchantProfileId })),
    );
    if (!first || !second) throw new Error('unreachable');
    const left = await decide([first, second]);
    await left.until(({ partnerStatus }) => partnerStatus === 'Pending', 'its submission');
    expect(await writesTo(merchantProfileId)).toEqual(writes);
    await rig.sandbox.transition(merchantProfileId, { status: 'Approved', mid: `4724${merchantProfileId}` });
    expect(await left.outcome()).toEqual({
      outcome: 'boarded',
      mid: `4724${merchantProfileId}`,
      merchantProfileId,
    });
  });

  const followed = async (merchantProfileId: number, dba: string): Promise<Pair> => {
    const follow = async () => {
      const input = imported({ follow: true, merchantProfileId, merchant: { dba }, dueInHours: 48 } as const);
      const { workflowId } = await MERCHANT.start(rig.client, input, {
        fourEyes: [],
        taskQueue: rig.taskQueue,
      });
      return new Onboarding(rig.client, workflowId);
    };
    return await Promise.all([follow(), follow()]);
  };

  it('are not both let on where it is in underwriting', async () => {
    const { merchantProfileId, dba } = await there.merchant({ status: 'Pending' });
    const left = await decide(await followed(merchantProfileId, dba));
    await rig.sandbox.transition(merchantProfileId, { status: 'Approved', mid: `4725${merchantProfileId}` });
    expect(await left.outcome()).toEqual({
      outcome: 'boarded',
      mid: `4725${merchantProfileId}`,
      merchantProfileId,
    });
  });

  it('show what it is when the other one has ended, not what it was before a person was asked', async () => {
    const { merchantProfileId, dba } = await there.merchant();
    const pair = await followed(merchantProfileId, dba);
    const change = () => rig.sandbox.transition(merchantProfileId, { status: 'Pending' });
    expect(await statusesAfter(pair, change)).toEqual(['Pending']);
  });

  it('are not both let on where a person answers one of them with it', async () => {
    const { merchantProfileId } = await there.merchant();
    const input = merchant('waiting');
    await rig.sandbox.plan('drop-before-commit', 'create-merchant', { about: input.externalId });
    const first = await rig.board(input);
    const { id } = await first.requirement('uncertain-write');
    const [second] = await Promise.all([
      rig.board(merchant('waiting', { merchantProfileId })),
      first.resolve(id, { kind: 'confirm', id: `${merchantProfileId}` }),
    ]);
    const left = await decide([first, second]);
    await left.until(({ partnerStatus }) => partnerStatus === 'Pending', 'its submission');
    expect(await writesTo(merchantProfileId)).toEqual(['create-merchant', 'submit-merchant']);
  });
});

describe.concurrent('two businesses that import one profile at the same moment', () => {
  it('are not both let on', async () => {
    const bank = bankOf(rig);
    const input = business('waiting');
    const profileId = await bank.submit(input.holder);
    await rig.sandbox.transitionProfile(profileId, { merchantProfileId: 700_001 });
    const start = async () => {
      const own = business(undefined, { holder: input.holder, merchantProfileId: 700_001 });
      const { workflowId } = await BUSINESS.start(rig.client, own, {
        fourEyes: [],
        taskQueue: rig.taskQueue,
      });
      return new Onboarding(rig.client, workflowId);
    };
    const pair = await Promise.all([start(), start()]);
    const [asking, left] = await firstOf(pair);
    const [question] = (await asking.state()).requirements;
    expect(question?.detail).toMatch(new RegExp(`${left.workflowId} has (it|${profileId} as well)`));
    await asking.resolve(question?.id ?? '', { kind: 'abandon' });
    await rig.sandbox.transitionProfile(profileId, { bankingStatus: 'Approved' });
    expect(await left.outcome()).toMatchObject({ outcome: 'onboarded', profileId });
    expect(await bank.submissions(input.holder)).toEqual([profileId]);
  });

  it('show what it is when the other one has ended, not what it was before a person was asked', async () => {
    const { profileId, holder } = await there.profile({ bankingStatus: 'Submitted' });
    const { doingBusinessAsName, legalBusinessName, employerIdentificationNumber } = holder;
    const identity = { doingBusinessAsName, legalBusinessName, employerIdentificationNumber };
    const follow = async () => {
      const input = imported({ follow: true, profileId, holder: identity, dueInHours: 48 } as const);
      const { workflowId } = await BUSINESS.start(rig.client, input, {
        fourEyes: [],
        taskQueue: rig.taskQueue,
      });
      return new Onboarding(rig.client, workflowId);
    };
    const change = () => rig.sandbox.transitionProfile(profileId, { bankingStatus: 'PendingUW' });
    expect(await statusesAfter(await Promise.all([follow(), follow()]), change)).toEqual(['PendingUW']);
  });
});
