import { describe, expect, it } from 'vitest';
import { nudge } from '../../src/temporal/nudge.js';
import { business } from '../rigs/inputs.js';
import { sharedRig } from '../rigs/shared-rig.js';
import { eventually } from '../rigs/waiting.js';
import { bankOf } from '../rigs/workflows/bank.js';

const HOUR_MS = 3_600_000;

const rig = await sharedRig();
/** Reads only when it is nudged. */
const slowRig = await sharedRig({ poll: { minMs: HOUR_MS, maxMs: HOUR_MS } });

const text = 'Payroll.';

/** A business whose ticket was answered once while nobody reads, and is listed again after `change`. */
async function answered(change: (ticketId: number) => Promise<unknown>, more: object = {}) {
  const { client: bank } = bankOf(slowRig);
  const onboarding = await slowRig.onboardBusiness({ ...business('waiting'), ...more });
  const { profileId = 0 } = await onboarding.until(({ partnerStatus }) => partnerStatus === 'Submitted');
  await onboarding.asleepAfter(1);
  const moved = { bankingStatus: 'PendingUW', tickets: [{ text: 'What for?' }] };
  await slowRig.sandbox.transitionProfile(profileId, moved);
  await nudge(slowRig.client, onboarding.workflowId);
  const { id } = await onboarding.requirement('ticket');
  const ticketId = Number(id.replace('ticket-', ''));
  const words = `${text} (${profileId})`;
  const held = await slowRig.sandbox.hold('create-ticket', words, 'delay-after-commit');
  await onboarding.resolve(id, { kind: 'text', text: words });
  await held.underWay();
  expect(await bankOf(slowRig).repliesTo(id)).toEqual([words]);
  await bank.updateTicket({ ticketId, status: 'New' });
  await change(ticketId);
  await held.letGo();
  await onboarding.until(({ timeline }) => timeline.some(({ event }) => event === 'ticket-answered'));
  const read = async (bankingStatus: string) => {
    await slowRig.sandbox.transitionProfile(profileId, { bankingStatus });
    // Between two waits there is nothing to nudge, and a wait that is just being replaced takes the nudge with it.
    const nudged = async () => {
      await nudge(slowRig.client, onboarding.workflowId);
      return onboarding.state();
    };
    return eventually(nudged, ({ partnerStatus }) => partnerStatus === bankingStatus, bankingStatus);
  };
  return { onboarding, id, read, bank };
}

describe.concurrent('a ticket that was answered', () => {
  it('is asked again, and answered again, when the bank opens it again', async () => {
    const bank = bankOf(rig);
    const onboarding = await rig.onboardBusiness(business('reopened-ticket'));
    const { id, title, detail } = await onboarding.requirement('ticket');
    await onboarding.resolve(id, { kind: 'text', text });
    const requirements = await onboarding.asksAgain(id);
    expect(requirements).toMatchObject([{ id: `${id}-2`, title, detail }]);
    await onboarding.resolve(`${id}-2`, { kind: 'text', text });
    expect(await onboarding.outcome()).toMatchObject({ outcome: 'onboarded' });
    expect(await bank.repliesTo(id)).toEqual([text, text]);
  });

  it('counts only a new reply as evidence when its second reply is lost', async () => {
    const bank = bankOf(rig);
    const onboarding = await rig.onboardBusiness(business('reopened-ticket'));
    const { id } = await onboarding.requirement('ticket');
    const words = `${text} (${id})`;
    await onboarding.resolve(id, { kind: 'text', text: words });
    await onboarding.asksAgain(id);
    await rig.sandbox.plan('drop-before-commit', 'create-ticket', { about: words });
    await onboarding.resolve(`${id}-2`, { kind: 'text', text: words });
    const warning = await onboarding.requirement('uncertain-write');
    expect(await bank.repliesTo(id)).toEqual([words]);
    await onboarding.resolve(warning.id, { kind: 'retry' });
    expect(await onboarding.outcome()).toMatchObject({ outcome: 'onboarded' });
    expect(await bank.repliesTo(id)).toEqual([words, words]);
  });

  it('is not asked again while it is merely still listed', async () => {
    const { onboarding, read } = await answered(async () => undefined);
    expect((await read('InReview')).requirements).toEqual([]);
    await read('Approved');
    expect(await onboarding.outcome()).toMatchObject({ outcome: 'onboarded' });
    const raised = (await onboarding.events()).filter((event) => event === 'requirement-raised');
    expect(raised).toHaveLength(1);
  });

  it('is asked again when it is still listed after as long as a person has for an answer', async () => {
    // Between two reads, closed and opened again: nothing that is read changes.
    const { onboarding, id, read } = await answered(async () => undefined, { dueInHours: 0.001 });
    const { requirements } = await onboarding.until(
      (state) => state.requirements.length > 0,
      'the ticket again',
    );
    expect(requirements).toMatchObject([
      {
        id: `${id}-2`,
        title: 'Ticket about General; answered, but still listed by the partner',
        detail: 'What for?',
      },
    ]);
    await onboarding.resolve(`${id}-2`, { kind: 'text', text });
    await read('Approved');
    expect(await onboarding.outcome()).toMatchObject({ outcome: 'onboarded' });
  });
});
