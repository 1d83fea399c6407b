import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { beforeAll, describe, expect, it } from 'vitest';
import { run } from '../../../src/commands/program.js';
import { gangway as runGangway } from '../../rigs/command.js';
import { merchant } from '../../rigs/inputs.js';
import { sharedRig } from '../../rigs/shared-rig.js';

/** Mistakes that people make, typed on purpose: each message leads to the fix in one step. */

const rig = await sharedRig();
/** A boarding that waits for changes, and its requirement. */
let externalId: string;
let requirement: string;

beforeAll(async () => {
  const input = merchant('request-changes', { application: { profile: { volume: 180_000 } } });
  const boarding = await rig.board(input);
  externalId = input.externalId;
  requirement = (await boarding.requirement('request-changes')).id;
});

const gangway = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  runGangway({ ...rig.env, ...env }, args);

/** Writes a file. @returns its path */
async function file(name: string, content: string | Buffer): Promise<string> {
  await mkdir(rig.documentDir, { recursive: true });
  const path = join(rig.documentDir, name);
  await writeFile(path, content);
  return path;
}

/** The arguments of a command with a mistake, what its message contains, and its exit code if that is not 2. */
type Mistake = readonly [
  what: string,
  args: () => readonly string[] | Promise<readonly string[]>,
  fix: string | RegExp,
];

const input = () => merchant();
const board = async (content: unknown) => ['board', await file('mistake.json', JSON.stringify(content))];
const set = (value: string) => () => ['resolve', externalId, requirement, '--set', value];

const MISTAKES: readonly Mistake[] = [
  ['a command', () => ['bord', 'x.json'], '(Did you mean board?)'],
  ['an option', () => ['resolve', externalId, requirement, '--txt', 'x'], '(Did you mean --text?)'],
  ['a file', () => ['board', 'examples/merchnt.json'], 'did you mean examples/merchant.json?'],
  ['a stage', () => ['list', '--stage', 'bordered'], 'Did you mean boarded?'],
  ['a partner account', () => ['inbox', '--partner-account', 'acme'], '--partner-account: '],
  [
    'a field of a call',
    () => ['call', 'boarding', 'get-status', '{"idd": 1001}', '--local'],
    'idd: is not a known field; did you mean id?',
  ],
  [
    'a requirement',
    () => ['resolve', externalId, 'request-change-1', '--retry', '--reason', 'x'],
    /did you mean request-changes-\d\?/,
  ],
  [
    'a kind of answer',
    () => ['resolve', externalId, requirement, '--adopt', '1001', '--reason', 'x'],
    /does not take --adopt; it takes --set or --patch, --retry, --abandon:\n {4}gangway resolve \S+ \S+ --set FIELD=VALUE\n/,
  ],
  [
    'a decision without a reason',
    () => ['resolve', externalId, requirement, '--retry'],
    "--reason 'the partner corrected it'",
  ],
  [
    'a patch',
    () => ['resolve', externalId, requirement, '--patch', '{'],
    '--patch: is not JSON: line 1, column 2: the text ends early',
  ],
  [
    'an answer without its option',
    () => ['resolve', externalId, requirement, 'examples/voided-check.txt'],
    'examples/voided-check.txt: an answer needs its option; did you mean --document examples/voided-check.txt?',
  ],
  [
    'a field',
    () => board({ ...input(), boardingSettingId: 11 }),
    'boardingSettingId: is not a known field; did you mean boardingSettingsId?',
  ],
  [
    'JSON',
    async () => ['board', await file('mistake.json', '{\n  "externalId": "m-1"\n  "merchant": {}\n}')],
    'is not JSON: line 3, column 3: a comma, } or ] is missing',
  ],
  [
    'the kind of a file',
    () => ['board', 'examples/business.json'],
    'is a business; nothing was started. Use "gangway onboard-business examples/business.json"',
  ],
  [
    'a correction that is too late',
    set('merchant.dba=Other'),
    'merchant: can no longer be changed; fields that can be changed: fees, application',
  ],
  [
    'an answer twice',
    () => ['resolve', externalId, requirement, '--retry', '--abandon'],
    'give exactly one of --text, --document, --set,',
  ],
  [
    'a file of rows',
    () => ['board', 'examples/merchants.csv'],
    'is a file of rows (csv); nothing was started. Use "gangway batch examples/merchants.csv"',
  ],
  [
    'the file of a batch',
    () => ['batch', 'examples/customer.json'],
    'is a customer; nothing was started. Use "gangway onboard examples/customer.json"',
  ],
  ['an id', () => ['status', ''], /^argument 'id' is empty\n$/],
  ['a requirement that is empty', () => ['claim', externalId, ' '], /^argument 'requirement' is empty\n$/],
  ['a batch', () => ['batches', ''], /^argument 'id' is empty\n$/],
  [
    'a call without its id',
    () => ['call', 'boarding', 'get-status'],
    /^request: is not valid; nothing was sent\n {2}id: is required\nfor example: gangway call boarding get-status '\{"id":1001\}'\n$/,
  ],
  [
    'an actor',
    () => ['resolve', externalId, requirement, '--abandon', '--reason', 'x', '--actor', ' '],
    /^--actor: must name/,
  ],
  ['the name of a card', () => ['card-nickname', 'card-1'], 'give either a name or --clear\n'],
  [
    'a name of a card that is to be cleared',
    () => ['card-nickname', 'card-1', 'Fuel', '--clear'],
    'give either a name or --clear\n',
  ],
  ['a duration', () => ['list', '--timeout', '10'], 'It must be a duration such as 30s, 2m or 1h.'],
];

const HOME = { streetAddress: '27 Harbor Road', postalCode: '12207', city: 'Albany', state: 33 };
const HOOK = { name: 'a', url: 'https://hooks.example.com/a', notificationType: 'Fee' };
const NEXT_MONTH = new Date(Date.UTC(new Date().getUTCFullYear(), new Date().getUTCMonth() + 1, 1));
const WRONG_HOME = { streetAddress: 'PO Box 1', postalCode: '1', state: 54, city: '', extendedAddress: '§' };
const ACCOUNT = ['--account', 'fa-501-1'];

/** The arguments of a single operation, a file in place of what is no text, and what is wrong with them. */
const OPERATIONS: readonly (readonly [args: readonly unknown[], ...problems: string[]])[] = [
  [
    ['close-card', 'card-1004'],
    '--last4: is required because closing a card cannot be undone: give the last 4',
  ],
  [['close-card', 'card-1004', '--last4', '12345'], '--last4: must be the last 4 digits'],
  [
    ['close-card', 'card-1004', '--last4', '1004', '--notes', 'x'.repeat(601)],
    '--notes: must be at most 600',
  ],
  [['close-card', '4111-1111-1111-1111', '--last4', '1111'], 'card: looks like a card number'],
  [
    ['change-address', { ...HOME, ...WRONG_HOME }, '--id', 'never'],
    ...['streetAddress: must start with', 'postalCode: must be 5', 'state: ', 'city: must not be empty'],
    'extendedA',
  ],
  [
    ['change-address', { ...HOME, oneTimeCode: '135791' }, '--id', 'never'],
    'secureOperationType: is required together with',
  ],
  [['card-nickname', 'card-1', 'x'.repeat(19)], 'name: must be at most 18 characters\n'],
  [['card-nickname', 'card-1', ''], 'name: must not be empty; --clear removes it\n'],
  [['card-nickname', 'card 1', 'Fuel'], 'card: must not have spaces or @\n'],
  [['card-nickname', 'card-1@acme', 'Fuel'], 'card: must not have spaces or @\n'],
  ...['x', '0', '99999999999'].map((id) => [['restore-sub-user', id], 'id: '] as const),
  [
    [
      'ensure-webhooks',
      [HOOK, { ...HOOK, name: 'b', url: 'http://hooks.example.com', notificationType: 'Fees', id: 1 }],
    ],
    ...['1.url: must be a full https URL\n  1.notif', '1.notificationType: ', '1.id: is not a known field'],
  ],
  [
    ['ensure-webhooks', { webhooks: [{ ...HOOK, name: 'x'.repeat(51) }] }],
    'webhooks.0.name: must be at most 50',
  ],
  [['ensure-webhooks', []], 'must name a webhook'],
  [['ensure-webhooks', { hooks: [] }], 'webhooks: is required', 'hooks: is not a known field'],
  [['statement', 'now'], '--account: is required', '--period: is required'],
  [
    ['statement', 'now', '--account', '', '--period', '2026-13', '--format', 'DOC', '--email', 'books'],
    ...['--account.0: must not be empty', '--format: must be one of PDF, CSV, QBO, OFX'],
    ...['--email: must be an e-mail address', '--period: must be a month such as 2026-01'],
  ],
  [
    ['statement', 'now', ...ACCOUNT, '--period', NEXT_MONTH.toISOString().slice(0, 7)],
    '--period: must not be in the',
  ],
  [['statement', 'now', ...ACCOUNT, '--period', '2026-01-01'], '--period: must be a month'],
  [
    ['statement', 'monthly', 'a b', '--day', '29', '--hour', '24', '--format', 'x'],
    ...['key: must have only letters, digits', '--account: is required', '--format: '],
    ...['--day: must be a number from 1 to 28', '--hour: must be a number from 0 to 23'],
  ],
  [['statement', 'monthly', 'k', '--account', 'a', '--day', '1.5'], '--day: must be a number'],
  [['statement', 'run', 'a b'], 'key: must have only letters, digits'],
];

describe('a single operation that is not valid', () => {
  const rows = OPERATIONS.map(([args, ...problems]) => ({ args, problems }));

  it.each(rows)('names each field, and starts nothing: $args', async ({ args, problems }) => {
    const given = args.map((arg) =>
      typeof arg === 'string' ? arg : file('input.json', JSON.stringify(arg)),
    );
    const { code, stdout, stderr } = await gangway(await Promise.all(given));
    expect({ code, stdout }, stderr).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/ is not valid; nothing was (started|done|created|changed)\n/);
    for (const problem of problems) expect(stderr).toContain(`  ${problem}`);
    // Neither a number of a card nor a code is repeated.
    expect(stderr).not.toMatch(/4111|13579/);
    for (const id of ['close-card-card-1004', 'change-address-never'])
      await expect(rig.client.workflow.getHandle(`operation-${id}`).describe()).rejects.toThrow();
  });
});

describe('a mistake', () => {
  it.each(MISTAKES)('in %s is met with the fix', async (_, args, fix) => {
    const { code, stdout, stderr } = await gangway(await args());
    expect({ code, stdout }, stderr).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(typeof fix === 'string' ? literally(fix) : fix);
    expect(stderr).not.toMatch(/^\s+at /m);
  });

  it('in the name of an account gets the nearest one', async () => {
    const env = { GANGWAY_ACCOUNTS: 'north,south' };
    const { code, stderr } = await gangway(['status', externalId, '--partner-account', 'nroth'], env);
    expect(code).toBe(2);
    expect(stderr).toContain(
      '--partner-account: must be one of GANGWAY_ACCOUNTS: north, south; did you mean north?',
    );
  });

  it('in the address of Temporal is one sentence that names the setting', async () => {
    for (const address of [
      'http://localhost:7233',
      'https://temporal.example.com',
      'localhost:7233/',
      ':7233',
    ])
      expect(await gangway(['list'], { TEMPORAL_ADDRESS: address })).toEqual({
        ...{ code: 2, stdout: '' },
        stderr: 'TEMPORAL_ADDRESS: must be host:port, such as localhost:7233, without http://\n',
      });
  });

  it('in the name of a setting is a warning of doctor', async () => {
    const { stdout } = await gangway(['doctor'], { BOARDING_USRNAME: 'x' });
    expect(stdout).toContain(
      'BOARDING_USRNAME is not a setting, so nothing reads it; did you mean BOARDING_USERNAME?',
    );
  });
});

function literally(words: string): RegExp {
  return new RegExp(words.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'));
}

describe('an error that nothing foresees', () => {
  /** Runs a command whose settings cannot be read, because of a bug. */
  async function broken(...args: string[]): Promise<{ readonly code: number; readonly stderr: string }> {
    const env = Object.defineProperty({}, 'GANGWAY_ACCOUNTS', {
      enumerable: true,
      get: () => {
        throw new TypeError('cannot read a property, call 518-555-0100');
      },
    });
    const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
    const { signal } = new AbortController();
    const code = await run(args, { env, stdin, stdout, stderr, signal });
    stderr.end();
    return { code, stderr: await text(stderr) };
  }

  it('is one sentence with the next step, and no stack', async () => {
    expect(await broken('list')).toEqual({
      code: 1,
      stderr:
        'gangway failed unexpectedly: cannot read a property, call [Redacted]. Check what was done with "gangway status" ' +
        'or "gangway list". To report it, run the command again with --debug.\n',
    });
  });

  it('has its stack with --debug, without private values', async () => {
    for (const args of [
      ['--debug', 'list'],
      ['list', '--debug'],
    ]) {
      const { code, stderr } = await broken(...args);
      expect(code).toBe(1);
      expect(stderr).toMatch(/TypeError: cannot read a property, call \[Redacted\]\n\s+at /);
    }
  });
});
