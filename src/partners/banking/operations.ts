import { z } from 'zod';
import { type Operations, RESPONSE_BYTES } from '../catalogue.js';
import { anyAnswer } from '../fields.js';
import { cardOperations } from './card-operations.js';
import { accountOperations, profileOperations } from './profile-operations.js';
import { byId, nothing, notificationQuery, webhook } from './requests.js';
import {
  createdWebhook,
  departments,
  notification,
  notifications,
  ticket,
  tickets,
  webhooks,
} from './responses.js';
import { int32, text } from './rules.js';
import { TOKEN_OPERATIONS } from './token.js';

const byWebhook = z.strictObject({ webhookId: int32 });

/** What partners and administrators manage: webhooks, departments and sub-users. */
export const PARTNER_OPERATIONS = {
  createWebhook: {
    reference: 'E13',
    summary: 'Register a webhook for one type of notification; `exists` when it was there already',
    method: 'POST',
    path: '/api/Partners/webhooks',
    statusAnswers: { 409: { success: true, exists: true } },
    effect: 'once',
    provenance: 'documented',
    request: webhook,
    response: createdWebhook,
  },
  listDepartments: {
    reference: 'E14',
    summary: 'Departments, by which sub-users are grouped',
    method: 'GET',
    path: '/api/teams/departments',
    effect: 'read',
    provenance: 'documented',
    request: nothing,
    response: departments,
  },
  restoreSubUser: {
    reference: 'E15',
    summary: 'Restore a removed or deactivated sub-user (for owners and partners)',
    method: 'POST',
    path: '/api/subProfiles/restore',
    query: ['id'],
    headers: { 'content-type': 'application/json' },
    effect: 'idempotent',
    provenance: 'documented',
    request: byId,
    response: anyAnswer,
  },
  listWebhooks: {
    summary: 'The webhooks of the caller',
    method: 'GET',
    path: '/api/Partners/webhooks',
    effect: 'read',
    provenance: 'assumed',
    request: nothing,
    response: webhooks,
  },
  updateWebhook: {
    summary: 'Replace a webhook',
    method: 'PUT',
    path: '/api/Partners/webhooks/{webhookId}',
    effect: 'idempotent',
    provenance: 'assumed',
    request: webhook.extend({ webhookId: int32 }),
    response: anyAnswer,
  },
  deleteWebhook: {
    summary: 'Delete a webhook',
    method: 'DELETE',
    path: '/api/Partners/webhooks/{webhookId}',
    effect: 'idempotent',
    provenance: 'assumed',
    request: byWebhook,
    response: anyAnswer,
  },
} as const satisfies Operations;

const ticketMembers = { topicId: int32.optional(), parentTicketId: int32.optional() };

/** What the partner and its clients tell each other: tickets and notifications. */
export const MESSAGE_OPERATIONS = {
  listNewTickets: {
    reference: 'E6',
    summary: 'New and unresolved tickets of the caller',
    method: 'GET',
    path: '/api/tickets/new',
    effect: 'read',
    provenance: 'documented',
    request: nothing,
    response: tickets,
    maxBytes: RESPONSE_BYTES.list,
  },
  listNotifications: {
    reference: 'E12',
    summary: 'Notifications of the caller, a page of them, oldest first',
    method: 'GET',
    path: '/api/notifications',
    query: ['fromDate', 'toDate', 'level', 'group', 'types', 'categories', 'searchTerm', 'skip', 'take'],
    effect: 'read',
    provenance: 'documented',
    request: notificationQuery,
    response: notifications,
    maxBytes: RESPONSE_BYTES.everything,
  },
  listTickets: {
    summary: 'All tickets of the caller',
    method: 'GET',
    path: '/api/tickets',
    effect: 'read',
    provenance: 'assumed',
    request: nothing,
    response: tickets,
    maxBytes: RESPONSE_BYTES.list,
  },
  createTicket: {
    summary: 'Open a ticket, or answer one by naming it as parent',
    method: 'POST',
    path: '/api/tickets',
    effect: 'once',
    provenance: 'assumed',
    request: z.strictObject({ topic: z.string().optional(), text, ...ticketMembers }),
    response: ticket,
  },
  getTicket: {
    summary: 'A ticket',
    method: 'GET',
    path: '/api/tickets/{ticketId}',
    effect: 'read',
    provenance: 'assumed',
    request: z.strictObject({ ticketId: int32 }),
    response: ticket,
  },
  updateTicket: {
    summary: 'Change a ticket’s text or status',
    method: 'PUT',
    path: '/api/tickets/{ticketId}',
    effect: 'idempotent',
    provenance: 'assumed',
    request: z.strictObject({ ticketId: int32, text: text.optional(), status: text.optional() }),
    response: anyAnswer,
  },
  getNotification: {
    summary: 'A notification',
    method: 'GET',
    path: '/api/notifications/{id}',
    effect: 'read',
    provenance: 'assumed',
    request: byId,
    response: notification,
  },
  markNotificationRead: {
    summary: 'Mark a notification as read',
    method: 'PUT',
    path: '/api/notifications/{id}/read',
    effect: 'idempotent',
    provenance: 'assumed',
    request: byId,
    response: anyAnswer,
  },
  deleteNotification: {
    summary: 'Delete a notification',
    method: 'DELETE',
    path: '/api/notifications/{id}',
    effect: 'idempotent',
    irreversible: true,
    provenance: 'assumed',
    request: byId,
    response: anyAnswer,
  },
} as const satisfies Operations;

/** What the contract writes in place of the brand segment in its paths. */
export const NEUTRAL_SEGMENT = 'svc';

/**
 * The banking API: every operation that apis/1 names, E1 to E15 as printed there, the others, which it names without
 * shapes, with those that apis/4 reports or that their neighbours have.
 *
 * @param pathSegment what stands in the paths for the neutral segment `svc`.
 * @throws {TypeError} when that is not one plain path segment.
 */
export function bankingOperations(pathSegment: string = NEUTRAL_SEGMENT) {
  if (!/^[\w.~-]+$/.test(pathSegment))
    throw new TypeError('the path segment must be letters, digits, - . _ ~');
  return {
    ...TOKEN_OPERATIONS,
    ...profileOperations(pathSegment),
    ...cardOperations(pathSegment),
    ...accountOperations(pathSegment),
    ...MESSAGE_OPERATIONS,
    ...PARTNER_OPERATIONS,
  } as const satisfies Operations;
}

export type BankingOperations = ReturnType<typeof bankingOperations>;
