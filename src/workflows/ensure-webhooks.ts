import type {
  EnsureWebhooksInput,
  OperationOutcome,
  WebhookRequest,
} from '../messages/banking-activities.js';
import { requireFields } from './journey/input.js';
import { runOperation } from './journey/journey.js';
import { partnerActivities, REPEATABLE } from './journey/partner-activities.js';
import { runStep } from './journey/run-step.js';

const { ensureWebhook } = partnerActivities('banking')({
  ensureWebhook: { ...REPEATABLE, summary: 'Create the webhook, if it is missing' },
});

export interface EnsuredWebhook extends WebhookRequest {
  readonly existed: boolean;
  readonly id: number | null;
}

/** Creates the webhooks that are missing, and leaves those that exist (E13). */
export async function ensureWebhooks(
  input: EnsureWebhooksInput,
): Promise<OperationOutcome<{ readonly webhooks: readonly EnsuredWebhook[] }>> {
  requireFields(input, { webhooks: 'array' });
  return runOperation('create the webhooks that are missing', async (journey) => {
    const webhooks: EnsuredWebhook[] = [];
    for (const webhook of input.webhooks) {
      const title = `create webhook ${webhook.name}`;
      const run = () => ensureWebhook(webhook);
      const ensured = await runStep(journey, { effect: 'idempotent', title, run, endsWhenRejected: true });
      webhooks.push({ ...webhook, ...ensured });
      journey.timeline.add(ensured.existed ? 'webhook-existed' : 'webhook-created', { detail: webhook.name });
      journey.state.report();
    }
    return { webhooks };
  });
}
