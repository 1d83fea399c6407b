import { z } from 'zod';
import { anyAnswer } from '../answer-members.js';
import type { Operations } from '../catalogue.js';
import { createdWebhook, departments, webhooks } from './answers.js';
import { byId, nothing, webhook } from './requests.js';
import { int32 } from './rules.js';

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
