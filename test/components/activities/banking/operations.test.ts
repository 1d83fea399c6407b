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

  it.each([
    ['{"success":false,"errors":"The street is unknown."}', 'The street is unknown.'],
    ['{"success":false,"errors":null}', 'the partner gave no reason'],
  ])(
    'is not changed, nor a sub-user restored, nor a webhook made, when the bank says %s with 200',
    async (body, message) => {
      const { client } = await bankingPartner(responding(200, body));
      const { run } = await activitiesOf(client);
      const details = { kind: 'Rejected', status: 200, fields: [{ field: '', message }] };
      const refused = { details, isRetried: false };
      expect(await failed(run('changeAddress', { change }))).toMatchObject(refused);
      expect(await failed(run('restoreSubUser', { subUserId: 71 }))).toMatchObject(refused);
      const webhook = { name: 'g', url: 'https://h.example.com', notificationType: 'Fee' };
      expect(await failed(run('ensureWebhook', webhook))).toMatchObject(refused);
    },
  );

  it.each([
    ['{"errors":["The street is unknown."]}', 'The street is unknown.'],
    ['{"message":"The code is wrong.","errors":{}}', 'The code is wrong.'],
    ['{"status":404,"title":"Not found"}', 'Not found'],
    ['{"error":"Not permitted"}', 'Not permitted'],
  ])(
    'is not changed, nor a sub-user restored, when all refusals have the status 200: %s',
    async (body, message) => {
      const { client } = await bankingPartner(responding(200, body));
      const { run } = await activitiesOf(client);
      const refused = { details: { kind: 'Rejected', fields: [{ field: '', message }] }, isRetried: false };
      expect(await failed(run('changeAddress', { change }))).toMatchObject(refused);
      expect(await failed(run('restoreSubUser', { subUserId: 71 }))).toMatchObject(refused);
    },
  );

  it.each([
    ['{"message":"The code is wrong."}', false],
    ['{"success":true,"message":"The address is changed."}', true],
    ['{}', true],
  ])('is changed, or not, when the bank says %s with 200', async (body, isDone) => {
    const { client } = await bankingPartner(responding(200, body));
    const { run } = await activitiesOf(client);
    const fields = [{ field: '', message: 'The code is wrong.' }];
    const changed = run('changeAddress', { change });
    if (isDone) await changed;
    else expect(await failed(changed)).toMatchObject({ details: { kind: 'Rejected', fields } });
  });

  it.each([
    ['is changed again by itself', {}, true],
    ['is not, where a code is good for one call', { oneTimeCode: '000000' }, false],
  ])('%s', async (_, more, isRetried) => {
    const { run, banking } = await activitiesAtSandbox();
    await plan(banking, '500-before-commit', 'change-address');
    const secure = { secureOperationType: 'ShortMessageCode', ...more } as const;
    const changed = run('changeAddress', { change: { ...change, ...(isRetried ? {} : secure) } });
    expect(await failed(changed)).toMatchObject({ details: { kind: 'Uncertain' }, isRetried });
  });
});
