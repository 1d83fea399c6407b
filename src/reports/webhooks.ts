import { z } from 'zod';
import { Deadline } from '../http/deadline.js';
import type { OnboardingType } from '../messages/ids.js';
import { readSettings, url } from '../settings/settings.js';
import { span } from '../texts/time.js';
import { SUBJECTS } from './figures.js';

/** The figures about partner webhooks. Only Prometheus keeps them: the processes count from their start, and each sees a part. */

export const prometheusSettings = z.object({
  GANGWAY_PROMETHEUS_URL: url.optional().meta({
    description:
      'Address of a Prometheus with `deploy/prometheus/alerts.yml`, for the webhooks of `gangway doctor` and `gangway report`.',
    unset: 'they show no webhooks',
  }),
});

/**
 * The number of status changes of the last week that a webhook or the poll saw first, for one kind of onboarding and one account.
 */
export interface WebhookFigure {
  /** `merchant` or `business`. */
  readonly subject: string;
  readonly system: string;
  /** null for the account without a name. */
  readonly account: string | null;
  /** Changes that were read because of a webhook. */
  readonly nudged: number;
  /** Changes that only the poll saw. */
  readonly pollOnly: number;
  /** The age of the last webhook; null without one in the last week. */
  readonly sinceLastSeconds: number | null;
  /** The alert about webhooks that have stopped fires. */
  readonly hasStopped: boolean;
}

/** `merchant of acme: webhooks brought 10 changes in 7 days, only the poll saw 2; the last one came 2 h ago` */
export function webhookText({ subject, account, nudged, pollOnly, sinceLastSeconds: age }: WebhookFigure) {
  const about = account === null ? subject : `${subject} of ${account}`;
  const last = age === null ? 'none came' : `the last one came ${span(age * 1_000)} ago`;
  return `${about}: webhooks brought ${nudged} changes in 7 days, only the poll saw ${pollOnly}; ${last}`;
}

/** deploy/prometheus/alerts.yml records what this reads. */
const QUERY =
  '{__name__=~"gangway:webhook_.+:7d"} or ALERTS{alertname="GangwayWebhooksStopped", alertstate="firing"}';

const value = z.tuple([z.number(), z.coerce.number()]);
const sample = z.object({ metric: z.record(z.string(), z.string()), value });
const response = z.object({ data: z.object({ result: z.array(sample) }) });

/**
 * @returns undefined when the setting is not set
 * @throws {Error} of one line, when Prometheus does not respond as it should
 */
export async function webhookFigures(
  env: NodeJS.ProcessEnv,
  until: AbortSignal,
): Promise<WebhookFigure[] | undefined> {
  const { GANGWAY_PROMETHEUS_URL: prometheus } = readSettings(prometheusSettings, env);
  if (prometheus === undefined) return undefined;
  const found = new Map<string, Record<string, number>>();
  for (const { metric, value } of await samplesOf(prometheus, until)) {
    const { __name__: name = '', workflowType = '', system = '', account = '' } = metric;
    const key = [workflowType, system, account].join();
    found.set(key, { ...found.get(key), [name]: Math.round(value[1]) });
  }
  return [...found].sort().map(([key, values]) => {
    const [workflowType = '', system = '', account] = key.split(',');
    const nudged = values['gangway:webhook_changes_nudged:7d'] ?? 0;
    return {
      subject: SUBJECTS[workflowType as OnboardingType] ?? workflowType,
      ...{ system, account: account || null, nudged },
      // An increase is extrapolated, so that of all changes may be slightly lower.
      pollOnly: Math.max(0, (values['gangway:webhook_changes:7d'] ?? 0) - nudged),
      sinceLastSeconds: values['gangway:webhook_age_seconds:7d'] ?? null,
      hasStopped: 'ALERTS' in values,
    };
  });
}

async function samplesOf(prometheus: string, until: AbortSignal) {
  const address = `${prometheus.replace(/\/+$/, '')}/api/v1/query?${new URLSearchParams({ query: QUERY })}`;
  const deadline = new Deadline({ ms: 5_000, until });
  try {
    const answer = await fetch(address, { signal: deadline.signal, redirect: 'error' });
    return response.parse(await answer.json()).data.result;
  } catch (cause) {
    until.throwIfAborted();
    throw new Error(`Prometheus at ${prometheus} does not answer queries`, { cause });
  } finally {
    deadline.release();
  }
}
