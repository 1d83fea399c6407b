import { describe, expect, it } from 'vitest';
import { byHand } from '../../../../src/partners/by-hand.js';
import { catalogue, type SystemName } from '../../../../src/partners/systems.js';
import { type RunningPartner, runPartner } from '../../../rigs/partners/openapi/running-partners.js';
import { changed, HOLDER, signInOf } from '../../../rigs/sandbox/banking/running-banking.js';
import { sendJson } from '../../../rigs/send.js';
import { shared } from '../../../rigs/shared.js';

type Headers = Readonly<Record<string, string>>;

/** Status, operation, line, body and caller. */
type Case = readonly [number, string, string, (string | undefined)?, string?];

const MERCHANT =
  '{"cashDiscount":"No","firstName":"Ada","lastName":"Baker","dba":"Corner Bakery","pos":"None","agentProfileId":101}';
const ADDRESS = '{"streetAddress":"1 Main Street","postalCode":"12207","city":"Albany","state":33}';
const CONFIRMED = changed(ADDRESS, 'secureOperationType', '"ShortMessageCode"');
const WEBHOOK = '{"name":"gangway","url":"https://hooks.example.com/a","notificationType":"Ach"}';
const STATEMENT = (account: string) =>
  `{"period":"2026-01-15T00:00:00Z","financialAccountIds":["${account}"]}`;
const B1 = 'POST /api/v1/merchant/create';
const B2 = 'GET /api/v2/merchant/fees';
const B3 = 'GET /api/v1/merchant/status';
const B4 = 'GET /api/v1/merchant/underwritingNotes';
const E1 = 'POST /api/auth/v2';
const E3 = 'POST /changeAddress';
const E4 = 'POST /api/paymentCards/nickName';
const E5 = 'GET /svc/profile/byMerchant';
const E7 = 'POST /svc/businessAccountHolder';
const E8 = 'POST /svc/paymentCard/closePaymentCard';
const E9 = 'POST /api/AccountsSearch/BusinesAccountHolder';
const E10 = 'POST /api/Statement/V2/full';
const E11 = 'GET /svc/externalAccountActivity';
const E13 = 'POST /api/Partners/webhooks';
const E15 = 'POST /api/subProfiles/restore';

/** Merchant 1001, a webhook and a ticket exist. A test below calls what needs credentials without any. */
const CASES: Readonly<Record<SystemName, readonly Case[]>> = {
  boarding: [
    [400, 'create-merchant-v1', B1, changed(MERCHANT, 'dba')],
    [403, 'create-merchant-v1', B1, changed(MERCHANT, 'agentProfileId', '201')],
    [403, 'create-merchant-v1', B1, MERCHANT, 'read-only'],
    [404, 'create-merchant-v1', B1, changed(MERCHANT, 'agentProfileId', '999')],
    [400, 'get-fees', B2],
    [403, 'get-fees', `${B2}?id=1001`, undefined, 'other-iso'],
    [404, 'get-fees', `${B2}?id=1`],
    [400, 'get-status', `${B3}?id=x`],
    [403, 'get-status', `${B3}?id=1001`, undefined, 'other-iso'],
    [404, 'get-status', `${B3}?id=1`],
    [400, 'get-underwriting-notes', `${B4}?id=1.5`],
    [403, 'get-underwriting-notes', `${B4}?id=1001`, undefined, 'other-iso'],
    [404, 'get-underwriting-notes', `${B4}?id=1`],
    [400, 'update-fees', 'POST /api/v2/merchant/fees?id=1001', '{"minimumDiscountAmount":501}'],
    [403, 'update-fees', 'POST /api/v2/merchant/fees?id=1001', '{}', 'read-only'],
    [404, 'submit-merchant', 'POST /api/v2/merchant/submit', '{"merchantProfileId":1}'],
    [400, 'upload-attachment', 'POST /api/v1/merchant/attachment?id=1001'],
    [404, 'create-merchant-v1', B1, changed(MERCHANT, 'boardingSettingsId', '999')],
    [404, 'create-merchant-v1', B1, changed(MERCHANT, 'boardingSettingsId', '21')],
    [403, 'submit-merchant-v1', 'POST /api/v1/merchant/submit?id=1001', undefined, 'read-only'],
    [403, 'submit-merchant-v1', 'POST /api/v1/merchant/submit?id=1001', undefined, 'other-iso'],
    [200, 'get-fees', `${B2}?id=1001`, undefined, 'read-only'],
    [200, 'get-status', `${B3}?id=1001`, undefined, 'read-only'],
    [200, 'get-underwriting-notes', `${B4}?id=1001`, undefined, 'read-only'],
  ],
  banking: [
    [400, 'issue-token', E1, '{}', ''],
    [401, 'issue-token', E1, changed(signInOf('sandbox'), 'password', '"guess"'), ''],
    [403, 'issue-token', E1, signInOf('locked'), ''],
    [404, 'issue-token', E1, signInOf('nobody'), ''],
    [400, 'change-address', E3, changed(ADDRESS, 'state', '54')],
    [403, 'change-address', E3, ADDRESS, 'read-only'],
    [404, 'change-address', E3, changed(ADDRESS, 'associatedPersonId', '"person-1"')],
    [400, 'set-card-nickname', E4, '{}'],
    [403, 'set-card-nickname', E4, '{"paymentCardId":"card-1001"}', 'other-partner'],
    [404, 'set-card-nickname', E4, '{"paymentCardId":"card-1"}'],
    [400, 'find-profile-by-merchant', `${E5}/bakery`],
    [403, 'find-profile-by-merchant', `${E5}/7`, undefined, 'no-access'],
    [404, 'find-profile-by-merchant', `${E5}/7`],
    [403, 'list-new-tickets', 'GET /api/tickets/new', undefined, 'no-access'],
    [400, 'submit-business-account-holder', E7, changed(HOLDER, 'ssn', '"000456789"')],
    [403, 'submit-business-account-holder', E7, HOLDER, 'read-only'],
    [404, 'submit-business-account-holder', E7, changed(HOLDER, 'ssn', '"457555462"')],
    [400, 'close-card', E8, '{"paymentCardId":"card-1001","last4":"9999"}'],
    [403, 'close-card', E8, '{"paymentCardId":"card-1001"}', 'other-partner'],
    [404, 'close-card', E8, '{"paymentCardId":"card-1"}'],
    [400, 'search-business-account-holders', E9, '{"dba":7}'],
    [403, 'search-business-account-holders', E9, '{"isoId":2}'],
    [404, 'search-business-account-holders', E9, '{"isoId":3}'],
    [400, 'generate-full-statement', E10, '{}'],
    [403, 'generate-full-statement', E10, STATEMENT('fa-601-1')],
    [404, 'generate-full-statement', E10, STATEMENT('fa-1')],
    [400, 'get-external-account-activity', `${E11}/501?provider=a`],
    [403, 'get-external-account-activity', `${E11}/601`],
    [404, 'get-external-account-activity', `${E11}/502`],
    [400, 'list-notifications', 'GET /api/notifications?level=Panic'],
    [403, 'list-notifications', 'GET /api/notifications', undefined, 'no-access'],
    [404, 'list-notifications', 'GET /api/notifications', undefined, 'without-profile'],
    [400, 'create-webhook', E13, changed(WEBHOOK, 'name', `"${'x'.repeat(51)}"`)],
    [403, 'create-webhook', E13, WEBHOOK, 'read-only'],
    [409, 'create-webhook', E13, WEBHOOK],
    [403, 'list-departments', 'GET /api/teams/departments', undefined, 'client'],
    [400, 'restore-sub-user', E15],
    [403, 'restore-sub-user', `${E15}?id=71`, undefined, 'client'],
    [404, 'restore-sub-user', `${E15}?id=73`],
    [404, 'get-ticket', 'GET /api/tickets/1'],
    [400, 'issue-token', `${E1}?likev1=maybe`, signInOf('sandbox'), ''],
    [403, 'change-address', E3, changed(CONFIRMED, 'oneTimeCode', '"111111"')],
    [403, 'set-card-nickname', E4, '{"paymentCardId":"card-1001","nickName":"Fuel"}', 'read-only'],
    [400, 'submit-business-account-holder', E7, '{"email":'],
    [400, 'close-card', E8, '{"paymentCardId":"card-1004"}'],
    [403, 'close-card', E8, '{"paymentCardId":"card-1001"}', 'read-only'],
    [403, 'search-business-account-holders', E9, '{"agentIds":[201]}'],
    [404, 'search-business-account-holders', E9, '{"agentIds":[7]}'],
    [400, 'restore-sub-user', `${E15}?id=bo`],
    [403, 'restore-sub-user', `${E15}?id=74`],
    [403, 'get-profile', 'GET /svc/profile/601'],
    [404, 'get-profile', 'GET /svc/profile/7'],
    [400, 'get-profile', 'GET /svc/profile/ada'],
    [404, 'get-business-account-holder', 'GET /svc/businessAccountHolder/501'],
    [404, 'update-business-account-holder', 'PUT /svc/businessAccountHolder/501', HOLDER],
    [400, 'submit-business-customer', 'POST /svc/businessCustomer', '{}'],
    [403, 'submit-business-customer', 'POST /svc/businessCustomer', '{"profileId":601}'],
    [404, 'submit-business-customer', 'POST /svc/businessCustomer', '{"profileId":7}'],
    [403, 'list-transactions', 'POST /api/Transaction/V2/list', '{"financialAccountId":"fa-601-1"}'],
    [404, 'list-transactions', 'POST /api/Transaction/V2/list', '{"financialAccountId":"fa-1"}'],
    [400, 'set-card-status', 'POST /api/paymentCards/status', '{"paymentCardId":"card-1001","status":4}'],
    [404, 'set-card-status', 'POST /api/paymentCards/status', '{"paymentCardId":"card-1","status":1}'],
    [400, 'create-card', 'POST /api/paymentCards', '{}'],
    [403, 'create-card', 'POST /api/paymentCards', '{"financialAccountId":"fa-501-1"}', 'other-partner'],
    [404, 'create-card', 'POST /api/paymentCards', '{"financialAccountId":"fa-1"}'],
    [403, 'get-notification', 'GET /api/notifications/6006'],
    [403, 'mark-notification-read', 'PUT /api/notifications/6006/read'],
    [403, 'delete-notification', 'DELETE /api/notifications/6006'],
    [403, 'get-ticket', 'GET /api/tickets/9001', undefined, 'other-partner'],
    [403, 'update-ticket', 'PUT /api/tickets/9001', '{"text":"x"}', 'other-partner'],
    [404, 'update-ticket', 'PUT /api/tickets/7', '{"text":"x"}'],
    [403, 'create-ticket', 'POST /api/tickets', '{"text":"x","parentTicketId":9001}', 'other-partner'],
    [404, 'create-ticket', 'POST /api/tickets', '{"text":"x","parentTicketId":7}'],
    [400, 'create-ticket', 'POST /api/tickets', '{"text":""}'],
    [403, 'update-webhook', 'PUT /api/Partners/webhooks/1', WEBHOOK, 'other-partner'],
    [403, 'delete-webhook', 'DELETE /api/Partners/webhooks/1', undefined, 'other-partner'],
    [404, 'delete-webhook', 'DELETE /api/Partners/webhooks/7'],
  ],
  'plant-store': [
    [400, 'list-plants', 'GET /plants?limit=many'],
    [400, 'create-plant', 'POST /plants', '{"id":"7","name":"Fern"}'],
    [400, 'delete-plant', 'DELETE /plants/7'],
  ],
  payments: [
    [400, 'list-terminals', 'GET /v2/terminals?limit=201'],
    [400, 'start-payment', 'POST /v3/payment', '{"terminal_id":"x","amount":1,"event_id":"e"}'],
    [400, 'create-terminal', 'POST /v2/terminals', '{"account_id":"account-1002","name":"Till"}'],
    [400, 'update-terminal', 'PUT /v2/terminals/terminal-1001', '{"account_id":"x"}'],
    [400, 'open-batch', 'POST /v1/batches', '{"account_id":"x"}'],
    [400, 'update-account', 'PUT /v1/accounts/account-1001', '{"name":""}'],
    [401, 'get-account', 'GET /v1/accounts/account-1001', undefined, 'guess'],
    [403, 'delete-terminal', 'DELETE /v2/terminals/terminal-1001', undefined, 'read-only'],
    [404, 'get-transaction', 'GET /v1/transactions/none'],
    [404, 'get-terminal', 'GET /v2/terminals/terminal-1001', undefined, 'other-partner'],
    [404, 'refund-transaction', 'POST /v3/refund', '{"transaction_id":"none","event_id":"e"}'],
  ],
  processor: [
    [422, 'register-webhook', 'POST /processor/api/v1/webhook', '{}'],
    [
      422,
      'register-webhook',
      'POST /processor/api/v1/webhook',
      '{"event_names":["Horoscope"],"webhook_url":["https://example.com"]}',
    ],
    [401, 'register-webhook', 'POST /processor/api/v1/webhook', '{}', 'guess'],
  ],
};

const SYSTEMS = Object.keys(CASES) as SystemName[];

/** The credentials of a caller; none for the name ''. */
async function credentials(system: SystemName, partner: RunningPartner, caller: string): Promise<Headers> {
  if (caller === '') return {};
  if (system === 'boarding') {
    return { authorization: `Basic ${Buffer.from(`${caller}:${caller}`).toString('base64')}` };
  }
  if (system === 'payments') return { 'x-svc-api-key': caller };
  if (system !== 'banking') return { authorization: `Bearer ${caller}` };
  const { text } = await partner.sandbox.call('POST /api/auth/v2', signInOf(caller), 'nobody');
  return { authorization: `Bearer ${/"token":"([^"]+)"/.exec(text)?.[1]}` };
}

/** Calls without a client, which would refuse the request. */
const statusOf = async ({ proxy }: RunningPartner, line: string, headers: Headers, body?: string) =>
  (await sendJson(proxy.url, line, body, headers)).status;

/** Expects the last response to fit the document. */
function expectDescribed({ proxy, contract }: RunningPartner, operationId: string): void {
  const seen = proxy.seen().at(-1);
  expect(seen && contract.response(seen)).toEqual({ operationId, problems: [] });
}

const someLine = (line: string) => line.replace(/\{\w+\}/g, '1');

describe.each(SYSTEMS)('of %s, the OpenAPI document has', (system) => {
  const cases = CASES[system].map(([status, operation, line, body, caller = 'sandbox']) => {
    return { status, operation, line, body, caller };
  });
  // A refusal changes nothing, so one sandbox is enough.
  const running = shared(async (until) => {
    const partner = await runPartner(system, until);
    await partner.sandbox.create();
    await partner.clients.banking.createWebhook(JSON.parse(WEBHOOK));
    await byHand(partner.clients.banking).createTicket({ text: 'Help' });
    return partner;
  });

  it.each(cases)('$status of $operation: $line $body, by "$caller"', async (asked) => {
    const { status, operation, line, body, caller } = asked;
    const partner = running();
    const before = await partner.sandbox.effects();
    expect(await statusOf(partner, line, await credentials(system, partner, caller), body)).toBe(status);
    expectDescribed(partner, operation);
    expect(await partner.sandbox.effects()).toEqual(before);
  });

  it('the response of each operation to a call without credentials', async () => {
    const partner = running();
    for (const { operationId, line } of partner.contract.operations()) {
      const isSignIn = ['issue-token', 'confirm-second-factor'].includes(operationId);
      const refused = system === 'plant-store' || isSignIn ? 400 : 401;
      expect(await statusOf(partner, someLine(line), {}), operationId).toBe(refused);
      expectDescribed(partner, operationId);
    }
  });

  it('every response that the cases above do not provoke: 429 and 500 of each operation', async () => {
    const partner = running();
    const planned = { 429: '429', 500: '500-before-commit' } as const;
    for (const { operationId, line, statuses } of partner.contract.operations()) {
      for (const [status, fault] of Object.entries(planned)) {
        if (!statuses.includes(Number(status))) continue;
        const plan = JSON.stringify({ fault, operation: operationId, system });
        await partner.sandbox.control('POST /sandbox/faults', plan);
        expect(await statusOf(partner, someLine(line), {}), operationId).toBe(Number(status));
        expectDescribed(partner, operationId);
      }
    }
  });

  it('no failure of a documented operation that is not provoked here', async () => {
    const { contract } = running();
    for (const { operationId, isDocumented, statuses } of contract.operations()) {
      if (!isDocumented) continue;
      const provoked = CASES[system].filter(([, operation]) => operation === operationId);
      const all = new Set([
        ...provoked.map(([status]) => status),
        429,
        500,
        system === 'plant-store' ? 400 : 401,
      ]);
      const failures = statuses.filter((status) => status > 299);
      expect(
        failures.filter((status) => !all.has(status)),
        operationId,
      ).toEqual([]);
    }
    const names = Object.keys(catalogue()[system]);
    expect(contract.operations()).toHaveLength(names.length);
  });
});
