import { createServer } from 'node:http';
import { describe, expect, it } from 'vitest';
import { webhookCheck } from '../../../../src/apps/command/system/doctor/doctor.js';
import { webhookFigures } from '../../../../src/services/reports/webhooks.js';
import { prometheus, WEBHOOK_SAMPLES } from '../../../rigs/commands/prometheus.js';
import { listening } from '../../../rigs/listening.js';

const { signal } = new AbortController();

it('there are never fewer changes than webhooks nudged reads of', async () => {
  const merchants = ['merchantBoarding', 'boarding', ''] as const;
  const samples = [
    ['gangway:webhook_changes:7d', ...merchants, '4.4'],
    ['gangway:webhook_changes_nudged:7d', ...merchants, '4.6'],
  ] as const;
  const figures = await webhookFigures({ GANGWAY_PROMETHEUS_URL: `${await prometheus(samples)}/` }, signal);
  expect(figures).toEqual([
    {
      subject: 'merchant',
      system: 'boarding',
      account: null,
      nudged: 5,
      pollOnly: 0,
      sinceLastSeconds: null,
      hasStopped: false,
    },
  ]);
});

describe('gangway doctor, about webhooks', () => {
  const verdicts = (url?: string) => webhookCheck({ GANGWAY_PROMETHEUS_URL: url }).run(signal);
  const ok = (detail: string) => ({ state: 'ok', detail });
  const ACMES =
    'merchant of acme: webhooks brought 10 changes in 7 days, only the poll saw 2; the last one came 2 h ago';

  it('knows nothing without Prometheus, or without webhooks', async () => {
    const off = ok('off: set GANGWAY_PROMETHEUS_URL to see how many changes webhooks bring');
    expect(await verdicts()).toEqual([off]);
    const none = ok('Prometheus has counted no changes or webhooks this week');
    expect(await verdicts(await prometheus([]))).toEqual([none]);
  });

  it('shows how many reads of changes they nudged, and the age of the last one', async () => {
    expect(await verdicts(await prometheus(WEBHOOK_SAMPLES))).toEqual([
      ok('business: webhooks brought 0 changes in 7 days, only the poll saw 0; none came'),
      ok('merchant: webhooks brought 0 changes in 7 days, only the poll saw 7; none came'),
      ok(ACMES),
    ]);
  });

  it('warns while the alert about them fires', async () => {
    const firing = ['ALERTS', 'merchantBoarding', 'boarding', 'acme', '1'] as const;
    const fix = 'see docs/operations.md, "Alert: webhooks stopped"';
    const all = await verdicts(await prometheus([...WEBHOOK_SAMPLES, firing]));
    expect(all[2]).toEqual({ state: 'warn', detail: ACMES, fix });
    // Those of the others have not stopped.
    expect(all.map(({ state }) => state)).toEqual(['ok', 'ok', 'warn']);
  });

  const unanswered = (url: string) =>
    expect(verdicts(url)).rejects.toThrow(`Prometheus at ${url} does not answer queries`);

  it.each<[string, number, string]>([
    ['is overloaded', 503, 'overloaded'],
    ['is something else', 200, '<html>'],
    ['rejects the query', 400, '{"status":"error","data":{}}'],
  ])('fails where Prometheus %s', async (_, status, body) => {
    const server = createServer((_request, response) => response.writeHead(status).end(body));
    await unanswered(`http://${await listening(server)}`);
  });

  it('fails where nobody listens', () => unanswered('http://127.0.0.1:9'));
});
