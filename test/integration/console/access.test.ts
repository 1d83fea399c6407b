import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { h } from 'preact';
import { FormData } from 'undici';
import { describe, expect, it } from 'vitest';
import { openOnboarding } from '../../../src/console/onboarding-access.js';
import { ROUTES } from '../../../src/console/pages/routes.js';
import type { Route } from '../../../src/console/route.js';
import type { Role } from '../../../src/console/visitor.js';
import { workflowId } from '../../../src/messages/ids.js';
import { initialVisibility } from '../../../src/messages/search-attributes.js';
import {
  type Reply,
  runConsole,
  type Sent,
  type SignedIn,
  type Visitor,
} from '../../rigs/console/running-console.js';
import { clientOf } from '../../rigs/receiver/running-receiver.js';
import { scrape } from '../../rigs/scrape.js';
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
    ...{ method: 'GET', path: '/defect', role: 'viewer' },
    show: async () => {
      throw new Error('private words of a defect');
    },
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

/** A person of each role. */
const people = shared(async () => {
  const signedIn = ROLES.map(async (role) => [role, await running().signedIn({ role })] as const);
  return Object.fromEntries(await Promise.all(signedIn)) as Record<Role, SignedIn>;
});

/** An admin who may see one account, and an onboarding of another one. */
const restricted = shared(async (until) => {
  const env = { OIDC_ACCOUNTS_CLAIM: 'accounts' };
  const console = await runConsole(rig, { env, provider: running().provider }, until);
  const south = await started('merchantBoarding', 'south');
  return { north: await console.signedIn({ role: 'admin', accounts: ['north'] }), south };
});

/** Starts a workflow that no worker runs. @param own what its search attribute has */
async function started(
  type: 'merchantBoarding' | 'partnerAccount' | 'closeCard',
  idAccount?: string,
  own = idAccount,
): Promise<string> {
  const { client } = rig;
  const id = workflowId(type, `x-${randomUUID()}`, idAccount);
  const { typedSearchAttributes } = initialVisibility(type, { account: own });
  await client.workflow.start(type, {
    ...{ workflowId: id, taskQueue: 'nobody-polls-this', typedSearchAttributes },
  });
  return id;
}

/** The routes that a role opens, beside those of the roles before it (docs/console.md, "What your role allows"). */
const OPENED_BY = {
  // See onboardings and the report, with private values masked.
  viewer: [
    ...['GET /', 'GET /inbox/part', 'GET /onboardings', 'GET /onboardings/:id', 'GET /onboardings/:id/part'],
    ...[
      'GET /onboardings/:id/requirements/:requirementId',
      'GET /onboardings/:id/requirements/:requirementId/part',
    ],
    ...['GET /onboardings/:id/documents', 'GET /report', 'GET /report.json', 'GET /report.csv'],
  ],
  // Take and answer requirements, upload documents, correct fields, and see private values.
  operator: [
    'POST /onboardings/:id/requirements/:requirementId',
    'POST /onboardings/:id/requirements/:requirementId/documents',
    'POST /onboardings/:id/requirements/:requirementId/claim',
    'POST /onboardings/:id/requirements/:requirementId/proposal',
    ...['POST /onboardings/:id/private', 'GET /onboardings/:id/documents/:key'],
  ],
  // Read an auditor's record.
  approver: ['GET /onboardings/:id/export', 'GET /onboardings/:id/export.json'],
  // Start onboardings and batches.
  admin: [
    ...['GET /start', 'GET /start/:kind', 'POST /start/:kind', 'POST /start/file', 'POST /batches'],
    ...['GET /batches/:id', 'GET /batches/:id/part', 'GET /batches/:id/results.csv'],
    ...['POST /batches/:id/start', 'POST /batches/:id/stop'],
  ],
} as const;

const ROLES = ['viewer', 'operator', 'approver', 'admin'] as const;

/** These take files. */
const WITH_FILES = ['POST /batches', 'POST /start/file'];

/** A request for a route: a form if it takes one. The onboarding does not exist. */
function sentTo(
  line: string,
  csrf: string | undefined,
  id = 'merchant-boarding-nowhere',
): [path: string, sent: Sent] {
  const [method, pattern = ''] = line.split(' ');
  const path = pattern.replaceAll(/:\w+/g, encodeURIComponent(id));
  if (method === 'GET') return [path, {}];
  if (!WITH_FILES.includes(line) && !line.endsWith('/documents'))
    return [path, { form: csrf === undefined ? {} : { csrf } }];
  const body = new FormData();
  if (csrf !== undefined) body.append('csrf', csrf);
  return [path, { body }];
}

/** Whether the route itself has responded. */
function isAdmitted({ status, headers }: Reply): boolean {
  return status !== 401 && status !== 403 && !headers.get('location')?.startsWith('/sign-in');
}

const withoutForm = ({ cookies, open }: Visitor): Visitor => ({
  cookies,
  open: (path, { form, ...sent } = {}) =>
    open(path, {
      ...sent,
      ...(form && {
        body: new URLSearchParams(form).toString(),
        headers: { 'content-type': 'application/x-www-form-urlencoded', ...sent.headers },
      }),
    }),
});

it('every route has its role in this file', () => {
  const lines = ROUTES.map(({ method, path }) => `${method} ${path}`);
  expect(lines.sort()).toEqual(Object.values(OPENED_BY).flat().sort());
});

describe.each(ROLES.flatMap((needed) => OPENED_BY[needed].map((line) => [line, needed] as const)))(
  '%s',
  (line, needed) => {
    const unadmitted = line.startsWith('GET') && !line.endsWith('/part') ? 303 : 401;

    it(`responds with ${unadmitted} without a session, and with a forged one`, async () => {
      for (const cookie of [undefined, 'eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIn0..AAAA.AAAA.AAAA']) {
        const visitor = running().visitor();
        if (cookie !== undefined) visitor.cookies.set('gangway-session', cookie);
        const reply = await visitor.open(...sentTo(line, 'some'));
        expect(reply.status).toBe(unadmitted);
        if (unadmitted === 303) expect(reply.headers.get('location')).toMatch(/^\/sign-in(\?to=%2F|$)/);
      }
    });

    it(`admits roles only from ${needed} up`, async () => {
      for (const [place, role] of ROLES.entries()) {
        const person = people()[role];
        const reply = await person.open(...sentTo(line, await person.csrf()));
        if (place >= ROLES.indexOf(needed)) {
          expect([role, reply.status, isAdmitted(reply)]).toEqual([role, expect.any(Number), true]);
          if (!line.includes(':') && line.startsWith('GET')) expect(reply.status).toBe(200);
        } else {
          expect([reply.status, reply.text]).toEqual([
            403,
            expect.stringContaining(`This needs the role ${needed}. Your role is ${role}.`),
          ]);
        }
      }
    });

    if (line.includes(':'))
      it('shows of another account no more than of one that does not exist', async () => {
        const { north, south } = restricted();
        const csrf = await north.csrf();
        const [others, missing] = await Promise.all(
          [south, 'merchant-boarding-nowhere@south'].map(async (id) => {
            const reply = await north.open(...sentTo(line, csrf, id));
            return [reply.status, reply.headers.get('location'), reply.text.replaceAll(id, 'ID')];
          }),
        );
        expect(others).toEqual(missing);
        expect(others?.[0]).toBeGreaterThanOrEqual(400);
      });

    if (line.startsWith('POST'))
      it('refuses a form without the token of this session, and one from a page of another site', async () => {
        const person = withoutForm(people().admin);
        const own = await people().admin.csrf();
        const others = await people().viewer.csrf();
        for (const [csrf, site, why] of [
          ...[undefined, '', 'wrong', others].map(
            (token) => [token, undefined, 'The form is too old, or not'] as const,
          ),
          ...['cross-site', 'same-site'].map(
            (from) => [own, from, 'The form is from another site.'] as const,
          ),
        ]) {
          const [path, sent] = sentTo(line, csrf);
          const reply = await person.open(path, { ...sent, headers: site ? { 'sec-fetch-site': site } : {} });
          expect([csrf, reply.status, reply.text]).toEqual([csrf, 403, expect.stringContaining(why)]);
        }
      });
  },
);

describe('an onboarding of another account', () => {
  const statusAndText = async (person: SignedIn, id: string) => {
    const { status, text } = await person.open(`/open/${encodeURIComponent(id)}`);
    return [status, /<h1>.*<\/main>|<p>.*<\/p>/.exec(text)?.[0].replaceAll(id, 'ID')];
  };

  it.each(['merchantBoarding', 'partnerAccount', 'closeCard'] as const)(
    'is like one that does not exist, for a %s',
    async (type) => {
      const env = { OIDC_ACCOUNTS_CLAIM: 'accounts' };
      const console = await runConsole(rig, { env, routes: ECHOES, provider: running().provider });
      const north = await console.signedIn({ accounts: ['north'] });
      const all = await console.signedIn({ accounts: 'default' });
      const [own, others, unnamed] = [
        await started(type, 'north'),
        await started(type, 'south'),
        await started(type),
      ];
      const missing = await statusAndText(north, workflowId(type, 'nowhere', 'north'));
      expect(missing).toEqual([404, expect.stringContaining('There is no onboarding with this id')]);
      expect(await statusAndText(north, own)).toEqual([200, '<p>opened ID</p>']);
      expect(await statusAndText(north, others)).toEqual(missing);
      expect(await statusAndText(north, unnamed)).toEqual(missing);
      expect(await statusAndText(all, unnamed)).toEqual([200, '<p>opened ID</p>']);
      expect(await statusAndText(all, own)).toEqual(missing);
    },
  );

  it('is not opened either when its id names an account of the person', async () => {
    const env = { OIDC_ACCOUNTS_CLAIM: 'accounts' };
    const console = await runConsole(rig, { env, routes: ECHOES, provider: running().provider });
    const north = await console.signedIn({ accounts: ['north'] });
    const id = await started('merchantBoarding', 'north', 'south');
    expect((await statusAndText(north, id))[0]).toBe(404);
  });

  it.each(['x', '../../metrics', 'gangway-events', '*', `merchant-boarding-${'x'.repeat(250)}`])(
    'and any other text is no id: %s',
    async (id) => {
      const ada = await echoing().signedIn();
      expect((await ada.open(`/open/${encodeURIComponent(id)}`)).status).toBe(404);
    },
  );
});

describe('the host of a request', () => {
  const statusOf = async (open: Visitor['open'], host: string, path = '/') =>
    (await open(path, { headers: { host } })).status;

  it('without a provider is a name of this machine, with the port', async () => {
    const { visitor, url } = await runConsole(rig, { provider: null });
    const { open } = visitor();
    const { port } = new URL(url);
    for (const host of [`localhost:${port}`, `127.0.0.1:${port}`, `[::1]:${port}`, `LOCALHOST:${port}`])
      expect([host, await statusOf(open, host)]).toEqual([host, 200]);
    for (const host of ['evil.example', `evil.example:${port}`, 'localhost', 'localhost:1', '127.0.0.1', ''])
      expect([host, await statusOf(open, host)]).toEqual([host, 421]);
  });

  it('is that of CONSOLE_URL only', async () => {
    const env = { CONSOLE_URL: 'https://console.example.com' };
    const { visitor, url } = await runConsole(rig, { env, provider: running().provider });
    const { open } = visitor();
    expect(await statusOf(open, 'console.example.com')).toBe(303);
    for (const host of [new URL(url).host, 'console.example.com:8085', 'console.example.com.evil.example'])
      expect([host, await statusOf(open, host)]).toEqual([host, 421]);
    expect(await statusOf(open, new URL(url).host, '/sign-in')).toBe(421);
    // Machines call by address.
    for (const path of ['/healthz', '/readyz', '/metrics'])
      expect([path, await statusOf(open, '10.0.0.7:8085', path)]).toEqual([path, 200]);
  });
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

describe('a file', () => {
  it.each([
    ['a\r\nset-cookie: a=b', "attachment; filename*=UTF-8''a%0D%0Aset-cookie%3A%20a%3Db"],
    ['../../etc/passwd', "attachment; filename*=UTF-8''..%2F..%2Fetc%2Fpasswd"],
    ['"\';*()é\u202e.txt', "attachment; filename*=UTF-8''%22%27%3B%2A%28%29%C3%A9%E2%80%AE.txt"],
  ])('is saved under a name that adds no header: %j', async (name, expected) => {
    const ada = await echoing().signedIn();
    const { status, headers, text: content } = await ada.open(`/file/${encodeURIComponent(name)}`);
    expect([status, content, headers.get('content-disposition')]).toEqual([200, 'content', expected]);
    expect(headers.has('set-cookie')).toBe(true);
    expect(headers.getSetCookie().join()).not.toContain('a=b');
  });
});

describe('an error is a page', () => {
  it.each([
    ['404', 404, 'There is no such page.', '/nowhere', {}],
    ['404 for another method', 404, 'There is no such page.', '/message', { method: 'DELETE' as const }],
    ['a bad path', 400, 'The request cannot be read.', '/%zz', {}],
    ['a bad path of a part', 400, 'The request cannot be read.', '/open/%E0%A4%A', {}],
    [
      ...(['JSON', 415, 'Pages of the console accept forms only.', '/echo'] as const),
      { body: '{}', headers: { 'content-type': 'application/json' } },
    ],
    [
      ...(['plain text', 415, 'Pages of the console accept forms only.', '/echo'] as const),
      { body: 'csrf=x', headers: { 'content-type': 'text/plain' } },
    ],
    [
      ...(['a large form', 413, 'What you sent is too large.', '/echo'] as const),
      { form: { text: 'x'.repeat(300_000) } },
    ],
    ['a defect', 500, 'The console has a defect. The log has the error.', '/defect', {}],
  ])('%s', async (_, status, message, path, sent) => {
    const ada = await echoing().signedIn();
    const reply = await ada.open(path, sent);
    expect([reply.status, reply.text]).toEqual([status, expect.stringContaining(message)]);
    expect(reply.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(reply.text).not.toMatch(/private words|node_modules|FST_|\.js:\d/);
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

describe('too many requests', () => {
  it('of one session are refused with a page, and those of others are not', async () => {
    const env = { CONSOLE_REQUESTS_PER_MINUTE: '15' };
    const { signedIn, visitor } = await runConsole(rig, { env, provider: running().provider });
    const [ada, bo] = [await signedIn(), await signedIn()];
    const statuses: number[] = [];
    // The sign-in ended on a page.
    for (let i = 0; i < 15; i += 1) statuses.push((await ada.open('/')).status);
    expect(statuses).toEqual([...Array(14).fill(200), 429]);
    const refused = await ada.open('/');
    expect([refused.status, refused.text]).toEqual([
      429,
      expect.stringContaining('There are too many requests.'),
    ]);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await bo.open('/')).status).toBe(200);
    // Before the sign-in, an address has the limit. Signing in took some of it.
    let last = 0;
    for (let i = 0; i < 16 && last !== 429; i += 1) last = (await visitor().open('/sign-in')).status;
    expect(last).toBe(429);
    expect((await bo.open('/')).status).toBe(200);
    expect((await visitor().open('/healthz')).status).toBe(200);
  });
});

it('the audit log names who saw and answered what, and the metrics count it', async () => {
  const console = await runConsole(rig, { routes: ECHOES, provider: running().provider });
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
  const metrics = await scrape(`${console.url}/metrics`);
  expect(metrics('gangway_console_answers_total', { kind: 'text', result: 'accepted' })).toBe(1);
  expect(metrics('gangway_console_requests_total', { method: 'POST', route: '/answer', status: '303' })).toBe(
    1,
  );
  expect(metrics('gangway_console_request_duration_seconds_count', { route: '/answer' })).toBe(1);
});
