import { createHmac, hkdfSync } from 'node:crypto';
import { truncate } from 'node:fs/promises';
import proto from '@temporalio/proto';
import { describe, expect, it } from 'vitest';
import { gangway } from '../../../rigs/command.js';
import { fileWith } from '../../../rigs/folders.js';
import { business, customer, merchant } from '../../../rigs/inputs.js';

const HEADER = {
  gangwayBackup: 1,
  at: '2026-01-31T12:00:00.000Z',
  namespace: 'default',
  taskQueue: 'gangway',
};

/** An input without encryption, as an entry has it. */
function inputOf(input: unknown): string {
  const data = Buffer.from(JSON.stringify(input));
  const payload = { metadata: { encoding: Buffer.from('json/plain') }, data };
  return Buffer.from(proto.temporal.api.common.v1.Payload.encode(payload).finish()).toString('base64');
}

const entry = (input: unknown, more: object = {}) => ({
  workflowId: 'merchant-boarding-m-1',
  type: 'merchantBoarding',
  status: 'running',
  startedAt: '2026-01-31T10:00:00.000Z',
  input: inputOf(input),
  ...more,
});
const MERCHANT = merchant(undefined, { externalId: 'm-1' });
const ENTRY = entry(MERCHANT);
const OTHER = entry({ ...MERCHANT, externalId: 'm-2' }, { workflowId: 'merchant-boarding-m-2' });

const KEY = Buffer.alloc(32, 7);
const PAYLOAD_KEYS = `k0:${Buffer.alloc(32, 1).toString('base64')},k1:${KEY.toString('base64')}`;

const linesOf = (lines: readonly object[]) => lines.map((line) => `${JSON.stringify(line)}\n`).join('');

/** A backup of these entries that this key authenticates. */
function authentic(entries: readonly object[], bytes = KEY): string {
  const text = linesOf([HEADER, ...entries]);
  const key = Buffer.from(hkdfSync('sha256', bytes, '', 'gangway backup', 32));
  const mac = createHmac('sha256', key).update(text).digest('base64');
  return text + linesOf([{ onboardings: entries.length, key: 'k1', mac }]);
}

const unauthenticated = (entries: readonly object[]) =>
  linesOf([HEADER, ...entries, { onboardings: entries.length }]);

/** Restores a file with an address that nobody can use, which the command finds out once it would start something. */
const restored = async (text: string, env: object = {}, options: readonly string[] = []) => {
  const file = await fileWith(text);
  const set = { TEMPORAL_ADDRESS: 'http://localhost:1', PAYLOAD_KEYS, ...env };
  const { code, stderr } = await gangway(set, ['restore', file, ...options]);
  return [code, stderr.replaceAll(file, 'FILE')];
};

const ACCEPTED = [2, expect.stringMatching(/^TEMPORAL_ADDRESS: must be host:port/)];
const INCOMPLETE =
  'FILE: is incomplete: its last line does not match the number of onboardings, so it was cut or changed: take another copy; nothing was started\n';

describe('gangway restore starts nothing of a file', () => {
  it.each<[what: string, lines: readonly object[], problem: string]>([
    ['without its end', [HEADER, ENTRY, ENTRY], INCOMPLETE],
    ['that lacks an entry', [HEADER, ENTRY, { onboardings: 2 }], INCOMPLETE],
    ['that has one more', [HEADER, ENTRY, ENTRY, { onboardings: 1 }], INCOMPLETE],
    [
      'of another version',
      [{ ...HEADER, gangwayBackup: 2 }, { onboardings: 0 }],
      'FILE:1: is not valid; nothing was started\n  gangwayBackup: must be 1\n',
    ],
    ['that is empty', [], 'FILE:1: is not valid; nothing was started\n  gangwayBackup: must be 1\n'],
    [
      'with an unknown type',
      [HEADER, { ...ENTRY, type: 'x' }, { onboardings: 1 }],
      'FILE:2: is not valid; nothing was started\n  type: must be one of',
    ],
    [
      'with a status that Temporal does not have',
      [HEADER, { ...ENTRY, status: 'failed\nrestored 5' }, { onboardings: 1 }],
      'FILE:2: is not valid; nothing was started\n  status: must be a status of Temporal\n',
    ],
    [
      'with an input that Temporal does not take',
      [HEADER, entry({ ...MERCHANT, note: 'x'.repeat(2_700_000) }), { onboardings: 1 }],
      'FILE:2: is not valid; nothing was started\n  input: is longer than Temporal takes\n',
    ],
    [
      'with an id that no partner has',
      [HEADER, { ...ENTRY, merchantProfileId: -1 }, { onboardings: 1 }],
      'FILE:2: is not valid; nothing was started\n  merchantProfileId: must be an id at the partner, from 1 on',
    ],
  ])('%s', async (_, lines, problem) => {
    const refused = await restored(linesOf(lines), {}, ['--unauthenticated']);
    expect(refused).toEqual([2, expect.stringContaining(problem)]);
  });

  it.each<[what: string, text: (whole: string) => string, problem: string]>([
    ['that is cut in a line', (whole) => whole.slice(0, -20), 'FILE:3: is not JSON'],
    ['that an editor marked', (whole) => `\ufeff${whole}`, 'FILE:1: is not JSON'],
  ])('%s, and says what to do', async (_, change, problem) => {
    expect(await restored(change(authentic([ENTRY])))).toEqual([
      2,
      expect.stringMatching(
        new RegExp(`^${problem}, so it was cut or changed: take another copy; nothing was started\n$`),
      ),
    ]);
  });

  it('that is encrypted without PAYLOAD_KEYS, and names them', async () => {
    const payload = { metadata: { encoding: Buffer.from('binary/encrypted') }, data: Buffer.alloc(50) };
    const input = Buffer.from(proto.temporal.api.common.v1.Payload.encode(payload).finish()).toString(
      'base64',
    );
    const file = unauthenticated([{ ...ENTRY, input }]);
    expect(await restored(file, { PAYLOAD_KEYS: '' }, ['--unauthenticated'])).toEqual([
      2,
      'FILE:2: its input cannot be read without PAYLOAD_KEYS; nothing was started\n',
    ]);
  });

  it('that is larger than a backup can be, or none', async () => {
    const file = await fileWith(authentic([ENTRY]));
    await truncate(file, 500 * 1024 ** 2 + 1);
    for (const each of [file, '/dev/zero'])
      expect(await gangway({ PAYLOAD_KEYS }, ['restore', each])).toEqual({
        code: 2,
        stdout: '',
        stderr: `${each}: is not a file of at most 500 MiB\n`,
      });
  });
});

describe('gangway restore of a backup', () => {
  const [changed, whole] = [{ ...ENTRY, merchantProfileId: 1001 }, authentic([ENTRY])];
  const endOf = (text: string) => text.split('\n').at(-2) ?? '';
  it.each<[what: string, text: string, env: object, why: string]>([
    ['written by hand', unauthenticated([ENTRY]), {}, 'it was written without PAYLOAD_KEYS'],
    [
      'with another merchant',
      linesOf([HEADER, changed]) + endOf(whole),
      {},
      'it was changed since, or key k1 has another value',
    ],
    [
      'with its lines exchanged',
      linesOf([HEADER, OTHER, ENTRY]) + endOf(authentic([ENTRY, OTHER])),
      {},
      'it was changed since, or key k1 has another value',
    ],
    [
      'of another time',
      whole.replace('12:00', '13:00'),
      {},
      'it was changed since, or key k1 has another value',
    ],
    [
      'of a key of the same id',
      authentic([ENTRY], Buffer.alloc(32, 8)),
      {},
      'it was changed since, or key k1 has another value',
    ],
    ['without its key', whole, { PAYLOAD_KEYS: PAYLOAD_KEYS.slice(0, 47) }, 'key k1 is not in PAYLOAD_KEYS'],
    ['without any key', whole, { PAYLOAD_KEYS: '' }, 'PAYLOAD_KEYS is not set'],
  ])('%s starts nothing unless its author is trusted', async (_, text, env, why) => {
    expect(await restored(text, env)).toEqual([
      2,
      `FILE: anyone could have written it, because ${why} ` +
        '(with --unauthenticated, its author decides what starts and what is imported); nothing was started\n',
    ]);
    expect(await restored(text, env, ['--unauthenticated'])).toEqual(ACCEPTED);
  });

  it('that a key of PAYLOAD_KEYS authenticates starts', async () => {
    expect(await restored(whole)).toEqual(ACCEPTED);
  });

  const ACME = { GANGWAY_ACCOUNTS: 'acme' };
  const [AT_ACME, CUSTOMER] = ['merchant-boarding-m-1@acme', customer({}, { externalId: 'm-1' })];
  const of = (type: string, workflowId: string, input: unknown) => entry(input, { type, workflowId });
  const whoseCustomer = of('customerOnboarding', 'customer-onboarding-m-1@acme', {
    ...CUSTOMER,
    account: 'acme',
  });

  it.each<[what: string, entries: readonly object[], env: object, problem: string]>([
    [
      'in an account that its input does not name',
      [{ ...ENTRY, workflowId: AT_ACME }],
      ACME,
      `FILE:2: ${AT_ACME} has the input of merchant-boarding-m-1; nothing was started\n`,
    ],
    [
      'in an account that there is not',
      [entry({ ...MERCHANT, account: 'zeta' })],
      ACME,
      'FILE:2: is not valid; nothing was started\n  account: must be one of GANGWAY_ACCOUNTS: acme\n',
    ],
    [
      'of another key',
      [{ ...ENTRY, workflowId: 'merchant-boarding-m-9' }],
      {},
      'FILE:2: merchant-boarding-m-9 has the input of merchant-boarding-m-1; nothing was started\n',
    ],
    [
      'of another type',
      [{ ...ENTRY, workflowId: 'operation-m-1' }],
      {},
      'FILE:2: operation-m-1 has the input of merchant-boarding-m-1; nothing was started\n',
    ],
    [
      'whose id is a path',
      [of('merchantBoarding', 'merchant-boarding-../../x', { ...MERCHANT, externalId: '../../x' })],
      {},
      'FILE:2: is not valid; nothing was started\n  externalId: must have only letters, digits and . _ : -',
    ],
    [
      'whose id is none',
      [{ ...ENTRY, workflowId: '../../etc/passwd' }],
      {},
      'FILE:2: ../../etc/passwd has the input of merchant-boarding-m-1; nothing was started\n',
    ],
    ['that is there twice', [ENTRY, ENTRY], {}, 'FILE: has an onboarding twice; nothing was started\n'],
    [
      'without an input',
      [entry(null)],
      {},
      'FILE:2: is not valid; nothing was started\n  must be an object\n',
    ],
    [
      'without a dba',
      [entry({ externalId: 'm-1', merchant: {} })],
      {},
      'FILE:2: is not valid; nothing was started\n  merchant.dba: is required\n',
    ],
    [
      'with the input of a merchant for a business',
      [of('businessOnboarding', 'business-onboarding-m-1', MERCHANT)],
      {},
      'FILE:2: is not valid; nothing was started\n  holder: is required\n',
    ],
    [
      'of a customer without a business',
      [of('customerOnboarding', 'customer-onboarding-m-1', { ...CUSTOMER, business: null })],
      {},
      'FILE:2: is not valid; nothing was started\n  business: must be an object\n',
    ],
    [
      'whose input is no payload',
      [{ ...ENTRY, input: 'AAAA' }],
      {},
      'FILE:2: its input cannot be read; nothing was started\n',
    ],
  ])('starts nothing for an entry %s', async (_, entries, env, problem) => {
    const file = unauthenticated([...entries, OTHER]);
    expect(await restored(file, env, ['--unauthenticated'])).toEqual([2, expect.stringContaining(problem)]);
  });

  it('starts what a backup has: a part in the account of its customer, and what ended whatever its input is', async () => {
    const parts = [
      { ...ENTRY, workflowId: AT_ACME },
      of('businessOnboarding', 'business-onboarding-m-1@acme', business(undefined, { externalId: 'm-1' })),
    ];
    const failed = entry({}, { status: 'failed', workflowId: 'merchant-boarding-Corner Bakery' });
    const whole = [...parts, whoseCustomer, failed];
    expect(await restored(unauthenticated(whole), ACME, ['--unauthenticated'])).toEqual(ACCEPTED);
    // Temporal may have forgotten the customer, which only an authentic backup shows.
    expect(await restored(authentic(parts), ACME)).toEqual(ACCEPTED);
  });
});
