import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { BusinessOnboardingInput } from '../../src/messages/inputs.js';
import { business } from '../rigs/inputs.js';
import { BankByDocuments, type Habit } from '../rigs/partners/by-documents/banking.js';
import { createRig, type Rig } from '../rigs/rig.js';
import { listening } from '../rigs/simulated-place.js';

/** The bank knows nothing of Gangway, and Gangway only the documents. */
const bank = new BankByDocuments();
const habits = new Map<string, Habit>();
bank.habit = (holder) => habits.get(holder['doingBusinessAsName'] ?? '')?.(holder);

let rig: Rig;
beforeAll(async () => {
  const { url, close } = listening(bank.listener as never);
  rig = await createRig({ bankingUrl: url });
  rig.atClose(close);
});
afterAll(() => rig.close());

/** A business whose submission the bank treats like this. */
async function submit(habit: Habit, more: Partial<BusinessOnboardingInput> = {}) {
  const input = business(undefined, { openFinancialAccount: true, ...more });
  const { doingBusinessAsName: name } = input.holder;
  habits.set(name, habit);
  return { onboarding: await rig.onboardBusiness(input), holder: input.holder, name };
}

const writesOf = (name: string, ...ids: number[]) =>
  bank.writes.filter((write) => write === `submit ${name}` || ids.some((id) => write.endsWith(` ${id}`)));
const madeFor = (name: string) =>
  [...bank.profiles.values()].filter((each) => each.doingBusinessAsName === name);
const OTHER = { doingBusinessAsName: 'Somebody Else', legalBusinessName: 'Else LLC' };

describe.concurrent('a submission that responds with a profile', () => {
  it('of another onboarding writes nothing to it, and asks a person, who learns whose it is', async () => {
    const first = await submit(() => undefined);
    const { profileId: id = 0 } = await first.onboarding.until(({ profileId }) => profileId !== undefined);
    const second = await submit(() => ({ existing: id }), {
      holder: { ...first.holder, givenName: 'Second' },
    });
    const { detail } = await second.onboarding.requirement('uncertain-write');
    expect(detail).toContain(`The bank responded to the submission with banking profile ${id}`);
    expect(detail).toContain(`${first.onboarding.workflowId} has it`);
    Object.assign(bank.profiles.get(id) ?? {}, { bankingStatus: 'Approved' });
    expect(await first.onboarding.outcome()).toMatchObject({ outcome: 'onboarded', profileId: id });
    expect((await second.onboarding.state()).profileId).toBeUndefined();
    expect(bank.writes.filter((write) => write === `account ${id}`)).toHaveLength(1);
    await second.onboarding.handle.terminate();
  });

  it('that the bank does not show asks whose it is, and writes nothing to it', async () => {
    const { onboarding, name } = await submit(() => ({ existing: 99_999 }));
    const { id, detail } = await onboarding.requirement('uncertain-write');
    expect(detail).toContain('The bank responded to the submission with banking profile 99999');
    expect(detail).toContain('it cannot be read');
    await onboarding.resolve(id, { kind: 'abandon' });
    expect(await onboarding.outcome()).toMatchObject({ outcome: 'abandoned' });
    expect(writesOf(name, 99_999)).toEqual([`submit ${name}`]);
  });

  // Alone catches a question that does not say whose profile it is, and a person who takes over what nobody can look at.
  it.each([400, 404])(
    'of another onboarding that the bank does not show (%i) names the other one, and cannot be confirmed',
    async (status) => {
      const first = await submit(() => undefined);
      const { profileId: id = 0 } = await first.onboarding.until(({ profileId }) => profileId !== undefined);
      bank.hidden.set(id, status);
      const second = await submit(() => ({ existing: id }), {
        holder: { ...first.holder, givenName: 'Second' },
      });
      const question = await second.onboarding.requirement('uncertain-write');
      expect(question.detail).toBe(
        `The bank responded to the submission with banking profile ${id}, which it does not show: ` +
          `${first.onboarding.workflowId} has it. ${id} cannot be confirmed while the bank does not show it. ` +
          `Look in the partner’s portal for a banking profile of “${second.name}”. If it is there, confirm its profile id. ` +
          'Retry only if it is not there, because the submission may have made it and retrying submits the business again.',
      );
      await first.onboarding.handle.terminate();
      await second.onboarding.resolve(question.id, { kind: 'confirm', id: String(id) });
      const next = await second.onboarding.until(({ requirements }) =>
        requirements.some((each) => each.id !== question.id),
      );
      expect(next.requirements[0]?.detail).toContain(`${id} cannot be confirmed: `);
      expect(next.profileId).toBeUndefined();
      expect(writesOf(second.name, id).filter((write) => write !== `submit ${second.name}`)).toEqual([]);
      bank.hidden.delete(id);
      await second.onboarding.handle.terminate();
    },
  );

  it.each<[string, object, object, string]>([
    ['another name', OTHER, {}, 'its dba differs'],
    ['another tax number', { employerIdentificationNumber: '98-7654321' }, {}, 'its EIN differs'],
    ['an old date', {}, { createdDate: '2019-03-01T00:00:00Z' }, 'it was created at 2019-03-01T00:00:00Z'],
    [
      'no name and no date',
      { doingBusinessAsName: null, legalBusinessName: null, employerIdentificationNumber: null },
      { createdDate: null },
      'the bank shows neither whose it is nor when it was created',
    ],
    [
      'a decision and no date',
      {},
      { createdDate: null, bankingStatus: 'Approved' },
      'its status is Approved',
    ],
  ])('with %s asks a person, and writes nothing to it', async (_, holder, more, reason) => {
    const own = business();
    const { id } = bank.add({ ...own.holder, ...holder } as never, more);
    const { onboarding, name } = await submit(() => ({ existing: id }), own);
    const { detail } = await onboarding.requirement('uncertain-write');
    expect(detail).toContain(reason);
    expect(writesOf(name, id)).toEqual([`submit ${name}`]);
    await onboarding.handle.terminate();
  });

  it.each([
    ['approved at once', { status: 'AutoApprovedUW' }],
    ['without its tax number', { ein: null }],
    ['with a masked tax number', { ein: '*****6789' }],
  ])('that it has just made, %s, asks nobody', async (_, habit) => {
    const { onboarding, name } = await submit(() => habit);
    const { profileId: id } = await onboarding.until(({ profileId }) => profileId !== undefined);
    expect(madeFor(name).map((each) => each.id)).toEqual([id]);
    expect((await onboarding.state()).requirements).toEqual([]);
    await onboarding.handle.terminate();
  });
});

describe.concurrent('a submission that is refused', () => {
  const patch = { holder: { phone: '5125550199' } };

  it('and saved is not sent again while the bank refuses, for another reason, to show what it saved', async () => {
    const { onboarding, name } = await submit(() => ({ refuses: { status: 400, names: true } }));
    const question = await onboarding.requirement('rejected-input');
    const [{ id = 0 } = {}] = madeFor(name);
    bank.hidden.set(id, 400);
    await onboarding.resolve(question.id, { kind: 'correction', patch });
    const again = await onboarding.until(
      ({ requirements }) => requirements.some((each) => each.id !== question.id),
      'the next question',
    );
    const [next] = again.requirements;
    expect(next?.detail).toContain('not sent, because the preceding get-profile failed (HTTP 400)');
    expect(madeFor(name)).toHaveLength(1);
    bank.hidden.delete(id);
    await onboarding.resolve(next?.id ?? '', { kind: 'retry' });
    const { profileId } = await onboarding.until((state) => state.profileId !== undefined, 'a profile');
    expect([profileId, madeFor(name).length]).toEqual([id, 1]);
    await onboarding.handle.terminate();
  });

  it.each([
    [400, true],
    [400, false],
    [200, false],
    [422, true],
  ])(
    'and saved (%i, with its id: %s) is found when it is corrected, and not sent again',
    async (status, names) => {
      const { onboarding, name } = await submit(() => ({ refuses: { status, names } }));
      const question = await onboarding.requirement('rejected-input');
      expect(question.detail).toContain('The profile was saved, but the phone could not be verified.');
      const [record] = madeFor(name);
      if (names) {
        expect(question.detail).toContain(`names ${record?.id}`);
        expect(question.answers).toContain('confirm');
      }
      await onboarding.resolve(question.id, { kind: 'correction', patch });
      const { profileId } = await onboarding.until((state) => state.profileId !== undefined, 'a profile');
      expect(profileId).toBe(record?.id);
      expect(writesOf(name).filter((write) => write === `submit ${name}`)).toHaveLength(1);
      await onboarding.handle.terminate();
    },
  );
});
