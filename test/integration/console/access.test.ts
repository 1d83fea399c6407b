import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { h } from 'preact';
import { Registry } from 'prom-client';
import { FormData } from 'undici';
import { describe, expect, it } from 'vitest';
import { openOnboarding } from '../../../src/console/onboarding-view.js';
import type { Route } from '../../../src/console/route.js';
import { runConsole, type Sent } from '../../rigs/console/running-console.js';
import { clientOf } from '../../rigs/receiver/running-receiver.js';
import { scraped } from '../../rigs/scrape.js';
import { shared } from '../../rigs/shared.js';
import { sharedRig } from '../../rigs/shared-rig.js';

const rig = await sharedRig();

/** What a route may return, without the pages of the console. */
const ECHOES: readonly Route[] = [
  {
    ...{ method: 'POST', path: '/echo', role: 'viewer' },
    show: async () => ({ to: '/message', message: '<script>alert(1)</script>\r\nset-cookie: a=b' }),
  },
  {
    ...{ method: 'GET', path: '/message', role: 'viewer' },
    show: async () => ({ page: h('p', null, '<img src=x onerror=alert(1)>'), title: '</title><script>' }),
  },
  {
    ...{ method: 'GET', path: '/file/:name', role: 'viewer' },
    show: async ({ request }) => ({
      ...{ file: 'content', contentType: 'application/octet-stream' },
      fileName: (request.params as { readonly name: string }).name,
    }),
  },
  {
    ...{ method: 'GET', path: '/open/:id', role: 'viewer' },
    async show(visit) {
      const { workflowId: opened } = await openOnboarding(visit);
      return { page: h('p', null, `opened ${opened}`), title: 'Opened' };
    },
  },
  {
    ...{ method: 'POST', path: '/answer', role: 'viewer' },
    async show({ audit, visitor }) {
      const event = { workflowId: 'merchant-boarding-1', requirementId: 'r-1', detail: 'text' };
      audit(visitor, { what: 'answer', ...event, result: 'accepted' });
      audit(visitor, { what: 'show private values', workflowId: 'merchant-boarding-1', detail: 'ssn' });
      return { to: '/' };
    },
  },
];

const running = shared((until) => runConsole(rig, {}, until));
const echoing = shared((until) => runConsole(rig, { routes: ECHOES, provider: running().provider }, until));

const FORGED = 'eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIn0..AAAA.AAAA.AAAA';

it.each<[kind: string, path: string, unadmitted: number, sent?: () => Sent]>([
  ['a page', '/start', 303],
  ['a part of one', `/batches/${randomUUID()}/part`, 401],
  ['a form', '/start/merchant', 401, () => ({ form: {} })],
  ['a form with files', '/batches', 401, () => ({ body: new FormData() })],
])('%s is for a session with its role only, and a form has its token', async (_, path, unadmitted, sent) => {
  for (const cookie of [undefined, FORGED]) {
    const visitor = running().visitor();
    if (cookie !== undefined) visitor.cookies.set('gangway-session', cookie);
    const { status, headers } = await visitor.open(path, sent?.());
    expect(status).toBe(unadmitted);
    if (unadmitted === 303) expect(headers.get('location')).toBe('/sign-in?to=%2Fstart');
  }
  const low = await (await running().signedIn({ role: 'approver' })).open(path, sent?.());
  expect([low.status, low.text]).toEqual([
    403,
    expect.stringContaining('This needs the role admin. Your role is approver.'),
  ]);
  const admin = await running().signedIn({ role: 'admin' });
  if (!sent) {
    expect((await admin.open(path)).status).toBe(path === '/start' ? 200 : 404);
    return;
  }
  const { form, ...body } = sent();
  const wrong = await admin.open(path, form ? { form: { csrf: 'wrong' } } : body);
  expect([wrong.status, wrong.text]).toEqual([
    403,
    expect.stringContaining('This form has expired, or is not'),
  ]);
  const headers = { 'sec-fetch-site': 'cross-site' };
  const foreign = await admin.open(path, { ...sent(), headers });
  expect([foreign.status, foreign.text]).toEqual([
    403,
    expect.stringContaining('The form is from another site.'),
  ]);
});

describe('every page', () => {
  it('has the headers that forbid scripts, frames, caches and requests to others', async () => {
    const ada = await echoing().signedIn();
    const pages = [
      ...[await ada.open('/message'), await ada.open('/nowhere'), await ada.open('/%zz')],
      ...[await echoing().visitor().open('/sign-in'), await echoing().visitor().open('/signed-out')],
      await ada.open('/echo', { form: { csrf: 'wrong' } }),
    ];
    for (const { headers } of pages) {
      expect(headers.get('content-security-policy')).toBe(
        "default-src 'none';style-src 'self';script-src 'self';connect-src 'self';img-src 'self' data:;form-action 'self';" +
          "base-uri 'none';frame-ancestors 'none'",
      );
      expect(Object.fromEntries(headers)).toMatchObject({
        'cache-control': 'no-store',
        'content-type': 'text/html; charset=utf-8',
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
      });
      expect(headers.has('strict-transport-security')).toBe(false);
      expect(headers.has('x-powered-by')).toBe(false);
    }
  });

  it('on https makes browsers stay there', async () => {
    const env = { CONSOLE_URL: 'https://console.example.com' };
    const { visitor } = await runConsole(rig, { env, provider: running().provider });
    const { headers } = await visitor().open('/sign-in', { headers: { host: 'console.example.com' } });
    expect(headers.get('strict-transport-security')).toBe('max-age=31536000; includeSubDomains');
  });

  it('shows a script in a name, a title, a text or a message as text', async () => {
    const ada = await echoing().signedIn({ name: '<script>alert(1)</script>"\'><b>' });
    expect((await ada.open('/echo', { form: {} })).headers.getSetCookie().join()).not.toMatch(/alert|a=b/);
    const { text: page } = await ada.open('/message');
    expect(page).toContain('&lt;script>alert(1)&lt;/script>');
    expect(page.match(/<script[^>]*>/g)).toEqual([
      expect.stringMatching(/^<script src="\/assets\/[^"]+" defer>$/),
    ]);
    expect(page).not.toMatch(/<(img|b)\b|\son\w+="|style="/);
    // A message is shown once.
    expect((await ada.open('/message')).text).not.toContain('class="message"');
  });

  it.each(['not/a/zone', '"><script>', '%00', 'x'.repeat(3_000)])(
    'survives the time zone %s',
    async (zone) => {
      const ada = await running().signedIn();
      ada.cookies.set('gangway-zone', encodeURIComponent(zone));
      expect((await ada.open('/')).status).toBe(200);
    },
  );
});

describe('an error is a page', () => {
  it.each([
    ['404', 404, 'There is no such page.', '/nowhere', {}],
    ['404 for another method', 404, 'There is no such page.', '/message', { method: 'DELETE' as const }],
    ['a bad path', 400, 'The request cannot be read.', '/%zz', {}],
    ['a bad path of a part', 400, 'The request cannot be read.', '/open/%E0%A4%A', {}],
    [
      ...(['JSON', 415, 'The console accepts only forms.', '/echo'] as const),
      { body: '{}', headers: { 'content-type': 'application/json' } },
    ],
    [
      ...(['plain text', 415, 'The console accepts only forms.', '/echo'] as const),
      { body: 'csrf=x', headers: { 'content-type': 'text/plain' } },
    ],
    [
      ...(['a large form', 413, 'The request is too large.', '/echo'] as const),
      { form: { text: 'x'.repeat(300_000) } },
    ],
  ])('%s', async (_, status, message, path, sent) => {
    const ada = await echoing().signedIn();
    const reply = await ada.open(path, sent);
    expect([reply.status, reply.text]).toEqual([status, expect.stringContaining(message)]);
    expect(reply.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(reply.text).not.toMatch(/node_modules|FST_|\.js:\d/);
  });

  it('while Temporal is unavailable, with a status for later', async () => {
    const client = clientOf('127.0.0.1:9');
    const { signedIn, visitor } = await runConsole({ client, env: rig.env });
    const [alive, ready, page] = await Promise.all([
      visitor().open('/healthz'),
      visitor().open('/readyz'),
      signedIn().then((ada) => ada.open('/')),
    ]);
    expect([alive.status, ready.status, ready.text]).toEqual([200, 503, '{"temporal":"unavailable"}']);
    expect(page.status).toBe(503);
  });

  it('for a request that is no HTTP or arrives too slowly, without a page', async () => {
    const patient = await runConsole(rig, { provider: null });
    const hasty = await runConsole(rig, { provider: null, limits: { headersMs: 200, requestMs: 400 } });
    const send = async (head: string, { url } = patient) => {
      const socket = connect(Number(new URL(url).port), '127.0.0.1');
      socket.write(head);
      return text(socket);
    };
    const [slow, broken, large] = await Promise.all([
      send('GET / HTTP/1.1\r\nhost: localhost\r\n', hasty),
      send('not http\r\n\r\n'),
      send(`GET / HTTP/1.1\r\nx: ${'x'.repeat(20_000)}\r\n\r\n`),
    ]);
    expect(slow).toMatch(/^HTTP\/1\.1 408 .*took too long/s);
    expect(broken).toMatch(/^HTTP\/1\.1 400 .*cannot be read/s);
    expect(large).toMatch(/^HTTP\/1\.1 431 .*too large/s);
  });
});

it('the audit log names who saw and answered what, and the metrics count it', async () => {
  const registry = new Registry();
  const console = await runConsole(rig, { routes: ECHOES, provider: running().provider, registry });
  const ada = await console.signedIn();
  await ada.open('/answer', { form: {} });
  const { actor } = ada;
  expect(console.audited().slice(1)).toEqual([
    {
      ...{ actor, what: 'answer', workflowId: 'merchant-boarding-1', requirementId: 'r-1' },
      ...{ detail: 'text', result: 'accepted', msg: 'answer' },
    },
    {
      ...{ actor, what: 'show private values', workflowId: 'merchant-boarding-1', detail: 'ssn' },
      msg: 'show private values',
    },
  ]);
  const metrics = scraped(await registry.metrics());
  expect(metrics('gangway_console_answers_total', { kind: 'text', result: 'accepted' })).toBe(1);
  expect(metrics('gangway_console_requests_total', { method: 'POST', route: '/answer', status: '303' })).toBe(
    1,
  );
  expect(metrics('gangway_console_request_duration_seconds_count', { route: '/answer' })).toBe(1);
});
