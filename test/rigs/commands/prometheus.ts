import { createServer } from 'node:http';
import { listening } from '../listening.js';

/**
 * Answers every query as Prometheus does, with these samples.
 *
 * @param samples each as `name, workflow type, partner, account, value`; '' for the account without a name
 * @returns its address
 */
export async function prometheus(
  samples: readonly (readonly [string, string, string, string, string])[],
): Promise<string> {
  const result = samples.map(([__name__, workflowType, system, account, value]) => ({
    metric: { __name__, workflowType, system, ...(account && { account }) },
    value: [1_770_000_000.123, value],
  }));
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
    const isQuery = pathname === '/api/v1/query' && searchParams.has('query');
    response.writeHead(isQuery ? 200 : 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ status: 'success', data: { resultType: 'vector', result } }));
  });
  return `http://${await listening(server)}`;
}

const MERCHANTS = ['merchantBoarding', 'boarding'] as const;

/** Of the account acme, webhooks nudged the reads of 10 of 12 merchants' changes until two hours ago; others had none. */
export const WEBHOOK_SAMPLES = [
  ['gangway:webhook_changes:7d', ...MERCHANTS, 'acme', '12.0021'],
  ['gangway:webhook_changes:7d', ...MERCHANTS, '', '7'],
  ['gangway:webhook_changes:7d', 'businessOnboarding', 'banking', '', '0'],
  ['gangway:webhook_changes_nudged:7d', ...MERCHANTS, 'acme', '10.4'],
  ['gangway:webhook_changes_nudged:7d', ...MERCHANTS, '', '0'],
  ['gangway:webhook_age_seconds:7d', ...MERCHANTS, 'acme', '7200.4'],
] as const;
