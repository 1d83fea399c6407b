import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { beforeAll, describe, expect, it } from 'vitest';
import { run } from '../../../../src/apps/command/program.js';
import { gangway as runGangway } from '../../../rigs/command.js';
import { merchant } from '../../../rigs/inputs.js';
import { sharedRig } from '../../../rigs/shared-rig.js';

/** Mistakes that people make, typed on purpose: each message leads to the fix in one step. */

const rig = await sharedRig();
/** A boarding that waits for changes, and its requirement. */
let externalId: string;
let requirement: string;

beforeAll(async () => {
  const input = merchant('changes-requested', { application: { profile: { volume: 180_000 } } });
  const boarding = await rig.board(input);
  externalId = input.externalId;
  requirement = (await boarding.requirement('changes-requested')).id;
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

const INPUT = merchant();

/**
 * The words of a command with a mistake, what its message contains, and the content of its file. ID and REQ are those of the boarding,
 * FILE.txt is the file, EMPTY an empty word, BLANK a space, and SPACED has a space.
 */
type Mistake = [line: string, fix: string | RegExp, content?: unknown];

const MISTAKES: readonly Mistake[] = [
  ['bord x.json', '(Did you mean board?)'],
  ['resolve ID REQ --txt x', '(Did you mean --text?)'],
  ['board examples/merchnt.json', 'did you mean examples/merchant.json?'],
  ['list --stage bordered', 'Did you mean boarded?'],
  ['inbox --partner-account acme', '--partner-account: '],
  ['call boarding get-status {"idd":1001} --local', 'idd: is not a known field; did you mean id?'],
  ['resolve ID changes-request-1 --retry --reason x', /did you mean changes-requested-\d\?/],
  [
    'resolve ID REQ --confirm 1001 --reason x',
    /does not take --confirm; it takes --set or --patch, --retry, --abandon:\n {4}gangway resolve \S+ \S+ --set application\.FIELD=VALUE\n/,
  ],
  ['resolve ID REQ --retry', "--reason 'the partner corrected it'"],
  ['resolve ID REQ --patch {', '--patch: is not JSON: line 1, column 2: the text ends early'],
  [
    'resolve ID REQ --patch {"application":{"volume":9007199254740993}}',
    '--patch: is not valid; nothing was sent\n  application.volume: must be JSON; beyond 2^53 - 1 write the digits of a whole number as text\n',
  ],
  ['nudge', /^give an id or --system\n$/],
  ['nudge m-1 --system boarding', /^give an id or --system\n$/],
  [
    'nudge --system boarding --partner-account nobody',
    'nudge: is not valid; nothing was done\n  --partner-account: cannot be set, because GANGWAY_ACCOUNTS names no account\n',
  ],
  [
    'resolve ID REQ examples/voided-check.txt',
    'examples/voided-check.txt: an answer needs its option; did you mean --document examples/voided-check.txt?',
  ],
  [
    'board FILE.json',
    'boardingSettingId: is not a known field; did you mean boardingSettingsId?',
    { ...INPUT, boardingSettingId: 11 },
  ],
  [
    'board FILE.json',
    '.json: is not valid; nothing was started\n  dueInHours: must be more than 0, in hours\n  agent: cannot be combined with agentProfileId; give one of the two\n',
    { ...INPUT, agent: 'Harbor Agents', dueInHours: 0 },
  ],
  [
    'board FILE.json',
    'is not JSON: line 3, column 3: a comma, } or ] is missing',
    '{\n  "externalId": "m-1"\n  "merchant": {}\n}',
  ],
  [
    'board examples/business.json',
    'is a business; nothing was started. Use "gangway onboard-business examples/business.json"',
  ],
  [
    'resolve ID REQ --set merchant.dba=Other',
    'merchant: can no longer be changed; fields that can be changed: fees, application',
  ],
  ['resolve ID REQ --retry --abandon', 'give exactly one of --text, --document, --set,'],
  [
    'board examples/merchants.csv',
    'is a file of rows (csv); nothing was started. Use "gangway batch examples/merchants.csv"',
  ],
  [
    'batch examples/customer.json',
    'is a customer; nothing was started. Use "gangway onboard examples/customer.json"',
  ],
  ['status EMPTY', /^argument 'id' is empty\n$/],
  ['claim ID BLANK', /^argument 'requirement' is empty\n$/],
  ['batches EMPTY', /^argument 'id' is empty\n$/],
  [
    'call boarding get-status',
    /^request: is not valid; nothing was sent\n {2}id: is required\nfor example: gangway call boarding get-status '\{"id":1001\}'\n$/,
  ],
  ['resolve ID REQ --abandon --reason x --actor BLANK', /^--actor: must name/],
  ['card-nickname card-1', 'give either a name or --clear\n'],
  ['card-nickname card-1 Fuel --clear', 'give either a name or --clear\n'],
  ['call payment', /^unknown system 'payment'; did you mean payments\?\n$/],
  ['call partner', /^unknown system 'partner'; "gangway call" lists them\n$/],
  ['call banking foo', /^unknown operation 'foo'; "gangway call banking" lists them\n$/],
  ['call boarding get-status {', /^request: is not JSON: line 1, column 2: the text ends early\n$/],
  ['call boarding get-status []', /^request: must be a JSON object\n$/],
  ['call boarding get-status @no.json', /^no.json: cannot be read \(ENOENT\): there is no such file\n$/],
  ['call banking list-tickets --table --json', "'--table' cannot be used with option '--json'"],
  ['report --json --csv', "option '--json' cannot be used with option '--csv'"],
  ['claim ID note-1', 'no requirement "note-1" is open; open: '],
  ['claim ID REQ --for 8d', 'until: must be at most 7 days ahead'],
  ['list --timeout 10', 'It must be a duration such as 30s, 2m or 1h.'],
  ['batch x.csv --rate 0', 'It must be a number from 0.001 to 1000.'],
  ['batch x.csv --concurrency 0', 'It must be a positive integer.'],
  ['batch x.csv --give-up-after 2', 'It must be a duration such as 30s, 2m or 1h.'],
  ['batch x.csv --delimiter ;;', 'It must be one character, or tab.'],
  ['batch x.csv --format xlsx', 'Allowed choices are csv, ndjson.'],
  ['batch x.csv --csv --dry-run', "option '--csv' cannot be used with option '--dry-run'\n"],
  ['batches --stop', 'name the batch'],
  ['batch FILE.ndjson', /mistake\.ndjson: has no rows\n$/, '\n\n'],
  [
    'batch FILE.txt',
    /^give --format csv or --format ndjson: the file name does not end in \.csv or \.ndjson\n$/,
    '{}',
  ],
  ['batch FILE.ndjson --delimiter ;', /^--delimiter and --mapping are for CSV\n$/, '{}'],
  [
    'import FILE.csv',
    'mistake.csv:1: "merchantProfilId" is not a known column; did you mean merchantProfileId?\n',
    'externalId,dba,merchantProfilId\na-1,One,7\n',
  ],
];

const HOME = { streetAddress: '27 Harbor Road', postalCode: '12207', city: 'Albany', state: 33 };
const WRONG_HOME = { streetAddress: 'PO Box 1', postalCode: '1', state: 54, city: '', extendedAddress: '§' };
const HOOK = { name: 'a', url: 'https://hooks.example.com/a', notificationType: 'Fee' };
const OTHER_HOOK = { name: 'b', url: 'http://hooks.example.com', notificationType: 'Fees', id: 1 };
const NEXT_MONTH = new Date(Date.UTC(new Date().getUTCFullYear(), new Date().getUTCMonth() + 1, 1));

/** The words of a single operation, what is wrong with them, and the content of its file. */
type Operation = [line: string, problems: readonly string[], content?: unknown];

const OPERATIONS: readonly Operation[] = [
  ['close-card card-1004', ['--last4: is required because closing a card cannot be undone: give the last 4']],
  ['close-card card-1004 --last4 12345', ['--last4: must be the last 4 digits']],
  [`close-card card-1004 --last4 1004 --notes ${'x'.repeat(601)}`, ['--notes: must be at most 600']],
  ['close-card 4111-1111-1111-1111 --last4 1111', ['card: looks like a card number']],
  [
    'change-address FILE.json --id never',
    [
      'streetAddress: must start with',
      'postalCode: must be 5',
      'state: ',
      'city: must not be empty',
      'extendedA',
    ],
    WRONG_HOME,
  ],
  [
    'change-address FILE.json --id never',
    ['secureOperationType: is required together with'],
    { ...HOME, oneTimeCode: '135791' },
  ],
  [`card-nickname card-1 ${'x'.repeat(19)}`, ['name: must be at most 18 characters\n']],
  ['card-nickname card-1 EMPTY', ['name: must not be empty; --clear removes it\n']],
  ['card-nickname SPACED Fuel', ['card: must not have spaces or @\n']],
  ['card-nickname card-1@acme Fuel', ['card: must not have spaces or @\n']],
  ...['x', '0', '99999999999'].map((id): Operation => [`restore-sub-user ${id}`, ['id: ']]),
  [
    'ensure-webhooks FILE.json',
    ['1.url: must be a full https URL\n  1.notif', '1.notificationType: ', '1.id: is not a known field'],
    [HOOK, OTHER_HOOK],
  ],
  [
    'ensure-webhooks FILE.json',
    ['webhooks.0.name: must be at most 50'],
    { webhooks: [{ ...HOOK, name: 'x'.repeat(51) }] },
  ],
  ['ensure-webhooks FILE.json', ['must name a webhook'], []],
  ['ensure-webhooks FILE.json', ['webhooks: is required', 'hooks: is not a known field'], { hooks: [] }],
  ['statement now', ['--account: is required', '--period: is required']],
  [
    'statement now --account EMPTY --period 2026-13 --format DOC --email books',
    [
      '--account.0: must not be empty',
      '--format: must be one of PDF, CSV, QBO, OFX',
      '--email: must be an e-mail address',
      '--period: must be previous-month, or a month such as 2026-01',
    ],
  ],
  [
    `statement now --account fa-501-1 --period ${NEXT_MONTH.toISOString().slice(0, 7)}`,
    ['--period: must not be in the'],
  ],
  ['statement now --account fa-501-1 --period 2026-01-01', ['--period: must be previous-month, or a month']],
];

/** The arguments that the words of a line mean. */
function argumentsOf(line: string, content: unknown): Promise<string[]> {
  const value = typeof content === 'string' ? content : JSON.stringify(content);
  const words: Record<string, string> = {
    ID: externalId,
    REQ: requirement,
    EMPTY: '',
    BLANK: ' ',
    SPACED: 'a b',
  };
  const argument = async (word: string) =>
    word.startsWith('FILE') ? file(word.replace('FILE', 'mistake'), value) : (words[word] ?? word);
  return Promise.all(line.split(' ').map(argument));
}

// Proves S1.
describe('a single operation that is not valid', () => {
  it.each<Operation>(OPERATIONS)(
    'names each field, and starts nothing: %s',
    async (line, problems, content) => {
      const { code, stdout, stderr } = await gangway(await argumentsOf(line, content));
      expect({ code, stdout }, stderr).toEqual({ code: 2, stdout: '' });
      expect(stderr).toMatch(/ is not valid; nothing was (started|done|created|changed)\n/);
      for (const problem of problems) expect(stderr).toContain(`  ${problem}`);
      // Neither a number of a card nor a code is repeated.
      expect(stderr).not.toMatch(/4111|13579/);
      for (const id of ['close-card-card-1004', 'change-address-never'])
        await expect(rig.client.workflow.getHandle(`operation-${id}`).describe()).rejects.toThrow();
    },
  );
});

describe('a mistake', () => {
  it.each<Mistake>(MISTAKES)('is met with the fix: %s', async (line, fix, content) => {
    const { code, stdout, stderr } = await gangway(await argumentsOf(line, content));
    expect({ code, stdout }, stderr).toEqual({ code: 2, stdout: '' });
    if (typeof fix === 'string') expect(stderr).toContain(fix);
    else expect(stderr).toMatch(fix);
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
    const addresses = 'http://localhost:7233 https://temporal.example.com localhost:7233/ :7233';
    for (const address of addresses.split(' '))
      expect(await gangway(['list'], { TEMPORAL_ADDRESS: address })).toEqual({
        code: 2,
        stdout: '',
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
