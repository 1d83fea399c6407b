import { readdir } from 'node:fs/promises';
import { connect } from 'node:net';
import { afterAll, describe, expect, it } from 'vitest';
import { headOf, large, MULTIPART, multipart, type Part } from '../../../rigs/console/multipart.js';
import { type Reply, runConsole } from '../../../rigs/console/running-console.js';
import { merchant } from '../../../rigs/inputs.js';
import type { Onboarding } from '../../../rigs/onboarding.js';
import { createRig } from '../../../rigs/rig.js';
import { shared } from '../../../rigs/shared.js';
import { eventually } from '../../../rigs/waiting.js';

const rig = await createRig();
afterAll(() => rig.close());
const console = shared((until) => runConsole(rig, {}, until));
const ada = shared(() => console().signedIn());

/** A boarding with a single note, which nobody answers. */
const waiting = shared(async () => {
  const boarding = await rig.board(merchant('more-notes'));
  const { id } = await boarding.requirement('underwriting-note');
  return { boarding, id };
});

const pathTo = ({ workflowId }: Onboarding<unknown>, id: string) =>
  `/onboardings/${encodeURIComponent(workflowId)}/requirements/${encodeURIComponent(id)}/documents`;

const PDF = '%PDF-1.7\n1 0 obj\n%%EOF\n';
const SCRIPT = '<script>alert(1)</script>';

const document = (fileName: string, content: Part['content'] = PDF): Part => ({
  name: 'documents',
  fileName,
  content,
});

const stored = () => readdir(rig.documentDir).catch(() => []);

/** Uploads for the note that waits. */
async function upload(parts: readonly Part[]): Promise<Reply> {
  const { boarding, id } = waiting();
  return ada().open(pathTo(boarding, id), multipart(parts));
}

/** The note is open, and the store is as it was. */
async function nothingHappened(before: readonly string[]): Promise<void> {
  const { requirements, timeline } = await waiting().boarding.state();
  expect(requirements.map(({ id }) => id)).toEqual([waiting().id]);
  expect(timeline.map(({ event }) => event)).not.toContain('requirement-resolved');
  expect(await stored()).toEqual(before);
}

const with_ = (csrf: string, ...files: readonly Part[]): Part[] => [
  { name: 'csrf', content: csrf },
  ...files,
];

describe('an upload stores nothing and answers nothing', () => {
  const two = `%PDF-1.7\n<html>${SCRIPT}\n%%EOF\n`;
  const times = (count: number, part: (name: string) => Part) =>
    Array.from({ length: count }, (_, n) => part(`${n}`));
  it.each<[what: string, status: number, message: string, parts: readonly Part[]]>([
    ['a PDF and web page', 422, 'contains the beginning of another', [document('check.pdf', two)]],
    ['one bad file', 422, 'does not match its name', [document('good.pdf'), document('bad.pdf', 'MZ')]],
    ['no file', 422, 'choose at least one file', []],
    ['a file elsewhere', 422, 'choose at least one file', [{ ...document('check.pdf'), name: 'others' }]],
    ['too many files', 413, 'At most 10 files', times(11, (n) => document(`${n}.pdf`))],
    ['too many fields', 413, 'At most 10 files', times(11, (n) => ({ name: `f${n}`, content: 'x' }))],
    ['a file that is too large', 422, 'is larger than 25 MiB', [document('large.pdf', [...large(26)])]],
    ['too much', 413, 'together 100 MiB', times(5, (n) => document(`${n}.pdf`, [...large(21)]))],
    [
      'a field of all objects',
      400,
      'cannot be read',
      [{ name: '__proto__', content: 'x' }, document('a.pdf')],
    ],
  ])('of %s', async (_, status, message, parts) => {
    const before = await stored();
    const reply = await upload(with_(await ada().csrf(), ...parts));
    expect([reply.status, reply.text]).toEqual([status, expect.stringContaining(message)]);
    expect(reply.text).not.toContain('<script>');
    await nothingHappened(before);
  });

  it('of files whose form declares more than all may have', async () => {
    const before = await stored();
    const { boarding, id } = waiting();
    const { body, headers = {} } = multipart(with_(await ada().csrf(), document('a.pdf')));
    const content = await Array.fromAsync(body as AsyncIterable<Buffer>);
    const longer = Buffer.concat([...content, Buffer.alloc(101 * 1024 * 1024)]);
    const reply = await ada().open(pathTo(boarding, id), { body: longer, headers });
    expect([reply.status, reply.text]).toEqual([413, expect.stringContaining('Nothing was stored or sent.')]);
    await nothingHappened(before);
  });

  it.each<[what: string, status: number, body: string, headers: Readonly<Record<string, string>>]>([
    ['that is a form without files', 415, 'csrf=x', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['that names no boundary', 400, 'x', { 'content-type': 'multipart/form-data' }],
    ['that ends in the middle', 400, `${headOf({ name: 'csrf' })}x`, MULTIPART],
    ['that is not a form', 400, 'x', MULTIPART],
    [
      'whose file name has a line end',
      403,
      `${headOf({ name: 'documents', fileName: 'a\r\nset-cookie: a=b.pdf' })}${PDF}\r\n--a-boundary-of-this-form--\r\n`,
      MULTIPART,
    ],
  ])('%s, which is no defect of the console', async (_, status, body, headers) => {
    const before = await stored();
    const { boarding, id } = waiting();
    const reply = await ada().open(pathTo(boarding, id), { body, headers });
    expect(reply.status).toBe(status);
    expect(reply.text).not.toContain('has a bug');
    await nothingHappened(before);
  });

  it.each([
    ['before the token', 0],
    ['within the first file', 1],
    ['within the second file', 2],
  ])('that breaks off %s', async (_, files) => {
    const before = await stored();
    const { boarding, id } = waiting();
    const csrf = await ada().csrf();
    const whole = `${headOf({ name: 'csrf' })}${csrf}\r\n`;
    const half = `${headOf({ name: 'documents', fileName: 'half.pdf' })}%PDF-1.7\n${'x'.repeat(100_000)}`;
    const one = `${headOf({ name: 'documents', fileName: 'one.pdf' })}${PDF}\r\n`;
    const sent = [whole.slice(0, 20), whole + half, whole + one + half][files] ?? '';
    const { port } = new URL(console().url);
    const socket = connect(Number(port), '127.0.0.1');
    const cookie = [...ada().cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const head = [
      `POST ${pathTo(boarding, id)} HTTP/1.1`,
      `host: 127.0.0.1:${port}`,
      `cookie: ${cookie}`,
      `content-type: ${MULTIPART['content-type']}`,
      'content-length: 1000000',
    ];
    socket.write(`${head.join('\r\n')}\r\n\r\n${sent}`);
    if (files > 0) {
      const parts = async () => (await stored()).length - before.length;
      await eventually(parts, (count) => count === files, 'the documents to arrive');
    }
    socket.destroy();
    await eventually(stored, (names) => names.length === before.length, 'the documents to be removed');
    await nothingHappened(before);
    expect(console().log().includes('a page could not be shown')).toBe(false);
  });
});

/** What a browser or a liar sends as the name of a file, and what is kept of it. */
const NAMES: readonly (readonly [sent: string, kept: string])[] = [
  ['../../etc/passwd.pdf', 'passwd.pdf'],
  ['a%0D%0Aset-cookie: a=b.pdf', 'a%0D%0Aset-cookie: a=b.pdf'],
  ['nul\0.exe\0.pdf', 'nul.exe.pdf'],
  ['<img src=x onerror=alert(1)>.pdf', '<img src=x onerror=alert(1)>.pdf'],
  ['Prüfung \u{1F600}.pdf', 'Prüfung \u{1F600}.pdf'],
];

describe('documents', () => {
  /** A boarding whose note has an answer with these documents. */
  const sent = shared(async () => {
    const boarding = await rig.board(merchant('notes'));
    const { requirements } = await boarding.until((state) => state.requirements.length === 2, 'two notes');
    const [{ id } = { id: '' }] = requirements;
    const files = NAMES.map(([name], number) => document(name, `%PDF-1.7\n${number}\n%%EOF\n`));
    const parts = multipart(with_(await ada().csrf(), ...files));
    const reply = await ada().open(pathTo(boarding, id), parts);
    const page = `/onboardings/${encodeURIComponent(boarding.workflowId)}/documents`;
    const { text } = await ada().open(page);
    return { boarding, id, reply, page, links: linksIn(text, page), text };
  });

  it('are stored under names of their own, and the names that people gave are only texts', async () => {
    const { reply, boarding, id, text } = sent();
    const to = `/onboardings/${boarding.workflowId}`;
    expect([reply.status, reply.headers.get('location')]).toEqual([303, to]);
    const { timeline } = await boarding.state();
    expect(timeline.findLast(({ event }) => event === 'requirement-resolved')).toMatchObject({
      detail: expect.stringContaining(`${id}: documents: passwd.pdf, a%0D%0A`),
      actor: ada().actor,
    });
    for (const name of await stored()) expect(name).toMatch(/^[0-9a-f-]{36}\.pdf$/);
    expect(text).not.toContain('<img');
    expect(text).toContain('&lt;img src=x onerror=alert(1)>.pdf');
  });

  it('are saved, never shown: no header comes from a name, no browser guesses a type', async () => {
    const { links } = sent();
    expect(links).toHaveLength(NAMES.length);
    for (const [number, link] of links.entries()) {
      const { status, headers, text } = await ada().open(link);
      expect([status, text]).toEqual([200, `%PDF-1.7\n${number}\n%%EOF\n`]);
      const entry = NAMES[number]?.[1] ?? '';
      const [, encoded = ''] =
        /^attachment; filename\*=UTF-8''([!-~]+)$/.exec(headers.get('content-disposition') ?? '') ?? [];
      expect([decodeURIComponent(encoded), encoded]).toEqual([
        entry,
        expect.not.stringMatching(/[\s"';/\\<>]/),
      ]);
      expect(Object.fromEntries(headers)).toMatchObject({
        'content-type': 'application/octet-stream',
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-store',
        'content-security-policy': expect.stringContaining("default-src 'none'"),
      });
      expect(headers.getSetCookie().join()).not.toContain('a=b');
    }
  });

  it('leave a line in the audit log, without their names', async () => {
    const { links, boarding, id } = sent();
    const before = console().audited().length;
    await ada().open(links[0] ?? '');
    expect(console().audited().slice(before)).toEqual([
      {
        actor: ada().actor,
        what: 'save a document',
        msg: 'save a document',
        workflowId: boarding.workflowId,
        requirementId: id,
      },
    ]);
  });

  it('belong to the onboarding whose answer names them: by another one they are not found', async () => {
    const key = (sent().links[0] ?? '').split('/').at(-1);
    const others = `/onboardings/${encodeURIComponent(waiting().boarding.workflowId)}/documents`;
    const wrong = [`${others}/${key}`, `${others}/..%2F..%2Fetc%2Fpasswd`, `${sent().page}/passwd.pdf`];
    for (const path of wrong) {
      const { status, text, headers } = await ada().open(path);
      expect([path, status, text]).toEqual([path, 404, expect.stringContaining('no such document')]);
      expect(headers.has('content-disposition')).toBe(false);
    }
  });
});

function linksIn(text: string, page: string): string[] {
  return [...text.matchAll(/href="([^"]+)"/g)].flatMap(([, href = '']) =>
    href.startsWith(`${page}/`) ? href : [],
  );
}
