import { z } from 'zod';
import { Deadline } from '../../platform/http/deadline.js';
import { readSettings, url } from '../../platform/settings/settings.js';
import { span } from '../texts/time.js';
import { subjectOf } from './statistics.js';

/** Statistics about partner webhooks, which only Prometheus has: each process sees a part, and counts from its start. */

export const prometheusSettings = z.object({
  GANGWAY_PROMETHEUS_URL: url.optional().meta({
    description:
      'Address of a Prometheus with `deploy/prometheus/alerts.yml`, for the webhooks of `gangway doctor` and `gangway report`.',
    unset: 'they show no webhooks',
  }),
});

export type WebhookFigure = Awaited<ReturnType<typeof figuresAt>>[number];

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
 * @returns undefined without the setting
 * @throws {Error} of one line, for an unexpected response of Prometheus
 */
export async function webhookFigures(env: NodeJS.ProcessEnv, until: AbortSignal) {
  const { GANGWAY_PROMETHEUS_URL: prometheus } = readSettings(prometheusSettings, env);
  return prometheus === undefined ? undefined : figuresAt(prometheus, until);
}

/** For each kind of onboarding and account, the status changes of the last week that a webhook or the poll saw first. */
async function figuresAt(prometheus: string, until: AbortSignal) {
  const samples = await samplesOf(prometheus, until);
  const groups = Map.groupBy(samples, ({ metric: { workflowType = '', system = '', account = '' } }) =>
    [workflowType, system, account].join(),
  );
  return [...groups].sort().map(([key, own]) => {
    const [workflowType = '', system = '', account] = key.split(',');
    const values = new Map(own.map(({ metric, value }) => [metric['__name__'], Math.round(value[1])]));
    const nudged = values.get('gangway:webhook_changes_nudged:7d') ?? 0;
    return {
      subject: subjectOf(workflowType),
      system,
      /** null for the unnamed account. */
      account: account || null,
      nudged,
      /** Increases are extrapolated, so the increase of all changes may be slightly lower. */
      pollOnly: Math.max(0, (values.get('gangway:webhook_changes:7d') ?? 0) - nudged),
      /** Null without a webhook in the last week. */
      sinceLastSeconds: values.get('gangway:webhook_age_seconds:7d') ?? null,
      /** The alert about webhooks that have stopped fires. */
      hasStopped: values.has('ALERTS'),
    };
  });
}

async function samplesOf(prometheus: string, until: AbortSignal) {
  const address = `${prometheus.replace(/(?<!\/)\/+$/, '')}/api/v1/query?${new URLSearchParams({ query: QUERY })}`;
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
