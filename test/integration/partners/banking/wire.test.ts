import type { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { submissionOf } from '../../../../src/partners/banking/holder.js';
import { type BankingOperations, bankingOperations } from '../../../../src/partners/banking/operations.js';
import { ADDRESS, bankingPartner, HOLDER, OWNER } from '../../../rigs/partners/banking/partner.js';
import { responding } from '../../../rigs/partners/servers.js';

/** The request, then method, path and query, the exact bytes of the body, and those of the response. */
type Wire = readonly [request: object, line: string, body?: string | undefined, response?: string];

const done = '{"profileId":9,"success":true,"errors":null,"changeLog":[]}';
const card = '{"paymentCardId":"c1","status":1}';
const profile = '{"id":4,"bankingStatus":"New"}';
const ticket = '{"ticketId":3,"status":"New"}';

const addressJson = '"streetAddress":"1 Main Street","postalCode":"12207","city":"Albany","state":33';
const holderJson =
  '"email":"ada@example.com","givenName":"Ada","familyName":"Baker","phone":"5551230001","ssn":"123456789",' +
  '"dateOfBirth":"1980-02-29T00:00:00Z","streetAddress":"1 Main Street","city":"Albany","postalCode":"12207-1234",' +
  '"state":33,"authorizingPersonTitle":3,"primaryAuthorizedStreetAddress":"1 Main Street",' +
  '"primaryAuthorizedPostalCode":"12207","primaryAuthorizedLocality":"Albany","primaryAuthorizedState":33,' +
  '"legalBusinessName":"Baker LLC","doingBusinessAsName":"Corner Bakery","employerIdentificationNumber":"123456789",' +
  '"businessPhone":"5551230003","percentageOwnership":75';
const ownerJson = (firstName: string) =>
  `{"firstName":"${firstName}","lastName":"Baker","email":"bo@example.com","homePhone":"5551230002","ssn":"234567891",` +
  '"dob":"1981-03-04T00:00:00Z","homeAddress":"2 Elm Street","city":"Albany","state":33,"zipCode":"12207",' +
  '"percentageOwnership":25}';

/** Addresses as in apis/1. Bodies without a shape there are as docs/partner-apis.md assumes them. */
const WIRE: Record<keyof BankingOperations, Wire> = {
  issueToken: [
    { nickName: 'bo', password: 'pw', tokenDevice: 'd', nameDevice: 'n', likev1: true },
    'POST /api/auth/v2?likev1=true',
    '{"nickName":"bo","password":"pw","tokenDevice":"d","nameDevice":"n"}',
  ],
  confirmSecondFactor: [
    {
      ...{ nickName: 'bo', password: 'pw', tokenDevice: 'd', nameDevice: 'n' },
      ...{ smsCode: '123456', typeOperation: 'TimeBasedCode' },
    },
    'POST /api/auth/v2/2Fac',
    '{"nickName":"bo","password":"pw","tokenDevice":"d","nameDevice":"n","smsCode":"123456","typeOperation":"TimeBasedCode"}',
  ],
  refreshToken: [
    {},
    'POST /api/auth/refresh',
    undefined,
    '{"token":"next","expiration":"2026-01-31T10:10:00Z","userId":7}',
  ],
  changeAddress: [
    { ...ADDRESS, oneTimeCode: '123456', secureOperationType: 'TimeBasedCode' },
    'POST /changeAddress',
    `{${addressJson},"oneTimeCode":"123456","secureOperationType":"TimeBasedCode"}`,
    '{}',
  ],
  setCardNickname: [
    { paymentCardId: 'c1', nickName: null },
    'POST /api/paymentCards/nickName',
    '{"paymentCardId":"c1","nickName":null}',
    card,
  ],
  findProfileByMerchant: [
    { merchantProfileId: 4711 },
    'GET /svc/profile/byMerchant/4711',
    undefined,
    profile,
  ],
  listNewTickets: [{}, 'GET /api/tickets/new', undefined, `[${ticket}]`],
  submitBusinessAccountHolder: [
    submissionOf({ ...HOLDER, annualBusinessRevenue: 250_000 }, [
      OWNER,
      { ...OWNER, firstName: 'Cy' },
      { ...OWNER, firstName: 'Di' },
      { ...OWNER, firstName: 'Ed' },
    ]),
    'POST /svc/businessAccountHolder',
    `{${holderJson},"annualBusinessRevenue":250000,"owner":${ownerJson('Bo')},"owner2":${ownerJson('Cy')},` +
      `"owner3":${ownerJson('Di')},"owner4":${ownerJson('Ed')}}`,
    '{"profileId":9,"success":true,"errors":null,"changeLog":null,"financialAccountId":"fa-1"}',
  ],
  closeCard: [
    { paymentCardId: 'c1', notes: 'lost', last4: '4242' },
    'POST /svc/paymentCard/closePaymentCard',
    '{"paymentCardId":"c1","notes":"lost","last4":"4242"}',
    done,
  ],
  searchBusinessAccountHolders: [
    { agentIds: [1, 2], dba: 'Corner', count: 5 },
    'POST /api/AccountsSearch/BusinesAccountHolder',
    '{"agentIds":[1,2],"dba":"Corner","count":5}',
    '[{"id":1,"dba":"Corner Bakery"}]',
  ],
  generateFullStatement: [
    {
      period: '2026-01-01T00:00:00Z',
      financialAccountIds: ['fa-1', 'fa-2'],
      email: 'ada@example.com',
      fileFormat: 'CSV',
    },
    'POST /api/Statement/V2/full',
    '{"period":"2026-01-01T00:00:00Z","financialAccountIds":["fa-1","fa-2"],"email":"ada@example.com",' +
      '"fileFormat":"CSV"}',
    'date,amount',
  ],
  getExternalAccountActivity: [
    {
      profileId: 4,
      financialAccountId: 'fa/1',
      provider: 'AGGREGATOR_A',
      dateFrom: '2026-01-01T00:00:00Z',
      dateTo: '2026-01-31T00:00:00Z',
    },
    'GET /svc/externalAccountActivity/4?financialAccountId=fa%2F1&provider=AGGREGATOR_A' +
      '&dateFrom=2026-01-01T00%3A00%3A00Z&dateTo=2026-01-31T00%3A00%3A00Z',
    undefined,
    '{"activity":[]}',
  ],
  listNotifications: [
    {
      level: 'Info',
      types: ['Messages', 'Campaigns'],
      categories: ['Cards', 'Other'],
      searchTerm: 'a b',
      skip: 100,
      take: 50,
    },
    'GET /api/notifications?level=Info&types=Messages&types=Campaigns&categories=Cards&categories=Other' +
      '&searchTerm=a+b&skip=100&take=50',
    undefined,
    '[]',
  ],
  createWebhook: [
    {
      name: 'gangway',
      url: 'https://hooks.example.com/banking',
      notificationType: 'ApplicationStatus',
    },
    'POST /api/Partners/webhooks',
    '{"name":"gangway","url":"https://hooks.example.com/banking","notificationType":"ApplicationStatus"}',
    '{"success":true}',
  ],
  listDepartments: [{}, 'GET /api/teams/departments', undefined, '[{"id":1,"name":"Ops"}]'],
  restoreSubUser: [{ id: 12 }, 'POST /api/subProfiles/restore?id=12'],
  getProfile: [{ id: 4 }, 'GET /svc/profile/4', undefined, profile],
  findProfileByUser: [{ userProfileId: 8 }, 'GET /svc/profile/byUser/8', undefined, profile],
  submitBusinessCustomer: [
    { legalBusinessName: 'Baker LLC', nested: { a: [1] } },
    'POST /svc/businessCustomer',
    '{"legalBusinessName":"Baker LLC","nested":{"a":[1]}}',
    done,
  ],
  submitAuthorizedUser: [{ givenName: 'Cy' }, 'POST /svc/authorizedUser', '{"givenName":"Cy"}', done],
  getBusinessAccountHolder: [
    { profileId: 4 },
    'GET /svc/businessAccountHolder/4',
    undefined,
    '{"legalBusinessName":"Baker LLC"}',
  ],
  updateBusinessAccountHolder: [
    { profileId: 4, ...HOLDER },
    'PUT /svc/businessAccountHolder/4',
    `{${holderJson}}`,
    done,
  ],
  searchPersonalAccountHolders: [
    { isoId: 3, name: 'Baker' },
    'POST /api/AccountsSearch/PersonalAccountHolder',
    '{"isoId":3,"name":"Baker"}',
    '[{"id":1,"name":"Ada Baker"}]',
  ],
  createCard: [
    { financialAccountId: 'fa-1', formFactor: 'VIRTUAL' },
    'POST /api/paymentCards',
    '{"financialAccountId":"fa-1","formFactor":"VIRTUAL"}',
    card,
  ],
  listCards: [{ skip: 20, count: 20 }, 'GET /api/paymentCards?skip=20&count=20', undefined, `[${card}]`],
  setCardStatus: [
    { paymentCardId: 'c1', status: 2 },
    'POST /api/paymentCards/status',
    '{"paymentCardId":"c1","status":2}',
  ],
  setCardAuthorizationControls: [
    { paymentCardId: 'c1', authorizationControls: [{ mcc: '5411' }] },
    'POST /api/paymentCards/authorizationControls',
    '{"paymentCardId":"c1","authorizationControls":[{"mcc":"5411"}]}',
  ],
  suspendCard: [
    { paymentCardId: 'c1', reason: 'lost' },
    'POST /svc/paymentCard/suspendPaymentCard',
    '{"paymentCardId":"c1","reason":"lost"}',
    done,
  ],
  activateCard: [
    { paymentCardId: 'c1' },
    'POST /svc/paymentCard/activatePaymentCard',
    '{"paymentCardId":"c1"}',
    done,
  ],
  reissueCard: [
    { paymentCardId: 'c1' },
    'POST /svc/paymentCard/reissuePaymentCard',
    '{"paymentCardId":"c1"}',
    done,
  ],
  listPaymentCards: [
    { userProfileId: 8, count: 5 },
    'GET /svc/paymentCard/list?userProfileId=8&count=5',
    undefined,
    `{"totalCount":1,"errorMessage":null,"records":[${card}]}`,
  ],
  generateStatement: [
    {
      period: '2026-01-01T00:00:00Z',
      financialAccountId: 'fa-1',
    },
    'POST /api/Statement/V2',
    '{"period":"2026-01-01T00:00:00Z","financialAccountId":"fa-1"}',
    '%PDF',
  ],
  listTransactions: [
    { financialAccountId: 'fa-1', take: 10 },
    'POST /api/Transaction/V2/list',
    '{"financialAccountId":"fa-1","take":10}',
    '[]',
  ],
  listFinancialAccounts: [{}, 'GET /api/FinancialAccount/V2', undefined, '[{"id":"fa-1"}]'],
  listTickets: [{}, 'GET /api/tickets', undefined, '[]'],
  createTicket: [
    { text: 'Please help', topicId: 2, parentTicketId: 3 },
    'POST /api/tickets',
    '{"text":"Please help","topicId":2,"parentTicketId":3}',
    ticket,
  ],
  getTicket: [{ ticketId: 3 }, 'GET /api/tickets/3', undefined, ticket],
  updateTicket: [{ ticketId: 3, text: 'Here it is' }, 'PUT /api/tickets/3', '{"text":"Here it is"}'],
  getNotification: [{ id: 5 }, 'GET /api/notifications/5', undefined, '{"id":5}'],
  markNotificationRead: [{ id: 5 }, 'PUT /api/notifications/5/read'],
  deleteNotification: [{ id: 5 }, 'DELETE /api/notifications/5'],
  listWebhooks: [{}, 'GET /api/Partners/webhooks', undefined, '[{"id":6,"name":"gangway"}]'],
  updateWebhook: [
    {
      webhookId: 6,
      name: 'g',
      url: 'https://h.example.com',
      notificationType: 'Ach',
    },
    'PUT /api/Partners/webhooks/6',
    '{"name":"g","url":"https://h.example.com","notificationType":"Ach"}',
  ],
  deleteWebhook: [{ webhookId: 6 }, 'DELETE /api/Partners/webhooks/6'],
};

const documented = Array.from({ length: 15 }, (_, index) => `E${index + 1}`);

describe('every operation of the contract', () => {
  it('is in the table', () => {
    expect(Object.keys(WIRE)).toHaveLength(44);
    expect(Object.keys(WIRE).sort()).toEqual(Object.keys(bankingOperations()).sort());
  });

  it('is documented if the contract prints it, except the refresh, which it prints without shapes', () => {
    const entries = Object.values(bankingOperations());
    const references = entries.flatMap((entry) => ('reference' in entry ? [entry.reference] : []));
    expect(references.sort()).toEqual(documented.toSorted());
    for (const entry of entries) {
      const isPrinted = 'reference' in entry && entry.reference !== 'E2';
      expect('provenance' in entry).toBe(isPrinted);
    }
  });

  it.each(Object.entries(WIRE))('%s', async (key, [request, line, body, response = '']) => {
    const { client, requests, tokenRequests } = await bankingPartner(responding(200, response));
    const read = await client[key as keyof typeof WIRE](request as never);
    if (key.startsWith('generate')) await (read as { body: Readable }).body.toArray();
    const isAnonymous = key === 'issueToken' || key === 'confirmSecondFactor';
    const [sent, ...others] = isAnonymous ? tokenRequests() : requests();
    expect(others).toEqual([]);
    expect(sent?.line).toBe(line);
    expect(sent?.headers.authorization).toBe(isAnonymous ? undefined : 'Bearer t0k3n');
    expect(sent?.body.toString('utf8')).toBe(body ?? '');
    // This one has a content type although it has no body.
    const hasType = body !== undefined || key === 'restoreSubUser';
    expect(sent?.headers['content-type']).toBe(hasType ? 'application/json' : undefined);
    expect(sent?.headers['x-partner-id']).toBeUndefined();
  });
});

describe('settings', () => {
  it('replace svc by a brand segment, and nothing else', async () => {
    const { client, requests } = await bankingPartner(responding(200, profile), { pathSegment: 'acme' });
    await client.findProfileByMerchant({ merchantProfileId: 1 });
    await client.changeAddress(ADDRESS);
    expect(requests().map(({ line }) => line)).toEqual([
      'GET /acme/profile/byMerchant/1',
      'POST /changeAddress',
    ]);
  });

  it.each(['', 'a/b', '..%2f', 'a b', '{id}'])('refuse the segment %j', (pathSegment) => {
    expect(() => bankingOperations(pathSegment)).toThrow(TypeError);
  });

  it('send the partner id with every call', async () => {
    const { client, requests } = await bankingPartner(responding(200, '[]'), { partnerId: 'p-77' });
    await client.listTickets({});
    expect(requests()[0]?.headers['x-partner-id']).toBe('p-77');
  });
});

describe('bodies', () => {
  it('of a search without fields are an empty object', async () => {
    const { client, requests } = await bankingPartner(responding(200, '[]'));
    await client.searchBusinessAccountHolders({});
    expect(requests()[0]?.body.toString('utf8')).toBe('{}');
  });

  it.each([0, 1, 2, 3, 4])('name %i owners', (count) => {
    const owners = Array.from({ length: count }, (_, index) => ({ ...OWNER, firstName: `O${index}` }));
    const { owner, owner2, owner3, owner4 } = submissionOf(HOLDER, owners);
    const named = [owner, owner2, owner3, owner4].map((one) => one?.firstName);
    expect(named).toEqual(['O0', 'O1', 'O2', 'O3'].map((name, index) => (index < count ? name : undefined)));
  });

  it('cannot name five', () => {
    expect(() => submissionOf(HOLDER, Array(5).fill(OWNER))).toThrow(RangeError);
  });

  it('of a change of address have three variants', async () => {
    const { client, requests } = await bankingPartner(responding(200, '{}'));
    await client.changeAddress({ ...ADDRESS, extendedAddress: null });
    await client.changeAddress({ ...ADDRESS, associatedPersonId: 'person-1' });
    expect(requests().map(({ body }) => body.toString('utf8'))).toEqual([
      '{"streetAddress":"1 Main Street","extendedAddress":null,"postalCode":"12207","city":"Albany","state":33}',
      `{${addressJson},"associatedPersonId":"person-1"}`,
    ]);
  });
});
