import { describe, expect, it } from 'vitest';
import { merchant } from '../rigs/inputs.js';
import type { Onboarding } from '../rigs/onboarding.js';
import { sharedRig } from '../rigs/shared-rig.js';
import { eventually } from '../rigs/waiting.js';

const HOUR = 3_600_000;
const rig = await sharedRig();
const slowRig = await sharedRig({ poll: { minMs: HOUR, maxMs: HOUR } });

// Proves D4.
describe.concurrent('a create whose outcome is unknown', () => {
  it('creates no merchant twice; a person confirms it', async () => {
    const input = merchant();
    await rig.sandbox.plan('drop-after-commit', 'create-merchant', { about: input.externalId });
    const boarding = await rig.board(input);
    const requirement = await boarding.requirement('uncertain-write');
    expect(requirement.answers).toEqual(['confirm', 'retry', 'abandon']);
    const [created, ...more] = await rig.sandbox.ledger({ guid: input.externalId });
    expect(more).toEqual([]);
    await boarding.resolve(requirement.id, { kind: 'confirm', id: String(created?.id) });
    expect(await boarding.outcome()).toMatchObject({ outcome: 'boarded', merchantProfileId: created?.id });
    expect(await rig.sandbox.writes(input.externalId)).toEqual(['create-merchant', 'submit-merchant']);
    expect(await boarding.events()).toEqual(
      expect.arrayContaining(['write-uncertain', 'write-confirmed', 'merchant-imported']),
    );
  });
});

describe.concurrent('a submission that arrived late', () => {
  it('is seen before it is sent again, and nobody is asked a second time', async () => {
    await slowRig.sandbox.plan('drop-before-commit', 'submit-merchant', { about: 'Late.' });
    const boarding = await slowRig.board(merchant('waiting', { application: { remark: 'Late.' } }));
    const { id } = await boarding.requirement('uncertain-write');
    const { merchantProfileId = 0 } = await boarding.state();
    // The lost call arrives late, and nobody knows: the next read is an hour away.
    await slowRig.sandbox.transition(merchantProfileId, { status: 'Pending' });
    await boarding.resolve(id, { kind: 'retry' });
    const isSubmitted = ({ timeline }: Awaited<ReturnType<typeof boarding.state>>) =>
      timeline.some(({ event }) => event === 'submitted');
    await boarding.until(isSubmitted, 'the submission');
    expect((await boarding.state()).requirements).toEqual([]);
    await boarding.handle.terminate();
  });
});

describe.concurrent('a submission that the partner refused with 200', () => {
  // Catches a submission that counts as made because the partner has put the merchant on hold meanwhile.
  it('is not proved by a status that nobody knows', async () => {
    await slowRig.sandbox.plan('200-refused', 'submit-merchant', { about: 'Held.' });
    const boarding = await slowRig.board(merchant('waiting', { application: { remark: 'Held.' } }));
    const { id } = await boarding.requirement('rejected-input');
    const { merchantProfileId = 0 } = await boarding.state();
    await slowRig.sandbox.transition(merchantProfileId, { status: 'On Hold' });
    await boarding.resolve(id, { kind: 'retry' });
    expect(await boarding.requirement('not-submitted')).toMatchObject({
      detail: expect.stringContaining('On Hold'),
      answers: expect.arrayContaining(['confirm', 'retry']),
    });
    expect(await boarding.events()).not.toContain('submitted');
    await boarding.handle.terminate();
  });
});

describe.concurrent('a partner that took answers, and asks the same again before a person confirms the lost request', () => {
  it('is answered again about the note', async () => {
    const { boarding, input, merchantProfileId } = await waitingBoarding();
    await rig.sandbox.transition(merchantProfileId, { notes: ['When is the lease signed?'] });
    const note = await boarding.requirement('underwriting-note');
    await rig.sandbox.plan('drop-before-commit', 'request-underwriting-review', { about: input.externalId });
    await boarding.resolve(note.id, { kind: 'text', text: `Soon, for ${input.externalId}.` });
    const { id } = await boarding.requirement('uncertain-write');
    await sees(boarding, () => rig.sandbox.transition(merchantProfileId, { status: 'Pending' }));
    await boarding.resolve(id, { kind: 'confirm', id: String(merchantProfileId) });
    const again = await boarding.requirement('underwriting-note');
    expect(again).toMatchObject({ id: `${note.id}-2`, detail: note.detail });
    await boarding.resolve(again.id, { kind: 'text', text: 'On Friday.' });
    await boarding.until(({ partnerStatus }) => partnerStatus === 'Pending Review', 'the review');
    const { reviewComments } = await rig.sandbox.merchant(merchantProfileId);
    expect(reviewComments).toEqual(['When is the lease signed?\nOn Friday.']);
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
  const ended = async () =>
    (await boarding.written()).filter((name) => name.startsWith('activityTaskCompleted'));
  const { length: before } = await ended();
  await change();
  await eventually(ended, ({ length }) => length > before, 'the change');
}
