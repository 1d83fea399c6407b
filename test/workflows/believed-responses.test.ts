import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { MerchantBoardingInput } from '../../src/messages/inputs.js';
import { merchant } from '../rigs/inputs.js';
import type { Onboarding } from '../rigs/onboarding.js';
import { BoardingByDocuments, type Habit } from '../rigs/partners/by-documents/boarding.js';
import { createRig, type Rig } from '../rigs/rig.js';
import { listening } from '../rigs/simulated-place.js';

/** The partner knows nothing of Gangway, and Gangway only the documents. */
const partner = new BoardingByDocuments();
const habits = new Map<string, Habit>();
partner.habit = (question) => habits.get(question.guid)?.(question);

let rig: Rig;
beforeAll(async () => {
  const { url, close } = listening(partner.listener as never);
  rig = await createRig({ boardingUrl: url });
  rig.atClose(close);
});
afterAll(() => rig.close());

/** A boarding at the partner, which does this with its create. */
async function board(habit: Habit, more: Partial<MerchantBoardingInput> = {}) {
  const input = merchant('', { agentProfileId: 101, boardingSettingsId: 11, ...more });
  habits.set(input.externalId, habit);
  return { boarding: await rig.board(input), guid: input.externalId };
}

const createsOf = (guid: string) => partner.writes.filter((write) => write === `create ${guid}`).length;
const writesTo = (id: number) => partner.writes.filter((write) => write.endsWith(` ${id}`));
const madeFor = (guid: string) => [...partner.merchants.values()].filter((each) => each.guid === guid);

async function boarded(boarding: Onboarding<unknown>) {
  const { merchantProfileId = 0 } = await boarding.until(
    ({ timeline }) => timeline.some(({ event }) => event === 'submitted'),
    'the submission',
  );
  return merchantProfileId;
}

const submissionsIn = async (boarding: Onboarding<unknown>) =>
  (await boarding.state()).timeline.filter(({ event }) => event === 'submitted').length;

// Proves W4.
describe.concurrent('a create that responds with the merchant of another boarding', () => {
  it('writes nothing to it, and asks a person, who learns whose it is', async () => {
    const first = await board(() => undefined, { fees: { minimumDiscountAmount: 20 } });
    const id = await boarded(first.boarding);
    const second = await board(() => ({ existing: id }), { fees: { minimumDiscountAmount: 90 } });
    const question = await second.boarding.requirement('rejected-input');
    expect(question.detail).toContain(`merchant ${id}`);
    expect(question.detail).toContain(first.boarding.workflowId);
    expect(question.answers).toEqual(['correction', 'confirm', 'retry', 'abandon']);
    expect((await second.boarding.state()).merchantProfileId).toBeUndefined();
    expect(writesTo(id)).toEqual([`fees ${id}`, `submit ${id}`]);
    expect(partner.get(id).fees['minimumDiscountAmount']).toBe(20);

    // It is not the merchant of both, so neither the advice nor the end of the first one makes it so unasked.
    await second.boarding.resolve(question.id, { kind: 'confirm', id: `${id}` });
    const again = await second.boarding.requirement('rejected-input');
    expect(again.detail).toContain(`workflow ${first.boarding.workflowId} has this merchant`);
    partner.move(id, 'Approved', '4711');
    expect(await first.boarding.outcome()).toEqual({
      outcome: 'boarded',
      mid: '4711',
      merchantProfileId: id,
    });
    await second.boarding.resolve(again.id, { kind: 'retry' });
    const third = await second.boarding.requirement('rejected-input');
    expect(third.detail).toContain(first.boarding.workflowId);
    expect(third.detail).toContain('its status is Approved');
    habits.set(second.guid, () => undefined);
    const patch = { merchant: { email: 'other@example.com' } };
    await second.boarding.resolve(third.id, { kind: 'correction', patch });
    const own = await boarded(second.boarding);
    expect(own).not.toBe(id);
    expect(writesTo(own)).toEqual([`fees ${own}`, `submit ${own}`]);
    await second.boarding.handle.terminate();
  });

  it('lets only one of two go on that get the same merchant at the same moment', async () => {
    const { id } = partner.add();
    const pair = await Promise.all([board(() => ({ existing: id })), board(() => ({ existing: id }))]);
    const [asking, other] = await Promise.any(
      pair.map(async (each, index) => {
        await each.boarding.requirement('rejected-input');
        return [each.boarding, (pair[1 - index] as typeof each).boarding] as const;
      }),
    );
    expect((await asking.requirement('rejected-input')).detail).toContain(`${other.workflowId} has it`);
    expect(await boarded(other)).toBe(id);
    expect(writesTo(id)).toEqual([`submit ${id}`]);
    for (const each of [asking, other]) await each.handle.terminate();
  });
});

describe.concurrent('a create that responds with a merchant of nobody', () => {
  const days = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString();

  it.each<[string, () => object, string]>([
    ['has a mid', () => ({ mid: '518012' }), 'it has a mid'],
    ['is approved', () => ({ status: 'Approved' }), 'its status is Approved'],
    ['is declined', () => ({ status: 'Declined' }), 'its status is Declined'],
    ['is older than the create', () => ({ status: 'Pending', statusDate: days(3) }), 'its status dates from'],
  ])('asks a person where it %s', async (_, more, reason) => {
    const { id } = partner.add(more());
    const { boarding } = await board(() => ({ existing: id }), { fees: { minimumDiscountAmount: 90 } });
    const { detail } = await boarding.requirement('rejected-input');
    expect(detail).toContain(`merchant ${id}, but ${reason}`);
    expect(writesTo(id)).toEqual([]);
    await boarding.handle.terminate();
  });

  it('asks where the partner does not show it, and takes a correction', async () => {
    const { boarding, guid } = await board(() => ({ existing: 99_999 }));
    const { id, detail } = await boarding.requirement('rejected-input');
    expect(detail).toContain('merchant 99999, but it cannot be read (no such merchant)');
    habits.set(guid, () => undefined);
    await boarding.resolve(id, { kind: 'correction', patch: { merchant: { email: 'x@example.com' } } });
    expect(await boarded(boarding)).not.toBe(99_999);
    await boarding.handle.terminate();
  });

  it.each([
    ['by a clock that is some minutes behind', () => new Date(Date.now() - 5 * 60_000).toISOString()],
    ['by the first day of a calendar, which is no date', () => '0001-01-01T00:00:00'],
  ])('is not stopped by preset fees, by Pending, or %s', async (_, statusDate) => {
    const { id } = partner.add({ status: 'Pending', statusDate: statusDate() });
    const { boarding } = await board(() => ({ existing: id }));
    expect(await boarded(boarding)).toBe(id);
    expect(writesTo(id)).toEqual([`submit ${id}`]);
    await boarding.handle.terminate();
  });
});

describe.concurrent('a create that is refused', () => {
  const SENTENCE = 'The application was saved, but the email could not be verified.';

  it.each([400, 403, 409, 422, 429, 500, 503])('and saved (%i) makes no second merchant', async (status) => {
    const { boarding, guid } = await board(() => ({ refuses: { status, names: true, error: SENTENCE } }));
    const question = await boarding.until(({ requirements }) => requirements.length > 0, 'a question');
    const [{ id = '', kind, detail = '', answers = [] } = {}] = question.requirements;
    const [record] = madeFor(guid);
    expect(detail).toContain(SENTENCE);
    expect(detail).toContain(`names ${record?.id}`);
    expect(detail).toContain(`guid ${guid}`);
    expect(answers).toContain('confirm');
    habits.set(guid, () => undefined);
    // Somebody does not look.
    await boarding.resolve(
      id,
      answers.includes('correction')
        ? { kind: 'correction', patch: { merchant: { email: 'x@example.com' } } }
        : { kind: 'retry' },
    );
    const again = await boarding.until(
      ({ requirements }) => requirements.some((each) => each.id !== id),
      'the next question',
    );
    const [next] = again.requirements;
    expect(next?.detail).toContain(`the partner shows merchant ${record?.id}`);
    expect(createsOf(guid)).toBe(1);
    await boarding.resolve(next?.id ?? '', { kind: 'confirm', id: `${record?.id}` });
    expect(await boarded(boarding)).toBe(record?.id);
    expect(madeFor(guid)).toHaveLength(1);
    expect(kind).toBe([400, 409, 422].includes(status) ? 'rejected-input' : 'uncertain-write');
    await boarding.handle.terminate();
  });

  it('and saved makes no second merchant while the partner refuses, for another reason, to show it', async () => {
    const { boarding, guid } = await board(() => ({
      refuses: { status: 400, names: true, error: SENTENCE },
    }));
    const question = await boarding.requirement('rejected-input');
    const [{ id = 0 } = {}] = madeFor(guid);
    habits.set(guid, () => undefined);
    partner.busyWith.add(id);
    await boarding.resolve(question.id, { kind: 'retry' });
    const again = await boarding.until(
      ({ requirements }) => requirements.some((each) => each.id !== question.id),
      'the next question',
    );
    const [next] = again.requirements;
    expect(next?.detail).toContain('not sent, because the preceding get-status failed (HTTP 400)');
    expect(createsOf(guid)).toBe(1);
    partner.busyWith.delete(id);
    await boarding.resolve(next?.id ?? '', { kind: 'confirm', id: `${id}` });
    expect([await boarded(boarding), madeFor(guid).length]).toEqual([id, 1]);
    await boarding.handle.terminate();
  });

  it('and saved by a partner whose clock is an hour behind makes no second merchant', async () => {
    const refuses = { status: 400, names: true, error: SENTENCE };
    const statusDate = new Date(Date.now() - 3_600_000).toISOString();
    const { boarding, guid } = await board(() => ({ refuses, statusDate }));
    const question = await boarding.requirement('rejected-input');
    habits.set(guid, () => undefined);
    const patch = { merchant: { email: 'x@example.com' } };
    await boarding.resolve(question.id, { kind: 'correction', patch });
    await boarding.until(
      ({ requirements }) => requirements.some(({ id }) => id !== question.id),
      'the next question',
    );
    expect(madeFor(guid)).toHaveLength(1);
    await boarding.handle.terminate();
  });

  it('with the merchant of somebody else in its response is sent again once it is corrected', async () => {
    const first = await board(() => undefined);
    const id = await boarded(first.boarding);
    const data = { merchantProfileId: id };
    const rejects = { status: 409, data, error: 'A merchant with this email exists.' };
    const { boarding, guid } = await board(({ email }) =>
      email === 'new@example.com' ? undefined : { rejects },
    );
    const question = await boarding.requirement('rejected-input');
    const patch = { merchant: { email: 'new@example.com' } };
    await boarding.resolve(question.id, { kind: 'correction', patch });
    expect(await boarded(boarding)).not.toBe(id);
    expect(madeFor(guid)).toHaveLength(1);
    for (const each of [first.boarding, boarding]) await each.handle.terminate();
  });

  it('plainly is a question as before, and its correction is sent', async () => {
    const rejects = { status: 400, error: 'Validation failed.' };
    const { boarding, guid } = await board(({ email }) =>
      email === 'new@example.com' ? undefined : { rejects },
    );
    const question = await boarding.requirement('rejected-input');
    // Some partners save what they refuse, and their response does not say so: whoever corrects it unseen doubles the merchant.
    expect(question.detail).toBe(
      'merchant.email: could not be verified\nValidation failed.\nThe partner may have saved what it refused. ' +
        `Look in the partner’s portal for a merchant with dba “Corner Bakery” and guid ${guid}. If it is there, ` +
        'confirm its merchant profile id. Correct it or retry only if it is not there, because either sends it again.',
    );
    const patch = { merchant: { email: 'new@example.com' } };
    await boarding.resolve(question.id, { kind: 'correction', patch });
    await boarded(boarding);
    expect(createsOf(guid)).toBe(2);
    const { timeline } = await boarding.state();
    expect(timeline.filter(({ event }) => event === 'requirement-raised')).toHaveLength(1);
    await boarding.handle.terminate();
  });
});

/** Of documents 2 and 4: what follows a create in this status, before anybody has submitted the merchant. */
describe.concurrent('a merchant that has this status right after its create', () => {
  it.each(['Not Submitted', 'Pending'])('%s is submitted', async (status) => {
    const { boarding } = await board(() => ({ status }));
    const id = await boarded(boarding);
    expect(writesTo(id)).toEqual([`submit ${id}`]);
    await boarding.handle.terminate();
  });

  it.each([
    'UW Level 1',
    'UW Level 1: Pending',
    'UW Level 1: Pending Review',
    'Pending Review',
    'UW Level 2',
    'UW Level 2: Pending',
    'UW Level 2: Pending Review',
    'Conditionally Approved',
    'CR:POS Equipment',
  ])('%s is asked about, and not called submitted', async (status) => {
    const { boarding } = await board(() => ({ status }));
    const question = await boarding.requirement('not-submitted');
    expect(question.detail).toContain(`reads as ${status}. Gangway has not submitted it`);
    expect(question.answers).toEqual(['confirm', 'correction', 'retry', 'abandon']);
    const { merchantProfileId: id = 0, stage } = await boarding.state();
    expect([await submissionsIn(boarding), writesTo(id), stage]).toEqual([0, [], 'applying']);
    await boarding.resolve(question.id, { kind: 'retry' });
    expect(await boarded(boarding)).toBe(id);
    expect(writesTo(id)).toEqual([`submit ${id}`]);
    await boarding.handle.terminate();
  });

  it('UW Level 1 is called submitted once a person confirms it, and nothing is sent', async () => {
    const { boarding } = await board(() => ({ status: 'UW Level 1' }));
    const question = await boarding.requirement('not-submitted');
    const { merchantProfileId: id = 0 } = await boarding.state();
    await boarding.resolve(question.id, { kind: 'confirm', id: `${id}` });
    expect(await boarded(boarding)).toBe(id);
    expect((await boarding.state()).stage).toBe('underwriting');
    partner.move(id, 'Approved', '4712');
    expect(await boarding.outcome()).toMatchObject({ outcome: 'boarded', mid: '4712' });
    expect(writesTo(id)).toEqual([]);
  });

  it('RequestChanges is asked about', async () => {
    const { boarding } = await board(() => ({ status: 'RequestChanges' }));
    const question = await boarding.requirement('changes-requested');
    const { merchantProfileId: id = 0 } = await boarding.state();
    expect(writesTo(id)).toEqual([]);
    await boarding.resolve(question.id, { kind: 'retry' });
    expect(await boarded(boarding)).toBe(id);
    await boarding.handle.terminate();
  });

  it.each(['Approved', 'Declined', 'Withdrawn', 'Closed'])('%s may be another merchant', async (status) => {
    const { boarding, guid } = await board(() => ({ status }));
    const { detail } = await boarding.requirement('rejected-input');
    const [record] = madeFor(guid);
    expect(detail).toContain(`merchant ${record?.id}, but its status is ${status}`);
    expect(writesTo(record?.id ?? 0)).toEqual([]);
    await boarding.handle.terminate();
  });
});

describe.concurrent('a correction that the partner wanted', () => {
  it('is dropped, and not called submitted, when somebody else has submitted the merchant meanwhile', async () => {
    const { boarding } = await board(() => undefined);
    const id = await boarded(boarding);
    partner.move(id, 'RequestChanges');
    const question = await boarding.requirement('changes-requested');
    partner.move(id, 'Pending');
    const patch = { application: { annualVolume: 120_000 } };
    await boarding.resolve(question.id, { kind: 'correction', patch });
    await boarding.until(
      ({ timeline }) => timeline.some(({ event }) => event === 'answer-dropped'),
      'the end of the answer',
    );
    expect([await submissionsIn(boarding), writesTo(id)]).toEqual([1, [`submit ${id}`]]);
    await boarding.handle.terminate();
  });
});
