import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { countingProxy } from '../../rigs/counting-proxy.js';
import { business } from '../../rigs/inputs.js';
import { createRig, type Rig } from '../../rigs/rig.js';
import { bankOf } from '../../rigs/workflows/bank.js';

let rig: Rig;
beforeAll(async () => {
  rig = await createRig();
});
afterAll(() => rig.close());

const SUBMIT = 'submit-business-account-holder';
const OPEN_ACCOUNT = 'submit-business-customer';
const REPLY = 'create-ticket';

/** The write took effect, and its response was lost on the way. */
const LOST_RESPONSES = ['drop-after-commit', '500-after-commit'];
/** The write did not take effect, which nobody can see from outside. */
const LOST_CALLS = ['drop-before-commit', '500-before-commit'];

/** A business that was approved just now, and what identifies its own opening of an account. */
async function approved<Prepared>(prepare: (about: string) => Promise<Prepared>) {
  const onboarding = await rig.onboardBusiness(business('waiting', { openFinancialAccount: true }));
  const { profileId = 0 } = await onboarding.until(({ partnerStatus }) => partnerStatus === 'Submitted');
  const prepared = await prepare(`"profileId":${profileId}`);
  await rig.sandbox.transitionProfile(profileId, { bankingStatus: 'Approved' });
  return { onboarding, profileId, prepared };
}

const opening = (fault: string) => approved((about) => rig.sandbox.plan(fault, OPEN_ACCOUNT, { about }));

describe.concurrent('a financial account whose opening is unknown', () => {
  it.each(LOST_RESPONSES)('(%s) is found in the profile, and nobody is asked', async (fault) => {
    const { onboarding, profileId } = await opening(fault);
    const { financialAccountId } = (await onboarding.outcome()) as never;
    expect(financialAccountId).toBe(`fa-${profileId}-1`);
    expect(await bankOf(rig).writesTo(profileId)).toEqual([SUBMIT, OPEN_ACCOUNT]);
    expect(await onboarding.events()).not.toContain('requirement-raised');
  });

  it.each(LOST_CALLS)('(%s) is opened again when a person says so', async (fault) => {
    const { onboarding, profileId } = await opening(fault);
    const { id, idFormat } = await onboarding.requirement('uncertain-write');
    expect(idFormat).toBe('text');
    await onboarding.resolve(id, { kind: 'retry' });
    const { financialAccountId } = (await onboarding.outcome()) as never;
    expect(financialAccountId).toBe(`fa-${profileId}-1`);
    expect(await bankOf(rig).writesTo(profileId)).toEqual([SUBMIT, OPEN_ACCOUNT]);
  });

  it('is found in the profile when the second call is refused because the account exists by then', async () => {
    const { client } = bankOf(rig);
    const { onboarding, profileId } = await opening('drop-before-commit');
    const { id } = await onboarding.requirement('uncertain-write');
    const second = await rig.sandbox.hold(OPEN_ACCOUNT, `"profileId":${profileId}`);
    await onboarding.resolve(id, { kind: 'retry' });
    await second.underWay();
    // As many as a profile may have.
    for (let account = 1; account <= 5; account += 1) await client.submitBusinessCustomer({ profileId });
    await second.letGo();
    expect(await onboarding.outcome()).toMatchObject({ financialAccountId: `fa-${profileId}-1` });
  });

  it('is asked for again, or given up, when the bank refuses it', async () => {
    // Approved when it is read, and no longer when the account is asked for.
    const { onboarding, profileId, prepared } = await approved((about) =>
      rig.sandbox.hold(OPEN_ACCOUNT, about),
    );
    await prepared.underWay();
    await rig.sandbox.transitionProfile(profileId, { bankingStatus: 'InReview' });
    await prepared.letGo();
    const { id, detail, answers } = await onboarding.requirement('rejected-input');
    expect(detail).toBe('the profile is InReview');
    expect(answers).toEqual(['retry', 'abandon']);
    await rig.sandbox.transitionProfile(profileId, { bankingStatus: 'Approved' });
    await onboarding.resolve(id, { kind: 'retry' });
    expect(await onboarding.outcome()).toMatchObject({ financialAccountId: `fa-${profileId}-1` });
    expect(await bankOf(rig).writesTo(profileId)).toEqual([SUBMIT, OPEN_ACCOUNT]);
  });

  it('is adopted by the id that a person gives, and only when given again if the bank does not show it', async () => {
    const { onboarding } = await opening('drop-before-commit');
    const { id } = await onboarding.requirement('uncertain-write');
    await onboarding.resolve(id, { kind: 'adopt', id: 'fa-by-hand' });
    const { requirements } = await onboarding.until(
      (state) => state.requirements.some((requirement) => requirement.id !== id),
      'the question again',
    );
    const [again] = requirements;
    expect(again?.detail).toContain('fa-by-hand cannot be adopted: the bank shows no financial account');
    await onboarding.resolve(again?.id ?? '', { kind: 'adopt', id: 'fa-by-hand' });
    expect(await onboarding.outcome()).toMatchObject({
      outcome: 'onboarded',
      financialAccountId: 'fa-by-hand',
    });
  });
});

describe.concurrent('a reply to a ticket whose delivery is unknown', () => {
  it.each(LOST_RESPONSES)('(%s) is found at the bank, and nobody is asked', async (fault) => {
    const bank = bankOf(rig);
    const onboarding = await rig.onboardBusiness(business('ticket'));
    const { id } = await onboarding.requirement('ticket');
    const text = `Here (${fault}).`;
    await rig.sandbox.plan(fault, REPLY, { about: text });
    await onboarding.resolve(id, { kind: 'text', text });
    expect(await onboarding.outcome()).toMatchObject({ outcome: 'onboarded' });
    expect(await bank.repliesTo(id)).toEqual([text]);
  });

  it.each(LOST_CALLS)('(%s) is sent again when a person says so', async (fault) => {
    const bank = bankOf(rig);
    const onboarding = await rig.onboardBusiness(business('ticket'));
    const ticket = await onboarding.requirement('ticket');
    const text = `Here (${fault}).`;
    await rig.sandbox.plan(fault, REPLY, { about: text });
    await onboarding.resolve(ticket.id, { kind: 'text', text });
    const { id } = await onboarding.requirement('uncertain-write');
    expect(await bank.repliesTo(ticket.id)).toEqual([]);
    await onboarding.resolve(id, { kind: 'retry' });
    expect(await onboarding.outcome()).toMatchObject({ outcome: 'onboarded' });
    expect(await bank.repliesTo(ticket.id)).toEqual([text]);
  });
});

describe('a write at a bank that is down', () => {
  it('is repeated by itself when it is back', async () => {
    const own = await createRig({ worker: false });
    onTestFinished(() => own.close());
    const proxy = await countingProxy(own.sandbox.url);
    await own.startWorker({ bankingUrl: proxy.url });
    // Down from the look before the submission on.
    await proxy.shut('POST /api/AccountsSearch/BusinesAccountHolder');
    const input = business();
    const onboarding = await own.onboardBusiness(input);
    await onboarding.retrying('submitHolder');
    await proxy.open();
    expect(await onboarding.outcome()).toMatchObject({ outcome: 'onboarded' });
    expect(await onboarding.events()).not.toContain('requirement-raised');
    expect(await bankOf(own).submissions(input.holder)).toHaveLength(1);
  });
});

describe.concurrent('a write that certainly did not happen', () => {
  it.each([
    [SUBMIT, 'submitHolder'],
    [OPEN_ACCOUNT, 'openFinancialAccount'],
  ])('(%s) is repeated after Retry-After when there are too many calls', async (operation, activity) => {
    const tooMany = (about: string) => rig.sandbox.plan('429', operation, { about, milliseconds: 2_000 });
    const begun = Date.now();
    const onboarding = await (operation === SUBMIT ? submitting(tooMany) : opened(tooMany));
    const { profileId } = (await onboarding.outcome()) as never;
    expect(Date.now() - begun).toBeGreaterThanOrEqual(2_000);
    const { events } = await onboarding.handle.fetchHistory();
    const scheduled = (events ?? []).flatMap(
      (event) => event.activityTaskScheduledEventAttributes?.activityType?.name ?? [],
    );
    expect(scheduled.filter((name) => name === activity)).toHaveLength(1);
    expect(await bankOf(rig).writesTo(profileId)).toEqual([SUBMIT, OPEN_ACCOUNT]);
  });

  async function submitting(prepare: (about: string) => Promise<unknown>) {
    const input = business('account-on-request', { openFinancialAccount: true });
    await prepare(input.holder.doingBusinessAsName);
    return rig.onboardBusiness(input);
  }

  const opened = async (prepare: (about: string) => Promise<unknown>) => (await approved(prepare)).onboarding;
});
