import { z } from 'zod';
import { from, idempotent, madeOnce, type Operations, once, RESPONSE_BYTES, read } from '../catalogue.js';
import { exactJson, int32, int64, text } from '../field-schemas.js';
import { accountOperations, profileOperations } from './profile-operations.js';
import * as requests from './requests.js';
import * as responses from './responses.js';
import { TOKEN_OPERATIONS } from './token.js';

const cardWithReason = z.strictObject({ paymentCardId: text, reason: z.string().optional() });

/** `maxTotalSpending` is in cents. */
export const newCard = z.looseObject({
  financialAccountId: text,
  paymentCardName: z.string().optional(),
  maxTotalSpending: int64.nullish(),
});

const page = { skip: int32.optional(), count: int32.optional() };

function cardOperations(svc: string) {
  return {
    setCardNickname: idempotent('POST /api/paymentCards/nickName', {
      repeats: 'sets a value',
      reference: 'E4',
      summary: 'Set a card’s nickname, or clear it',
      inWorkflows: true,
      request: requests.cardNickname,
      response: responses.paymentCard,
    }),
    closeCard: once(`POST /${svc}/paymentCard/closePaymentCard`, {
      reference: 'E8',
      summary: 'Close a card permanently',
      irreversible: true,
      inWorkflows: true,
      request: requests.cardClosing,
      response: responses.boardingResponse,
    }),
    createCard: once('POST /api/paymentCards', {
      summary: 'Issue a card on a financial account',
      makes: 'paymentCardId',
      request: newCard,
      response: responses.paymentCard,
    }),
    listCards: read('GET /api/paymentCards', {
      summary: 'The cards of the caller',
      query: ['skip', 'count'],
      request: z.strictObject(page),
      response: responses.paymentCards,
    }),
    setCardStatus: idempotent('POST /api/paymentCards/status', {
      repeats: 'sets a value',
      summary: 'Set a card’s status',
      request: z.strictObject({ paymentCardId: text, status: z.int().min(0).max(3) }),
    }),
    setCardAuthorizationControls: idempotent('POST /api/paymentCards/authorizationControls', {
      repeats: 'sets a value',
      summary: 'Replace a card’s authorization controls',
      request: z.strictObject({
        paymentCardId: text,
        authorizationControls: z.array(z.record(z.string(), exactJson)),
      }),
    }),
    suspendCard: idempotent(`POST /${svc}/paymentCard/suspendPaymentCard`, {
      repeats: 'sets a value',
      summary: 'Suspend a card; activate-card undoes it',
      request: cardWithReason,
      response: responses.boardingResponse,
    }),
    activateCard: idempotent(`POST /${svc}/paymentCard/activatePaymentCard`, {
      repeats: 'sets a value',
      summary: 'Activate a suspended card',
      request: cardWithReason,
      response: responses.boardingResponse,
    }),
    reissueCard: once(`POST /${svc}/paymentCard/reissuePaymentCard`, {
      summary: 'Replace a card; the old one stops working',
      irreversible: true,
      request: cardWithReason,
      response: responses.boardingResponse,
    }),
    listPaymentCards: read(`GET /${svc}/paymentCard/list`, {
      summary: 'The cards of a user profile',
      query: ['userProfileId', 'skip', 'count'],
      mayFindNothing: true,
      inWorkflows: true,
      request: z.strictObject({ userProfileId: int32.optional(), ...page }),
      response: responses.paymentCards,
    }),
  } satisfies Operations;
}

const byWebhook = z.strictObject({ webhookId: int32 });

const PARTNER_OPERATIONS = {
  createWebhook: idempotent('POST /api/Partners/webhooks', {
    repeats: 'finds what exists',
    reference: 'E13',
    summary: 'Register a webhook for one type of notification; `exists` if it is already registered',
    statusPayloads: { 409: { success: true, exists: true } },
    inWorkflows: true,
    request: requests.webhook,
    response: responses.createdWebhook,
  }),
  listDepartments: read('GET /api/teams/departments', {
    reference: 'E14',
    summary: 'Departments, which group sub-users',
    response: responses.departments,
  }),
  restoreSubUser: idempotent('POST /api/subProfiles/restore', {
    repeats: 'sets a value',
    reference: 'E15',
    summary: 'Restore a removed or deactivated sub-user (for owners and partners)',
    query: ['id'],
    headers: { 'content-type': 'application/json' },
    inWorkflows: true,
    request: requests.byId,
  }),
  listWebhooks: read('GET /api/Partners/webhooks', {
    summary: 'The webhooks of the caller',
    response: responses.webhooks,
  }),
  updateWebhook: idempotent('PUT /api/Partners/webhooks/{webhookId}', {
    summary: 'Replace a webhook',
    request: requests.webhook.extend({ webhookId: int32 }),
  }),
  deleteWebhook: idempotent('DELETE /api/Partners/webhooks/{webhookId}', {
    summary: 'Delete a webhook',
    request: byWebhook,
  }),
} satisfies Operations;

const ticketFields = { topicId: int32.optional(), parentTicketId: int32.optional() };

const MESSAGE_OPERATIONS = {
  listNewTickets: read('GET /api/tickets/new', {
    reference: 'E6',
    summary: 'New and unresolved tickets of the caller',
    inWorkflows: true,
    response: responses.tickets,
    maxBytes: RESPONSE_BYTES.list,
  }),
  listNotifications: read('GET /api/notifications', {
    reference: 'E12',
    summary: 'A page of notifications of the caller, oldest first',
    query: ['fromDate', 'toDate', 'level', 'group', 'types', 'categories', 'searchTerm', 'skip', 'take'],
    request: requests.notificationQuery,
    response: responses.notifications,
    maxBytes: RESPONSE_BYTES.everything,
  }),
  listTickets: read('GET /api/tickets', {
    summary: 'All tickets of the caller',
    inWorkflows: true,
    response: responses.tickets,
    maxBytes: RESPONSE_BYTES.list,
  }),
  createTicket: once('POST /api/tickets', {
    summary: 'Open a ticket, or reply to one by naming it as parent',
    inWorkflows: true,
    makes: 'ticketId',
    request: z.strictObject({ topic: z.string().optional(), text, ...ticketFields }),
    response: responses.ticket,
  }),
  getTicket: read('GET /api/tickets/{ticketId}', {
    summary: 'A ticket',
    probe: { ticketId: [from('listTickets', 'ticketId'), from('listNewTickets', 'ticketId')] },
    request: z.strictObject({ ticketId: int32 }),
    response: responses.ticket,
  }),
  updateTicket: idempotent('PUT /api/tickets/{ticketId}', {
    summary: 'Change a ticket’s text or status',
    request: z.strictObject({ ticketId: int32, text: text.optional(), status: text.optional() }),
  }),
  getNotification: read('GET /api/notifications/{id}', {
    summary: 'A notification',
    probe: { id: [from('listNotifications', 'id')] },
    request: requests.byId,
    response: responses.notification,
  }),
  markNotificationRead: idempotent('PUT /api/notifications/{id}/read', {
    summary: 'Mark a notification as read',
    request: requests.byId,
  }),
  deleteNotification: idempotent('DELETE /api/notifications/{id}', {
    summary: 'Delete a notification',
    irreversible: true,
    request: requests.byId,
  }),
} satisfies Operations;

/** The contract's placeholder for the brand segment of its paths. */
export const NEUTRAL_SEGMENT = 'svc';

/**
 * The banking API (docs/partner-apis.md#banking): every operation that the contract names. E1 to E15 match the contract. It names
 * the others without shapes, so theirs are assumed.
 *
 * @throws {TypeError} if `pathSegment` is not one plain path segment.
 */
function operationsWith(pathSegment: string = NEUTRAL_SEGMENT) {
  if (!/^[\w.~-]+$/.test(pathSegment))
    throw new TypeError('the path segment must be letters, digits, - . _ ~');
  return {
    ...TOKEN_OPERATIONS,
    ...profileOperations(pathSegment),
    ...cardOperations(pathSegment),
    ...accountOperations(pathSegment),
    ...MESSAGE_OPERATIONS,
    ...PARTNER_OPERATIONS,
  } satisfies Operations;
}

export const bankingOperations = madeOnce(operationsWith);

export type BankingOperations = ReturnType<typeof bankingOperations>;
