import { describe, expect, it } from 'vitest';
import { business } from '../rigs/inputs.js';
import type { Onboarding } from '../rigs/onboarding.js';
import type { Rig } from '../rigs/rig.js';
import { bankOf } from '../rigs/workflows/bank.js';
import { accountOf, asked, begun, waiting, withAccounts } from '../rigs/workflows/partner-account.js';

const text = 'Who are you?';

/** A business under review, in which nothing happens. */
async function underReview(rig: Rig, account?: string) {
  const onboarding = await rig.onboardBusiness(business('waiting', account === undefined ? {} : { account }));
  const { profileId = 0 } = await onboarding.until(({ partnerStatus }) => partnerStatus === 'Submitted');
  return { onboarding, profileId };
}

/** Has the bank's staff open a ticket that names nobody, or what its topic names. */
function opened(rig: Rig, profileId: number, topic = 'General'): Promise<unknown> {
  const ticket = { topic, text, userProfileId: null };
  return rig.sandbox.transitionProfile(profileId, { tickets: [ticket] });
}

const raised = async (account: Onboarding) =>
  (await account.events()).filter((event) => event === 'requirement-raised').length;

const idOf = (requirementId: string) => Number(requirementId.replace('ticket-', ''));

describe.concurrent('a ticket that no onboarding shows', () => {
  // In concurrent tests, only the `expect` of the test knows which of them polls.
  it('is one requirement of the account, and a text answers it once', async ({ expect }) => {
    await withAccounts(async (rig) => {
      await rig.startWorker();
      const [{ onboarding, profileId }] = [await underReview(rig), await underReview(rig)];
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

  it('closes at the account once an onboarding shows it', async () => {
    await withAccounts(async (rig) => {
      await rig.startWorker();
      const { onboarding, profileId } = await underReview(rig);
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
      const { profileId } = await underReview(rig, 'a');
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
      const [first, second] = [await underReview(rig), await underReview(rig)];
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
