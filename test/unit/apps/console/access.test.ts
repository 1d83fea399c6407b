import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';
import { h } from 'preact';
import { Registry } from 'prom-client';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { requireCsrf } from '../../../../src/apps/console/admission.js';
import { ASSETS } from '../../../../src/apps/console/layout.js';
import { mayOpen, openOnboarding } from '../../../../src/apps/console/onboarding-view.js';
import { listedAccounts } from '../../../../src/apps/console/pages/filters.js';
import { ROUTES } from '../../../../src/apps/console/pages/routes.js';
import { maySee, PageError, type Route, type User } from '../../../../src/apps/console/route.js';
import { loadConsoleSettings } from '../../../../src/apps/console/settings.js';
import { ROLES } from '../../../../src/messages/actors.js';
import { accountProblem, knownWithin } from '../../../../src/messages/inputs.js';
import { InvalidInput } from '../../../../src/services/texts/invalid-input.js';
import { TemporalProblem } from '../../../../src/temporal/unavailable.js';
import { stoppedAt } from '../../../rigs/clock.js';
import { type CallOptions, consoleOfCalls, PROVIDER } from '../../../rigs/console/console-of-calls.js';
import { multipart, type Part } from '../../../rigs/console/multipart.js';
import { peopleFile } from '../../../rigs/people-file.js';
import { scraped } from '../../../rigs/scrape.js';
import { grpcError } from '../../../rigs/temporal/answering-service.js';

const NOON = '2026-01-31T12:00:00.000Z';
beforeEach(() => stoppedAt(NOON));

const REQUIREMENT = '/onboardings/:id/requirements/:requirementId';

it('each route is for the role that this list names', () => {
  const lines = ROUTES.map(({ method, path, role, part, multipart }) =>
    [method, path, role, part && 'part', multipart && 'multipart'].filter(Boolean).join(' '),
  );
  expect(lines.sort()).toEqual(
    [
      'GET / viewer',
      'GET /inbox/part viewer part',
      'GET /inbox/waiting viewer part',
      'POST /inbox/claims operator',
      'GET /onboardings viewer',
      'GET /onboardings/:id viewer',
      'GET /onboardings/:id/part viewer part',
      'POST /onboardings/:id/private operator',
      'GET /onboardings/:id/documents viewer',
      'GET /onboardings/:id/documents/:key operator',
      'GET /onboardings/:id/export approver',
      'GET /onboardings/:id/export.json approver',
      `GET ${REQUIREMENT} viewer`,
      `GET ${REQUIREMENT}/part viewer part`,
      `POST ${REQUIREMENT} operator`,
      `POST ${REQUIREMENT}/documents operator multipart`,
      `POST ${REQUIREMENT}/claim operator`,
      `POST ${REQUIREMENT}/link operator`,
      `POST ${REQUIREMENT}/proposal operator`,
      `POST ${REQUIREMENT}/remarks operator`,
      'GET /activity viewer',
      'GET /activity.csv viewer',
      'GET /report viewer',
      'GET /report.json viewer',
      'GET /report.csv viewer',
      'GET /start admin',
      'GET /start/:kind admin',
      'GET /start/:kind/template.csv admin',
      'POST /start/:kind admin',
      'POST /start/file admin multipart',
      'GET /batches admin',
      'POST /batches admin multipart',
      'GET /batches/:id admin',
      'GET /batches/:id/part admin part',
      'GET /batches/:id/results.csv admin',
      'POST /batches/:id/start admin',
      'POST /batches/:id/stop admin',
    ].sort(),
  );
});

describe('a person', () => {
  const ID = 'merchant-boarding-m-1';
  it.each<[accounts: readonly string[] | undefined, seen: string]>([
    [undefined, `${ID} ${ID}@north ${ID}@south`],
    [['north'], `${ID}@north`],
    [['', 'south'], `${ID} ${ID}@south`],
    [[], ''],
  ])('with the accounts %j opens %s', (accounts, seen) => {
    const user = { accounts } as User;
    const ids = [ID, `${ID}@north`, `${ID}@south`, 'gangway-events', ''];
    expect(ids.filter((id) => mayOpen({ user }, id)).join(' ')).toBe(seen);
  });

  it.each<[accounts: readonly string[] | undefined, chosen: string, listed: readonly string[] | undefined]>([
    [undefined, '', undefined],
    [undefined, 'default', ['']],
    [undefined, 'north', ['north']],
    [['north', ''], '', ['north', '']],
    [['north'], 'north', ['north']],
    [['north'], 'south', []],
    [['north'], 'default', []],
    [['north', ''], 'default', ['']],
  ])('with the accounts %j who asks for %j gets the list of %j', (accounts, chosen, listed) => {
    expect(listedAccounts({ accounts } as User, chosen)).toEqual(listed);
  });

  it('starts only in accounts that they see, and the unnamed account is one of them', () => {
    const env = { GANGWAY_ACCOUNTS: 'north,south', DOCUMENT_DIR: '/dev/null/documents' };
    const settings = loadConsoleSettings(env);
    const north = { accounts: ['north'] } as unknown as User;
    const all = { accounts: undefined } as unknown as User;
    expect(Object.keys(knownWithin(settings, north.accounts).accounts)).toEqual(['north']);
    expect(Object.keys(knownWithin(settings, all.accounts).accounts)).toEqual(['north', 'south']);
    expect(accountProblem(north.accounts, 'north')).toBeUndefined();
    expect(accountProblem(all.accounts, undefined)).toBeUndefined();
    expect(accountProblem(north.accounts, undefined)).toEqual({
      field: 'account',
      message: 'is required, because you may not use the account without a name',
    });
    expect(maySee(north, '')).toBe(false);
  });
});

/** A request for each route, about an onboarding that has this id. */
const requestsFor = (id: string) =>
  ROUTES.map(({ method, path, multipart: hasFiles }) => ({
    url: path.replaceAll(/:\w+/g, encodeURIComponent(id)),
    sent: (csrf: string) => {
      if (method === 'GET') return {};
      return hasFiles ? multipart([{ name: 'csrf', content: csrf }]) : { form: { csrf, kind: 'retry' } };
    },
    line: `${method} ${path}`,
    isForm: method === 'POST',
    isAbout: path.includes(':id'),
  }));

it('no route shows more of another account than of an onboarding that does not exist', async () => {
  const workflows = { 'merchant-boarding-m-1@south': { account: 'south' } };
  const { open } = await consoleOfCalls({ workflows });
  const repliesFor = async (id: string) => {
    const about = requestsFor(id).filter(({ isAbout }) => isAbout);
    const north = { ...ADA, accounts: ['north'] };
    const opening = about.map(async ({ line, url, sent }) => {
      const { status, to, text } = await open(north, url, sent('csrf-of-ada'));
      return [line, status, to, text.replaceAll(id, 'ID').replaceAll(encodeURIComponent(id), 'ID')];
    });
    return Promise.all(opening);
  };
  const replies = await repliesFor('merchant-boarding-m-1@south');
  expect(replies).toEqual(await repliesFor('merchant-boarding-nowhere@south'));
  expect(replies.map(([, status]) => status)).toEqual(Array(20).fill(404));
});

it('every form refuses the token of another session', async () => {
  const { open } = await consoleOfCalls();
  const forms = requestsFor('merchant-boarding-m-1').filter(({ isForm }) => isForm);
  for (const { line, url, sent } of forms) {
    const { status, text } = await open(ADA, url, sent('csrf-of-bo'));
    const expired = expect.stringContaining('This form has expired, or is not');
    expect([line, status, text]).toEqual([line, 403, expired]);
  }
});

/** Pages of each kind, and their visitors. */
const users: User[] = [];
const page = (path: string, more: Partial<Route> = {}): Route => ({
  method: 'GET',
  path,
  role: 'viewer',
  show: async ({ user }) => {
    users.push(user);
    return { page: h('p', null, 'shown'), title: path };
  },
  ...more,
});
const PAGES: readonly Route[] = [
  ...ROLES.map((role) => page(`/${role}`, { role })),
  page('/part', { part: true, show: async () => ({ part: h('p', null, 'shown') }) }),
  page('/form', { method: 'POST', show: async () => ({ to: '/viewer', message: 'done' }) }),
  page('/files', { method: 'POST', multipart: true }),
  page('/open/:id', {
    show: async (context) => ({ page: h('p', null, (await openOnboarding(context)).workflowId), title: 'x' }),
  }),
];
const ADA = { role: 'admin', csrf: 'csrf-of-ada' } as const;
const pages = (more: CallOptions = {}) => consoleOfCalls({ routes: PAGES, ...more });

describe('a page', () => {
  it.each([
    ['viewer', [200, 403, 403, 403]],
    ['operator', [200, 200, 403, 403]],
    ['approver', [200, 200, 200, 403]],
    ['admin', [200, 200, 200, 200]],
  ] as const)('is shown to a person with its role or a higher one: %s', async (role, expected) => {
    const { open } = await pages();
    const replies = await Promise.all(ROLES.map((needed) => open({ role }, `/${needed}`)));
    expect(replies.map(({ status }) => status)).toEqual(expected);
    const refused = replies.find(({ status }) => status === 403);
    if (role !== 'admin') expect(refused?.text).toContain(`Your role is ${role}.`);
  });

  it('gets the person without what only the session needs', async () => {
    const { open } = await pages();
    users.length = 0;
    await open({ ...ADA, accounts: ['north'], idToken: 'i' }, '/viewer');
    expect(users).toEqual([{ actor: 'olga', name: 'Olga', role: 'admin', accounts: ['north'] }]);
  });

  it('leads to the sign-in without a session, and then back; parts and forms do not', async () => {
    const { open } = await pages();
    const { status, to } = await open(undefined, '/viewer?a=b');
    expect([status, to]).toEqual([303, '/sign-in?to=%2Fviewer%3Fa%3Db']);
    for (const [url, form] of [['/part'], ['/form', {}]] as const) {
      const reply = await open(undefined, url, form && { form });
      expect([reply.status, reply.text]).toEqual([401, expect.stringContaining('Your session has ended.')]);
    }
  });

  it('extends the session of a person, and a part does not', async () => {
    const { open } = await pages();
    expect((await open(ADA, '/viewer')).cookies).toEqual(['__Host-gangway-session']);
    expect((await open(ADA, '/part')).cookies).toEqual([]);
    expect((await open({ ...ADA, role: 'viewer' }, '/admin')).cookies).toEqual([]);
  });

  it('shows the message of a form once, unless a script reads it', async () => {
    const { open } = await pages();
    const sent = await open(ADA, '/form', { form: {} });
    expect([sent.status, sent.to, sent.message]).toEqual([303, '/viewer', { text: 'done' }]);
    const cookies = sent.kept;
    for (const dest of ['document', undefined, 'empty']) {
      const headers = dest ? { 'sec-fetch-dest': dest } : {};
      const next = await open(ADA, '/viewer', { cookies, headers });
      expect(next.text).toContain(
        '<p class="message" role="status" tabindex="-1" data-focus autofocus>done</p>',
      );
      expect(next.cookies.includes('__Host-gangway-message')).toBe(dest !== 'empty');
    }
    expect((await open(ADA, '/viewer')).text).not.toContain('class="message"');
  });
});

describe('a form', () => {
  it.each([
    undefined,
    null,
    'csrf',
    {},
    { csrf: undefined },
    { csrf: ['t1', 't1'] },
    { csrf: 'T1' },
    { csrf: 't' },
    { csrf: '' },
  ])('is not from this session with the body %j', (body) => {
    expect(() => requireCsrf({ body }, 't1')).toThrow(
      new PageError(403, 'This form has expired, or is not from this console. Open the page again.'),
    );
    expect(() => requireCsrf({ body: { csrf: 't1' } }, 't1')).not.toThrow();
  });

  it.each([
    ['POST', 'same-origin', 303],
    ['POST', 'none', 303],
    ['POST', 'same-site', 403],
    ['POST', 'cross-site', 403],
    ['GET', 'cross-site', 200],
  ] as const)('by %s from %s is answered with %i, whoever sends it', async (method, site, status) => {
    const { open } = await pages();
    const headers = { 'sec-fetch-site': site };
    const [url, form] = method === 'POST' ? (['/form', { form: {} }] as const) : (['/viewer', {}] as const);
    const reply = await open(ADA, url, { ...form, headers });
    expect(reply.status).toBe(status);
    if (status === 403) expect(reply.text).toContain('The form is from another site. Open the page here.');
  });
});

it.each(['/start/file', '/batches', '/onboardings/merchant-boarding-m-1/requirements/note-1/documents'])(
  'a file before the token of its form is not received: %s',
  async (url) => {
    const state = { requirements: [{ id: 'note-1', answers: ['documents'] }] } as never;
    const { open } = await consoleOfCalls({ workflows: { 'merchant-boarding-m-1': { state } } });
    const file: Part = { name: 'documents', fileName: 'a.pdf', content: '%PDF-1.7' };
    const reply = await open(ADA, url, multipart([file, { name: 'csrf', content: 'csrf-of-ada' }]));
    expect([reply.status, reply.text]).toEqual([403, expect.stringContaining('This form has expired')]);
  },
);

it('a file that the document store cannot take is no defect of the console: the page has the reason', async () => {
  const requirement = {
    id: 'note-1',
    kind: 'underwriting-note',
    title: 'Send a check',
    detail: 'Send a check',
    answers: ['documents'],
    raisedAt: NOON,
    dueAt: NOON,
  };
  const state = { requirements: [requirement] } as never;
  const { open, log } = await consoleOfCalls({ workflows: { 'merchant-boarding-m-1': { state } } });
  const fields = Object.entries({ csrf: 'csrf-of-ada', kind: 'documents', reason: 'r' });
  const file: Part = { name: 'documents', fileName: 'a.pdf', content: '%PDF-1.7' };
  const sent = multipart([...fields.map(([name, content]) => ({ name, content })), file]);
  const url = '/onboardings/merchant-boarding-m-1/requirements/note-1/documents';
  const { status, text } = await open(ADA, url, sent);
  expect(status).toBe(503);
  expect(text).toContain(
    'The document store failed: a part of the path is no folder (ENOTDIR). Nothing was changed.',
  );
  const reason = '/dev/null/documents: a part of the path is no folder (ENOTDIR)';
  expect(log()).toContainEqual(expect.objectContaining({ msg: 'the document store failed', reason }));
});

describe('an onboarding', () => {
  const OWN = 'merchant-boarding-m-1@north';
  const BY_HAND = 'merchant-boarding-m-2@north';
  const workflows = {
    [OWN]: { account: 'north' },
    [BY_HAND]: { account: 'south' },
    'merchant-boarding-m-3': {},
    'merchant-boarding-m-4@south': { account: 'south' },
  };

  it.each([
    [OWN, 200, true],
    // Its id names an account of this person, and what it does is in another one.
    [BY_HAND, 404, true],
    ['merchant-boarding-m-5@north', 404, true],
    ['merchant-boarding-m-3', 404, false],
    ['merchant-boarding-m-4@south', 404, false],
    ['operation-close-card-7@south', 404, false],
    ['partner-account-boarding@south', 404, false],
    ['schedule-of-somebody', 404, false],
  ])('%s is answered with %i for a person of north (Temporal is asked: %s)', async (id, status, isAsked) => {
    const { open, asked: questions } = await pages({ workflows });
    const reply = await open({ ...ADA, accounts: ['north'] }, `/open/${encodeURIComponent(id)}`);
    expect([reply.status, questions.some(([what]) => what === 'describe')]).toEqual([status, isAsked]);
    if (status === 404)
      expect(reply.text).toContain('There is no onboarding with this ID, or you may not see it.');
  });

  it.each(['gangway-events', 'x', '../../metrics', '*', `merchant-boarding-${'x'.repeat(250)}`])(
    'is not what has the id %s',
    async (id) => {
      const { open } = await pages({ workflows: { 'gangway-events': {} } });
      expect((await open(ADA, `/open/${encodeURIComponent(id)}`)).status).toBe(404);
    },
  );
});

describe('a list', () => {
  it.each([
    '/',
    '/inbox/part',
    '/onboardings',
    '/activity',
    '/activity.csv',
    '/report',
    '/report.json',
    '/report.csv',
  ])('%s has only what is in accounts of this person, whoever looked at it a moment ago', async (path) => {
    const { open, asked: questions } = await consoleOfCalls();
    const readFor = async (accounts: string[], query = '') => {
      questions.length = 0;
      const { status } = await open({ ...ADA, accounts }, path + query);
      const queries = questions.filter(([what]) => what === 'list').map(([, each]) => String(each));
      const places = queries.map((each) => /PartnerAccount IN \(.*?\)|WorkflowId = ''/.exec(each)?.[0]);
      return [status, ...new Set(places)].sort();
    };
    expect(await readFor(['north'])).toEqual([200, "PartnerAccount IN ('north')"]);
    expect(await readFor(['south'])).toEqual([200, "PartnerAccount IN ('south')"]);
    // The navigation counts the open ones in their own accounts. A file has none.
    const own = path === '/activity.csv' ? [] : ["PartnerAccount IN ('east')"];
    const others = path.startsWith('/report') ? [404, ...own] : [200, ...own, "WorkflowId = ''"];
    expect(await readFor(['east'], '?account=north')).toEqual(others);
  });
});

it.each(['/', '/onboardings'])(
  'a search at %s keeps no private value in an address or a query',
  async (path) => {
    const { open, asked: questions } = await consoleOfCalls();
    const { status, headers } = await open(ADA, `${path}?find=corner+123-45-6789&sort=dba&stage=boarded`);
    const to = String(headers['location']);
    expect([status, to]).toEqual([303, expect.stringMatching(`^${path}\\?.*find=corner\\+%5BRedacted%5D`)]);
    const { text } = await open(ADA, to);
    expect(text + JSON.stringify(questions)).not.toContain('6789');
  },
);

it('a list counts what it shows, and not what the server finds besides', async () => {
  const render = async (ofSouth: number) => {
    const { open, asked: questions } = await consoleOfCalls({ counted: 120, ofSouth });
    const { text } = await open({ ...ADA, accounts: ['north'] }, '/onboardings');
    // The navigation counts those that wait for a person.
    const isCounted = questions.some(
      ([what, query]) => what === 'count' && !/ActionRequired/.test(String(query)),
    );
    return [/\d+ (is|are) in this list/.exec(text)?.[0], isCounted];
  };
  expect(await render(3)).toEqual(['0 are in this list', false]);
  // Of the first 50, none is shown.
  expect(await render(120)).toEqual(['70 are in this list', true]);
});

const LOCAL = { CONSOLE_ADDRESS: '127.0.0.2:8085' };
const NAMED = { CONSOLE_URL: 'http://localhost:9000' };

it.each([
  ['/admin', 200, 'localhost:8085 LocalHost:8085 127.0.0.1:8085 [::1]:8085 127.0.0.2:8085', LOCAL],
  ['/admin', 421, '127.0.0.3:8085 localhost:8086 localhost evil.example ', LOCAL],
  ['/viewer', 200, 'localhost:9000', NAMED],
  ['/viewer', 421, 'localhost:8085', NAMED],
  ['/viewer', 200, 'console.example.com', PROVIDER],
  ['/viewer', 421, 'localhost:8085 console.example.com:8085 console.example.com.evil.example', PROVIDER],
  ['/sign-in', 421, 'localhost:8085', PROVIDER],
  ['/healthz', 200, '10.0.0.7:8085', PROVIDER],
  ['/readyz', 200, '10.0.0.7:8085', PROVIDER],
  ['/metrics', 421, '10.0.0.7:8085', PROVIDER],
  ['/metrics', 404, 'console.example.com', PROVIDER],
])('%s is answered with %i at the hosts "%s" of a console with %o', async (path, status, hosts, env) => {
  const { open } = await pages({ env });
  for (const host of hosts.split(' ')) {
    const reply = await open(env === PROVIDER ? ADA : undefined, path, { headers: { host } });
    expect([host, reply.status]).toEqual([host, status]);
    if (status === 421 && env === LOCAL)
      expect(reply.text).toContain('The console is not at this address. Open localhost:8085 (CONSOLE_URL).');
  }
});

describe('without an identity provider', () => {
  it('the user of a container has a number', async () => {
    vi.spyOn(os, 'userInfo').mockImplementation(() => {
      throw new Error('no such user');
    });
    const restore = () => {
      vi.restoreAllMocks();
      syncBuiltinESMExports();
    };
    onTestFinished(restore);
    syncBuiltinESMExports();
    users.length = 0;
    const { open } = await pages({ env: {} });
    await open(undefined, '/admin');
    expect(users).toMatchObject([{ actor: `user ${process.getuid?.()}`, role: 'admin' }]);
  });

  it('the user of this machine is an admin, whose session is no cookie', async () => {
    const { open } = await pages({ env: {} });
    users.length = 0;
    const reply = await open(undefined, '/admin');
    expect([reply.status, reply.cookies]).toEqual([200, []]);
    expect(users).toEqual([
      { actor: process.env['USER'] ?? 'root', name: expect.any(String), role: 'admin', accounts: undefined },
    ]);
    expect(reply.text).toContain('There is no sign-in, because no identity provider is set.');
    expect((await open(undefined, '/form', { form: { csrf: '' } })).status).toBe(403);
    expect((await open(undefined, '/sign-in')).status).toBe(404);
  });
});

const TYPED: Route = {
  method: 'POST',
  path: '/typed',
  role: 'viewer',
  keepsTyped: true,
  show: async () => ({ page: h('p', null, 'typed'), title: 'Typed' }),
};

describe('a session that was ended, here or at another console', () => {
  it('is refused with a copy of its cookie', async () => {
    const { open } = await pages({ hasSignedOut: true });
    users.length = 0;
    const [page, form, missing] = [
      await open(ADA, '/viewer'),
      await open(ADA, '/form', { form: {} }),
      await open(ADA, '/no-such-page'),
    ];
    expect([page.status, page.to, page.cookies]).toEqual([303, '/sign-in?to=%2Fviewer', []]);
    expect([form.status, missing.status, users]).toEqual([401, 404, []]);
    for (const { text } of [page, form, missing]) expect(text).not.toContain('Olga');
    expect((await open(ADA, ASSETS.style.path)).status).toBe(200);
  });

  it.each([
    ['/viewer', 200, true],
    ['/no-such-page', 404, true],
    ['/signed-out', 200, false],
    ['/healthz', 200, false],
    [ASSETS.style.path, 200, false],
  ])('is looked up before %s is answered with %i: %s', async (path, status, isAsked) => {
    const { open, asked: questions } = await pages();
    expect((await open(ADA, path)).status).toBe(status);
    expect(questions.some(([what]) => what === 'has ended')).toBe(isAsked);
  });

  it('is refused where the look-up fails for another reason than that Temporal does not respond', async () => {
    const hasSignedOut = new Error('private words');
    const { open } = await consoleOfCalls({ routes: [...PAGES, TYPED], hasSignedOut });
    expect((await open(ADA, '/typed', { form: {} })).status).toBe(500);
  });

  it('is refused while Temporal does not respond, and so is a sign-out that would not reach other consoles', async () => {
    const { open, asked: questions } = await consoleOfCalls({ routes: [...PAGES, TYPED], isReady: false });
    users.length = 0;
    expect([(await open(ADA, '/viewer')).status, users]).toEqual([503, []]);
    questions.length = 0;
    const typed = await open(ADA, '/typed', { form: {} });
    // It is shown again, and Temporal has no time to do anything.
    expect([typed.status, questions.at(-1)]).toEqual([200, ['deadline', Date.parse(NOON)]]);
    const end = await open(ADA, '/sign-out', { form: {} });
    expect([end.status, end.cookies, questions.filter(([what]) => what === 'start')]).toEqual([503, [], []]);
    expect(end.text).toContain('Temporal does not respond, so you are still signed in.');
    expect((await open(ADA, ASSETS.style.path)).status).toBe(200);
  });
});

describe('the files of a page', () => {
  it.each([
    ['gzip, deflate, br', 'gzip'],
    ['deflate, gzip;q=0.5', 'gzip'],
    ['gzip; q=0, br', undefined],
    ['gzip;q=0.0', undefined],
    ['identity', undefined],
  ])('are sent to a browser that accepts "%s" in the encoding %s', async (accepted, encoding) => {
    const { open } = await pages();
    const { status, headers } = await open(undefined, ASSETS.style.path, {
      headers: { 'accept-encoding': accepted },
    });
    expect([status, headers['content-encoding'], headers['vary']]).toEqual([
      200,
      encoding,
      'accept-encoding',
    ]);
  });
});

describe('every page', () => {
  it('has the headers that forbid scripts, frames, caches and requests to others', async () => {
    const { open } = await consoleOfCalls({ routes: PAGES });
    const replies = [
      await open(ADA, '/viewer'),
      await open(ADA, '/nowhere'),
      await open(ADA, '/%zz'),
      await open(undefined, '/signed-out'),
      await open(ADA, '/form', { form: { csrf: 'wrong' } }),
    ];
    for (const { headers } of replies) {
      expect(headers).toMatchObject({
        'content-security-policy':
          "default-src 'none';style-src 'self';script-src 'self';connect-src 'self';img-src 'self' data:;form-action 'self';" +
          "base-uri 'none';frame-ancestors 'none'",
        'cache-control': 'no-store',
        'content-type': 'text/html; charset=utf-8',
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
        'referrer-policy': 'no-referrer',
        // On https, browsers stay there.
        'strict-transport-security': 'max-age=31536000; includeSubDomains',
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
      });
      expect(headers).not.toHaveProperty('x-powered-by');
    }
    const plain = await (await consoleOfCalls({ routes: PAGES, env: {} })).open(undefined, '/viewer');
    expect(plain.headers).not.toHaveProperty('strict-transport-security');
  });

  it('shows a script in a name, a title or a text as text', async () => {
    const [title, hostile] = ['</title><script>', '<img src=x onerror=alert(1)>'];
    const routes = [page('/hostile', { show: async () => ({ page: h('p', null, hostile), title }) })];
    const { open } = await consoleOfCalls({ routes });
    const { text } = await open({ ...ADA, name: '<script>alert(1)</script>"\'><b>' }, '/hostile');
    expect(text).toContain('&lt;script>alert(1)&lt;/script>');
    expect(text.match(/<script[^>]*>/g)).toEqual([
      expect.stringMatching(/^<script src="\/assets\/[^"]+" defer>$/),
    ]);
    expect(text).not.toMatch(/<(img|b)\b|\son\w+="|style="/);
  });

  it.each(['not/a/zone', '"><script>', '%00', 'x'.repeat(3_000)])(
    'survives the time zone %s',
    async (zone) => {
      const { open } = await consoleOfCalls();
      const cookies = { 'gangway-zone': encodeURIComponent(zone) };
      expect((await open(ADA, '/', { cookies })).status).toBe(200);
    },
  );
});

it('the audit log names who answered and saw what, and the metrics count it', async () => {
  const about = { workflowId: 'merchant-boarding-1', requirementId: 'r-1' };
  const answer: Partial<Route> = {
    method: 'POST',
    async show({ audit, user, fields }) {
      const result = fields.text('result') as 'accepted';
      audit(user, { what: 'answer', ...about, detail: fields.text('kind'), result });
      return { to: '/' };
    },
  };
  const registry = new Registry();
  const { open, audited } = await consoleOfCalls({ routes: [page('/answer', answer)], registry });
  const answers = ['text accepted', 'retry accepted', 'text rejected', 'text accepted'];
  for (const [kind = '', result = ''] of answers.map((each) => each.split(' ')))
    await open(ADA, '/answer', { form: { kind, result } });
  expect(audited()).toEqual(
    answers.map((each) => {
      const [detail, result] = each.split(' ');
      return { actor: 'olga', what: 'answer', ...about, detail, result };
    }),
  );
  const metrics = scraped(await registry.metrics());
  const route = '/answer';
  for (const [kind, result, count] of [
    ['text', 'accepted', 2],
    ['retry', 'accepted', 1],
    ['text', 'rejected', 1],
  ])
    expect(metrics('gangway_console_answers_total', { kind: String(kind), result: String(result) })).toBe(
      count,
    );
  expect(metrics('gangway_console_requests_total', { method: 'POST', route, status: '303' })).toBe(4);
  expect(metrics('gangway_console_request_duration_seconds_count', { route })).toBe(4);
});

describe('the limit of requests', () => {
  it('is that of each session, and of each address without one; machines have none', async () => {
    const { open } = await pages({ requestsPerMinute: 2 });
    const statuses = async (who: object | undefined, path: string, times: number) => {
      const all: number[] = [];
      for (let i = 0; i < times; i += 1) all.push((await open(who, path)).status);
      return all;
    };
    expect(await statuses(ADA, '/viewer', 3)).toEqual([200, 200, 429]);
    const refused = await open(ADA, '/viewer');
    expect(refused.text).toContain('There are too many requests.');
    expect(refused.headers['retry-after']).toBe('60');
    expect(await statuses({ ...ADA, csrf: 'csrf-of-bo' }, '/viewer', 3)).toEqual([200, 200, 429]);
    expect(await statuses(undefined, '/viewer', 3)).toEqual([303, 303, 429]);
    expect(await statuses(undefined, '/healthz', 3)).toEqual([200, 200, 200]);
    vi.setSystemTime(new Date('2026-01-31T12:01:01.000Z'));
    expect(await statuses(ADA, '/viewer', 1)).toEqual([200]);
  });
});

const asA = (type: string, body: string) => ({ body, headers: { 'content-type': type } });

describe('an error', () => {
  const unavailable = new (class extends TemporalProblem {
    override get isUnavailable() {
      return true;
    }
  })('no worker responds');
  it.each<[Error, number, string]>([
    [new PageError(409, 'It is gone.'), 409, 'It is gone.'],
    [new InvalidInput('not valid', [{ field: 'a', message: 'is required' }]), 422, 'a: is required'],
    [new TemporalProblem('it has ended'), 409, 'it has ended'],
    [unavailable, 503, 'no worker responds'],
    [grpcError('PERMISSION_DENIED', 'no'), 503, 'Temporal: no'],
    [grpcError('ABORTED', 'too many'), 503, 'Temporal: too many'],
    [grpcError('FAILED_PRECONDITION', 'no'), 409, 'Temporal: no'],
    [new Error('private words'), 500, 'The console has a bug. The log has the error.'],
    [Object.assign(new Error('private words'), { statusCode: 413 }), 413, 'The request is too large.'],
  ])('is a page: %s', async (error, status, message) => {
    const failing = page('/fails', {
      show: async () => {
        throw error;
      },
    });
    const { open, log } = await consoleOfCalls({ routes: [failing], counted: 2 });
    const reply = await open(ADA, '/fails');
    expect([reply.status, reply.text]).toEqual([status, expect.stringContaining(message)]);
    expect(reply.text).not.toContain('private words');
    // Alone catches gRPC text as the sentence of a page, and an error page whose navigation counts nothing.
    expect(/<p>Temporal:/.test(reply.text)).toBe(status === 409 && message.startsWith('Temporal:'));
    expect(reply.text.includes('<a href="/fails">Try again</a>')).toBe(status === 503);
    expect(reply.text).toContain('<span id="waiting">2</span>');
    expect(log().some(({ msg }) => msg === 'a page could not be shown')).toBe(status === 500);
  });
});

it.each<[what: string, status: number, message: string, path: string, sent?: object]>([
  ['nothing', 404, 'There is no such page.', '/nowhere'],
  ['another method', 404, 'There is no such page.', '/viewer', { method: 'DELETE' }],
  ['a bad path', 400, 'The request cannot be read.', '/%zz'],
  ['a bad path of a part', 400, 'The request cannot be read.', '/open/%E0%A4%A'],
  ['JSON', 415, 'The console accepts only forms.', '/form', asA('application/json', '{}')],
  ['plain text', 415, 'The console accepts only forms.', '/form', asA('text/plain', 'csrf=x')],
  ['a large form', 413, 'The request is too large.', '/form', { form: { text: 'x'.repeat(300_000) } }],
])('a request for or with %s gets a page with %i', async (_, status, message, path, sent) => {
  const { open } = await consoleOfCalls({ routes: PAGES });
  const reply = await open(ADA, path, sent);
  expect([reply.status, reply.text]).toEqual([status, expect.stringContaining(message)]);
  expect(reply.headers['content-type']).toBe('text/html; charset=utf-8');
  expect(reply.text).not.toMatch(/node_modules|FST_|\.js:\d/);
});

it('while Temporal is unavailable, the console is alive, and not ready', async () => {
  const { open } = await consoleOfCalls({ isReady: false });
  const [alive, ready] = [await open(undefined, '/healthz'), await open(undefined, '/readyz')];
  expect([alive.status, ready.status, ready.text]).toEqual([200, 503, '{"temporal":"unavailable"}']);
});

it.each([
  [true, []],
  [false, [['deadline', Date.parse(NOON) + 2_000]]],
])('a page waits two seconds for Temporal that does not respond (responds: %s)', async (isReady, limits) => {
  const { open, asked: questions } = await pages({ isReady, env: {} });
  expect((await open(undefined, '/viewer')).status).toBe(200);
  // The first is that of the check itself, which takes as long.
  expect(questions.filter(([what]) => what === 'deadline').slice(1)).toEqual(limits);
});

// Alone catches a console of a colleague that has another role or other accounts than the file says.
it('without a sign-in, everyone acts as the colleague that a setting names, in that role and those accounts', async () => {
  const line = { name: 'Bo Baker', id: 'bo-2', role: 'viewer', accounts: ['north'] };
  const env = { ...peopleFile([line]), CONSOLE_PERSON: 'bo-2', GANGWAY_ACCOUNTS: 'north' };
  const { open, asked: questions } = await consoleOfCalls({ env });
  const { status, text } = await open(undefined, '/');
  expect([status, text]).toEqual([200, expect.stringContaining('Bo Baker, viewer')]);
  expect(text).toContain('data-person="Bo Baker (bo-2)"');
  expect(questions.find(([what]) => what === 'list')?.[1]).toContain("PartnerAccount IN ('north')");
  expect((await open(undefined, '/start')).status).toBe(403);
});
