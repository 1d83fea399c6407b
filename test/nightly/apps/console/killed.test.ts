import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { headOf, MULTIPART } from '../../../rigs/console/multipart.js';
import { userOf } from '../../../rigs/console/running-console.js';
import { merchant } from '../../../rigs/inputs.js';
import { launch } from '../../../rigs/processes.js';
import { createRig } from '../../../rigs/rig.js';
import { shared } from '../../../rigs/shared.js';
import { eventually } from '../../../rigs/waiting.js';

const rig = shared(async (until) => {
  // Boardings with open notes stay until the end, and nothing about them changes at the partner.
  const record = await createRig({ poll: { minMs: 50, maxMs: 10_000 } });
  until(() => record.close());
  return record;
});

const PDF = '%PDF-1.7\n1 0 obj\n%%EOF\n';

/**
 * A process of its own, at which nobody signs in, and its token for forms.
 *
 * @param path of a page with a form
 */
async function start(path: string) {
  const { child, stop, exit, addresses } = await launch(
    'console',
    { ...rig().env, CONSOLE_ADDRESS: '127.0.0.1:0' },
    'console is ready',
  );
  onTestFinished(() => void child.kill('SIGKILL'));
  const { url } = addresses();
  const { open } = userOf(url);
  const csrf = async () => /name="csrf" value="([^"]+)"/.exec((await open(path)).text)?.[1] ?? '';
  return { child, stop, exit, url, open, csrf: await csrf() };
}
type RunningConsole = Awaited<ReturnType<typeof start>>;

/** A boarding with two notes. The second keeps it from going on. */
async function noted() {
  const boarding = await rig().board(merchant('notes'));
  const { requirements } = await boarding.until((state) => state.requirements.length === 2, 'two notes');
  const [{ id } = { id: '' }] = requirements;
  const page = `/onboardings/${boarding.workflowId}`;
  const answers = async () =>
    (await boarding.state()).timeline.filter(
      ({ event, detail }) => event === 'requirement-resolved' && detail?.startsWith(id),
    );
  return { boarding, id, page, path: `${page}/requirements/${id}`, answers };
}

const stored = () => readdir(rig().documentDir).catch(() => [] as string[]);

/** A form that a test sends piece by piece. */
function sending({ url, csrf }: RunningConsole, path: string) {
  const sent: ClientRequest = request(`${url}${path}/documents`, { method: 'POST', headers: MULTIPART });
  const response = new Promise<IncomingMessage | undefined>((resolve) => {
    sent.once('response', (arrived) => resolve(arrived.resume()));
    sent.on('error', () => setTimeout(() => resolve(undefined), 100));
  });
  const over = once(sent, 'close').catch(() => undefined);
  sent.write(`${headOf({ name: 'csrf' })}${csrf}\r\n`);
  return {
    response,
    /** Until the connection has ended. */
    over,
    write: (text: string | Buffer) => new Promise<void>((resolve) => void sent.write(text, () => resolve())),
    end: (text: string) => void sent.end(text),
    isOver: () => sent.destroyed,
  };
}

const fileHead = (fileName: string) => headOf({ name: 'documents', fileName });
const END = '\r\n--a-boundary-of-this-form--\r\n';

it('an upload of 5 GB is refused early, without memory, and stores nothing', async () => {
  const { path, answers } = await noted();
  const console = await start(path);
  const before = await stored();
  const memory = async () => {
    const status = await readFile(`/proc/${console.child.pid}/status`, 'utf8');
    return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1024;
  };
  const first = await memory();
  let [most, sentBytes] = [first, 0];
  const bytes = 5 * 1024 ** 3;
  const upload = sending(console, path);
  const zeros = Buffer.alloc(1024 * 1024);
  void upload.write(`${fileHead('zeros.pdf')}%PDF-1.7\n`);
  while (!upload.isOver() && sentBytes < bytes) {
    await Promise.race([upload.write(zeros), upload.over]);
    sentBytes += zeros.length;
    if (sentBytes % (16 * zeros.length) === 0) most = Math.max(most, await memory());
  }
  most = Math.max(most, await memory());
  expect((await upload.response)?.statusCode).toBe(413);
  expect(sentBytes / 1024 ** 2).toBeLessThan(256);
  // What garbage collection has not come to yet, never the upload: the bound is a twentieth of its size.
  expect(most - first).toBeLessThan(256);
  expect([await stored(), await answers()]).toEqual([before, []]);
  // It serves others as before.
  expect((await console.open('/')).status).toBe(200);
});

it.each<[when: string, sent: string, files: number]>([
  ['within the first file', `${fileHead('one.pdf')}%PDF-1.7\n${'x'.repeat(1024 * 1024)}`, 1],
  ['between two files', `${fileHead('one.pdf')}${PDF}\r\n${fileHead('two.pdf')}`, 1],
])('killed during an upload, %s: nothing is answered, and the next upload is', async (_, sent, files) => {
  const { boarding, id, page, path, answers } = await noted();
  const before = (await stored()).length;
  const first = await start(page);
  const upload = sending(first, path);
  await upload.write(sent);
  await eventually(stored, (names) => names.length >= before + files, 'the files to arrive');
  expect([await first.stop('SIGKILL'), await upload.response]).toEqual([null, undefined]);
  expect((await boarding.state()).requirements.map((each) => each.id)).toContain(id);
  expect(await answers()).toEqual([]);

  const second = await start(page);
  expect((await second.open(`${page}/documents`)).text).toContain('Nobody has sent a document.');
  expect((await second.open(path)).text).toContain('Upload documents');
  const again = sending(second, path);
  again.end(`${fileHead('again.pdf')}${PDF}${END}`);
  expect((await again.response)?.statusCode).toBe(303);
  expect(await answers()).toMatchObject([{ detail: `${id}: documents: again.pdf` }]);
  const { text } = await second.open(`${page}/documents`);
  expect(text).toContain('again.pdf');
  expect(text).not.toMatch(/(one|two)\.pdf/);
});

it.each([0, 40])(
  'killed %d ms after an answer was sent: it is open, or answered once, and a reload shows which',
  async (milliseconds) => {
    const { boarding, id, page, path, answers } = await noted();
    const first = await start(page);
    const form = { csrf: first.csrf, kind: 'text', text: 'About one sale in ten.' };
    const answered = first.open(path, { form }).then(
      ({ status }) => status,
      () => undefined,
    );
    await sleep(milliseconds);
    await first.stop('SIGKILL');
    const status = await answered;

    const second = await start(page);
    const { text } = await second.open(page);
    const [input, ...more] = await answers();
    expect(more).toEqual([]);
    if (status === 303) expect(input).toBeDefined();
    const { requirements } = await boarding.state();
    expect(requirements.map((each) => each.id).includes(id)).toBe(input === undefined);
    expect(text.includes(`id="answered-${id}"`)).toBe(input !== undefined);
    // Whoever answers once more is accepted, or sees the first answer.
    const again = await second.open(path, { form: { ...form, csrf: second.csrf, text: 'Twice.' } });
    expect(again.status).toBe(input === undefined ? 303 : 409);
    if (input) expect(again.text).toContain('About one sale in ten.');
    expect(await answers()).toHaveLength(1);
  },
);
