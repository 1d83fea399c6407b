import { describe, expect, it } from 'vitest';
import {
  activitiesAtSandbox,
  activitiesOf,
  failed,
  plan,
} from '../../../rigs/activities/banking/running-activities.js';
import { bankingPartner } from '../../../rigs/partners/banking/partner.js';
import { answering, type Respond } from '../../../rigs/partners/servers.js';
import { changed, HOLDER, holderOf } from '../../../rigs/sandbox/banking/running-banking.js';

const named = (name: string) => changed(HOLDER, 'doingBusinessAsName', JSON.stringify(name));

describe('profiles that there are already', () => {
  it('are found by merchant', async () => {
    const { run, banking } = await activitiesAtSandbox();
    const merchantProfileId = await banking.create();
    const id = await banking.submit();
    expect(await run('findProfiles', { merchantProfileId, dba: 'Nobody' })).toEqual({
      ofMerchant: id,
      ofSameName: [],
    });
  });

  it('are found by the whole name, upper and lower case aside', async () => {
    const { run, banking } = await activitiesAtSandbox();
    const names = ['Corner Bakery', 'Corner Bakery North', 'CORNER BAKERY', 'The Corner Bakery'];
    const ids: number[] = [];
    for (const name of names) ids.push(await banking.submit(named(name)));
    const search = { dba: ' corner bakery ' };
    expect(await run('findProfiles', search)).toEqual({ ofMerchant: null, ofSameName: [ids[0], ids[2]] });
  });

  it('are none where the partner answers 404, at once', async () => {
    const { client, requests } = await bankingPartner(answering(404, '{"message":"nothing there"}'));
    const { run } = await activitiesOf(client);
    const none = { ofMerchant: null, ofSameName: [] };
    expect(await run('findProfiles', { merchantProfileId: 7, dba: 'Corner Bakery' })).toEqual(none);
    expect(requests()).toHaveLength(2);
  });

  it('are not looked for by a merchant that is not known', async () => {
    const { client, requests } = await bankingPartner(answering(200, '[]'));
    const { run } = await activitiesOf(client);
    await run('findProfiles', { dba: 'Corner Bakery' });
    expect(requests().map(({ line }) => line)).toEqual(['POST /api/AccountsSearch/BusinesAccountHolder']);
  });

  it.each([
    ['500-before-commit', 'Uncertain'],
    ['expired-token', 'Unauthorized'],
  ])('are unknown after %s', async (fault, kind) => {
    const { run, banking } = await activitiesAtSandbox();
    for (const _ of [1, 2]) await plan(banking, fault, 'search-business-account-holders');
    const search = run('findProfiles', { dba: 'Corner Bakery' });
    expect(await failed(search)).toMatchObject({ details: { kind }, isRetried: true });
  });
});

describe('a profile that is read', () => {
  it('tells its status, its account and its own open tickets', async () => {
    const { run, banking } = await activitiesAtSandbox();
    const id = await banking.submit(holderOf('ticket'));
    const other = await banking.submit(holderOf('more-tickets'));
    const read = () => run('readProfile', { profileId: id });
    expect(await read()).toEqual({ bankingStatus: 'PendingUW', financialAccountId: null, tickets: [] });
    for (const _ of [1, 2]) await banking.profile(other);
    await banking.call('POST /api/tickets', '{"text":"Ours, about something else"}');
    const ticket = {
      ticketId: expect.any(Number),
      topic: 'Application',
      text: 'The phone number is not in service. Please correct it.',
      updateFieldRequest: 'Phone',
    };
    expect(await read()).toMatchObject({ bankingStatus: 'PendingUW', tickets: [ticket] });
    await banking.call(
      `PUT /svc/businessAccountHolder/${id}`,
      changed(holderOf('ticket'), 'phone', '"5185550199"'),
    );
    expect(await read()).toMatchObject({ bankingStatus: 'Approved', tickets: [] });
    expect(await read()).toMatchObject({ financialAccountId: `fa-${id}-1` });
  });

  it.each([
    ['New', true],
    ['InReview', true],
    ['EscalatedToCommittee', true],
    ['Approved', false],
    ['ApprovedUW', false],
    ['AutoApprovedUW', false],
    ['Denied', false],
    ['Closed', false],
    ['Cancelled', false],
  ])('%s is asked for its tickets: %s', async (bankingStatus, isAsked) => {
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

  it('may tell next to nothing', async () => {
    const { client, requests } = await bankingPartner(profileWithTickets({ id: 4 }, []));
    const { run } = await activitiesOf(client);
    const nothing = { bankingStatus: 'Unknown', financialAccountId: null, tickets: [] };
    expect(await run('readProfile', { profileId: 4 })).toEqual(nothing);
    expect(requests()).toHaveLength(1);
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
      { ticketId: 1, topic: null, text: '', updateFieldRequest: null },
    ]);
  });

  it('may be so new that the partner does not find it yet', async () => {
    const { run } = await activitiesAtSandbox();
    const read = (attempt: number) => failed(run('readProfile', { profileId: 7 }, { attempt }));
    expect(await read(1)).toMatchObject({ details: { status: 404 }, isRetried: true });
    expect(await read(6)).toMatchObject({ details: { status: 404 }, isRetried: false });
  });

  it('of another partner is not for us', async () => {
    const { run } = await activitiesAtSandbox();
    expect(await failed(run('readProfile', { profileId: 601 }))).toMatchObject({
      details: { kind: 'Forbidden' },
      isRetried: false,
    });
  });
});

describe('a change of a profile', () => {
  const unchanged = { type: 'StatusUnchanged', nonRetryable: false };

  it('is the first read when nothing was seen yet', async () => {
    const { run, banking } = await activitiesAtSandbox();
    const profileId = await banking.submit(holderOf('waiting'));
    expect(await run('awaitProfileChange', { profileId, seen: null })).toEqual({
      snapshot: { bankingStatus: 'Submitted', financialAccountId: null, tickets: [] },
      polls: 1,
    });
  });

  it('is awaited by being retried, and its reads are counted', async () => {
    const { run, banking } = await activitiesAtSandbox();
    const profileId = await banking.submit(holderOf('waiting'));
    const seen = { bankingStatus: 'Submitted', financialAccountId: null, ticketIds: [] };
    const wait = (attempt: number) => run('awaitProfileChange', { profileId, seen }, { attempt });
    for (const attempt of [1, 2]) await expect(wait(attempt)).rejects.toMatchObject(unchanged);
    await banking.control(
      `POST /sandbox/profiles/${profileId}/transition`,
      '{"tickets":[{"text":"Why?","topic":"Application"}]}',
    );
    expect(await wait(3)).toMatchObject({
      polls: 3,
      snapshot: { tickets: [{ text: 'Why?' }] },
    });
  });

  it.each<[string, { bankingStatus?: string; financialAccountId?: string; ticketIds?: number[] }, boolean]>([
    ['nothing', {}, false],
    ['another status', { bankingStatus: 'Pending' }, true],
    ['another account', { financialAccountId: 'fa-0' }, true],
    ['tickets in another order', { ticketIds: [2, 1] }, false],
    ['a ticket that came', { ticketIds: [1] }, true],
    ['a ticket that went', { ticketIds: [1, 2, 3] }, true],
    ['a ticket in place of another', { ticketIds: [1, 3] }, true],
  ])('is %s: %#', async (_, change, isNews) => {
    const { client } = await bankingPartner(
      profileWithTickets(
        { id: 4, bankingStatus: 'PendingUW', financialAccountId: 'fa-4-1', userProfileId: 14 },
        [
          { ticketId: 1, userProfileId: 14 },
          { ticketId: 2, userProfileId: 14 },
        ],
      ),
    );
    const { run } = await activitiesOf(client);
    const before = { bankingStatus: 'PendingUW', financialAccountId: 'fa-4-1', ticketIds: [1, 2] };
    const wait = run('awaitProfileChange', { profileId: 4, seen: { ...before, ...change } });
    if (isNews) expect(await wait).toMatchObject({ polls: 1 });
    else await expect(wait).rejects.toMatchObject(unchanged);
  });

  it('is awaited while the partner is away', async () => {
    const { run, banking } = await activitiesAtSandbox();
    const profileId = await banking.submit();
    await plan(banking, '500-before-commit', 'get-profile');
    const wait = run('awaitProfileChange', { profileId, seen: null });
    await expect(wait).rejects.toMatchObject({ nextRetryDelay: expect.any(Number), nonRetryable: false });
  });
});

describe('a financial account', () => {
  it('is opened for an approved profile', async () => {
    const { run, banking } = await activitiesAtSandbox();
    const profileId = await banking.submit(holderOf('account-on-request'));
    expect(await run('openFinancialAccount', { profileId })).toEqual({
      financialAccountId: null,
      problems: [{ field: '', message: 'the profile is PendingUW' }],
    });
    await banking.profile(profileId);
    expect(await run('openFinancialAccount', { profileId })).toEqual({
      financialAccountId: `fa-${profileId}-1`,
      problems: [],
    });
  });

  it('is not opened beside the one that the bank has opened meanwhile', async () => {
    const { run, banking } = await activitiesAtSandbox();
    const profileId = await banking.submit(holderOf('account-at-once'));
    for (const _ of [1, 2]) await banking.profile(profileId);
    expect(await run('openFinancialAccount', { profileId })).toEqual({
      financialAccountId: `fa-${profileId}-1`,
      problems: [],
    });
    expect(await banking.effects()).toEqual([`submit-business-account-holder ${profileId}`]);
  });

  it.each(['500-before-commit', 'drop-before-commit'])(
    'is not asked for (%s) when the profile cannot be looked at',
    async (fault) => {
      const { run, banking } = await activitiesAtSandbox();
      const profileId = await banking.submit(holderOf('account-on-request'));
      for (const _ of [1, 2]) await banking.profile(profileId);
      await plan(banking, fault, 'get-profile');
      expect(await failed(run('openFinancialAccount', { profileId }))).toMatchObject({
        details: { kind: 'NotSent', operation: 'get-profile' },
        isRetried: false,
      });
      expect(await banking.effects()).toEqual([`submit-business-account-holder ${profileId}`]);
    },
  );

  it('that was opened without being told is to be looked for', async () => {
    const profile = { id: 4, userProfileId: 4_000, bankingStatus: 'Approved', financialAccountId: null };
    const { client } = await bankingPartner((response, request) =>
      answering(200, request.method === 'GET' ? JSON.stringify(profile) : '{"profileId":4,"success":true}')(
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

  it('is never opened twice by itself', async () => {
    const { run, banking } = await activitiesAtSandbox();
    const profileId = await banking.submit(holderOf('account-on-request'));
    for (const _ of [1, 2]) await banking.profile(profileId);
    await plan(banking, 'drop-after-commit', 'submit-business-customer');
    expect(await failed(run('openFinancialAccount', { profileId }))).toMatchObject({
      details: { kind: 'Uncertain' },
      isRetried: false,
    });
  });
});

/** A partner with one profile and these new tickets. */
function profileWithTickets(profile: object, tickets: readonly object[]): Respond {
  return (response, request) => {
    const isTickets = request.url === '/api/tickets/new';
    answering(200, JSON.stringify(isTickets ? tickets : profile))(response, request);
  };
}
