import { changed, HOLDER, signInOf } from '../../sandbox/banking/running-banking.js';
import type { Refusal } from './known-partner.js';

const ADDRESS = '{"streetAddress":"1 Main Street","postalCode":"12207","city":"Albany","state":33}';
const CONFIRMED = changed(ADDRESS, 'secureOperationType', '"ShortMessageCode"');
const WEBHOOK = '{"name":"gangway","url":"https://hooks.example.com/a","notificationType":"Ach"}';
const STATEMENT = (account: string) =>
  `{"period":"2026-01-15T00:00:00Z","financialAccountIds":["${account}"]}`;
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

export const BANKING_REFUSALS: readonly Refusal[] = [
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
  [400, 'create-card', 'POST /api/paymentCards', '{}'],
  [403, 'create-card', 'POST /api/paymentCards', '{"financialAccountId":"fa-501-1"}', 'other-partner'],
  [404, 'create-card', 'POST /api/paymentCards', '{"financialAccountId":"fa-1"}'],
  [403, 'get-notification', 'GET /api/notifications/6004'],
  [403, 'mark-notification-read', 'PUT /api/notifications/6004/read'],
  [403, 'delete-notification', 'DELETE /api/notifications/6004'],
  [403, 'get-ticket', 'GET /api/tickets/9001', undefined, 'other-partner'],
  [403, 'update-ticket', 'PUT /api/tickets/9001', '{"text":"x"}', 'other-partner'],
  [404, 'update-ticket', 'PUT /api/tickets/7', '{"text":"x"}'],
  [403, 'create-ticket', 'POST /api/tickets', '{"text":"x","parentTicketId":9001}', 'other-partner'],
  [404, 'create-ticket', 'POST /api/tickets', '{"text":"x","parentTicketId":7}'],
  [400, 'create-ticket', 'POST /api/tickets', '{"text":""}'],
  [403, 'update-webhook', 'PUT /api/Partners/webhooks/1', WEBHOOK, 'other-partner'],
  [403, 'delete-webhook', 'DELETE /api/Partners/webhooks/1', undefined, 'other-partner'],
  [404, 'delete-webhook', 'DELETE /api/Partners/webhooks/7'],
];
