import { describe, expect, it } from 'vitest';
import type { BankingClient } from '../../../../src/partners/banking/client.js';
import { submissionOf } from '../../../../src/partners/banking/holder.js';
import { type BankingOperations, bankingOperations } from '../../../../src/partners/banking/operations.js';
import type { ByHand } from '../../../../src/partners/by-hand.js';
import { ADDRESS, bankingPartner, HOLDER, OWNER } from '../../../rigs/partners/banking/partner.js';
import { responding } from '../../../rigs/partners/servers.js';

interface Wire {
  readonly call: (client: ByHand<BankingClient>) => Promise<unknown>;
  /** Method, path and query. */
  readonly line: string;
  /** The exact bytes. */
  readonly body?: string;
  /** Sent although there is no body. */
  readonly contentType?: string;
  readonly response?: string;
  readonly anonymous?: true;
}

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
  issueToken: {
    call: (client) =>
      client.issueToken({ nickName: 'bo', password: 'pw', tokenDevice: 'd', nameDevice: 'n', likev1: true }),
    line: 'POST /api/auth/v2?likev1=true',
    body: '{"nickName":"bo","password":"pw","tokenDevice":"d","nameDevice":"n"}',
    anonymous: true,
  },
  confirmSecondFactor: {
    call: (client) =>
      client.confirmSecondFactor({
        ...{ nickName: 'bo', password: 'pw', tokenDevice: 'd', nameDevice: 'n' },
        ...{ smsCode: '123456', typeOperation: 'TimeBasedCode' },
      }),
    line: 'POST /api/auth/v2/2Fac',
    body: '{"nickName":"bo","password":"pw","tokenDevice":"d","nameDevice":"n","smsCode":"123456","typeOperation":"TimeBasedCode"}',
    anonymous: true,
  },
  refreshToken: {
    call: (client) => client.refreshToken({}),
    line: 'POST /api/auth/refresh',
    response: '{"token":"next","expiration":"2026-01-31T10:10:00Z","userId":7}',
  },
  changeAddress: {
    call: (client) =>
      client.changeAddress({ ...ADDRESS, oneTimeCode: '123456', secureOperationType: 'TimeBasedCode' }),
    line: 'POST /changeAddress',
    body: `{${addressJson},"oneTimeCode":"123456","secureOperationType":"TimeBasedCode"}`,
    response: '{}',
  },
  setCardNickname: {
    call: (client) => client.setCardNickname({ paymentCardId: 'c1', nickName: null }),
    line: 'POST /api/paymentCards/nickName',
    body: '{"paymentCardId":"c1","nickName":null}',
    response: card,
  },
  findProfileByMerchant: {
    call: (client) => client.findProfileByMerchant({ merchantProfileId: 4711 }),
    line: 'GET /svc/profile/byMerchant/4711',
    response: profile,
  },
  listNewTickets: {
    call: (client) => client.listNewTickets({}),
    line: 'GET /api/tickets/new',
    response: `[${ticket}]`,
  },
  submitBusinessAccountHolder: {
    call: (client) =>
      client.submitBusinessAccountHolder(
        submissionOf({ ...HOLDER, annualBusinessRevenue: 250_000 }, [
          OWNER,
          { ...OWNER, firstName: 'Cy' },
          { ...OWNER, firstName: 'Di' },
          { ...OWNER, firstName: 'Ed' },
        ]),
      ),
    line: 'POST /svc/businessAccountHolder',
    body:
      `{${holderJson},"annualBusinessRevenue":250000,"owner":${ownerJson('Bo')},"owner2":${ownerJson('Cy')},` +
      `"owner3":${ownerJson('Di')},"owner4":${ownerJson('Ed')}}`,
    response: '{"profileId":9,"success":true,"errors":null,"changeLog":null,"financialAccountId":"fa-1"}',
  },
  closeCard: {
    call: (client) => client.closeCard({ paymentCardId: 'c1', notes: 'lost', last4: '4242' }),
    line: 'POST /svc/paymentCard/closePaymentCard',
    body: '{"paymentCardId":"c1","notes":"lost","last4":"4242"}',
    response: done,
  },
  searchBusinessAccountHolders: {
    call: (client) => client.searchBusinessAccountHolders({ agentIds: [1, 2], dba: 'Corner', count: 5 }),
    line: 'POST /api/AccountsSearch/BusinesAccountHolder',
    body: '{"agentIds":[1,2],"dba":"Corner","count":5}',
    response: '[{"id":1,"dba":"Corner Bakery"}]',
  },
  generateFullStatement: {
    call: async (client) => {
      const file = await client.generateFullStatement({
        period: '2026-01-01T00:00:00Z',
        financialAccountIds: ['fa-1', 'fa-2'],
        email: 'ada@example.com',
        fileFormat: 'CSV',
      });
      await file.body.toArray();
    },
    line: 'POST /api/Statement/V2/full',
    body:
      '{"period":"2026-01-01T00:00:00Z","financialAccountIds":["fa-1","fa-2"],"email":"ada@example.com",' +
      '"fileFormat":"CSV"}',
    response: 'date,amount',
  },
  getExternalAccountActivity: {
    call: (client) =>
      client.getExternalAccountActivity({
        profileId: 4,
        financialAccountId: 'fa/1',
        provider: 'AGGREGATOR_A',
        dateFrom: '2026-01-01T00:00:00Z',
        dateTo: '2026-01-31T00:00:00Z',
      }),
    line:
      'GET /svc/externalAccountActivity/4?financialAccountId=fa%2F1&provider=AGGREGATOR_A' +
      '&dateFrom=2026-01-01T00%3A00%3A00Z&dateTo=2026-01-31T00%3A00%3A00Z',
    response: '{"activity":[]}',
  },
  listNotifications: {
    call: (client) =>
      client.listNotifications({
        level: 'Info',
        types: ['Messages', 'Campaigns'],
        categories: ['Cards', 'Other'],
        searchTerm: 'a b',
        skip: 100,
        take: 50,
      }),
    line:
      'GET /api/notifications?level=Info&types=Messages&types=Campaigns&categories=Cards&categories=Other' +
      '&searchTerm=a+b&skip=100&take=50',
    response: '[]',
  },
  createWebhook: {
    call: (client) =>
      client.createWebhook({
        name: 'gangway',
        url: 'https://hooks.example.com/banking',
        notificationType: 'ApplicationStatus',
      }),
    line: 'POST /api/Partners/webhooks',
    body: '{"name":"gangway","url":"https://hooks.example.com/banking","notificationType":"ApplicationStatus"}',
    response: '{"success":true}',
  },
  listDepartments: {
    call: (client) => client.listDepartments({}),
    line: 'GET /api/teams/departments',
    response: '[{"id":1,"name":"Ops"}]',
  },
  restoreSubUser: {
    call: (client) => client.restoreSubUser({ id: 12 }),
    line: 'POST /api/subProfiles/restore?id=12',
    contentType: 'application/json',
  },
  getProfile: {
    call: (client) => client.getProfile({ id: 4 }),
    line: 'GET /svc/profile/4',
    response: profile,
  },
  findProfileByUser: {
    call: (client) => client.findProfileByUser({ userProfileId: 8 }),
    line: 'GET /svc/profile/byUser/8',
    response: profile,
  },
  submitBusinessCustomer: {
    call: (client) => client.submitBusinessCustomer({ legalBusinessName: 'Baker LLC', nested: { a: [1] } }),
    line: 'POST /svc/businessCustomer',
    body: '{"legalBusinessName":"Baker LLC","nested":{"a":[1]}}',
    response: done,
  },
  submitAuthorizedUser: {
    call: (client) => client.submitAuthorizedUser({ givenName: 'Cy' }),
    line: 'POST /svc/authorizedUser',
    body: '{"givenName":"Cy"}',
    response: done,
  },
  getBusinessAccountHolder: {
    call: (client) => client.getBusinessAccountHolder({ profileId: 4 }),
    line: 'GET /svc/businessAccountHolder/4',
    response: '{"legalBusinessName":"Baker LLC"}',
  },
  updateBusinessAccountHolder: {
    call: (client) => client.updateBusinessAccountHolder({ profileId: 4, ...HOLDER }),
    line: 'PUT /svc/businessAccountHolder/4',
    body: `{${holderJson}}`,
    response: done,
  },
  searchPersonalAccountHolders: {
    call: (client) => client.searchPersonalAccountHolders({ isoId: 3, name: 'Baker' }),
    line: 'POST /api/AccountsSearch/PersonalAccountHolder',
    body: '{"isoId":3,"name":"Baker"}',
    response: '[{"id":1,"name":"Ada Baker"}]',
  },
  createCard: {
    call: (client) => client.createCard({ financialAccountId: 'fa-1', formFactor: 'VIRTUAL' }),
    line: 'POST /api/paymentCards',
    body: '{"financialAccountId":"fa-1","formFactor":"VIRTUAL"}',
    response: card,
  },
  listCards: {
    call: (client) => client.listCards({ skip: 20, count: 20 }),
    line: 'GET /api/paymentCards?skip=20&count=20',
    response: `[${card}]`,
  },
  setCardStatus: {
    call: (client) => client.setCardStatus({ paymentCardId: 'c1', status: 2 }),
    line: 'POST /api/paymentCards/status',
    body: '{"paymentCardId":"c1","status":2}',
  },
  setCardAuthorizationControls: {
    call: (client) =>
      client.setCardAuthorizationControls({ paymentCardId: 'c1', authorizationControls: [{ mcc: '5411' }] }),
    line: 'POST /api/paymentCards/authorizationControls',
    body: '{"paymentCardId":"c1","authorizationControls":[{"mcc":"5411"}]}',
  },
  suspendCard: {
    call: (client) => client.suspendCard({ paymentCardId: 'c1', reason: 'lost' }),
    line: 'POST /svc/paymentCard/suspendPaymentCard',
    body: '{"paymentCardId":"c1","reason":"lost"}',
    response: done,
  },
  activateCard: {
    call: (client) => client.activateCard({ paymentCardId: 'c1' }),
    line: 'POST /svc/paymentCard/activatePaymentCard',
    body: '{"paymentCardId":"c1"}',
    response: done,
  },
  reissueCard: {
    call: (client) => client.reissueCard({ paymentCardId: 'c1' }),
    line: 'POST /svc/paymentCard/reissuePaymentCard',
    body: '{"paymentCardId":"c1"}',
    response: done,
  },
  listPaymentCards: {
    call: (client) => client.listPaymentCards({ userProfileId: 8, count: 5 }),
    line: 'GET /svc/paymentCard/list?userProfileId=8&count=5',
    response: `{"totalCount":1,"errorMessage":null,"records":[${card}]}`,
  },
  generateStatement: {
    call: async (client) => {
      const file = await client.generateStatement({
        period: '2026-01-01T00:00:00Z',
        financialAccountId: 'fa-1',
      });
      await file.body.toArray();
    },
    line: 'POST /api/Statement/V2',
    body: '{"period":"2026-01-01T00:00:00Z","financialAccountId":"fa-1"}',
    response: '%PDF',
  },
  listTransactions: {
    call: (client) => client.listTransactions({ financialAccountId: 'fa-1', take: 10 }),
    line: 'POST /api/Transaction/V2/list',
    body: '{"financialAccountId":"fa-1","take":10}',
    response: '[]',
  },
  listFinancialAccounts: {
    call: (client) => client.listFinancialAccounts({}),
    line: 'GET /api/FinancialAccount/V2',
    response: '[{"id":"fa-1"}]',
  },
  listTickets: { call: (client) => client.listTickets({}), line: 'GET /api/tickets', response: '[]' },
  createTicket: {
    call: (client) => client.createTicket({ text: 'Please help', topicId: 2, parentTicketId: 3 }),
    line: 'POST /api/tickets',
    body: '{"text":"Please help","topicId":2,"parentTicketId":3}',
    response: ticket,
  },
  getTicket: {
    call: (client) => client.getTicket({ ticketId: 3 }),
    line: 'GET /api/tickets/3',
    response: ticket,
  },
  updateTicket: {
    call: (client) => client.updateTicket({ ticketId: 3, text: 'Here it is' }),
    line: 'PUT /api/tickets/3',
    body: '{"text":"Here it is"}',
  },
  getNotification: {
    call: (client) => client.getNotification({ id: 5 }),
    line: 'GET /api/notifications/5',
    response: '{"id":5}',
  },
  markNotificationRead: {
    call: (client) => client.markNotificationRead({ id: 5 }),
    line: 'PUT /api/notifications/5/read',
  },
  deleteNotification: {
    call: (client) => client.deleteNotification({ id: 5 }),
    line: 'DELETE /api/notifications/5',
  },
  listWebhooks: {
    call: (client) => client.listWebhooks({}),
    line: 'GET /api/Partners/webhooks',
    response: '[{"id":6,"name":"gangway"}]',
  },
  updateWebhook: {
    call: (client) =>
      client.updateWebhook({
        webhookId: 6,
        name: 'g',
        url: 'https://h.example.com',
        notificationType: 'Ach',
      }),
    line: 'PUT /api/Partners/webhooks/6',
    body: '{"name":"g","url":"https://h.example.com","notificationType":"Ach"}',
  },
  deleteWebhook: {
    call: (client) => client.deleteWebhook({ webhookId: 6 }),
    line: 'DELETE /api/Partners/webhooks/6',
  },
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

  it.each(Object.entries(WIRE))('%s', async (_, { call, line, body, contentType, response, anonymous }) => {
    const { client, requests, tokenRequests } = await bankingPartner(responding(200, response ?? ''));
    await call(client);
    const [request, ...others] = anonymous ? tokenRequests() : requests();
    expect(others).toEqual([]);
    expect(request?.line).toBe(line);
    expect(request?.headers.authorization).toBe(anonymous ? undefined : 'Bearer t0k3n');
    expect(request?.body.toString('utf8')).toBe(body ?? '');
    expect(request?.headers['content-type']).toBe(body === undefined ? contentType : 'application/json');
    expect(request?.headers['x-partner-id']).toBeUndefined();
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
