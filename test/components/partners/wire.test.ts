import { describe, expect, it } from 'vitest';
import { operationName } from '../../../src/partners/catalogue.js';
import type { Received } from '../../../src/partners/client.js';
import { differencesIn } from '../../../src/partners/differences.js';
import { catalogue, SYSTEM_NAMES, type SystemName } from '../../../src/partners/systems.js';
import type { Seen } from '../../rigs/counting-proxy.js';
import { CALLS } from '../../rigs/partners/calls/calls.js';
import { runPartner } from '../../rigs/partners/openapi/running-partners.js';
import { testEnds } from '../../rigs/shared.js';

const ADDRESS = '"address":{"street_line1":"1 Main Street","city":"Albany","state":"NY","zip":"12207"}';
const MERCHANT =
  '"cashDiscount":"No","firstName":"Ada","lastName":"Baker","dba":"Café \\"Ada\\"","pos":"Till","agentProfileId":101';
const HOME = '"streetAddress":"1 Main Street",';
const HOLDER =
  '"email":"ada@example.com","givenName":"Ada","familyName":"Baker","phone":"5551230001","ssn":"123456789",' +
  '"dateOfBirth":"1980-02-29T00:00:00Z","streetAddress":"1 Main Street","city":"Albany","postalCode":"12207-1234",' +
  '"state":33,"authorizingPersonTitle":3,"primaryAuthorizedStreetAddress":"1 Main Street",' +
  '"primaryAuthorizedPostalCode":"12207","primaryAuthorizedLocality":"Albany","primaryAuthorizedState":33,' +
  '"legalBusinessName":"Baker LLC","doingBusinessAsName":"Corner Bakery","employerIdentificationNumber":"123456789",' +
  '"businessPhone":"5551230003","percentageOwnership":75';
const OWNER =
  '"lastName":"Baker","email":"bo@example.com","homePhone":"5551230002","ssn":"234567891",' +
  '"dob":"1981-03-04T00:00:00Z","homeAddress":"2 Elm Street",';
const OWNED = '"city":"Albany","state":33,"zipCode":"12207","percentageOwnership":25';
/** With all optional fields, each in its place. */
const SUBMITTED =
  HOLDER.replace('Corner Bakery', 'Corner Bakery submitBusinessAccountHolder')
    .replace('"phone"', '"middleName":null,"phone"')
    .replace(HOME, `${HOME}"extendedAddress":"Apt 4",`) +
  ',"businessType":4,"website":"example.com","businessStartDate":"2020-01-01T00:00:00Z",' +
  '"annualBusinessRevenue":250000,"payrollCustomer":true,"profileType":1,' +
  `"owner":{"firstName":"Bo",${OWNER}${OWNED}},` +
  `"owner2":{"firstName":"Cy",${OWNER}"extendedAddress":null,${OWNED}}`;

/**
 * Method, path, query and the exact bytes of the body of each operation's request, as the contracts print them or as
 * docs/partner-apis.md assumes them.
 */
const WIRE: Readonly<Record<SystemName, Readonly<Record<string, string>>>> = {
  boarding: {
    listAgentProfiles: 'GET /api/v1/agentProfiles',
    listBoardingSettings: 'GET /api/v1/GetBoardingSettings',
    createMerchantV1: `POST /api/v1/merchant/create {${MERCHANT}}`,
    createMerchant:
      `POST /api/v2/merchant/create {${MERCHANT},"email":"ada@example.com",` +
      '"boardingSettingsId":11,"guid":"order-1"}',
    getFees: 'GET /api/v2/merchant/fees?id=1001',
    updateFees:
      'POST /api/v2/merchant/fees?id=1001 {"minimumDiscountAmount":25.5,' +
      '"minimumDiscountStartDate":"2026-01-01T00:00:00Z","minimumDiscountType":"Monthly",' +
      '"amex":{"interchangePlus":{"qualified":{"perItem":0.1,"percent":0}}},"standard":null,' +
      '"miscFees":[{"name":"Paper","perItem":1,"percent":0}],"fieldsOfThePartner":"kept"}',
    submitMerchant:
      'POST /api/v2/merchant/submit {"merchantProfileId":1001,"merchantProfile":{"legalName":"Ada Ltd",' +
      '"owners":[{"share":100,"nested":null}]},"equipment":["till",2,true]}',
    submitMerchantV1: 'POST /api/v1/merchant/submit?id=1001',
    getStatus: 'GET /api/v1/merchant/status?id=1001',
    getStatus2: 'GET /api/v1/merchant/status2?id=1001',
    updateStatus: 'POST /api/v1/merchant/updateStatus?id=1001 {"status":"Approved","comment":"all fine"}',
    uploadAttachment: [
      'POST /api/v1/merchant/attachment?id=1001 --BOUNDARY',
      'Content-Disposition: form-data; name="file"; filename="check.pdf"',
      'Content-Type: application/pdf',
      ...['', '%PDF-1.7', '%%EOF', '--BOUNDARY', 'Content-Disposition: form-data; name="description"'],
      ...['', 'voided check', '--BOUNDARY--', ''],
    ].join('\r\n'),
    getUnderwritingNotes: 'GET /api/v1/merchant/underwritingNotes?id=1001',
    requestUnderwritingReview: 'POST /api/v1/merchant/underwritingReview?id=1001 {"comment":"answered"}',
    setUnderwritingPending: 'POST /api/v1/merchant/underwritingPending?id=1001',
  },
  banking: {
    issueToken:
      'POST /api/auth/v2?likev1=true {"nickName":"sandbox","password":"sandbox","tokenDevice":"d",' +
      '"nameDevice":"n","smsCode":"000000","typeOperation":"ShortMessageCode"}',
    confirmSecondFactor:
      'POST /api/auth/v2/2Fac {"NickName":"mfa","Password":"mfa","TokenDevice":"d","NameDevice":"n",' +
      '"smsCode":"000000","typeOperation":"ShortMessageCode"}',
    refreshToken: 'POST /api/auth/refresh',
    changeAddress:
      'POST /changeAddress {"streetAddress":"1 Main Street","extendedAddress":null,' +
      '"postalCode":"12207","city":"Albany","state":33}',
    findProfileByMerchant: 'GET /svc/profile/byMerchant/1001',
    submitBusinessAccountHolder: `POST /svc/businessAccountHolder {${SUBMITTED}}`,
    searchBusinessAccountHolders:
      'POST /api/AccountsSearch/BusinesAccountHolder {"agentIds":[101],"isoId":null,"dba":"corner","count":3}',
    getProfile: 'GET /svc/profile/501',
    findProfileByUser: 'GET /svc/profile/byUser/10501',
    submitBusinessCustomer:
      'POST /svc/businessCustomer {"profileId":501,"nested":{"fields":[1,null,"three"]}}',
    submitAuthorizedUser: 'POST /svc/authorizedUser {"givenName":"Cy","familyName":"Baker"}',
    getBusinessAccountHolder: 'GET /svc/businessAccountHolder/3001',
    updateBusinessAccountHolder: `PUT /svc/businessAccountHolder/3001 {${HOLDER}}`,
    searchPersonalAccountHolders:
      'POST /api/AccountsSearch/PersonalAccountHolder {"isoId":1,"name":"Reader"}',
    setCardNickname: 'POST /api/paymentCards/nickName {"paymentCardId":"card-1001","nickName":null}',
    closeCard:
      'POST /svc/paymentCard/closePaymentCard {"paymentCardId":"card-1006","notes":"lost","last4":"1006"}',
    createCard: 'POST /api/paymentCards {"financialAccountId":"fa-501-1","paymentCardName":"Fuel","type":3}',
    listCards: 'GET /api/paymentCards?skip=1&count=2',
    setCardStatus: 'POST /api/paymentCards/status {"paymentCardId":"card-1006","status":2}',
    setCardAuthorizationControls:
      'POST /api/paymentCards/authorizationControls {"paymentCardId":"card-1001",' +
      '"authorizationControls":[{"mcc":["5411"]}]}',
    suspendCard: 'POST /svc/paymentCard/suspendPaymentCard {"paymentCardId":"card-1006","reason":"lost"}',
    activateCard: 'POST /svc/paymentCard/activatePaymentCard {"paymentCardId":"card-1006"}',
    reissueCard: 'POST /svc/paymentCard/reissuePaymentCard {"paymentCardId":"card-1006"}',
    listPaymentCards: 'GET /svc/paymentCard/list?userProfileId=10501&count=5',
    generateFullStatement:
      'POST /api/Statement/V2/full {"period":"2026-01-15T00:00:00Z","financialAccountIds":["fa-501-1",' +
      '"fa-501-2"],"email":"ada@example.com","fileFormat":"OFX"}',
    getExternalAccountActivity:
      'GET /svc/externalAccountActivity/501?financialAccountId=fa-501-1&provider=AGGREGATOR_A&' +
      'dateFrom=2026-01-01T00%3A00%3A00Z&dateTo=2026-01-31T00%3A00%3A00Z',
    generateStatement:
      'POST /api/Statement/V2 {"period":"2026-01-15T00:00:00Z","financialAccountId":"fa-501-1"}',
    listTransactions:
      'POST /api/Transaction/V2/list {"financialAccountId":"fa-501-1",' +
      '"dateFrom":"2026-01-01T00:00:00Z","take":10}',
    listFinancialAccounts: 'GET /api/FinancialAccount/V2',
    listNewTickets: 'GET /api/tickets/new',
    listNotifications:
      'GET /api/notifications?fromDate=2026-01-01T00%3A00%3A00Z&' +
      'toDate=2026-12-31T00%3A00%3A00%2B01%3A00&level=Info&group=Notifications&types=Messages&' +
      'types=Notifications&categories=Cards&categories=Deposits&searchTerm=card+%26+more&skip=0&take=50',
    listTickets: 'GET /api/tickets',
    createTicket: 'POST /api/tickets {"topic":"Cards","text":"Please help","topicId":2}',
    getTicket: 'GET /api/tickets/9001',
    updateTicket: 'PUT /api/tickets/9001 {"text":"Here it is","status":"Resolved"}',
    getNotification: 'GET /api/notifications/6003',
    markNotificationRead: 'PUT /api/notifications/6001/read',
    deleteNotification: 'DELETE /api/notifications/6002',
    createWebhook:
      'POST /api/Partners/webhooks {"name":"gangway","url":"https://hooks.example.com/createWebhook",' +
      '"notificationType":"ApplicationStatus"}',
    listDepartments: 'GET /api/teams/departments',
    restoreSubUser: 'POST /api/subProfiles/restore?id=71',
    listWebhooks: 'GET /api/Partners/webhooks',
    updateWebhook:
      'PUT /api/Partners/webhooks/1 {"name":"gangway","url":"https://hooks.example.com/updateWebhook",' +
      '"notificationType":"AChOut"}',
    deleteWebhook: 'DELETE /api/Partners/webhooks/1',
  },
  'plant-store': {
    listPlants: 'GET /plants?limit=1',
    createPlant: 'POST /plants {"id":9007199254740995,"name":"Fern","tag":"shade"}',
    deletePlant: 'DELETE /plants/9007199254740997',
  },
  payments: {
    listAccounts: 'GET /v1/accounts?search=Corner+%26+Co&status=active&limit=10&offset=0',
    getAccount: 'GET /v1/accounts/account-1001',
    createAccountV1: `POST /v1/accounts {"type":"merchant","name":"Bakery","description":"Bread",${ADDRESS}}`,
    createAccount:
      `POST /v2/accounts {"type":"merchant","name":"Bakery","description":"Bread",${ADDRESS},` +
      `"admin_email":"ada@example.com","mcc":"5462","parent_id":"account-1001","tax_id":"000000000",` +
      `"further":{"field":1}}`,
    updateAccount: 'PUT /v1/accounts/account-1001 {"name":"Café"}',
    listApiKeys: 'GET /v5/apikeys?limit=200&offset=0',
    getApiKey: 'GET /v5/apikeys/apikey-1001',
    createApiKey: 'POST /v5/apikeys {"name":"till","permissions":["payments:write","accounts:read"]}',
    updateApiKey: 'PUT /v5/apikeys/apikey-1001 {"permissions":["refund:write"]}',
    deleteApiKey: 'DELETE /v5/apikeys/apikey-1001',
    listTerminals: 'GET /v2/terminals?search=till&account_id=account-1001&status=active&limit=1&offset=1',
    createTerminal:
      'POST /v2/terminals {"account_id":"account-1001","name":"Till","location_id":"location-1001",' +
      '"serial":9}',
    getTerminal: 'GET /v2/terminals/terminal-1001',
    updateTerminal: 'PUT /v2/terminals/terminal-1001 {"name":"Counter"}',
    deleteTerminal: 'DELETE /v2/terminals/terminal-1005',
    createLocation: `POST /v1/locations {"account_id":"account-1001","name":"Shop",${ADDRESS}}`,
    updateLocation: 'PUT /v1/locations/location-1001 {"name":"Stall"}',
    getLocation: 'GET /v1/locations/location-1001',
    listTransactions: 'GET /v1/transactions?search=captured&account_id=account-1001&status=captured',
    getTransaction: 'GET /v1/transactions/transaction-1001',
    updateTransaction: 'PUT /v1/transactions/transaction-1001 {"status":"captured","auth_code":"00"}',
    openBatch: 'POST /v1/batches {"account_id":"account-1001","name":"Monday"}',
    closeBatch: 'POST /v1/batches/batch-1001/close',
    updateBatch: 'PUT /v1/batches/batch-1001 {"name":"Tuesday"}',
    startPayment:
      'POST /v3/payment {"terminal_id":"terminal-1001","amount":1250,"event_id":"startPayment","note":"n"}',
    startPreauth: 'POST /v3/preauth {"terminal_id":"terminal-1001","amount":1250,"event_id":"startPreauth"}',
    capturePayment:
      'POST /v3/payments/transaction-1001/capture {"event_id":"e-2","amount":1000,"tip_amount":150,' +
      '"breakdown":{"tax":80,"items":[1]}}',
    incrementAuthorization: 'POST /v3/payments/transaction-1001/auth {"event_id":"e-2","amount":500}',
    refundPayment: 'POST /v3/payments/transaction-1001/refund {"event_id":"e-2","amount":null}',
    reversePayment: 'POST /v3/payments/transaction-1001/reverse {"event_id":"e-2"}',
    adjustPayment: 'POST /v3/payments/transaction-1001/adjust {"event_id":"e-2","amount":1100}',
    confirmPayment: 'POST /v3/payments/transaction-1001/confirm {"event_id":"e-2","confirm":false}',
    capturePaymentV1: 'POST /v1/payments/transaction-1001/capture {"event_id":"e-2"}',
    incrementAuthorizationV1: 'POST /v1/payments/transaction-1001/auth {"event_id":"e-2","amount":500}',
    refundPaymentV1: 'POST /v1/payments/transaction-1001/refund {"event_id":"e-2","amount":1}',
    reversePaymentV1: 'POST /v1/payments/transaction-1001/reverse {"event_id":"e-2"}',
    adjustPaymentV1: 'POST /v1/payments/transaction-1001/adjust {"event_id":"e-2","amount":1100}',
    confirmPaymentV1: 'POST /v1/payments/transaction-1001/confirm {"event_id":"e-2","confirm":true}',
    refundTransaction: 'POST /v3/refund {"transaction_id":"transaction-1001","event_id":"e-2","amount":300}',
  },
  processor: {
    registerWebhook:
      'POST /processor/api/v1/webhook {"event_names":["TransactionCompleted","TransactionFailed"],' +
      '"webhook_url":["https://example.com/hooks?a=1"]}',
  },
};

const CREDENTIALS: Readonly<Record<SystemName, object>> = {
  boarding: { authorization: 'Basic c2FuZGJveDpzYW5kYm94', accept: 'application/json' },
  banking: { authorization: expect.stringMatching(/^Bearer \S{36}$/), 'x-partner-id': 'partner-1' },
  'plant-store': { authorization: 'Bearer sandbox' },
  payments: { 'x-svc-api-key': 'sandbox', accept: 'application/json' },
  processor: { authorization: 'Bearer sandbox' },
};

/** These need no token. */
const ANONYMOUS = ['issueToken', 'confirmSecondFactor'];

/** A request as in {@link WIRE}, and its content type. The boundary, which differs for every request, is written as BOUNDARY. */
function onWire({ line, url, request: { headers, body } }: Seen) {
  const { 'content-type': type } = headers;
  const boundary = /boundary=(\S+)/.exec(type ?? '')?.[1] ?? 'BOUNDARY';
  const text = `${line.split(' ')[0]} ${url}${body().length > 0 ? ` ${body()}` : ''}`;
  return { text: text.replaceAll(boundary, 'BOUNDARY'), type: type?.replace(boundary, 'BOUNDARY') };
}

describe.each(SYSTEM_NAMES)('of %s', (system) => {
  const operations = catalogue()[system];

  it('every operation of the contract is in the table', () => {
    expect(Object.keys(WIRE[system]).sort()).toEqual(Object.keys(operations).sort());
    expect(Object.keys(CALLS[system]).sort()).toEqual(Object.keys(operations).sort());
  });

  it.each(Object.entries(WIRE[system]))('%s is on the wire as the contract prints it', async (key, text) => {
    const received: Received[] = [];
    const partner = await runPartner(system, testEnds, (each) => void received.push(each));
    const { clients, proxy, contract } = partner;
    await CALLS[system][key]?.(clients[system] as never, { key, clients });
    const seen = proxy.seen();
    const last = seen.at(-1) as Seen;
    const hasJson = text.includes('{') || key === 'restoreSubUser';
    const json = hasJson ? 'application/json' : undefined;
    const type = key === 'uploadAttachment' ? 'multipart/form-data; boundary=BOUNDARY' : json;
    expect(onWire(last)).toEqual({ text, type });
    if (ANONYMOUS.includes(key)) expect(last.request.headers.authorization).toBeUndefined();
    else expect(last.request.headers).toMatchObject(CREDENTIALS[system]);

    // Requests and responses keep to the OpenAPI document.
    const ofSystem = seen.filter(({ line }) => system === 'boarding' || !/\/api\/v\d\/merchant/.test(line));
    const verdicts = await Promise.all(ofSystem.map((one) => contract.exchange(one)));
    expect(verdicts.filter(({ problems }) => problems.length > 0)).toEqual([]);
    expect(verdicts.at(-1)?.operationId).toBe(operationName(key));
    expect(String(last.status)).toMatch(/^2\d\d$/);
    // The sandbox has a status that no document names.
    const expected = key.startsWith('reversePayment') ? ['status unknown-status'] : [];
    expect(received.flatMap(differencesIn).map(({ field, kind }) => `${field} ${kind}`)).toEqual(expected);
    expect(received.length).toBeGreaterThan(0);
  });
});

it('there are 102 operations', () => {
  expect(SYSTEM_NAMES.flatMap((system) => Object.keys(WIRE[system]))).toHaveLength(102);
});
