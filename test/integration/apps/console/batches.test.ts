import { readFile } from 'node:fs/promises';
import { parse } from 'csv-parse/sync';
import { afterAll, afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { MerchantBoardingInput } from '../../../../src/messages/inputs.js';
import { idOf, ndjson, wasStarted } from '../../../rigs/commands/files.js';
import { formWithFile, leadsTo } from '../../../rigs/console/pages.js';
import { type Reply, runConsole } from '../../../rigs/console/running-console.js';
import { startingRig } from '../../../rigs/console/starting.js';
import { business, customer, merchant } from '../../../rigs/inputs.js';
import { Onboarding } from '../../../rigs/onboarding.js';
import { createRig } from '../../../rigs/rig.js';
import { eventually } from '../../../rigs/waiting.js';

const { rig, console, admin } = await startingRig();
afterEach(() => rig.clear());
// Creates wait until the end of the test, because it is about starts, and a merchant costs more.
beforeEach(() => rig.sandbox.plan('delay', 'create-merchant', { times: 100, milliseconds: 100_000 }));
await rig.startWorker({ accounts: ['east', 'west'] });
afterAll(() => rig.close());

type Files = Parameters<typeof formWithFile>[1];

const checked = async (files: Files, fields = {}, who = admin) =>
  who.open('/batches', { body: formWithFile(await who.csrf(), files, fields) });

/** Checks merchants. @returns the address of their batch */
async function held(inputs: readonly unknown[], who = admin): Promise<string> {
  const reply = await checked({ file: ['rows.ndjson', ndjson(inputs)] }, {}, who);
  expect(reply.status).toBe(303);
  return leadsTo(reply);
}

const merchants = (count: number) => Array.from({ length: count }, () => merchant());

/** The page of a batch once it shows this text. */
const shows = (path: string, text: string, who = admin): Promise<Reply> =>
  eventually(
    () => who.open(path),
    (page) => page.text.includes(text),
    text,
  );

describe('a file', () => {
  it('is checked first: each problem by line and field, and nothing is started or held', async () => {
    const good = merchant();
    const { agentProfileId: _, ...bad } = merchant(undefined, { dueInHours: -1 });
    const rows = [good, bad, { ...business(), holder: {} }, good];
    const { status, text } = await checked({ file: ['rows.ndjson', `${ndjson(rows)}{"a":\n`] });
    expect(status).toBe(422);
    const cells = [...text.matchAll(/<td[^>]*data-title="(?:Line|Field|Problem)"[^>]*>(.*?)<\/td>/g)].map(
      ([, cell]) => cell,
    );
    const matches = cells.flatMap((_cell, at) => (at % 3 === 0 ? [cells.slice(at, at + 3).join(' ')] : []));
    for (const problem of [
      /^2 <code>dueInHours<\/code> must be/,
      /^3 <code>holder.ssn<\/code> is required$/,
      /^4 <code>externalId<\/code> is the same as in line 1$/,
      /^5 {2}is not JSON/,
    ])
      expect(matches).toContainEqual(expect.stringMatching(problem));
    expect(await wasStarted(rig.client, idOf(good))).toBe(false);
    expect((await admin.open('/start')).text).not.toContain('<h2>Batches</h2>');
  });

  // Alone catches a table of semicolons that a clerk has to name.
  it.each([{}, { delimiter: 'semicolon' }])(
    'of CSV is read with its separator and its mapping: %j',
    async (named) => {
      const [csv, mapping] = await Promise.all(
        ['crm-export.csv', 'mapping.json'].map((name) => readFile(`examples/${name}`, 'utf8')),
      );
      const files: Files = { file: ['crm.csv', csv ?? ''], mapping: ['mapping.json', mapping ?? ''] };
      const path = leadsTo(await checked(files, named));
      expect((await admin.open(path)).text).toContain('This starts 2 rows of crm.csv (2 merchants)');
    },
  );

  it.each([
    ['that is empty', ['rows.ndjson', ''] as const, 422, 'Choose a file first'],
    ['of blank lines', ['rows.ndjson', '\n\n'] as const, 422, 'has no rows'],
    [
      'of another type',
      ['rows.xlsx', 'x'] as const,
      422,
      'must end in .csv, .ndjson or .jsonl. In Excel, choose Save As',
    ],
    ['above 16 MiB', ['rows.csv', new Uint8Array(16 * 1024 * 1024 + 1)] as const, 413, 'larger than 16 MiB'],
  ])('%s is rejected with the reason', async (_, file, status, reason) => {
    const reply = await checked({ file });
    expect([reply.status, reply.text]).toEqual([status, expect.stringContaining(reason)]);
  });
});

describe('a checked file', () => {
  it('shows what would happen, and more than 20 rows start only with their number', async () => {
    const inputs = [...merchants(20), business(), customer()];
    const path = await held(inputs);
    const { text } = await admin.open(path);
    // Alone catches a file of other businesses that looks like the right one.
    expect(text).toMatch(/<dt>Businesses<\/dt><dd[^>]*>Corner Bakery[^<]*, others</);
    expect(text).toContain('This starts 22 rows of rows.ndjson (20 merchants, 1 business, 1 customer)');
    for (const rows of ['', '20']) {
      const reply = await admin.open(`${path}/start`, { form: { rate: '50', rows } });
      expect([reply.status, reply.text]).toEqual([422, expect.stringContaining('Nothing was started')]);
    }
    const rate = await admin.open(`${path}/start`, { form: { rate: '0', rows: '22' } });
    expect(rate.status).toBe(422);
    const [first] = inputs as MerchantBoardingInput[];
    expect(await wasStarted(rig.client, first ? idOf(first) : '')).toBe(false);
    const started = await admin.open(`${path}/start`, { form: { rate: '100', rows: '22' } });
    expect([started.status, leadsTo(started)]).toEqual([303, path]);
    await shows(path, '22 of 22 rows: done');
    expect(console.audited()).toContainEqual(
      expect.objectContaining({ what: 'start a batch', actor: admin.actor }),
    );
  });

  it('with warnings starts only after they are confirmed, and says how many rows would start nothing', async () => {
    const first = merchant();
    await admin.open(`${await held([first])}/start`, { form: { rate: '50' } });
    await new Onboarding(rig.client, idOf(first)).listed();
    const uncertain = { ...merchant(), merchant: { ...merchant().merchant, email: 'not-an-email' } };
    const attaches = '1 of 2 rows would start nothing, because the onboarding exists.';
    const { path, text } = await eventually(
      async () => {
        const at = await held([first, uncertain]);
        return { path: at, text: (await admin.open(at)).text };
      },
      (page) => page.text.includes(attaches),
      attaches,
    );
    expect(text).toContain('<code>merchant.email</code>');
    expect(text).toContain('is not an e-mail address');
    const refused = await admin.open(`${path}/start`, { form: { rate: '50' } });
    expect([refused.status, refused.text]).toEqual([
      422,
      expect.stringContaining('Confirm the warnings first'),
    ]);
    expect(await wasStarted(rig.client, idOf(uncertain))).toBe(false);
    await admin.open(`${path}/start`, { form: { rate: '50', warnings: 'true' } });
    await shows(path, '2 of 2 rows: done');
  });

  it('is of the person who uploaded it, and started once by a double click', async () => {
    const [input] = merchants(1);
    const path = await held([input]);
    const other = await console.signedIn({ role: 'admin', accounts: ['default', 'east', 'west'] });
    expect((await other.open(path)).status).toBe(404);
    const click = async () => (await admin.open(`${path}/start`, { form: { rate: '50' } })).status;
    expect(await Promise.all([click(), click()])).toEqual([303, 303]);
    await shows(path, '1 of 1 row: done');
    const results = await admin.open(`${path}/results.csv`);
    expect(results.headers.get('content-disposition')).toMatch(/^attachment/);
    expect(parse(results.text, { columns: true })).toMatchObject([{ line: '1', result: 'started' }]);
    expect((await other.open(path)).status).toBe(200);
  });
});

it('a batch outlives its console: any other one shows it, and stops it', async () => {
  const inputs = merchants(30);
  const own = await runConsole({ ...rig, client: rig.client });
  const person = await own.signedIn({ role: 'admin' });
  const path = await held(inputs, person);
  await person.open(`${path}/start`, { form: { rate: '1', rows: '30' } });
  await own.close();
  const running = await shows(path, ' of 30 rows: running');
  // Without scripts, the page is read again.
  expect(running.headers.get('refresh')).toBe('2');
  await eventually(
    () => admin.open('/start'),
    ({ text }) => text.includes(`href="${path}"`),
    'the batch in the list',
  );
  await admin.open(`${path}/stop`, { form: {} });
  const stopped = await shows(path, 'rows: stopped');
  expect(stopped.headers.get('refresh')).toBeNull();
  const { status, text } = await admin.open('/batches/00000000-0000-4000-8000-000000000000');
  expect([status, text]).toEqual([404, expect.stringContaining('upload the file again')]);
});

it('without a worker, a file is checked, and the page says why it cannot be started', async () => {
  const idle = await createRig({ worker: false });
  onTestFinished(() => idle.close());
  const own = await runConsole(idle, {}, idle.atClose);
  const person = await own.signedIn({ role: 'admin' });
  const { status, text } = await checked({ file: ['rows.ndjson', ndjson(merchants(1))] }, {}, person);
  expect([status, text]).toEqual([503, expect.stringContaining('no worker polls task queue')]);
});
