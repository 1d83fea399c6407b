import { describe, expect, it } from 'vitest';
import {
  changed,
  HOLDER,
  holderOf,
  OWNER,
  type RunningBanking,
  runBanking,
} from '../../../../rigs/sandbox/banking/running-banking.js';
import { shared } from '../../../../rigs/shared.js';

interface Ticket {
  readonly ticketId: number;
  readonly userProfileId: number;
  readonly updateFieldRequest: string | null;
}

const newTickets = async (banking: RunningBanking) =>
  (await banking.call('GET /api/tickets/new')).json<Ticket[]>();

/** Describes a read of the profile: bankingStatus, account and new tickets. */
async function look(banking: RunningBanking, id: number): Promise<string> {
  const { bankingStatus, financialAccountId } = await banking.profile(id);
  const questions = (await newTickets(banking)).map(
    ({ updateFieldRequest }) => updateFieldRequest ?? 'a question',
  );
  const seen = [
    bankingStatus,
    financialAccountId && 'account',
    questions.length > 0 && questions.join(' and '),
  ];
  return seen.filter(Boolean).join(', ');
}

it('every scenario is listed, and described; test/workflows and the simulation play them', async () => {
  const banking = await runBanking();
  const { businesses } = await banking.control<{ businesses: { name: string; description: string }[] }>(
    'GET /sandbox/scenarios',
  );
  expect(businesses.map(({ name }) => name).sort()).toEqual([
    'account-at-once',
    'account-on-request',
    'approved-uw',
    'auto-approved',
    'cancelled',
    'closed',
    'correction',
    'denied',
    'more-tickets',
    'pending-review',
    'reopened-ticket',
    'straight',
    'superseded-ticket',
    'ticket',
    'tickets',
    'unknown-status',
    'waiting',
  ]);
  for (const { description } of businesses) expect(description).not.toBe('');
});

describe('the tie between a profile and a merchant of the same name', () => {
  const tieOf = async (banking: RunningBanking, id: number) => {
    const { businessAccountHolder } = await banking.profile(id);
    return (businessAccountHolder as Record<string, unknown>)['merchantProfileId'];
  };
  const create = async (banking: RunningBanking) => {
    const body =
      '{"cashDiscount":"No","firstName":"A","lastName":"B","dba":"Corner Bakery","pos":"None","agentProfileId":101}';
    const authorization = `Basic ${btoa('sandbox:sandbox')}`;
    const headers = { authorization, 'content-type': 'application/json' };
    await fetch(`${banking.url}/api/v2/merchant/create`, { method: 'POST', headers, body });
  };

  it('is with a merchant that has no other profile', async () => {
    const banking = await runBanking();
    await create(banking);
    const first = await banking.submit();
    await create(banking);
    const second = await banking.submit();
    expect([await tieOf(banking, first), await tieOf(banking, second)]).toEqual([1001, 1002]);
  });

  it('is missing while two merchants fit', async () => {
    const banking = await runBanking();
    await create(banking);
    await create(banking);
    const id = await banking.submit();
    expect(await tieOf(banking, id)).toBeNull();
    const { status } = await banking.call('GET /svc/bankingProfile/merchant/1001');
    expect(status).toBe(404);
  });
});

describe('a profile', () => {
  it('has every field of the record, with masked SSNs and the revenue in cents', async () => {
    const banking = await runBanking();
    const holder = changed(changed(HOLDER, 'owner', OWNER), 'annualBusinessRevenue', '250000');
    const id = await banking.submit(holder);
    const profile = await banking.profile(id);
    expect(Object.keys(profile).sort()).toEqual(
      [
        'id',
        'createdDate',
        'updatedDate',
        'userProfileId',
        'step',
        'accountHolderInformation',
        'businessAccountHolder',
        'isSubmitted',
        'accountHolderId',
        'nickName',
        'cardProductId',
        'openApplicationId',
        'financialAccountId',
        'applicationStatus',
        'bankingStatus',
        'applicationDate',
        'approvalDate',
        'isDeleted',
        'isLocked',
        'isAccessLocked',
        'isMfaEnabled',
        'isOtpEnabled',
        'agentPayoutProfileId',
        'salesRepresentativeId',
        'rewordType',
        'isNew',
        'isExceptional',
        'profileSettings',
        'applicationCreationType',
        'exceptionalTemplateId',
        'profileType',
        'accountType',
        'employer',
        'lockFinancialAccountId',
        'agreements',
      ].sort(),
    );
    expect(JSON.stringify(profile)).not.toMatch(/12345678[89]"(?!,"businessPhone)/);
    expect(profile['businessAccountHolder']).toMatchObject({
      ssn: 'XXX-XX-XXXX',
      annualBusinessRevenue: 25_000_000,
      locality: 'Albany',
      primaryAuthorizedPersonId: 'person-3001',
      owners: [{ id: 'owner-3001-1', givenName: 'Bo', ssn: 'XXX-XX-XXXX', percentageOwnership: 40 }],
    });
    const direct = await banking.call(`GET /svc/businessAccountHolder/${id}`);
    expect(direct.json()).toMatchObject({ legalBusinessName: 'Baker LLC', ssn: 'XXX-XX-XXXX' });
  });

  it('is found by merchant, whose name without magic values is the same, and by user profile', async () => {
    const banking = await runBanking();
    const merchant = await banking.create('Corner Bakery [notes]');
    await banking.submit(holderOf('waiting'));
    const byMerchant = await banking.call(`GET /svc/profile/byMerchant/${merchant}`);
    expect(byMerchant.json()).toMatchObject({
      id: 3001,
      businessAccountHolder: { merchantProfileId: merchant },
    });
    expect((await banking.call('GET /svc/profile/byUser/13001')).json()).toMatchObject({ id: 3001 });
    expect((await banking.call('GET /svc/profile/byUser/7')).status).toBe(404);
  });

  it('that was denied accepts no change', async () => {
    const banking = await runBanking();
    const id = await banking.submit(holderOf('waiting'));
    await banking.control(`POST /sandbox/profiles/${id}/transition`, '{"bankingStatus":"Denied"}');
    const { text } = await banking.call(`PUT /svc/businessAccountHolder/${id}`, HOLDER);
    expect(JSON.parse(text)).toMatchObject({ success: false, errors: 'the profile is Denied' });
    expect(await banking.effects()).toHaveLength(1);
  });
});

describe('a financial account', () => {
  const open = async (banking: RunningBanking) =>
    (await banking.call('POST /svc/businessCustomer', '{"profileId":3001}')).json<Record<string, unknown>>();

  it('that the bank opened by itself is the one that the first request gets', async () => {
    const banking = await runBanking();
    const id = await banking.submit(holderOf('straight'));
    for (let read = 0; read < 3; read += 1) await banking.profile(id);
    expect(await banking.profile(id)).toMatchObject({ financialAccountId: 'fa-3001-1' });
    expect(await open(banking)).toMatchObject({ success: true, financialAccountId: 'fa-3001-1' });
    expect(await open(banking)).toMatchObject({ success: true, financialAccountId: 'fa-3001-2' });
  });

  it('is opened on request once the profile is approved, five at most', async () => {
    const banking = await runBanking();
    const id = await banking.submit(holderOf('account-on-request'));
    expect(await open(banking)).toMatchObject({ success: false, errors: 'the profile is Submitted' });
    await banking.profile(id);
    await banking.profile(id);
    const opened: unknown[] = [];
    for (let time = 0; time < 6; time += 1) opened.push((await open(banking))['financialAccountId']);
    expect(opened).toEqual(['fa-3001-1', 'fa-3001-2', 'fa-3001-3', 'fa-3001-4', 'fa-3001-5', undefined]);
    expect(await banking.profile(id)).toMatchObject({ financialAccountId: 'fa-3001-1' });
    expect((await banking.effects()).slice(1)).toEqual(Array(5).fill('submit-business-customer 3001'));
    const accounts = (await banking.call('GET /api/FinancialAccount/V2')).json<{ id: string }[]>();
    expect(accounts.map((account) => account.id).filter((one) => one.includes('3001'))).toHaveLength(5);
  });
});

describe('a transition', () => {
  const running = shared(async (until) => {
    const banking = await runBanking({}, until);
    await banking.submit();
    return banking;
  });

  it.each([
    [404, '/sandbox/profiles/7/transition', '{}'],
    [400, '/sandbox/profiles/3001/transition', '{"bankingStatus":""}'],
    [400, '/sandbox/profiles/3001/transition', '{"status":"Approved"}'],
    [400, '/sandbox/profiles/3001/transition', '{"tickets":["why"]}'],
  ])('that is invalid is a %i: %s %s', async (expected, path, body) => {
    const banking = running();
    expect((await banking.call(`POST ${path}`, body)).status).toBe(expected);
  });
});

describe('addresses', () => {
  const ADDRESS = '{"streetAddress":"7 River Road","postalCode":"10001","city":"New York","state":34}';

  it('of the caller, of the authorized person and of an owner are separate', async () => {
    const banking = await runBanking();
    await banking.submit(changed(HOLDER, 'owner', OWNER));
    const change = async (person?: string) =>
      banking.call('POST /changeAddress', changed(ADDRESS, 'associatedPersonId', person));
    expect((await change()).text).toBe('{}');
    await change('"person-3001"');
    await change('"owner-3001-1"');
    expect(await banking.profile(501)).toMatchObject({
      accountHolderInformation: { streetAddress: '7 River Road', locality: 'New York', state: 34 },
    });
    expect(await banking.profile(3001)).toMatchObject({
      businessAccountHolder: {
        streetAddress: '1 Main Street',
        primaryAuthorizedStreetAddress: '7 River Road',
        owners: [{ streetAddress: '7 River Road', postalCode: '10001' }],
      },
    });
  });

  it('answer the ticket that asks for them', async () => {
    const banking = await runBanking();
    await banking.submit(holderOf('tickets', changed(HOLDER, 'owner', OWNER)));
    await banking.profile(3001);
    await banking.profile(3001);
    await banking.call('POST /changeAddress', changed(ADDRESS, 'associatedPersonId', '"owner-3001-1"'));
    expect(await look(banking, 3001)).toBe('PendingUW, a question');
  });
});
