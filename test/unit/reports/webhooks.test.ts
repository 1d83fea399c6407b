import { createServer } from 'node:http';
import { describe, expect, it } from 'vitest';
import { webhookCheck } from '../../../src/commands/system/doctor/doctor.js';
import { webhookFigures } from '../../../src/reports/webhooks.js';
import { prometheus, WEBHOOK_SAMPLES } from '../../rigs/commands/prometheus.js';
import { listening } from '../../rigs/listening.js';

const { signal } = new AbortController();

describe('the figures of webhooks', () => {
  const figures = async (samples: Parameters<typeof prometheus>[0]) =>
    webhookFigures({ GANGWAY_PROMETHEUS_URL: `${await prometheus(samples)}/` }, signal);

  it('are those of Prometheus, for each kind of onboarding and account', async () => {
    expect(await figures(WEBHOOK_SAMPLES)).toEqual([
      {
        ...{ subject: 'business', system: 'banking', account: null },
        ...{ nudged: 0, pollOnly: 0, sinceLastSeconds: null, hasStopped: false },
      },
      {
        ...{ subject: 'merchant', system: 'boarding', account: null },
        ...{ nudged: 0, pollOnly: 7, sinceLastSeconds: null, hasStopped: false },
      },
      {
        ...{ subject: 'merchant', system: 'boarding', account: 'acme' },
        ...{ nudged: 10, pollOnly: 2, sinceLastSeconds: 7_200, hasStopped: false },
      },
    ]);
  });

  it('never have fewer changes than webhooks nudged reads of', async () => {
    const merchants = ['merchantBoarding', 'boarding', ''] as const;
    const samples = [
      ['gangway:webhook_changes:7d', ...merchants, '4.4'],
      ['gangway:webhook_changes_nudged:7d', ...merchants, '4.6'],
    ] as const;
    expect(await figures(samples)).toMatchObject([{ nudged: 5, pollOnly: 0 }]);
  });
});

describe('gangway doctor, about webhooks', () => {
  const verdicts = (url?: string) => webhookCheck({ GANGWAY_PROMETHEUS_URL: url }).run(signal);
  const acme =
    'merchant of acme: webhooks nudged the read of 10 changes in 7 days, and only the poll saw 2; the last one came 2 h ago';

  it('knows nothing without Prometheus', async () => {
    expect(await verdicts()).toEqual([
      {
        state: 'ok',
        detail: 'off: GANGWAY_PROMETHEUS_URL is not set, so what webhooks are worth is unknown',
      },
    ]);
    expect(await verdicts(await prometheus([]))).toEqual([
      { state: 'ok', detail: 'Prometheus has no counts of changes or webhooks of this week' },
    ]);
  });

  it('shows how many reads of changes they nudged, and the age of the last one', async () => {
    expect(await verdicts(await prometheus(WEBHOOK_SAMPLES))).toEqual([
      {
        state: 'ok',
        detail:
          'business: webhooks nudged the read of 0 changes in 7 days, and only the poll saw 0; none came',
      },
      {
        state: 'ok',
        detail:
          'merchant: webhooks nudged the read of 0 changes in 7 days, and only the poll saw 7; none came',
      },
      { state: 'ok', detail: acme },
    ]);
  });

  it('warns while the alert about them fires', async () => {
    const firing = ['ALERTS', 'merchantBoarding', 'boarding', 'acme', '1'] as const;
    expect((await verdicts(await prometheus([...WEBHOOK_SAMPLES, firing]))).slice(2)).toEqual([
      { state: 'warn', detail: acme, fix: 'see docs/operations.md, "Alert: webhooks stopped"' },
    ]);
  });

  it.each<[string, number, string]>([
    ['is overloaded', 503, 'overloaded'],
    ['is something else', 200, '<html>'],
    ['rejects the query', 400, '{"status":"error","data":{}}'],
  ])('fails where Prometheus %s', async (_, status, body) => {
    const server = createServer((_request, response) => response.writeHead(status).end(body));
    const url = `http://${await listening(server)}`;
    await expect(verdicts(url)).rejects.toThrow(`Prometheus at ${url} does not answer queries`);
  });

  it('fails where nobody listens', async () => {
    await expect(verdicts('http://127.0.0.1:9')).rejects.toThrow(
      'Prometheus at http://127.0.0.1:9 does not answer queries',
    );
  });
});
