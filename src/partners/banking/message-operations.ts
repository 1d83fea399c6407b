import { z } from 'zod';
import { anyAnswer } from '../answer-members.js';
import { type Operations, RESPONSE_BYTES } from '../catalogue.js';
import { notification, notifications, ticket, tickets } from './answers.js';
import { byId, nothing, notificationQuery } from './requests.js';
import { int32, text } from './rules.js';

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
