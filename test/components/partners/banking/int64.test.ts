import { describe, expect, it } from 'vitest';
import { businessOnboardingInput } from '../../../../src/messages/inputs.js';
import { activitiesOf } from '../../../rigs/activities/banking/running-activities.js';
import { bankingPartner, HOLDER } from '../../../rigs/partners/banking/partner.js';
import { responding } from '../../../rigs/partners/servers.js';
import { changed, HOLDER as HOLDER_JSON, runBanking } from '../../../rigs/sandbox/banking/running-banking.js';

const TAKEN = '{"profileId":9,"success":true}';
const CARD = '{"paymentCardId":"c1"}';

describe('an int64 of a request', () => {
  it.each([
    [0, '0'],
    ['250000', '250000'],
    [9007199254740993n, '9007199254740993'],
    ['9223372036854775807', '9223372036854775807'],
  ])('%s goes over the wire as the number %s', async (amount, digits) => {
    const { client, requests } = await bankingPartner(responding(200, TAKEN));
    await client.submitBusinessAccountHolder({ ...HOLDER, annualBusinessRevenue: amount });
    await client.updateBusinessAccountHolder({ ...HOLDER, profileId: 9, annualBusinessRevenue: amount });
    for (const { body } of requests()) {
      expect(String(body)).toContain(`"percentageOwnership":75,"annualBusinessRevenue":${digits}}`);
    }
    const cards = await bankingPartner(responding(200, CARD));
    await cards.client.createCard({ financialAccountId: 'fa-1', maxTotalSpending: amount });
    const [card] = cards.requests();
    expect(String(card?.body)).toBe(`{"financialAccountId":"fa-1","maxTotalSpending":${digits}}`);
  });

  it.each([
    [480_000, '480000'],
    ['9007199254740993', '9007199254740993'],
    [9223372036854775807n, '9223372036854775807'],
  ])('may be %s in an input, and keeps its digits through Temporal', async (amount, digits) => {
    const { client, requests } = await bankingPartner((response, request) => {
      const isSearch = request.url?.startsWith('/api/AccountsSearch') === true;
      responding(200, isSearch ? '[]' : TAKEN)(response, request);
    });
    const { run } = await activitiesOf(client);
    const holder = { ...HOLDER, annualBusinessRevenue: amount };
    const input = businessOnboardingInput().parse({ externalId: 'b-1', holder });
    // As JSON, like the payload converter.
    const asPayload = JSON.parse(JSON.stringify(input)) as typeof input;
    await run('submitHolder', { holder: asPayload.holder, since: '2026-01-31T10:00:00Z' });
    await run('correctHolder', { profileId: 9, holder: asPayload.holder });
    const writes = requests().filter(({ line }) => line.includes('/svc/businessAccountHolder'));
    expect(writes.map(({ line }) => line)).toEqual([
      'POST /svc/businessAccountHolder',
      'PUT /svc/businessAccountHolder/9',
    ]);
    for (const { body } of writes) {
      expect(String(body)).toMatch(new RegExp(`"annualBusinessRevenue":${digits}}$`));
    }
  });

  it('of an unknown shape is a bigint', async () => {
    const { client, requests } = await bankingPartner(responding(200, TAKEN));
    await client.submitBusinessCustomer({ profileId: 9, limits: { daily: [9223372036854775807n] } });
    await client.setCardAuthorizationControls({
      paymentCardId: 'c1',
      authorizationControls: [{ amount: 9007199254740993n }],
    });
    expect(requests().map(({ body }) => String(body))).toEqual([
      '{"profileId":9,"limits":{"daily":[9223372036854775807]}}',
      '{"paymentCardId":"c1","authorizationControls":[{"amount":9007199254740993}]}',
    ]);
  });
});

describe('an int64 of a response', () => {
  it.each([
    ['annual revenue', '"businessAccountHolder":{"annualBusinessRevenue":9223372036854775807}'],
    [
      'a transfer limit',
      '"profileSettings":{"transferAmountLimits":{"achOutTransferAmountLimit":9223372036854775807}}',
    ],
    ['an unknown field', '"tier":[9223372036854775807]'],
  ])('keeps its digits as text: %s', async (_, fields) => {
    const { client } = await bankingPartner(responding(200, `{"id":4,${fields}}`));
    const profile = await client.getProfile({ id: 4 });
    const read = JSON.parse(`{${fields.replace(/\d{19}/, '"$&"')}}`) as object;
    expect(profile).toMatchObject(read);
  });
});

describe('the sandbox', () => {
  it('keeps every digit of a revenue, in cents once it is read', async () => {
    const banking = await runBanking();
    const id = await banking.submit(changed(HOLDER_JSON, 'annualBusinessRevenue', '92233720368547758'));
    const read = await banking.call(`GET /svc/businessAccountHolder/${id}`);
    expect(read.text).toContain('"annualBusinessRevenue":9223372036854775800,');
    const corrected = changed(HOLDER_JSON, 'annualBusinessRevenue', '90071992547409931');
    await banking.call(`PUT /svc/businessAccountHolder/${id}`, corrected);
    const profile = await banking.call(`GET /svc/profile/${id}`);
    expect(profile.text).toContain('"annualBusinessRevenue":9007199254740993100,');
  });
});
