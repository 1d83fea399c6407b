import { describe, expect, it } from 'vitest';
import { CANCELLED } from '../../../../src/partners/banking/responses.js';
import {
  activitiesAtSandbox,
  activitiesOf,
  failed,
  plan,
} from '../../../rigs/activities/banking/running-activities.js';
import { bankingPartner } from '../../../rigs/partners/banking/partner.js';
import { type Respond, responding } from '../../../rigs/partners/servers.js';
import { holderOf } from '../../../rigs/sandbox/banking/running-banking.js';

describe('a profile that is read', () => {
  it.each([
    ['New', true],
    ['InReview', true],
    ['EscalatedToCommittee', true],
    ['Approved', false],
    ['ApprovedUW', false],
    ['AutoApprovedUW', false],
    ['Denied', false],
    ['Closed', false],
    [CANCELLED, false],
  ])('%s needs a read of its tickets: %s', async (bankingStatus, isAsked) => {
    const { client, requests } = await bankingPartner(
      profileWithTickets({ id: 4, bankingStatus, userProfileId: 14 }, []),
    );
    const { run } = await activitiesOf(client);
    await run('readProfile', { profileId: 4 });
    expect(requests().map(({ line }) => line)).toEqual([
      'GET /svc/profile/4',
      ...(isAsked ? ['GET /api/tickets/new'] : []),
    ]);
  });

  it('may be almost empty', async () => {
    const { client, requests } = await bankingPartner(profileWithTickets({ id: 4 }, []));
    const { run } = await activitiesOf(client);
    const unknown = { bankingStatus: 'Unknown', phase: 'under-review' };
    const nothing = { ...unknown, financialAccountId: null, isLocked: false, tickets: [] };
    expect(await run('readProfile', { profileId: 4 })).toEqual(nothing);
    expect(requests()).toHaveLength(2);
  });

  it('has no replies and no tickets of others among its own', async () => {
    const { client } = await bankingPartner(
      profileWithTickets({ id: 4, bankingStatus: 'PendingUW', userProfileId: 14 }, [
        { ticketId: 1, userProfileId: 14 },
        { ticketId: 2, userProfileId: 14, parentTicketId: 1, text: 'A reply' },
        { ticketId: 3, userProfileId: 15 },
        { ticketId: 4 },
      ]),
    );
    const { run } = await activitiesOf(client);
    expect((await run('readProfile', { profileId: 4 })).tickets).toEqual([
      { ticketId: 1, asks: expect.any(String), topic: null, text: '', updateFieldRequest: null },
    ]);
  });
});

describe('a change of a profile', () => {
  const unchanged = { type: 'StatusUnchanged', nonRetryable: false };

  it.each<[string, Record<string, unknown>, boolean]>([
    ['nothing', {}, false],
    ['another status', { bankingStatus: 'Pending' }, true],
    ['another account', { financialAccountId: 'fa-0' }, true],
    ['a lock', { isLocked: true }, true],
    ['a ticket that came', { tickets: [1] }, true],
    ['a ticket that went', { tickets: [1, 2, 3] }, true],
    ['a ticket in place of another', { tickets: [1, 3] }, true],
    ['a ticket that asks something else', { asks: 'another thing' }, true],
  ])('is %s: %#', async (_, { tickets = [1, 2], asks, ...change }, isChange) => {
    const profile = { id: 4, bankingStatus: 'PendingUW', financialAccountId: 'fa-4-1', userProfileId: 14 };
    const two = [1, 2].map((ticketId) => ({ ticketId, userProfileId: 14 }));
    const { client } = await bankingPartner(profileWithTickets(profile, two));
    const { run } = await activitiesOf(client);
    const { tickets: open, ...now } = await run('readProfile', { profileId: 4 });
    const facts = asks ?? open[0]?.asks ?? '';
    const before = Object.fromEntries((tickets as number[]).map((id) => [id, String(facts)]));
    const seen = { ...now, ...change, tickets: before };
    const wait = run('awaitProfileChange', { profileId: 4, seen });
    if (isChange) expect(await wait).toMatchObject({ isFirst: true });
    else await expect(wait).rejects.toMatchObject(unchanged);
  });
});

describe('a financial account', () => {
  it.each(['500-before-commit', 'drop-before-commit'])(
    'is not requested (%s) when the profile cannot be read',
    async (fault) => {
      const { run, banking } = await activitiesAtSandbox();
      const profileId = await banking.submit(holderOf('account-on-request'));
      for (const _ of [1, 2]) await banking.profile(profileId);
      await plan(banking, fault, 'get-profile');
      expect(await failed(run('openFinancialAccount', { profileId }))).toMatchObject({
        details: { operation: 'get-profile' },
        isRetried: true,
      });
      expect(await banking.effects()).toEqual([`submit-business-account-holder ${profileId}`]);
    },
  );

  it('that was opened without an id in the response is uncertain', async () => {
    const profile = { id: 4, userProfileId: 4_000, bankingStatus: 'Approved', financialAccountId: null };
    const { client } = await bankingPartner((response, request) =>
      responding(200, request.method === 'GET' ? JSON.stringify(profile) : '{"profileId":4,"success":true}')(
        response,
        request,
      ),
    );
    const { run } = await activitiesOf(client);
    expect(await failed(run('openFinancialAccount', { profileId: 4 }))).toMatchObject({
      details: { kind: 'Uncertain', reason: 'success without an account' },
      isRetried: false,
    });
  });
});

/** A partner with one profile and these new tickets. */
function profileWithTickets(profile: object, tickets: readonly object[]): Respond {
  return (response, request) => {
    const isTickets = request.url === '/api/tickets/new';
    responding(200, JSON.stringify(isTickets ? tickets : profile))(response, request);
  };
}
