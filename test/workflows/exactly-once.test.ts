import { describe, expect, it } from 'vitest';
import { merchant } from '../rigs/inputs.js';
import type { Onboarding } from '../rigs/onboarding.js';
import { sharedRig } from '../rigs/shared-rig.js';

const HOUR = 3_600_000;
const rig = await sharedRig();
const patient = await sharedRig({ poll: { minMs: HOUR, maxMs: HOUR } });

describe.concurrent('a create whose outcome is unknown', () => {
  it('creates no merchant twice; a person adopts it', async () => {
    const input = merchant();
    await rig.sandbox.plan('drop-after-commit', 'create-merchant', { about: input.externalId });
    const boarding = await rig.board(input);
    const requirement = await boarding.requirement('uncertain-write');
    expect(requirement.answers).toEqual(['adopt', 'retry', 'abandon']);
    const [created, ...more] = await rig.sandbox.ledger({ guid: input.externalId });
    expect(more).toEqual([]);
    await boarding.resolve(requirement.id, { kind: 'adopt', id: String(created?.id) });
    expect(await boarding.outcome()).toMatchObject({ outcome: 'boarded', merchantProfileId: created?.id });
    expect(await rig.sandbox.writes(input.externalId)).toEqual(['create-merchant', 'submit-merchant']);
    expect(await boarding.events()).toEqual(
      expect.arrayContaining(['write-uncertain', 'write-adopted', 'merchant-adopted']),
    );
  });
});

describe.concurrent('a submission that arrived late', () => {
  it('is seen before it is sent again, and nobody is asked a second time', async () => {
    await patient.sandbox.plan('drop-before-commit', 'submit-merchant');
    const boarding = await patient.board(merchant('waiting'));
    const { id } = await boarding.requirement('uncertain-write');
    const { merchantProfileId = 0 } = await boarding.state();
    // The lost call arrives late, and nobody knows: the next read is an hour away.
    await patient.sandbox.transition(merchantProfileId, { status: 'Pending' });
    await boarding.resolve(id, { kind: 'retry' });
    const isSubmitted = ({ timeline }: Awaited<ReturnType<typeof boarding.state>>) =>
      timeline.some(({ event }) => event === 'submitted');
    await boarding.until(isSubmitted, 'the submission');
    expect((await boarding.state()).requirements).toEqual([]);
    await boarding.handle.terminate();
  });
});

describe.concurrent('a partner that took answers, and asks the same again before a person adopts the lost request', () => {
  it('is answered again about the note', async () => {
    const { boarding, input, merchantProfileId } = await waitingBoarding();
    await rig.sandbox.transition(merchantProfileId, { notes: ['When is the lease signed?'] });
    const note = await boarding.requirement('underwriting-note');
    await rig.sandbox.plan('drop-before-commit', 'request-underwriting-review', { about: input.externalId });
    await boarding.resolve(note.id, { kind: 'text', text: `Soon, for ${input.externalId}.` });
    const { id } = await boarding.requirement('uncertain-write');
    await sees(boarding, () => rig.sandbox.transition(merchantProfileId, { status: 'Pending' }));
    await boarding.resolve(id, { kind: 'adopt', id: String(merchantProfileId) });
    const again = await boarding.requirement('underwriting-note');
    expect(again).toMatchObject({ id: `${note.id}-2`, detail: note.detail });
    await boarding.resolve(again.id, { kind: 'text', text: 'On Friday.' });
    await boarding.until(({ partnerStatus }) => partnerStatus === 'Pending Review', 'the review');
    const { reviewComments } = await rig.sandbox.merchant(merchantProfileId);
    expect(reviewComments).toEqual(['When is the lease signed?\nOn Friday.']);
    await boarding.handle.terminate();
  });

  it('is answered again about the changes, by another resubmission', async () => {
    const { boarding, input, merchantProfileId } = await waitingBoarding();
    const asks = () =>
      rig.sandbox.transition(merchantProfileId, { status: 'RequestChanges', comment: 'Too low.' });
    await asks();
    const first = await boarding.requirement('request-changes');
    await rig.sandbox.plan('drop-before-commit', 'submit-merchant', { about: input.externalId });
    const application = { remark: input.externalId };
    await boarding.resolve(first.id, { kind: 'correction', patch: { application } });
    const { id } = await boarding.requirement('uncertain-write');
    await sees(boarding, asks);
    await boarding.resolve(id, { kind: 'adopt', id: String(merchantProfileId) });
    const again = await boarding.requirement('request-changes');
    expect(again.id).not.toBe(first.id);
    await boarding.resolve(again.id, { kind: 'retry' });
    await boarding.until(({ partnerStatus }) => partnerStatus === 'Pending', 'the submission');
    expect(await rig.sandbox.writes(input.externalId)).toEqual([
      'create-merchant',
      'submit-merchant',
      'submit-merchant',
    ]);
    await boarding.handle.terminate();
  });
});

/** A boarding under review at a partner that does only what the test does. */
async function waitingBoarding() {
  const input = merchant('waiting');
  const boarding = await rig.board(input);
  await boarding.until(({ partnerStatus }) => partnerStatus === 'Pending', 'the review');
  const { merchantProfileId = 0 } = await boarding.state();
  return { boarding, input, merchantProfileId };
}

/** Waits until the status poll has read a change. */
async function sees(boarding: Onboarding, change: () => Promise<unknown>): Promise<void> {
  const { polls: before } = await boarding.state();
  await change();
  await boarding.until(({ polls }) => polls > before, 'the change');
}

// Their faults hit whoever reads next.
describe('reads', () => {
  it.each(['drop-before-commit', '500-before-commit', '429'])('are retried freely (%s)', async (fault) => {
    for (const operation of ['get-fees', 'get-status', 'get-underwriting-notes']) {
      await rig.sandbox.plan(fault, operation, { times: 1, milliseconds: 0 });
    }
    const boarding = await rig.board(merchant('conditionally-approved'));
    expect(await boarding.outcome()).toMatchObject({ outcome: 'boarded' });
    expect(await boarding.events()).not.toContain('requirement-raised');
  });

  it('that are refused name themselves, and the write after them was not sent', async () => {
    await rig.sandbox.plan('400', 'list-boarding-settings', { times: 1 });
    const { boardingSettingsId: _, ...input } = merchant();
    const boarding = await rig.board(input);
    const { id, detail, answers } = await boarding.requirement('rejected-input');
    expect(detail).toMatch(/^not sent, because the preceding list-boarding-settings failed \(HTTP 400\)\n/);
    expect(answers).toEqual(['correction', 'adopt', 'retry', 'abandon']);
    expect(await rig.sandbox.writes(input.externalId)).toEqual([]);
    await boarding.resolve(id, { kind: 'correction', patch: { boardingSettingsId: 11 } });
    expect(await boarding.outcome()).toMatchObject({ outcome: 'boarded' });
    expect(await rig.sandbox.writes(input.externalId)).toEqual(['create-merchant', 'submit-merchant']);
  });
});
