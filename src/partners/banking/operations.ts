import { z } from 'zod';
import { from, type Operations, RESPONSE_BYTES } from '../catalogue.js';
import { anyResponse, int32, text } from '../fields.js';
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
import { TOKEN_OPERATIONS } from './token.js';

const byWebhook = z.strictObject({ webhookId: int32 });

/** Operations of partners and administrators: webhooks, departments and sub-users. */
const PARTNER_OPERATIONS = {
  createWebhook: {
    reference: 'E13',
    summary: 'Register a webhook for one type of notification; `exists` if it is already registered',
    method: 'POST',
    path: '/api/Partners/webhooks',
    statusPayloads: { 409: { success: true, exists: true } },
    effect: 'idempotent',
    provenance: 'documented',
    inWorkflows: true,
    request: webhook,
    response: createdWebhook,
  },
  listDepartments: {
    reference: 'E14',
    summary: 'Departments, which group sub-users',
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
    inWorkflows: true,
    request: byId,
    response: anyResponse,
  },
  listWebhooks: {
    summary: 'The webhooks of the caller',
    method: 'GET',
    path: '/api/Partners/webhooks',
    effect: 'read',
    request: nothing,
    response: webhooks,
  },
  updateWebhook: {
    summary: 'Replace a webhook',
    method: 'PUT',
    path: '/api/Partners/webhooks/{webhookId}',
    effect: 'idempotent',
    request: webhook.extend({ webhookId: int32 }),
    response: anyResponse,
  },
  deleteWebhook: {
    summary: 'Delete a webhook',
    method: 'DELETE',
    path: '/api/Partners/webhooks/{webhookId}',
    effect: 'idempotent',
    request: byWebhook,
    response: anyResponse,
  },
} as const satisfies Operations;

const ticketFields = { topicId: int32.optional(), parentTicketId: int32.optional() };

/** Communication between the partner and its clients: tickets and notifications. */
const MESSAGE_OPERATIONS = {
  listNewTickets: {
    reference: 'E6',
    summary: 'New and unresolved tickets of the caller',
    method: 'GET',
    path: '/api/tickets/new',
    effect: 'read',
    provenance: 'documented',
    inWorkflows: true,
    request: nothing,
    response: tickets,
    maxBytes: RESPONSE_BYTES.list,
  },
  listNotifications: {
    reference: 'E12',
    summary: 'A page of notifications of the caller, oldest first',
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
    inWorkflows: true,
    request: nothing,
    response: tickets,
    maxBytes: RESPONSE_BYTES.list,
  },
  createTicket: {
    summary: 'Open a ticket, or reply to one by naming it as parent',
    method: 'POST',
    path: '/api/tickets',
    effect: 'once',
    inWorkflows: true,
    request: z.strictObject({ topic: z.string().optional(), text, ...ticketFields }),
    response: ticket,
  },
  getTicket: {
    summary: 'A ticket',
    method: 'GET',
    path: '/api/tickets/{ticketId}',
    effect: 'read',
    probe: { ticketId: [from('listTickets', 'ticketId'), from('listNewTickets', 'ticketId')] },
    request: z.strictObject({ ticketId: int32 }),
    response: ticket,
  },
  updateTicket: {
    summary: 'Change a ticket’s text or status',
    method: 'PUT',
    path: '/api/tickets/{ticketId}',
    effect: 'idempotent',
    request: z.strictObject({ ticketId: int32, text: text.optional(), status: text.optional() }),
    response: anyResponse,
  },
  getNotification: {
    summary: 'A notification',
    method: 'GET',
    path: '/api/notifications/{id}',
    effect: 'read',
    probe: { id: [from('listNotifications', 'id')] },
    request: byId,
    response: notification,
  },
  markNotificationRead: {
    summary: 'Mark a notification as read',
    method: 'PUT',
    path: '/api/notifications/{id}/read',
    effect: 'idempotent',
    request: byId,
    response: anyResponse,
  },
  deleteNotification: {
    summary: 'Delete a notification',
    method: 'DELETE',
    path: '/api/notifications/{id}',
    effect: 'idempotent',
    irreversible: true,
    request: byId,
    response: anyResponse,
  },
} as const satisfies Operations;

/** The contract's placeholder for the brand segment in its paths. */
export const NEUTRAL_SEGMENT = 'svc';

/**
 * The banking API: every operation that apis/1 names. E1 to E15 are as printed there. The others, which it names
 * without shapes, have the shapes that apis/4 reports, or those of similar operations.
 *
 * @param pathSegment replaces the neutral segment `svc` in paths.
 * @throws {TypeError} if it is not one plain path segment.
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
