import { beforeEach, describe, expect, it } from 'vitest';
import { stoppedAt } from '../../../rigs/clock.js';
import { consoleOfCalls, noted } from '../../../rigs/console/console-of-calls.js';

const NOON = '2026-01-31T12:00:00.000Z';
beforeEach(() => stoppedAt(NOON));

const ID = 'merchant-boarding-m-1';
const OWN = noted(NOON, ['text', 'correction']);
const ADMIN = { role: 'admin' } as const;

/** Everything below the address of an onboarding, and how it is asked for. */
const BELOW: readonly (readonly ['GET' | 'POST', string])[] = [
  ...['', '/part', '/documents', '/documents/a-key', '/export', '/export.json'].map(
    (path) => ['GET', path] as const,
  ),
  ...['/requirements/note-1', '/requirements/note-1/part'].map((path) => ['GET', path] as const),
  ...['/private', '/requirements/note-1', '/requirements/note-1/claim'].map(
    (path) => ['POST', path] as const,
  ),
  ...['/requirements/note-1/proposal', '/requirements/note-1/remarks'].map((path) => ['POST', path] as const),
];
const FORM = { kind: 'text', text: 'x', do: 'claim', remark: 'x' };

/** Workflows that a namespace may have besides those of the console's pages. */
const OTHERS = [
  'onboarding-batch-1',
  'gangway-events',
  'console-sign-out-0a1b',
  'nightly-export-2026-01-01T00:00:00Z',
  'temporal-sys-scheduler:statement',
  'somebody-elses',
];

/** One of each way to ask: all lead to the same check, as the other workflows show at every address. */
const SOME = BELOW.filter(([, below]) => /^$|^\/(export|private)$|note-1$/.test(below));

// Proves D1.
describe('no page of an onboarding shows or changes what has the id', () => {
  it.each<[id: string, below: typeof BELOW]>([
    ...OTHERS.map((id) => [id, BELOW] as [string, typeof BELOW]),
    ...[
      '',
      ' ',
      '../../..',
      '../healthz',
      'a/b',
      '%',
      '%00',
      '%2e%2e',
      '\\',
      "' OR 1=1 --",
      '*',
      'merchant-boarding',
      'Merchant-Boarding-m-1',
      ` ${ID}`,
      `${ID} `,
      `${ID}/`,
      `${ID}\n`,
      `${ID}\0`,
      `${ID}@`,
      `${ID}@north`,
      `${ID}\u202e`,
      `${ID}\u200b`,
      'merchant-boarding-😀',
      `/${ID}`,
      `x${ID}`,
      'merchant-boarding-__proto__',
      '__proto__',
      'constructor',
      'merchant-boarding-toString',
      `merchant-boarding-${'é'.repeat(280)}`,
    ].map((id) => [id, SOME] as [string, typeof BELOW]),
  ])('%j', async (id, addresses) => {
    const workflows = Object.fromEntries([ID, ...OTHERS].map((each) => [each, OWN]));
    const { open, updates, audited } = await consoleOfCalls({ workflows });
    for (const [method, below] of addresses) {
      const url = `/onboardings/${encodeURIComponent(id)}${below}`;
      const { status, text, headers } = await open(ADMIN, url, method === 'POST' ? { form: FORM } : {});
      expect([below, status, headers['content-type']]).toEqual([below, 404, 'text/html; charset=utf-8']);
      expect(text).not.toMatch(/Corner|A note|Send a check/);
    }
    expect([updates(), audited()]).toEqual([[], []]);
  });
});

it('a batch is on no page of an onboarding, not even for a look at Temporal', async () => {
  const { open, asked: questions } = await consoleOfCalls({ workflows: { 'onboarding-batch-1': OWN } });
  for (const [method, below] of BELOW) {
    questions.length = 0;
    await open(ADMIN, `/onboardings/onboarding-batch-1${below}`, method === 'POST' ? { form: FORM } : {});
    expect([below, questions.filter(([what]) => what === 'describe' || what === 'query')]).toEqual([
      below,
      [],
    ]);
  }
});

it.each([
  '../../..',
  'a/b',
  '%00',
  '\0',
  '__proto__',
  'constructor',
  'note-1 ',
  'NOTE-1',
  'note-2',
  '😀',
  'x'.repeat(300),
])('no answer reaches a requirement with the id %j', async (id) => {
  const { open, updates } = await consoleOfCalls({ workflows: { [ID]: OWN } });
  const path = `/onboardings/${ID}/requirements/${encodeURIComponent(id)}`;
  const { status, text } = await open(ADMIN, path, { form: FORM });
  expect([status, text.includes('No longer open'), updates()]).toEqual([409, true, []]);
  expect((await open(ADMIN, path)).status).toBe(200);
});

describe('an address that the router would refuse itself', () => {
  it.each([
    `/onboardings/${'x'.repeat(301)}`,
    `/onboardings/${'x'.repeat(301)}/part`,
    `/onboardings/${ID}/requirements/${'%C3%A9'.repeat(301)}`,
    `/onboardings/${ID}/documents/${'x'.repeat(10_000)}`,
    `/batches/${'x'.repeat(301)}/start`,
    `/start/${'<script>'.repeat(50)}`,
    '/onboardings/%',
    '/onboardings/%C3',
    '/?find=%zz',
  ])('gets a page with the headers of all pages, and nothing of the address: %s', async (url) => {
    const { open, asked: questions } = await consoleOfCalls();
    for (const who of [undefined, ADMIN])
      for (const method of ['GET', 'POST', 'HEAD', 'DELETE'] as const) {
        const { status, text, headers } = await open(who, url, { method });
        expect([method, status]).toEqual([method, 400]);
        expect(headers).toMatchObject({
          'content-type': 'text/html; charset=utf-8',
          'content-security-policy': expect.stringContaining("default-src 'none'"),
          'x-content-type-options': 'nosniff',
          'cache-control': 'no-store',
        });
        expect(text).not.toMatch(/xxxx|%C3|zz|<script>/);
      }
    expect(questions.filter(([what]) => /describe|query|list|start/.test(String(what)))).toEqual([]);
  });

  it('is not shown at another host either', async () => {
    const { open } = await consoleOfCalls();
    const headers = { host: 'evil.example' };
    expect((await open(ADMIN, `/onboardings/${'x'.repeat(301)}`, { headers })).status).toBe(421);
  });
});

it.each(['set', 'remove'])(
  'a field of %s that is named by more levels than an input may have is refused, and is no bug',
  async (what) => {
    const { open, log } = await consoleOfCalls({ workflows: { [ID]: OWN } });
    const deep = `${what}.application.${'a.'.repeat(50_000)}b`;
    const form = { kind: 'correction', reason: 'called', [deep]: '1' };
    const { status, text } = await open(ADMIN, `/onboardings/${ID}/requirements/note-1`, { form });
    expect([status, text]).toEqual([
      422,
      expect.stringContaining('must not be nested deeper than 64 levels'),
    ]);
    expect(log().filter(({ level }) => level === 50)).toEqual([]);
  },
);
