import type { FastifyInstance } from 'fastify';
import { beforeEach, describe, expect, it } from 'vitest';
import { ASSETS } from '../../../../src/apps/console/layout.js';
import type { SessionData } from '../../../../src/apps/console/session.js';
import { stoppedAt } from '../../../rigs/clock.js';
import { consoleOfCalls, noted } from '../../../rigs/console/console-of-calls.js';
import { multipart } from '../../../rigs/console/multipart.js';

const NOON = '2026-01-31T12:00:00.000Z';
beforeEach(() => stoppedAt(NOON));

/** The routes that the router has, from its own tree. The path of an asset has a hash of its content, which is left out. */
function routesOf(server: FastifyInstance): string[] {
  const names: string[] = [];
  const tree = server.printRoutes({ commonPrefix: false }).trim().split('\n');
  return tree.flatMap((line) => {
    const [, indent = '', name = '', methods = ''] = /^([\s│]*)[└├]── (\S+)(?: \((.*)\))?$/.exec(line) ?? [];
    names.splice(indent.length / 4, names.length, name);
    const path = names
      .join('')
      .replace('//', '/')
      .replace(/^\/assets\/.{12}-/, '/assets/');
    return methods.split(', ').flatMap((method) => (method ? [`${method} ${path}`] : []));
  });
}

const ID = 'merchant-boarding-m-1';
const console = () => consoleOfCalls({ workflows: { [ID]: noted(NOON, ['text', 'documents']) } });

/** The address of a route, with parameters that lead somewhere. */
function addressOf(path: string): string {
  const asset = Object.values(ASSETS).find((each) => each.path.endsWith(path.replace('/assets/', '-')));
  return (asset?.path ?? path)
    .replace(':id', path.startsWith('/batches') ? 'b-1' : ID)
    .replace(':requirementId', 'note-1')
    .replace(':kind', 'merchant')
    .replace(':key', 'a-key');
}

const FORM = { kind: 'text', text: 'x', do: 'claim', remark: 'x', chosen: `note-1 ${ID}` };
const takesFiles = (path: string) => /^\/(start\/file|batches|.*\/documents)$/.test(path);

/** A form of a page of a session, as the route takes it. */
const formFor = (path: string, csrf: string) =>
  takesFiles(path)
    ? multipart(Object.entries({ csrf, ...FORM }).map(([name, content]) => ({ name, content })))
    : { form: { csrf, ...FORM } };

/** Whether a test's Temporal was told to do something, or asked for private values. */
const isWrite = ([what]: unknown[]) => what === 'start' || /[a-z][A-Z]/.test(String(what));

const PEOPLE: readonly (Partial<SessionData> | undefined)[] = [
  undefined,
  ...(['viewer', 'operator', 'approver', 'admin'] as const).map((role) => ({ role })),
  { role: 'admin', accounts: ['east'] },
];

/** For each route, the statuses for nobody, a viewer, an operator, an approver, an admin, and an admin of another account. */
const STATUSES = `
GET /                                                        303 200 200 200 200 200
GET /assets/shared.css                                       200 200 200 200 200 200
GET /assets/style.css                                        200 200 200 200 200 200
GET /assets/mark.svg                                         200 200 200 200 200 200
GET /assets/client.js                                        200 200 200 200 200 200
GET /activity                                                303 200 200 200 200 200
GET /activity.csv                                            303 200 200 200 200 200
GET /healthz                                                 200 200 200 200 200 200
GET /readyz                                                  200 200 200 200 200 200
GET /report                                                  303 200 200 200 200 200
GET /report.json                                             303 200 200 200 200 200
GET /report.csv                                              303 200 200 200 200 200
GET /sign-in                                                 503 503 503 503 503 503
GET /sign-in/return                                          403 403 403 403 403 403
POST /sign-out                                               303 303 303 303 303 303
POST /sign-out/back-channel                                  503 503 503 503 503 503
GET /signed-out                                              200 200 200 200 200 200
GET /start                                                   303 403 403 403 200 200
POST /start/file                                             401 403 403 403 422 422
GET /start/:kind                                             303 403 403 403 200 200
POST /start/:kind                                            401 403 403 403 422 422
GET /start/:kind/template.csv                                303 403 403 403 200 200
GET /inbox/part                                              401 200 200 200 200 200
GET /inbox/waiting                                           401 200 200 200 200 200
POST /inbox/claims                                           401 403 303 303 303 303
GET /onboardings                                             303 200 200 200 200 200
GET /onboardings/:id                                         303 200 200 200 200 404
GET /onboardings/:id/part                                    401 200 200 200 200 404
POST /onboardings/:id/private                                401 403 200 200 200 404
GET /onboardings/:id/requirements/:requirementId             303 200 200 200 200 404
POST /onboardings/:id/requirements/:requirementId            401 403 303 303 303 404
GET /onboardings/:id/requirements/:requirementId/part        401 200 200 200 200 404
POST /onboardings/:id/requirements/:requirementId/proposal   401 403 400 400 400 404
POST /onboardings/:id/requirements/:requirementId/documents  401 403 422 422 422 404
POST /onboardings/:id/requirements/:requirementId/claim      401 403 303 303 303 404
POST /onboardings/:id/requirements/:requirementId/link       401 403 400 400 400 404
POST /onboardings/:id/requirements/:requirementId/remarks    401 403 303 303 303 404
GET /onboardings/:id/documents                               303 200 200 200 200 404
GET /onboardings/:id/documents/:key                          303 403 404 404 404 404
GET /onboardings/:id/export                                  303 403 403 200 200 404
GET /onboardings/:id/export.json                             303 403 403 200 200 404
GET /batches                                                 303 403 403 403 303 303
POST /batches                                                401 403 403 403 422 422
GET /batches/:id                                             303 403 403 403 404 404
GET /batches/:id/part                                        401 403 403 403 404 404
POST /batches/:id/start                                      401 403 403 403 404 404
POST /batches/:id/stop                                       401 403 403 403 404 404
GET /batches/:id/results.csv                                 303 403 403 403 404 404
`;

// Proves D2.
it('no route shows or does more than its caller may, and no route is missing here', async () => {
  const { server, open, asked: questions } = await console();
  const lines = [];
  const writers = new Set<string>();
  for (const route of routesOf(server).filter((each) => !each.startsWith('HEAD'))) {
    const [method = '', path = ''] = route.split(' ');
    const statuses = [];
    for (const [at, who] of PEOPLE.entries()) {
      // A session of its own for each call, because one of them ends it.
      const csrf = `csrf-${route}-${at}`;
      questions.length = 0;
      const call = method === 'POST' ? formFor(path, who ? csrf : '') : {};
      const { status, text } = await open(who && { csrf, ...who }, addressOf(path), call);
      statuses.push(status);
      if (questions.some(isWrite)) writers.add(`${status} ${route}`);
      if (method === 'GET' && who) {
        const head = await open({ csrf, ...who }, addressOf(path), { method: 'HEAD' });
        expect([route, head.status, head.text]).toEqual([route, status, '']);
      }
      // Neither the dba nor the question.
      if ([401, 403, 404].includes(status)) expect(/Corner|A note|Send a check/.test(text)).toBe(false);
    }
    lines.push(`${route.padEnd(60)} ${statuses.join(' ')}`);
  }
  // The tree is in the order of the hashes.
  const inOrder = (all: readonly string[]) => all.toSorted().join('\n');
  expect(inOrder(lines)).toBe(inOrder(STATUSES.trim().split('\n')));
  expect([...writers]).toEqual(WRITERS);
});

/** What changed something, all of it by a role that may. The others got a form without what they need. */
const WRITERS = [
  '303 POST /sign-out',
  '303 POST /inbox/claims',
  '303 POST /onboardings/:id/requirements/:requirementId',
  '303 POST /onboardings/:id/requirements/:requirementId/claim',
  '303 POST /onboardings/:id/requirements/:requirementId/remarks',
];

it('a route has no other method than those of the list', async () => {
  const { server, open, asked: questions } = await console();
  const paths = new Set(routesOf(server).map((route) => route.split(' ')[1] ?? ''));
  const entries = new Set(routesOf(server));
  questions.length = 0;
  for (const path of paths)
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const) {
      if (entries.has(`${method} ${path}`)) continue;
      const sent = method === 'POST' ? formFor(path, 'csrf-of-olga') : { method };
      const { status, headers } = await open({ role: 'admin' }, addressOf(path), sent);
      expect([method, path, status, headers['allow']]).toEqual([method, path, 404, undefined]);
    }
  expect(questions.filter(isWrite)).toEqual([]);
});

const asA = (type: string, body: string) => ({ body, headers: { 'content-type': type } });
const encoded = (...fields: readonly [string, string][]) =>
  asA(
    'application/x-www-form-urlencoded',
    new URLSearchParams([...fields, ...Object.entries(FORM)]).toString(),
  );
const CSRF = 'csrf-of-olga';

/** A part of a form with files for each field. */
const parts = (...fields: readonly [string, string][]) =>
  multipart([...fields, ...Object.entries(FORM)].map(([name, content]) => ({ name, content })));

const WITHOUT_TOKEN: readonly (readonly [what: string, fields: readonly [string, string][]])[] = [
  ['no token', []],
  ['an empty token', [['csrf', '']]],
  ['the token of another session', [['csrf', 'csrf-of-bo']]],
  ['the beginning of the token', [['csrf', 'csrf-of-olg']]],
  ['more than the token', [['csrf', 'csrf-of-olga ']]],
  ['a token in another case', [['csrf', 'CSRF-OF-OLGA']]],
  ['a list of tokens', [['csrf[]', CSRF]]],
  ['a token in an object', [['csrf[0]', CSRF]]],
  ['a token of the prototype', [['__proto__[csrf]', CSRF]]],
  ['a token of the constructor', [['constructor[prototype][csrf]', CSRF]]],
  ['a prototype', [['__proto__', `{"csrf":"${CSRF}"}`]]],
];

const POSTS = STATUSES.trim()
  .split('\n')
  .flatMap((line) => /^POST (\S+)/.exec(line)?.[1] ?? [])
  // The identity provider sends it, signed.
  .filter((path) => path !== '/sign-out/back-channel');

/** Where a form may say that it comes from. */
const ELSEWHERE: readonly (readonly [site: string | undefined, origin: string | undefined])[] = [
  ['cross-site', 'https://evil.example'],
  ['cross-site', 'null'],
  ['same-site', 'https://other.example.com'],
  ['nowhere', undefined],
  // An old browser, whose token somebody knows.
  [undefined, 'https://evil.example'],
  [undefined, 'https://console.example.com.evil.example'],
  [undefined, 'https://console.example.com:8443'],
  [undefined, 'https://evil.example/console.example.com'],
  [undefined, 'console.example.com'],
  [undefined, 'file://'],
];

const BODIES = [
  ['application/json', JSON.stringify({ csrf: CSRF, ...FORM })],
  ['application/json', `{"__proto__":{"csrf":"${CSRF}"}}`],
  ['text/plain', `csrf=${CSRF}&kind=text&text=x`],
  ['application/x-www-form-urlencoded+json', `csrf=${CSRF}`],
  ['', `csrf=${CSRF}`],
  ['application/octet-stream', `csrf=${CSRF}`],
  ['text/html', `csrf=${CSRF}`],
  ['multipart/mixed; boundary=x', `--x\r\n\r\n${CSRF}\r\n--x--\r\n`],
] as const;

describe.each(POSTS)('POST %s changes nothing', (path) => {
  const trying = async () => {
    const { open, asked: questions } = await console();
    return async (call: object) => {
      questions.length = 0;
      const { status } = await open({ role: 'admin' }, addressOf(path), call);
      return [status, questions.filter(isWrite)];
    };
  };

  it('with the session alone, or with another token than that of the session', async () => {
    const tried = await trying();
    const own = takesFiles(path) ? parts : encoded;
    for (const [what, fields] of WITHOUT_TOKEN) {
      const isUnreadable = takesFiles(path) && fields[0]?.[0] === '__proto__';
      expect([what, ...(await tried(own(...fields)))]).toEqual([what, isUnreadable ? 400 : 403, []]);
    }
    expect(await tried(own(['csrf', CSRF], ['csrf', 'csrf-of-bo']))).toEqual([403, []]);
  });

  it('from another site, even with the token', async () => {
    const tried = await trying();
    for (const [site, origin] of ELSEWHERE) {
      const sent = formFor(path, CSRF) as { readonly headers?: object };
      const from = { ...(site && { 'sec-fetch-site': site }), ...(origin && { origin }) };
      const reply = await tried({ ...sent, headers: { ...sent.headers, ...from } });
      expect([site, origin, ...reply]).toEqual([site, origin, 403, []]);
    }
  });

  it('in another form than that of a page', async () => {
    const tried = await trying();
    for (const [type, body] of BODIES)
      expect([type, ...(await tried(asA(type, body)))]).toEqual([type, 415, []]);
  });
});

it.each([
  ['same-origin', 'https://console.example.com', 303],
  ['same-origin', 'null', 303],
  [undefined, 'https://console.example.com', 303],
  [undefined, 'null', 303],
])('a form from %s with the origin %s is one of this console: %i', async (site, origin, status) => {
  const { open } = await console();
  const headers = { origin, ...(site !== undefined && { 'sec-fetch-site': site }) };
  const claim = addressOf('/onboardings/:id/requirements/:requirementId/claim');
  const reply = await open({ role: 'admin' }, claim, { form: { do: 'claim' }, headers });
  expect(reply.status).toBe(status);
});
