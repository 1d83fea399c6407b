import { describe, expect, it } from 'vitest';
import { holderOf, runBanking } from '../../../../rigs/sandbox/banking/running-banking.js';

describe('notifications', () => {
  it('come in pages', async () => {
    const banking = await runBanking();
    const { json } = await banking.call('GET /api/notifications?skip=1&take=2');
    const subjects = json<{ subject: string }[]>().map(({ subject }) => subject);
    expect(subjects).toEqual(['Deposit', 'Low balance']);
  });

  it('include each status change, as the last one', async () => {
    const banking = await runBanking();
    await banking.submit(holderOf('waiting'));
    const { text } = await banking.call('GET /api/notifications?skip=3');
    const createdDate = expect.any(String);
    const about = { subject: 'Application status', body: 'Now Submitted', metaData: { profileId: '3001' } };
    expect(JSON.parse(text)).toEqual([
      { id: 6005, createdDate, ...about, group: 'Messages', level: 'Info', dateRead: null },
    ]);
  });

  it('are read and deleted', async () => {
    const banking = await runBanking();
    await banking.call('PUT /api/notifications/6001/read');
    expect((await banking.call('GET /api/notifications/6001')).json()).toMatchObject({
      dateRead: expect.any(String),
    });
    await banking.call('DELETE /api/notifications/6001');
    expect((await banking.call('GET /api/notifications/6001')).status).toBe(404);
    expect(await banking.effects()).toEqual(['mark-notification-read 6001', 'delete-notification 6001']);
  });
});

describe('tickets', () => {
  it('of the caller are new until they are answered or closed', async () => {
    const banking = await runBanking();
    const { text } = await banking.call('POST /api/tickets', '{"text":"Help","topic":"Cards","topicId":4}');
    const question = {
      ticketId: 9001,
      createdDate: expect.any(String),
      status: 'New',
      userProfileId: 10_501,
    };
    const help = { text: 'Help', topic: 'Cards', topicId: 4 };
    expect(JSON.parse(text)).toEqual({
      ...question,
      ...help,
      parentTicketId: null,
      updateFieldRequest: null,
    });
    await banking.call('POST /api/tickets', '{"text":"Help again"}');
    const newOnes = async () =>
      (await banking.call('GET /api/tickets/new'))
        .json<{ ticketId: number }[]>()
        .map(({ ticketId }) => ticketId);
    expect(await newOnes()).toEqual([9001, 9002]);
    await banking.call('PUT /api/tickets/9001', '{"status":"Closed"}');
    expect(await newOnes()).toEqual([9002]);
    await banking.call('POST /api/tickets', '{"text":"Never mind","parentTicketId":9002}');
    expect(await newOnes()).toEqual([]);
    const all = (await banking.call('GET /api/tickets')).json<{ status: string; topic: string }[]>();
    expect(all.map(({ status, topic }) => `${status} ${topic}`)).toEqual([
      'Closed Cards',
      'Resolved General',
      'Resolved General',
    ]);
    expect((await banking.call('GET /api/tickets/9003')).json()).toMatchObject({ parentTicketId: 9002 });
    expect(await banking.effects()).toEqual([
      'create-ticket 9001',
      'create-ticket 9002',
      'update-ticket 9001',
      'create-ticket 9003',
    ]);
  });

  it('of a profile are also answered by a text that an update puts into them', async () => {
    const banking = await runBanking();
    const id = await banking.submit(holderOf('ticket'));
    for (let read = 0; read < 3; read += 1) await banking.profile(id);
    await banking.call('PUT /api/tickets/9001', '{"text":"It is in service again"}');
    expect(await banking.profile(id)).toMatchObject({ bankingStatus: 'Approved' });
  });
});
