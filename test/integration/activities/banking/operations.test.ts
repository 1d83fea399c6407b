import { describe, expect, it } from 'vitest';
import {
  activitiesAtSandbox,
  activitiesOf,
  failed,
  plan,
} from '../../../rigs/activities/banking/running-activities.js';
import { bankingPartner } from '../../../rigs/partners/banking/partner.js';
import { responding } from '../../../rigs/partners/servers.js';

const card = { paymentCardId: 'card-1001' };

describe('a card', () => {
  it('is closed, and reads as closed', async () => {
    const { run, banking } = await activitiesAtSandbox();
    expect(await run('isCardClosed', card)).toBe(false);
    expect(await run('closeCard', { ...card, last4: '1001', notes: 'lost' })).toEqual({ problems: [] });
    expect(await run('isCardClosed', card)).toBe(true);
    expect(await run('closeCard', { ...card, last4: '1001' })).toEqual({
      problems: [{ field: '', message: 'the card is closed already' }],
    });
    expect(await banking.effects()).toEqual(['close-card card-1001']);
  });

  it('is never closed twice by a retry', async () => {
    const { run, banking } = await activitiesAtSandbox();
    await plan(banking, 'drop-after-commit', 'close-card');
    expect(await failed(run('closeCard', { ...card, last4: '1001' }))).toMatchObject({
      details: { kind: 'Uncertain' },
      isRetried: false,
    });
    expect(await run('isCardClosed', card)).toBe(true);
  });

  it.each([
    ['other digits', 'card-1001', '9999', 400, ['last4']],
    ['no such card', 'card-7', '1001', 404, ['']],
    ['another partner’s', 'card-1005', '1005', 403, ['']],
  ])('is not closed: %s', async (_, paymentCardId, last4, status, fields) => {
    const { run } = await activitiesAtSandbox();
    const { details, isRetried } = await failed(run('closeCard', { paymentCardId, last4 }));
    expect([details.status, isRetried]).toEqual([status, false]);
    expect(details.fields.map(({ field }) => field)).toEqual(fields);
  });

  it('that does not exist cannot be seen', async () => {
    const { run } = await activitiesAtSandbox();
    expect(await run('isCardClosed', { paymentCardId: 'card-7' })).toBeNull();
  });

  it.each([
    [400, null],
    [403, null],
    [404, null],
  ])('cannot be seen when the list is rejected with %i', async (status, seen) => {
    const { client, requests } = await bankingPartner(responding(status, '{}'));
    const { run } = await activitiesOf(client);
    expect(await run('isCardClosed', card)).toBe(seen);
    expect(requests()).toHaveLength(1);
  });

  it('may be seen later when the list is unavailable', async () => {
    const { run, banking } = await activitiesAtSandbox();
    await plan(banking, '500-before-commit', 'list-payment-cards');
    expect(await failed(run('isCardClosed', card))).toMatchObject({
      details: { kind: 'Uncertain' },
      isRetried: true,
    });
  });

  it('is not unseen when a one-time code would help', async () => {
    const { run } = await activitiesAtSandbox('mfa');
    expect(await failed(run('isCardClosed', card))).toMatchObject({
      details: { kind: 'Forbidden', needs: 'one-time-code' },
    });
  });

  it('gets a nickname, however often, and loses it', async () => {
    const { run, banking } = await activitiesAtSandbox();
    for (const nickName of ['Lunch', 'Lunch', null]) {
      expect(await run('setCardNickname', { ...card, nickName })).toEqual({ last4: '1001' });
    }
    expect(await banking.effects()).toEqual(Array(3).fill('set-card-nickname card-1001'));
  });

  it.each<[string, string, object, boolean]>([
    ['card-7', 'Lunch', { kind: 'Rejected', status: 404 }, false],
    ['card-1001', 'Longer than eighteen', { kind: 'Rejected', fields: [{ field: 'nickName' }] }, false],
  ])('gets none: %s, %s', async (paymentCardId, nickName, details, isRetried) => {
    const { run } = await activitiesAtSandbox();
    const named = run('setCardNickname', { paymentCardId, nickName });
    expect(await failed(named)).toMatchObject({ details, isRetried });
  });

  it('gets its nickname after an outage', async () => {
    const { run, banking } = await activitiesAtSandbox();
    await plan(banking, 'drop-after-commit', 'set-card-nickname');
    const named = run('setCardNickname', { ...card, nickName: 'Lunch' });
    expect(await failed(named)).toMatchObject({ details: { kind: 'Uncertain' }, isRetried: true });
  });
});

describe('an address', () => {
  const change = { streetAddress: '7 River Road', postalCode: '10001', city: 'New York', state: 34 };

  it('is changed, with a one-time code of its own', async () => {
    const { run, banking } = await activitiesAtSandbox();
    await run('changeAddress', { change });
    const secureOperationType = 'ShortMessageCode';
    await run('changeAddress', {
      change: { ...change, city: 'Albany', oneTimeCode: '000000', secureOperationType },
    });
    expect(await banking.profile(501)).toMatchObject({ accountHolderInformation: { locality: 'Albany' } });
  });

  const wrongCode = { oneTimeCode: '111111', secureOperationType: 'ShortMessageCode' };
  it.each<[string, object, object]>([
    ['a wrong code', wrongCode, { kind: 'Forbidden' }],
    ['no street', { streetAddress: '7' }, { kind: 'Rejected', fields: [{ field: 'streetAddress' }] }],
    ['an unknown person', { associatedPersonId: 'person-7' }, { kind: 'Rejected', status: 404 }],
  ])('is not changed: %s', async (_, more, details) => {
    const { run } = await activitiesAtSandbox();
    const changed = run('changeAddress', { change: { ...change, ...more } });
    expect(await failed(changed)).toMatchObject({ details, isRetried: false });
  });

  it.each([
    ['is changed again by itself', {}, true],
    ['is not, where a code is good for one call', { oneTimeCode: '000000' }, false],
  ])('%s', async (_, more, isRetried) => {
    const { run, banking } = await activitiesAtSandbox();
    await plan(banking, '500-before-commit', 'change-address');
    const secure = { secureOperationType: 'ShortMessageCode', ...more };
    const changed = run('changeAddress', { change: { ...change, ...(isRetried ? {} : secure) } });
    expect(await failed(changed)).toMatchObject({ details: { kind: 'Uncertain' }, isRetried });
  });
});

describe('a sub-user', () => {
  it('is restored once, and then rejected', async () => {
    const { run, banking } = await activitiesAtSandbox();
    await run('restoreSubUser', { subUserId: 71 });
    expect(await failed(run('restoreSubUser', { subUserId: 71 }))).toMatchObject({
      details: { kind: 'Rejected', status: 404 },
      isRetried: false,
    });
    expect(await banking.effects()).toEqual(['restore-sub-user 71']);
  });

  it('that may have been restored is restored again, and a 404 then shows that it was', async () => {
    const { run, banking } = await activitiesAtSandbox();
    await plan(banking, 'drop-after-commit', 'restore-sub-user');
    expect(await failed(run('restoreSubUser', { subUserId: 71 }))).toMatchObject({
      details: { kind: 'Uncertain' },
      isRetried: true,
    });
    const heartbeatDetails = { sending: true, sentAt: '2026-01-01T00:00:00Z' };
    const again = { attempt: 2, heartbeatDetails };
    expect(await run('restoreSubUser', { subUserId: 71 }, again)).toEqual({ afterLostCall: true });
    expect(await banking.effects()).toEqual(['restore-sub-user 71']);
  });
});

describe('a webhook', () => {
  const webhook = { name: 'gangway', url: 'https://hooks.example.com/banking', notificationType: 'AChOut' };

  it('is registered, or exists already', async () => {
    const { run } = await activitiesAtSandbox();
    expect(await run('ensureWebhook', webhook)).toEqual({ existed: false, id: 1 });
    expect(await run('ensureWebhook', webhook)).toEqual({ existed: true, id: null });
  });

  it('is retried until it exists', async () => {
    const { run, banking } = await activitiesAtSandbox();
    await plan(banking, 'drop-after-commit', 'create-webhook');
    expect(await failed(run('ensureWebhook', webhook))).toMatchObject({ isRetried: true });
    expect(await run('ensureWebhook', webhook, { attempt: 2 })).toEqual({ existed: true, id: null });
  });

  it('of an unknown type is not sent', async () => {
    const { run } = await activitiesAtSandbox();
    const { details } = await failed(run('ensureWebhook', { ...webhook, notificationType: 'Weather' }));
    expect(details).toMatchObject({ kind: 'Rejected', fields: [{ field: 'notificationType' }] });
    expect(details).not.toHaveProperty('status');
  });

  it('that the partner does not register is a failure', async () => {
    const { client } = await bankingPartner(responding(200, '{"success":false}'));
    const { run } = await activitiesOf(client);
    expect(await failed(run('ensureWebhook', webhook))).toMatchObject({
      details: { kind: 'Rejected', reason: 'success: false' },
      isRetried: false,
    });
  });
});
