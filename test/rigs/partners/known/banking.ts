import { expect } from 'vitest';
import type { BankingClient } from '../../../../src/partners/banking/client.js';
import type { BankingOperations } from '../../../../src/partners/banking/operations.js';
import { type ByHand, byHand } from '../../../../src/partners/by-hand.js';
import { signInOf } from '../../sandbox/banking/running-banking.js';
import { ADDRESS, HOLDER, OWNER } from '../banking/partner.js';
import { BANKING_REFUSALS } from './banking-refusals.js';
import { BANKING_WIRE } from './banking-wire.js';
import type { Case, KnownPartner } from './known-partner.js';

const CARD = { paymentCardId: 'card-1001' };
const PERIOD = { period: '2026-01-15T00:00:00Z' };
const webhookOf = (key: string) =>
  ({
    name: 'gangway',
    url: `https://hooks.example.com/${key}`,
    notificationType: 'ApplicationStatus',
  }) as const;

const MERCHANT = {
  cashDiscount: 'No',
  firstName: 'Ada',
  lastName: 'Baker',
  pos: 'None',
  agentProfileId: 101,
} as const;

/** Submits a business with all optional fields. @returns its profile ID */
async function submitted(client: ByHand<BankingClient>, { key }: Case): Promise<number> {
  const { profileId } = await client.submitBusinessAccountHolder({
    ...HOLDER,
    doingBusinessAsName: `Corner Bakery ${key}`,
    middleName: null,
    extendedAddress: 'Apt 4',
    businessType: 4,
    website: 'example.com',
    businessStartDate: '2020-01-01T00:00:00Z',
    annualBusinessRevenue: 250_000,
    payrollCustomer: true,
    profileType: 1,
    owner: OWNER,
    owner2: { ...OWNER, firstName: 'Cy', extendedAddress: null },
  });
  return profileId ?? 0;
}

async function asked(client: ByHand<BankingClient>): Promise<number> {
  return (await client.createTicket({ topic: 'Cards', topicId: 2, text: 'Please help' })).ticketId;
}

async function registered(client: ByHand<BankingClient>, { key }: Case): Promise<number> {
  return (await client.createWebhook(webhookOf(key))).id ?? 0;
}

const issued = (client: ByHand<BankingClient>) =>
  client.createCard({ financialAccountId: 'fa-501-1', paymentCardName: 'Fuel', type: 3 });

type Call = (client: ByHand<BankingClient>, test: Case) => Promise<unknown>;

/** Valid calls for each operation: the last one is the operation, those before it prepare it. The compiler asks for all of them. */
const BANKING_CALLS: Record<keyof BankingOperations, Call> = {
  issueToken: async (client) => {
    const user = { nickName: 'sandbox', password: 'sandbox', tokenDevice: 'd', nameDevice: 'n' };
    await client.issueToken({ ...user, reCaptchaResponse: null, captcha: { token: 'c' } });
    await client.issueToken({ ...user, likev1: true, smsCode: '000000', typeOperation: 'ShortMessageCode' });
  },
  confirmSecondFactor: (client) =>
    client.confirmSecondFactor({
      NickName: 'mfa',
      Password: 'mfa',
      TokenDevice: 'd',
      NameDevice: 'n',
      smsCode: '000000',
      typeOperation: 'ShortMessageCode',
    }),
  refreshToken: (client) => client.refreshToken({}),
  changeAddress: async (client, test) => {
    const id = await submitted(client, test);
    await client.changeAddress({ ...ADDRESS, associatedPersonId: `owner-${id}-2` });
    await client.changeAddress({
      ...ADDRESS,
      oneTimeCode: '000000',
      secureOperationType: 'ShortMessageCode',
    });
    await client.changeAddress({ ...ADDRESS, extendedAddress: null });
  },
  setCardNickname: async (client) => {
    await client.setCardNickname({ ...CARD, nickName: 'Fuel' });
    await client.setCardNickname({ ...CARD, nickName: null });
  },
  findProfileByMerchant: async (client, test) => {
    const merchant = { ...MERCHANT, dba: `Corner Bakery ${test.key}` };
    const { merchantProfileId } = await byHand(test.clients.boarding).createMerchant(merchant);
    await submitted(client, test);
    await client.findProfileByMerchant({ merchantProfileId });
  },
  listNewTickets: async (client) => {
    await asked(client);
    await client.listNewTickets({});
  },
  submitBusinessAccountHolder: submitted,
  closeCard: async (client) => {
    const { paymentCardId, last4 } = await issued(client);
    await client.closeCard({ paymentCardId, notes: 'lost', last4: String(last4) });
  },
  searchBusinessAccountHolders: async (client, test) => {
    await submitted(client, test);
    await client.searchBusinessAccountHolders({});
    await client.searchBusinessAccountHolders({ agentIds: [101], isoId: null, dba: 'corner', count: 3 });
  },
  generateFullStatement: async (client) => {
    for (const fileFormat of ['PDF', 'CSV', 'QBO', 'OFX'] as const) {
      const accounts = { financialAccountIds: ['fa-501-1', 'fa-501-2'], email: 'ada@example.com' };
      const { body } = await client.generateFullStatement({ ...PERIOD, ...accounts, fileFormat });
      await body.toArray();
    }
  },
  getExternalAccountActivity: (client) =>
    client.getExternalAccountActivity({
      profileId: 501,
      financialAccountId: 'fa-501-1',
      provider: 'AGGREGATOR_A',
      dateFrom: '2026-01-01T00:00:00Z',
      dateTo: '2026-01-31T00:00:00Z',
    }),
  listNotifications: async (client) => {
    await client.listNotifications({});
    await client.listNotifications({
      fromDate: '2026-01-01T00:00:00Z',
      toDate: '2026-12-31T00:00:00+01:00',
      level: 'Info',
      group: 'Notifications',
      types: ['Messages', 'Notifications'],
      categories: ['Cards', 'Deposits'],
      searchTerm: 'card & more',
      skip: 0,
      take: 50,
    });
  },
  createWebhook: registered,
  listDepartments: (client) => client.listDepartments({}),
  restoreSubUser: (client) => client.restoreSubUser({ id: 71 }),
  getProfile: async (client, test) => {
    await client.getProfile({ id: await submitted(client, test) });
    await client.getProfile({ id: 501 });
  },
  findProfileByUser: (client) => client.findProfileByUser({ userProfileId: 10_501 }),
  submitBusinessCustomer: (client) =>
    client.submitBusinessCustomer({ profileId: 501, nested: { fields: [1, null, 'three'] } }),
  submitAuthorizedUser: (client) => client.submitAuthorizedUser({ givenName: 'Cy', familyName: 'Baker' }),
  getBusinessAccountHolder: async (client, test) =>
    client.getBusinessAccountHolder({ profileId: await submitted(client, test) }),
  updateBusinessAccountHolder: async (client, test) =>
    client.updateBusinessAccountHolder({ profileId: await submitted(client, test), ...HOLDER }),
  searchPersonalAccountHolders: (client) => client.searchPersonalAccountHolders({ isoId: 1, name: 'Reader' }),
  createCard: issued,
  listCards: (client) => client.listCards({ skip: 1, count: 2 }),
  setCardStatus: (client) => client.setCardStatus({ ...CARD, status: 2 }),
  setCardAuthorizationControls: (client) =>
    client.setCardAuthorizationControls({ ...CARD, authorizationControls: [{ mcc: ['5411'] }] }),
  suspendCard: (client) => client.suspendCard({ ...CARD, reason: 'lost' }),
  activateCard: (client) => client.activateCard(CARD),
  reissueCard: (client) => client.reissueCard(CARD),
  listPaymentCards: (client) => client.listPaymentCards({ userProfileId: 10_501, count: 5 }),
  generateStatement: async (client) => {
    const { body } = await client.generateStatement({ ...PERIOD, financialAccountId: 'fa-501-1' });
    await body.toArray();
  },
  listTransactions: (client) =>
    client.listTransactions({ financialAccountId: 'fa-501-1', dateFrom: '2026-01-01T00:00:00Z', take: 10 }),
  listFinancialAccounts: (client) => client.listFinancialAccounts({}),
  listTickets: async (client) => {
    await client.createTicket({ text: 'Our reply', parentTicketId: await asked(client) });
    await client.listTickets({});
  },
  createTicket: asked,
  getTicket: async (client) => client.getTicket({ ticketId: await asked(client) }),
  updateTicket: async (client) =>
    client.updateTicket({ ticketId: await asked(client), text: 'Here it is', status: 'Resolved' }),
  getNotification: (client) => client.getNotification({ id: 6_003 }),
  markNotificationRead: (client) => client.markNotificationRead({ id: 6_001 }),
  deleteNotification: (client) => client.deleteNotification({ id: 6_002 }),
  listWebhooks: async (client, test) => {
    await registered(client, test);
    await client.listWebhooks({});
  },
  updateWebhook: async (client, test) => {
    const webhookId = await registered(client, test);
    await client.updateWebhook({ webhookId, ...webhookOf(test.key), notificationType: 'AChOut' });
  },
  deleteWebhook: async (client, test) => client.deleteWebhook({ webhookId: await registered(client, test) }),
};

export const BANKING: KnownPartner<'banking'> = {
  calls: BANKING_CALLS,
  wire: BANKING_WIRE,
  refusals: BANKING_REFUSALS,
  headers: { authorization: expect.stringMatching(/^Bearer \S{36}$/), 'x-partner-id': 'partner-1' },
  async credentialsOf(caller, sandbox) {
    const { text } = await sandbox.call('POST /api/auth/v2', signInOf(caller), 'nobody');
    return { authorization: `Bearer ${/"token":"([^"]+)"/.exec(text)?.[1]}` };
  },
};
