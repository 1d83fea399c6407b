import { describe, expect, it } from 'vitest';
import {
  activitiesAtSandbox,
  activitiesOf,
  failed,
  plan,
} from '../../../rigs/activities/banking/running-activities.js';
import { bankingPartner } from '../../../rigs/partners/banking/partner.js';
import { responding } from '../../../rigs/partners/servers.js';
import { holderOf, type RunningBanking } from '../../../rigs/sandbox/banking/running-banking.js';

/** A ticket of the partner that asks a question. */
async function asked(banking: RunningBanking) {
  const id = await banking.submit(holderOf('more-tickets'));
  for (const _ of [1, 2]) await banking.profile(id);
  const [ticket] = (await banking.call('GET /api/tickets/new')).json<{ ticketId: number }[]>();
  return { ticketId: ticket?.ticketId ?? 0, topic: 'Application' };
}

describe('a reply to a ticket', () => {
  it('is sent once, and found afterwards', async () => {
    const { run, banking } = await activitiesAtSandbox();
    const { ticketId, topic } = await asked(banking);
    const reply = { ticketId, topic, text: 'Bread' };
    const find = (more: object = {}) => run('findReply', { ...reply, baseline: [], ...more });
    expect(await find()).toBeNull();
    await plan(banking, 'drop-after-commit', 'create-ticket');
    expect(await failed(run('replyToTicket', reply))).toMatchObject({
      details: { kind: 'Uncertain', baseline: [] },
      isRetried: false,
    });
    const replyId = await find();
    expect(replyId).toEqual(expect.any(Number));
    expect(await find({ text: 'Bread ' })).toBe(replyId);
    expect(await find({ text: 'Cake' })).toBeNull();
    expect(await find({ ticketId: ticketId + 1 })).toBeNull();
  });
});

describe('a ticket that the bank’s staff opened', () => {
  const PROFILE = { id: 3001, bankingStatus: 'PendingUW', userProfileId: 13_001 };
  const OTHER = { id: 3002, bankingStatus: 'PendingUW', userProfileId: 13_002 };

  /** A bank with two customers and these tickets; everybody else is of its staff. */
  async function bankWith(tickets: readonly object[] | undefined, staffStatus = 404) {
    const { client, requests } = await bankingPartner((response, request) => {
      const { url = '' } = request;
      const users: Readonly<Record<string, object>> = { 13001: PROFILE, 13002: OTHER };
      const [, user] = /byUser\/(\d+)/.exec(url) ?? [];
      const answer = url === '/api/tickets/new' ? tickets : user === undefined ? PROFILE : users[user];
      responding(answer ? 200 : staffStatus, JSON.stringify(answer ?? {}))(response, request);
    });
    return { ...(await activitiesOf(client)), requests };
  }

  it.each([401, 403])('that the account cannot read (%i) hides no change of the profile', async (status) => {
    const { run } = await bankWith(undefined, status);
    const profile = { phase: 'under-review', financialAccountId: null, isLocked: false } as const;
    const poll = (bankingStatus: string) =>
      run('awaitProfileChange', {
        profileId: 3001,
        seen: { ...profile, bankingStatus, tickets: { 9: 'x' } },
      });
    const now = { ...profile, bankingStatus: 'PendingUW', tickets: [], isWithoutTickets: true };
    expect(await poll('Submitted')).toMatchObject({ snapshot: now });
    expect(await failed(poll('PendingUW'))).toMatchObject({
      details: { kind: status === 403 ? 'Forbidden' : 'RateLimited', operation: 'list-new-tickets' },
    });
  });

  const next = { ticketId: 2, userProfileId: 70, parentTicketId: 1 };
  const named = { topic: 'Profile 3001', text: 'Please send a bank letter.' };

  it.each<[string, object[], number[]]>([
    ['names the profile, and nobody as its creator', [{ ticketId: 1, ...named }], [1]],
    ['names the profile in its text', [{ ticketId: 1, text: 'About profileId: 3001.' }], [1]],
    ['names the profile, and is of staff', [{ ticketId: 1, userProfileId: 70, ...named }], [1]],
    ['names the profile, and is of another customer', [{ ticketId: 1, userProfileId: 13_002, ...named }], []],
    ['names two profiles', [{ ticketId: 1, text: 'profile 3001 and profile 3002' }], []],
    ['names a longer number', [{ ticketId: 1, text: 'profile 30011' }], []],
    ['names a user profile of that number', [{ ticketId: 1, text: 'user profile 3001' }], []],
    ['names nothing', [{ ticketId: 1, userProfileId: 70, text: '3001 dollars' }], []],
    // Catches a reply that is sent again and again, because the list keeps what was resolved.
    ['is resolved', [{ ticketId: 1, status: 'resolved', ...named }], []],
    [
      'continues a resolved one of the profile',
      [
        { ticketId: 1, userProfileId: 13_001, status: 'Closed' },
        { ...next, text: 'More.' },
      ],
      [2],
    ],
    [
      'continues one of the profile',
      [
        { ticketId: 1, userProfileId: 13_001 },
        { ...next, text: 'More.' },
      ],
      [1, 2],
    ],
    ['continues one no longer listed', [{ ...next, userProfileId: 13_001 }], []],
    [
      'continues one of another customer',
      [
        { ticketId: 1, userProfileId: 13_002 },
        { ...next, ...named },
      ],
      [],
    ],
  ])('is shown at the right profile: %s', async (_, tickets, lines) => {
    const { run } = await bankWith(tickets);
    const { tickets: matches } = await run('readProfile', { profileId: 3001 });
    expect(matches.map(({ ticketId }) => ticketId)).toEqual(lines);
  });

  it('belongs to no known profile when its opener is hidden', async () => {
    const { run } = await bankWith([{ ticketId: 1, userProfileId: 70, ...named }], 403);
    expect((await run('readProfile', { profileId: 3001 })).tickets).toEqual([]);
  });

  it('has characters in place of HTML entities', async () => {
    const { run } = await bankWith([{ ticketId: 1, topic: 'Profile 3001 &amp; more', text: 'caf&eacute;?' }]);
    const { tickets } = await run('readProfile', { profileId: 3001 });
    expect(tickets).toMatchObject([{ topic: 'Profile 3001 & more', text: 'café?' }]);
  });

  it('costs no further call when it names no profile', async () => {
    const { run, requests } = await bankWith([{ ticketId: 1, userProfileId: 70 }]);
    await run('readProfile', { profileId: 3001 });
    expect(requests()).toHaveLength(2);
  });

  it('is listed as unmatched when no running onboarding shows it', async () => {
    const { run } = await bankWith([
      { ticketId: 1, userProfileId: 13_002, createdDate: '2026-01-01T00:00:00Z' },
      { ticketId: 2, userProfileId: 13_002, parentTicketId: 1, text: 'a reply' },
      { ticketId: 3, text: 'Who are you?' },
      { ticketId: 4, userProfileId: 70, parentTicketId: 9, text: 'That is not enough.' },
      { ticketId: 5, userProfileId: 13_002, parentTicketId: 9, text: 'a reply to one that is closed' },
      // Catches two questions about one ticket: a page may repeat a row of the one before.
      { ticketId: 3, text: 'Who are you?' },
    ]);
    const { snapshot } = await run('awaitUnmatchedTickets', { seen: null });
    expect(snapshot).toMatchObject([
      { ticketId: 1, userProfileId: 13_002, createdDate: '2026-01-01T00:00:00Z' },
      { ticketId: 3, text: 'Who are you?', userProfileId: null },
      { ticketId: 4, parentTicketId: 9 },
    ]);
  });
});
