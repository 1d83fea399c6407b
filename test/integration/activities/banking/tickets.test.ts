import { describe, expect, it } from 'vitest';
import { activitiesAtSandbox, failed, plan } from '../../../rigs/activities/banking/running-activities.js';
import { holderOf, type RunningBanking } from '../../../rigs/sandbox/banking/running-banking.js';

/** A ticket of the partner that asks a question. */
async function asked(banking: RunningBanking) {
  const id = await banking.submit(holderOf('more-tickets'));
  for (const _ of [1, 2]) await banking.profile(id);
  const [ticket] = (await banking.call('GET /api/tickets/new')).json<{ ticketId: number }[]>();
  return { ticketId: ticket?.ticketId ?? 0, topic: 'Application' };
}

describe('a reply to a ticket', () => {
  it.each([
    ['its topic', 'Application'],
    ['no topic', null],
  ])('is a ticket that names it as parent, with %s', async (_, topic) => {
    const { run, banking } = await activitiesAtSandbox();
    const { ticketId } = await asked(banking);
    await run('replyToTicket', { ticketId, topic, text: 'Bread' });
    const tickets = (await banking.call('GET /api/tickets')).json<Record<string, unknown>[]>();
    expect(tickets.filter(({ parentTicketId }) => parentTicketId !== null)).toMatchObject([
      { parentTicketId: ticketId, text: 'Bread', topic: 'Application' },
    ]);
  });

  it('is sent once, and found afterwards', async () => {
    const { run, banking } = await activitiesAtSandbox();
    const { ticketId, topic } = await asked(banking);
    const reply = { ticketId, topic, text: 'Bread' };
    expect(await run('hasReply', reply)).toBe(false);
    await plan(banking, 'drop-after-commit', 'create-ticket');
    expect(await failed(run('replyToTicket', reply))).toMatchObject({
      details: { kind: 'Uncertain' },
      isRetried: false,
    });
    expect(await run('hasReply', reply)).toBe(true);
    expect(await run('hasReply', { ...reply, text: 'Bread ' })).toBe(true);
    expect(await run('hasReply', { ...reply, text: 'Cake' })).toBe(false);
    expect(await run('hasReply', { ...reply, ticketId: ticketId + 1 })).toBe(false);
  });

  it('needs a ticket', async () => {
    const { run } = await activitiesAtSandbox();
    const reply = run('replyToTicket', { ticketId: 7, topic: null, text: 'Bread' });
    expect(await failed(reply)).toMatchObject({ details: { status: 404 }, isRetried: false });
  });
});
