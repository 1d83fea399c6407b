import { expect, it, vi } from 'vitest';
import { receiverOf } from '../../../../src/apps/receiver/server.js';
import { stoppedAt } from '../../../rigs/clock.js';
import { merchant } from '../../../rigs/inputs.js';
import { clientsFile, clientWith, receiverOptions } from '../../../rigs/receiver/running-receiver.js';
import { answering, known } from '../../../rigs/temporal/answering-service.js';

const ALL = ['read', 'private', 'start', 'answer', 'claim', 'approve', 'documents', 'link'];

const { externalId: _, ...input } = merchant();
const ONE = '/v1/onboardings/merchant-boarding-m-1@acme';
const ASKED = '/v1/requirements/merchant-boarding-m-1@acme/note-1';
/** Not the name of a link: a test about links has those. */
const LINK = '/v1/links/nowhere';
const reason = 'asked';
const answer = { kind: 'text', text: 'One in ten.' };

/** Every route with the scope that it needs, a request that fits it, and its response to a client of another account. */
const ROUTES: readonly (readonly [
  line: string,
  scope: string,
  body: object | undefined,
  elsewhere: number,
])[] = [
  ['GET /v1/onboardings', 'read', undefined, 200],
  ['PUT /v1/onboardings/m-1', 'start', { type: 'merchant', account: 'acme', ...input }, 422],
  [`GET ${ONE}`, 'read', undefined, 404],
  [`GET ${ONE}/timeline`, 'read', undefined, 404],
  [`POST ${ONE}/cancel`, 'approve', { reason }, 404],
  [`POST ${ONE}/nudge`, 'answer', undefined, 404],
  ['GET /v1/report', 'read', undefined, 200],
  ['GET /v1/requirements', 'read', undefined, 200],
  [`GET ${ASKED}`, 'read', undefined, 404],
  [`POST ${ASKED}/claim`, 'claim', {}, 404],
  [`POST ${ASKED}/assign`, 'claim', { assignee: 'Bo' }, 404],
  [`POST ${ASKED}/release`, 'claim', {}, 404],
  [`POST ${ASKED}/remark`, 'claim', { text: 'Called.' }, 404],
  [`POST ${ASKED}/answer`, 'answer', { answer, reason }, 404],
  [`POST ${ASKED}/take-back`, 'answer', { reason }, 404],
  [`POST ${ASKED}/propose`, 'answer', { answer, reason }, 404],
  [`POST ${ASKED}/confirm`, 'approve', { proposedAt: '2026-01-31T12:00:00Z', person: 'Bo' }, 404],
  [`POST ${ASKED}/withdraw`, 'answer', {}, 404],
  [`POST ${ASKED}/ask`, 'answer', { text: 'A check, please.', wants: { kind: 'text' } }, 404],
  [`POST ${ASKED}/revoke-link`, 'answer', {}, 404],
  [`POST ${ASKED}/send-back`, 'answer', { proposedAt: '2026-01-31T12:00:00Z', text: 'It is cut off.' }, 404],
  [`POST ${LINK}/read`, 'link', { token: 'x' }, 404],
  [`POST ${LINK}/enter`, 'link', { token: 'x', code: '123456', session: 's'.repeat(43) }, 404],
  [`POST ${LINK}/begin`, 'link', { token: 'x' }, 404],
  [`POST ${LINK}/propose`, 'link', { token: 'x', answer }, 404],
  [`POST ${LINK}/documents`, 'link', undefined, 404],
  ['POST /v1/documents', 'documents', undefined, 415],
];

/** A workflow in the account acme, which every list of the server has. */
const ACMES = { workflowId: 'merchant-boarding-m-1@acme', indexed: { PartnerAccount: 'acme' } };

async function receiver(clients: readonly object[]) {
  const { client, sent } = answering({
    ...known(ACMES),
    countWorkflowExecutions: () => ({ count: 1 }),
    requestCancelWorkflowExecution: () => ({}),
    describeNamespace: () => ({}),
  });
  const accounts = { acme: { posNames: [] }, other: { posNames: [] } };
  const options = { client, taskQueue: 'gangway', accounts, clientsFile: clientsFile(clients), secrets: [] };
  const server = await receiverOf(receiverOptions(options));
  const call = async (line: string, token: string | undefined, body?: object) => {
    const [method, url] = line.split(' ');
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    return server.inject({
      method: method as 'GET',
      url: url ?? '',
      headers,
      ...(body && { payload: body }),
    });
  };
  return { server, sent, call };
}

// Catches a route that is added without a scope, or with another one.
it('the table has every route of the OpenAPI document', async () => {
  const { server } = await receiver([]);
  const { paths } = (await server.inject('/openapi.json')).json();
  const documented = Object.entries<object>(paths).flatMap(([path, item]) =>
    Object.keys(item).flatMap((method) => (path.startsWith('/v1/') ? `${method.toUpperCase()} ${path}` : [])),
  );
  const tested = ROUTES.map(([line]) =>
    line
      .replace('PUT /v1/onboardings/m-1', 'PUT /v1/onboardings/{onboarding}')
      .replace(ONE, '/v1/onboardings/{onboarding}')
      .replace(ASKED, '/v1/requirements/{onboarding}/{id}')
      .replace(LINK, '/v1/links/{link}'),
  );
  expect(tested.sort()).toEqual(documented.sort());
});

// Catches a route that reads Temporal, or a body, before it knows that its client may.
it.each(ROUTES)('%s needs the scope %s', async (line, scope, body) => {
  const without = clientWith(
    { name: 'without', scopes: ALL.filter((each) => each !== scope) },
    'w'.repeat(32),
  );
  const { call, sent } = await receiver([without]);
  for (const [token, status, type] of [
    [undefined, 401, 'bad-token'],
    ['x'.repeat(32), 401, 'bad-token'],
    ['w'.repeat(32), 403, 'forbidden'],
  ] as const) {
    const reply = await call(line, token, body);
    expect([reply.statusCode, reply.json().type]).toEqual([status, `urn:gangway:problem:${type}`]);
  }
  expect((await call(line, 'w'.repeat(32), body)).json().detail).toBe(`this needs the scope ${scope}`);
  expect(sent).toEqual([]);
});

// Catches a route that shows, or touches, what is in an account of others, or that tells it from what does not exist.
it.each(ROUTES)('%s shows nothing of another account', async (line, _, body, elsewhere) => {
  const other = clientWith({ scopes: ALL, accounts: ['other', 'default'] }, 'o'.repeat(32));
  const { call, sent } = await receiver([other]);
  const reply = await call(line, 'o'.repeat(32), body);
  expect(reply.statusCode).toBe(elsewhere);
  expect(reply.body).not.toContain('m-1@acme');
  if (elsewhere !== 200) expect(sent).toEqual([]);
  if (elsewhere !== 404) return;
  const unknown = await call(line.replace('m-1@acme', 'm-2'), 'o'.repeat(32), body);
  expect([unknown.statusCode, unknown.body]).toEqual([404, reply.body]);
});

it('a client without the account without a name must name one', async () => {
  const other = clientWith({ scopes: ALL, accounts: ['other'] }, 'o'.repeat(32));
  const { call } = await receiver([other]);
  const reply = await call('PUT /v1/onboardings/m-1', 'o'.repeat(32), { type: 'merchant', ...input });
  expect([reply.statusCode, reply.json().errors]).toEqual([
    422,
    [{ field: 'account', message: 'is required, because you may not use the account without a name' }],
  ]);
});

// Catches a limit that all clients share, and a HEAD that needs no token.
it('a client has a limit of its own, and HEAD is refused like GET', async () => {
  const slow = clientWith({ name: 'slow', scopes: ['read'], requestsPerMinute: 1 }, 's'.repeat(32));
  const { call } = await receiver([slow, clientWith({ scopes: ['read'] }, 'o'.repeat(32))]);
  const statusOf = async (line: string, token?: string) => (await call(line, token)).statusCode;
  expect(await statusOf('GET /v1/onboardings', 's'.repeat(32))).toBe(200);
  expect(await statusOf('GET /v1/onboardings', 's'.repeat(32))).toBe(429);
  expect(await statusOf('GET /v1/onboardings', 'o'.repeat(32))).toBe(200);
  expect([await statusOf('HEAD /v1/onboardings'), await statusOf(`HEAD ${ONE}`)]).toEqual([401, 401]);
});

// Alone catches programs that each search for the same list, which is more than Temporal allows, a list that is shared with a client of
// other accounts, and one that does not show a client what it has just done.
it('clients of the same accounts share a list for a second', async () => {
  stoppedAt(0);
  const acme = (name: string) => clientWith({ name, accounts: ['acme'], scopes: ['read'] }, name.repeat(32));
  const all = clientWith({ name: 'c', scopes: ['read', 'approve'] }, 'c'.repeat(32));
  const { call, sent } = await receiver([acme('a'), acme('b'), all]);
  for (const route of ['/v1/onboardings', '/v1/requirements']) {
    const searches = async (name: string, query = '') => {
      const before = sent.length;
      expect((await call(`GET ${route}${query}`, name.repeat(32))).statusCode).toBe(200);
      return sent.slice(before).filter(([method]) => method === 'listWorkflowExecutions').length;
    };
    expect([await searches('a'), await searches('b'), await searches('a')]).toEqual([1, 0, 0]);
    expect([await searches('c'), await searches('c')]).toEqual([1, 0]);
    expect([await searches('a', '?limit=9'), await searches('a', '?limit=9')]).toEqual([1, 0]);
    vi.advanceTimersByTime(1_000);
    expect(await searches('b')).toBe(1);
    await call(`POST ${ONE}/cancel`, 'c'.repeat(32), { reason });
    expect(await searches('b')).toBe(1);
  }
});

// Alone catches a filter that is accepted, and then ignored: a client acts on everything that the list has.
it('each filter of the list of onboardings is part of the search', async () => {
  const { server, sent, call } = await receiver([clientWith({ scopes: ['read'] }, 'o'.repeat(32))]);
  const { paths } = (await server.inject('/openapi.json')).json();
  const { parameters } = paths['/v1/onboardings'].get as { parameters: { name: string; schema: object }[] };
  const [time, names] = ['2026-01-31T12:00:00Z', parameters.map(({ name }) => name)];
  const values: Record<string, string> = {
    type: 'merchant',
    stage: 'underwriting',
    state: 'running',
    waiting: 'true',
  };
  const searchedBy = async (query: string) => {
    expect((await call(`GET /v1/onboardings${query}`, 'o'.repeat(32))).statusCode).toBe(200);
    return sent.findLast(([method]) => method === 'listWorkflowExecutions')?.[1].query;
  };
  const searches = [await searchedBy('')];
  for (const name of names.filter((name) => name !== 'limit' && name !== 'cursor'))
    searches.push(
      await searchedBy(`?${name}=${values[name] ?? (/Since|Before/.test(name) ? time : 'acme')}`),
    );
  expect(new Set(searches).size).toBe(names.length - 1);
});
