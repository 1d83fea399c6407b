import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { sandboxAccount } from '../../../../src/apps/sandbox/systems.js';
import { closeAll, partnerClients, readAccounts } from '../../../../src/partners/account-settings.js';
import { byHand } from '../../../../src/partners/by-hand.js';
import { gangway } from '../../../rigs/command.js';
import { newFolder } from '../../../rigs/folders.js';
import { listening } from '../../../rigs/listening.js';
import { HOLDER } from '../../../rigs/partners/banking/partner.js';
import { closedPort, type Recorded, recordingServer, responding } from '../../../rigs/partners/servers.js';
import { runSandbox } from '../../../rigs/sandbox/running-sandbox.js';
import { testEnds } from '../../../rigs/shared.js';

/** A row of `--json`. */
interface Row {
  readonly system: string;
  readonly operation: string;
  readonly provenance: string;
  readonly result: string;
  readonly why?: string;
  readonly differences: readonly { readonly kind: string; readonly field: string; readonly got: string }[];
}

const BOARDING = { BOARDING_USERNAME: 'ops', BOARDING_PASSWORD: 'b0arding-s3cret' };

const PROBE = ['probe', '--merchant', '7', '--json'];

const rowsOf = (stdout: string): Row[] =>
  stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

/** A server that has a body for each `METHOD /path`, without the query. */
function partnerWith(bodies: Readonly<Record<string, string>>) {
  return recordingServer((response, { method, url = '' }) => {
    const body = bodies[`${method} ${url.split('?')[0]}`];
    responding(body === undefined ? 404 : 200, body ?? '{"message":"none"}')(response, {} as never);
  });
}

const linesOf = (requests: readonly Recorded[]) =>
  [...new Set(requests.map(({ line }) => line.split('?')[0]))].sort();

const envelope = (data: string) =>
  `{"data":${data},"status":"OK","error":null,"warning":null,"validationResults":[],"requestId":1}`;

/** Every read of docs/partner-apis.md. Its response has a record, so that each that needs an id gets one. */
const EVERYTHING = {
  'GET /api/v1/agentProfiles': envelope('[{"id":101,"name":"North"}]'),
  'GET /api/v1/GetBoardingSettings': envelope('[{"id":11,"name":"Retail"}]'),
  'GET /api/v2/merchant/fees': '{"data":{},"requestId":1,"success":true,"error":null,"validationErrors":[]}',
  'GET /api/v1/merchant/status': envelope(
    '{"status":"Pending","statusDate":"2026-01-05T12:00:00Z","comment":null}',
  ),
  'GET /api/v1/merchant/status2': envelope(
    '{"status":"Pending","statusDate":"2026-01-05T12:00:00Z","comment":null}',
  ),
  'GET /api/v1/merchant/underwritingNotes': envelope('[]'),
  'POST /api/auth/v2': '{"token":"t0ken","expiration":"2099-01-01T00:00:00Z","userId":1}',
  'POST /api/AccountsSearch/BusinesAccountHolder': '[{"id":501,"dba":"Corner Bakery"}]',
  'POST /api/AccountsSearch/PersonalAccountHolder': '[{"id":502,"name":"Ada Baker"}]',
  'GET /svc/profile/501': '{"id":501,"userProfileId":77,"businessAccountHolder":{"merchantProfileId":7001}}',
  'GET /svc/profile/byUser/77': '{"id":501}',
  'GET /svc/profile/byMerchant/7001': '{"id":501}',
  'GET /svc/businessAccountHolder/501': '{"id":"501"}',
  'GET /svc/externalAccountActivity/501': '{"activity":[]}',
  'GET /svc/paymentCard/list': '[]',
  'GET /api/paymentCards': '{"totalCount":0,"records":[]}',
  'GET /api/FinancialAccount/V2': '[{"id":"fa-1"}]',
  'POST /api/Transaction/V2/list': '[]',
  'POST /api/Statement/V2/full': '%PDF',
  'POST /api/Statement/V2': '%PDF',
  'GET /api/tickets': '[{"ticketId":9}]',
  'GET /api/tickets/new': '[]',
  'GET /api/tickets/9': '{"ticketId":9}',
  'GET /api/notifications': '[{"id":3}]',
  'GET /api/notifications/3': '{"id":3}',
  'GET /api/Partners/webhooks': '[]',
  'GET /api/teams/departments': '[]',
  'GET /plants': '[{"name":"Fern"}]',
  'GET /v1/accounts': '{"accounts":[{"id":"acc-1"}]}',
  'GET /v1/accounts/acc-1': '{"id":"acc-1"}',
  'GET /v5/apikeys': '{"apikeys":[{"id":"key-1"}]}',
  'GET /v5/apikeys/key-1': '{"id":"key-1"}',
  'GET /v2/terminals': '{"terminals":[{"id":"term-1","location_id":"loc-1"}]}',
  'GET /v2/terminals/term-1': '{"id":"term-1"}',
  'GET /v1/locations/loc-1': '{"id":"loc-1"}',
  'GET /v1/transactions': '{"transactions":[{"id":"tx-1"}]}',
  'GET /v1/transactions/tx-1': '{"id":"tx-1"}',
};

describe('gangway probe', () => {
  it('sends every read of every partner, with IDs of earlier responses, and no write', async () => {
    const { url, requests } = await partnerWith(EVERYTHING);
    const { code, stdout } = await gangway(sandboxAccount(url), ['probe', '--merchant', '7001', '--json']);
    const lines = linesOf(requests);
    expect(lines).toEqual(Object.keys(EVERYTHING).sort());
    expect(rowsOf(stdout).filter(({ result }) => result === 'not-tried')).toEqual([]);
    expect(code).toBe(1);
  });

  it('sends no write either when every call fails', async () => {
    const { url, requests } = await partnerWith({ 'POST /api/auth/v2': EVERYTHING['POST /api/auth/v2'] });
    await gangway(sandboxAccount(url), ['probe', '--merchant', '7001', '--profile', '501']);
    expect(requests.length).toBeGreaterThan(20);
    expect(linesOf(requests).filter((line = '') => !(line in EVERYTHING))).toEqual([]);
  });

  it('finds that the sandbox conforms', async () => {
    const sandbox = await runSandbox();
    const merchant = await sandbox.create();
    const clients = partnerClients(readAccounts(sandboxAccount(sandbox.url)));
    testEnds(() => closeAll(clients));
    const { profileId } = await byHand(clients.banking).submitBusinessAccountHolder(HOLDER);
    const ids = ['--merchant', String(merchant), '--profile', String(profileId)];
    const { code, stdout, stderr } = await gangway(sandboxAccount(sandbox.url), ['probe', ...ids, '--json']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: 'processor: has no read-only operation\n' });
    const rows = rowsOf(stdout);
    expect(
      rows.flatMap(({ operation, differences }) => differences.map((each) => ({ operation, ...each }))),
    ).toEqual([]);
    expect(rows.find(({ operation }) => operation === 'get-profile')?.result).toBe('conforms');
  });

  it('reports types and lengths of what differs, and never a value', async () => {
    const { url } = await partnerWith({
      ...EVERYTHING,
      'GET /api/v1/agentProfiles': envelope('[{"id":"A-4711-private","fullName":"Ada Baker-private"}]'),
      'GET /api/v1/merchant/status': envelope(
        '{"merchantStatus":"Secretly Pending","statusDate":20260105,"comment":null,"ada.baker@example.com":1}',
      ),
    });
    const report = join(await newFolder(), 'report.md');
    const env = { BOARDING_URL: url, ...BOARDING };
    const args = ['probe', 'boarding', '--merchant', '70017001', '--report', report];
    const { code, stdout, stderr } = await gangway(env, args);
    const json = await gangway(env, [...args.slice(0, 4), '--json']);
    const sent = await readFile(report, 'utf8');
    expect([code, json.code]).toEqual([1, 1]);
    for (const text of [stdout, stderr, json.stdout, sent])
      expect(text).not.toMatch(
        /4711|Ada|private|Secretly|20260105|example\.com|70017001|s3cret|127\.0\.0\.1/,
      );
    const status = rowsOf(json.stdout).find(({ operation }) => operation === 'get-status');
    expect(status?.differences.map(({ kind, field, got }) => `${kind} ${field}: ${got}`)).toEqual([
      'missing-field status: nothing',
      'other-type statusDate: integer of 8 characters',
      'unknown-field merchantStatus: string of 16 characters',
      'unknown-field (name of 21 characters): integer of 1 character',
    ]);
    expect(stderr).toContain('workflows cannot rely on boarding list-agent-profiles, boarding get-status');
    for (const row of [
      '| get-status | `statusDate` | other type | string or null | integer of 8 characters |',
      '| list-agent-profiles | `GET /api/v1/agentProfiles` | assumed | differs | 200 |  |',
    ])
      expect(sent).toContain(row);
    expect((await gangway(env, args)).stderr).toContain(`${report}: cannot be written (EEXIST)`);
  });

  it('shows assumed shapes first, and why an operation was not tried', async () => {
    const { url } = await partnerWith(EVERYTHING);
    const { stdout } = await gangway({ BOARDING_URL: url, ...BOARDING }, ['probe', 'boarding', '--json']);
    expect(
      rowsOf(stdout).map(({ operation, provenance, result, why }) => [operation, provenance, result, why]),
    ).toEqual([
      ['list-agent-profiles', 'assumed', 'conforms', undefined],
      ['list-boarding-settings', 'assumed', 'conforms', undefined],
      ['get-status2', 'assumed', 'not-tried', 'needs id, from --merchant'],
      ['get-fees', 'documented', 'not-tried', 'needs id, from --merchant'],
      ['get-status', 'documented', 'not-tried', 'needs id, from --merchant'],
      ['get-underwriting-notes', 'documented', 'not-tried', 'needs id, from --merchant'],
    ]);
  });

  it('ends at the first rejection of the credentials, because each may count towards a lock', async () => {
    const { url, requests } = await recordingServer(responding(401, '{"error":"no","message":"no"}'));
    const { code, stdout } = await gangway({ BOARDING_URL: url, ...BOARDING }, PROBE);
    expect(requests).toHaveLength(1);
    expect(rowsOf(stdout).map(({ result, why }) => [result, why])).toEqual([
      ['not-permitted', 'the partner rejects our credentials (401)'],
      ...Array.from({ length: 5 }, () => ['not-tried', 'the partner rejects our credentials']),
    ]);
    expect(code).toBe(1);
  });

  it('exits with 1 when a permission is missing that a workflow needs, and goes on with the others', async () => {
    const { url, requests } = await recordingServer((response, { url: path = '' }) =>
      path.startsWith('/api/v1/agentProfiles')
        ? responding(200, EVERYTHING['GET /api/v1/agentProfiles'])(response, {} as never)
        : responding(403, '{"error":"no","message":"no"}')(response, {} as never),
    );
    const { code, stdout } = await gangway({ BOARDING_URL: url, ...BOARDING }, PROBE);
    expect(requests).toHaveLength(6);
    const denied = rowsOf(stdout).filter(({ result }) => result === 'not-permitted');
    expect([code, ...denied.map(({ why }) => why)]).toEqual([
      1,
      ...Array(5).fill('the account lacks the permission (403)'),
    ]);
  });

  it('exits with 0 when only something differs that no workflow reads', async () => {
    const { url } = await partnerWith({
      ...EVERYTHING,
      'GET /api/v1/agentProfiles': envelope('[{"id":101,"name":"North","region":"West"}]'),
    });
    const env = { BOARDING_URL: url, ...BOARDING };
    const { code, stdout } = await gangway(env, ['probe', '--merchant', '7']);
    expect(stdout).toMatch(
      /boarding list-agent-profiles +N\.region +unknown field +nothing +string of 4 characters/,
    );
    expect(code).toBe(0);
  });

  it('exits with 4 when the partner cannot be reached', async () => {
    const env = { BOARDING_URL: `http://127.0.0.1:${await closedPort()}`, ...BOARDING };
    const { code, stdout } = await gangway(env, ['probe', '--json']);
    const why = 'it refused the connection (ECONNREFUSED)';
    expect([code, rowsOf(stdout)[0]]).toMatchObject([4, { result: 'unreachable', why }]);
  });

  it('keeps to the rate limit of the account, and uses its credentials', async () => {
    const { url, requests } = await recordingServer(responding(200, envelope('[]')));
    const env = {
      GANGWAY_ACCOUNTS: 'acme',
      ACME_BOARDING_URL: url,
      ACME_BOARDING_ACTIVITIES_PER_SECOND: '10',
      ACME_BOARDING_USERNAME: 'acme',
      ACME_BOARDING_PASSWORD: 'acme-s3cret',
    };
    vi.useFakeTimers({ toFake: ['setTimeout', 'Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const probing = gangway(env, ['probe', '--account', 'acme', '--merchant', '7']);
    for (const count of [1, 2, 3, 4, 5, 6]) {
      await expect.poll(() => requests.length).toBe(count);
      vi.advanceTimersByTime(99);
      await setImmediate();
      expect(requests).toHaveLength(count);
      vi.advanceTimersByTime(1);
    }
    await probing;
    expect(requests).toHaveLength(6);
    expect(requests[0]?.headers.authorization).toBe('Basic YWNtZTphY21lLXMzY3JldA==');
  });

  it('names the setting of a partner that is off', async () => {
    const { code, stderr } = await gangway({}, ['probe', 'banking']);
    expect({ code, stderr }).toEqual({ code: 2, stderr: 'BANKING_URL: is not set\n' });
  });
});

/** What the partner does otherwise than its documents: by path of the operation, the text that it sends and the one that it should. */
const DEVIATIONS = [
  ['/api/v1/agentProfiles', /"id":101\b/, '"id":"AG-101"'],
  ['/api/v1/merchant/status?', /"status":"[^"]+"/, '"status":"Escalated To Committee"'],
  ['/api/v1/merchant/status?', /"statusDate":"[^"]+",/, ''],
  ['/api/v1/merchant/status?', /"comment":null/, '"comment":null,"riskScore":7'],
  ['/api/v1/GetBoardingSettings', /"name":/g, '"title":'],
] as const;

/** Forwards to the sandbox, and changes what it responds. Each deviation changes one response at least. */
async function deviating(target: string) {
  const unused = new Set(DEVIATIONS);
  const server = createServer(async ({ url = '', method = '', headers }, response) => {
    const { authorization = '' } = headers;
    const answer = await fetch(target + url, { method, headers: { authorization } });
    let text = await answer.text();
    for (const deviation of DEVIATIONS.filter(([path]) => url.includes(path))) {
      const changed = text.replace(deviation[1], deviation[2]);
      if (changed !== text) unused.delete(deviation);
      text = changed;
    }
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' }).end(text);
  });
  return { url: `http://${await listening(server)}`, unused };
}

/** Columns may be of any width. */
const describeEach = (lines: readonly string[]) => lines.map((line) => line.split(/ {2,}/).join(' | '));

it('a first account at a partner that differs from its documents in five ways shows each of them to the probe before anything is written, as docs/tutorial-partner.md promises', async () => {
  const sandbox = await runSandbox();
  const merchant = String(await sandbox.create());
  const probe = ['probe', 'boarding', '--merchant', merchant, '--json'];
  const written = await sandbox.effects();
  const partner = await deviating(sandbox.url);
  const { code, stdout, stderr } = await gangway(sandboxAccount(partner.url), probe);
  expect([...partner.unused]).toEqual([]);
  const matches = rowsOf(stdout).flatMap(({ operation, differences }) =>
    differences.map(({ kind, field, got }) => [operation, kind, field, got].join(' | ')),
  );
  expect(matches.filter((line) => !line.startsWith('get-status2')).sort()).toEqual([
    'get-status | missing-field | statusDate | nothing',
    'get-status | unknown-field | riskScore | integer of 1 character',
    'get-status | unknown-status | status | string of 22 characters',
    'list-agent-profiles | other-type | N.id | string of 6 characters',
    'list-boarding-settings | missing-field | N.name | nothing',
    'list-boarding-settings | unknown-field | N.title | string of 8 characters',
  ]);
  expect(stderr).toContain('workflows cannot rely on boarding ');
  expect(code).toBe(1);
  expect(await sandbox.effects()).toEqual(written);

  const output = await gangway(sandboxAccount(partner.url), probe.slice(0, -1));
  const lines = output.stdout
    .split('\n')
    .filter((line) => /^boarding (?!get-status2)\S+ +\S+ +\w+ \w+ /.test(line));
  const page = await readFile('docs/tutorial-partner.md', 'utf8');
  expect(describeEach(lines)).toEqual(describeEach(page.match(/^boarding .*$/gm) ?? []));
});
