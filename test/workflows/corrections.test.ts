import { describe, expect, it } from 'vitest';
import type { Answer, Requirement } from '../../src/messages/requirements.js';
import { gangway } from '../rigs/command.js';
import { existing } from '../rigs/commands/existing.js';
import { customer, merchant } from '../rigs/inputs.js';
import type { Onboarding } from '../rigs/onboarding.js';
import { sharedRig } from '../rigs/shared-rig.js';

const rig = await sharedRig();

/** The message with which the workflow rejects a correction. */
const refusal = (boarding: Onboarding<unknown>, { id }: Requirement, patch: unknown): Promise<string> =>
  boarding.resolve(id, { kind: 'correction', patch } as Answer).then(
    () => 'accepted',
    ({ cause }) => cause.message,
  );

const LATER = 'can no longer be changed; fields that can be changed: fees, application';

describe.concurrent('a correction', () => {
  const NOTHING = 'answer.patch: changes nothing, because the fields already have these values';

  it('that changes nothing is refused by every door', async () => {
    const patch = { application: { annualVolume: 120_000 } };
    const input = merchant('changes-requested', patch);
    const boarding = await rig.board(input);
    const requirement = await boarding.requirement('changes-requested');
    expect(await refusal(boarding, requirement, patch)).toBe(NOTHING);
    await expect(boarding.propose(requirement.id, { kind: 'correction', patch })).rejects.toThrow(NOTHING);
    const resolve = ['resolve', input.externalId, requirement.id, '--patch', JSON.stringify(patch)];
    const refused = await gangway(rig.env, resolve);
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining(NOTHING) });
    const { events = [] } = await boarding.handle.fetchHistory();
    expect(events?.filter((event) => event.workflowExecutionUpdateAcceptedEventAttributes)).toEqual([]);
    expect(await rig.sandbox.writes(input.externalId)).toEqual(['create-merchant', 'submit-merchant']);
    await boarding.handle.terminate();
  });

  it('is rejected by a customer in the words of its part', async () => {
    const onboarding = await rig.onboard(customer({ boarding: 'changes-requested' }));
    const requirement = await onboarding.requirement('changes-requested');
    const message = await refusal(onboarding, requirement, { merchant: { dba: 'New Name' } });
    expect(message).toContain(`answer.patch.merchant: ${LATER}`);
    await onboarding.handle.cancel();
  });
});

/** A boarding that asks whether its merchant was created. */
async function askedAbout() {
  const input = merchant('waiting');
  await rig.sandbox.plan('drop-after-commit', 'create-merchant', { about: input.externalId });
  const boarding = await rig.board(input);
  const question = await boarding.requirement('uncertain-write');
  const [record] = await rig.sandbox.ledger({ guid: input.externalId });
  return { input, boarding, question, made: Number(record?.id) };
}

/** The question that follows the answer with this id. */
async function askedAgain(boarding: Onboarding<unknown>, question: Requirement, id: string) {
  await boarding.resolve(question.id, { kind: 'confirm', id });
  const { requirements } = await boarding.until(
    (state) => state.requirements.some((each) => each.id !== question.id),
    'the question again',
  );
  return requirements[0];
}

/**
 * Says that somebody has submitted an imported merchant that is Pending, which its status does not show. @returns the state then
 */
async function confirmedSubmission(boarding: Onboarding<unknown>, merchantProfileId: number) {
  const { id } = await boarding.requirement('not-submitted');
  await boarding.resolve(id, { kind: 'confirm', id: `${merchantProfileId}` });
  return boarding.until(({ stage }) => stage === 'underwriting');
}

describe.concurrent('an id to confirm', () => {
  it('that another boarding has is refused, and asked again', async () => {
    const other = await rig.board(merchant('waiting'));
    const { merchantProfileId: taken } = await other.until(({ stage }) => stage === 'underwriting');
    const { boarding, question } = await askedAbout();
    const again = await askedAgain(boarding, question, `${taken}`);
    expect(again?.detail).toContain(
      `${taken} cannot be confirmed: workflow ${other.workflowId} has this merchant`,
    );
    // An ended boarding does not lose its merchant either.
    await other.handle.terminate();
    await boarding.resolve(again?.id ?? '', { kind: 'confirm', id: `${taken}` });
    const { detail } = await boarding.requirement('uncertain-write');
    expect(detail).toContain(`${taken} cannot be confirmed: it is the merchant of ${other.workflowId}`);
    expect((await boarding.state()).merchantProfileId).toBeUndefined();
    await boarding.handle.terminate();

    // Whose input names it, and who has its dba, may well go on with it.
    const next = await rig.board(merchant('waiting', { merchantProfileId: taken ?? 0 }));
    const { timeline } = await confirmedSubmission(next, taken ?? 0);
    expect(timeline.find(({ event }) => event === 'merchant-imported')?.detail).toBe(
      `merchant ${taken}, status Pending, formerly of ${other.workflowId}`,
    );
    await next.handle.terminate();
  });
});

describe.concurrent('a merchant that is not the one that was created', () => {
  it('because somebody has submitted it, is confirmed only when its id is given again', async () => {
    const { merchantProfileId: strange } = await existing(rig).merchant({ status: 'UW Level 1' });
    const { boarding, question } = await askedAbout();
    const again = await askedAgain(boarding, question, `${strange}`);
    expect(again?.detail).toContain(
      `${strange} cannot be confirmed: merchant ${strange} has the status UW Level 1, and nobody has submitted the one that was created. ` +
        'To use it anyway, confirm it again',
    );
    await boarding.resolve(again?.id ?? '', { kind: 'confirm', id: `${strange}` });
    const { merchantProfileId } = await boarding.until(({ stage }) => stage === 'underwriting');
    expect(merchantProfileId).toBe(strange);
    await boarding.handle.terminate();
  });

  it('because the ended boarding that has it has another dba, is confirmed from an input only after a retry', async () => {
    const other = await rig.board(merchant('waiting'));
    const { merchantProfileId: taken = 0 } = await other.until(({ stage }) => stage === 'underwriting');
    await other.handle.terminate();
    const input = merchant('waiting', { merchantProfileId: taken });
    const dba = 'Somebody Else [waiting]';
    const boarding = await rig.board({ ...input, merchant: { ...input.merchant, dba } });
    const { id, detail } = await boarding.requirement('rejected-input');
    expect(detail).toBe(
      `it is the merchant “Corner Bakery [waiting]” of ${other.workflowId}. To use it anyway, retry`,
    );
    await boarding.resolve(id, { kind: 'retry' });
    await confirmedSubmission(boarding, taken);
    await boarding.handle.terminate();
  });
});
