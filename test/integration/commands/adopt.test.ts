import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { gangway as runGangway } from '../../rigs/command.js';
import { adopted, existing } from '../../rigs/commands/existing.js';
import { batchFile, ndjson, wasStarted } from '../../rigs/commands/files.js';
import { type CountingProxy, countingProxy } from '../../rigs/counting-proxy.js';
import { merchant } from '../../rigs/inputs.js';
import { Onboarding } from '../../rigs/onboarding.js';
import { jsonLines } from '../../rigs/processes.js';
import { createRig, type Rig } from '../../rigs/rig.js';
import { eventually } from '../../rigs/waiting.js';

let rig: Rig;
let wire: CountingProxy;
let there: ReturnType<typeof existing>;
let others: ReturnType<typeof existing>;
beforeAll(async () => {
  rig = await createRig({ worker: false, accounts: ['acme'] });
  wire = await countingProxy(rig.sandbox.url, rig.atClose);
  await rig.startWorker({ boardingUrl: wire.url, bankingUrl: wire.url });
  there = existing(rig);
  others = existing(rig, 'other-iso');
});
afterAll(() => rig.close());

const adopt = (args: readonly string[], input?: string) => runGangway(rig.env, ['adopt', ...args], input);

/** Runs the command with these rows, one after the other. */
async function adoptRows(rows: readonly object[], ...args: string[]) {
  const file = await batchFile(rig, 'rows.ndjson', ndjson(rows));
  return { file, ...(await adopt([file, '--concurrency', '1', ...args])) };
}

const boardingOf = (row?: { externalId: string }) => `merchant-boarding-${row?.externalId}`;
const businessOf = (row?: { externalId: string }) => `business-onboarding-${row?.externalId}`;

const isThere = (id: string) => wasStarted(rig.client, id);

/** What went over the wire since a moment, each line once. */
function linesSince(start: number): string[] {
  return [
    ...new Set(
      wire
        .seen()
        .slice(start)
        .map(({ line }) => line),
    ),
  ].sort();
}

const READS_OF_MERCHANTS = ['GET /api/v1/merchant/status', 'GET /api/v1/merchant/underwritingNotes'];

/** Merchants of each phase: what a dry run prints, and what the follow-up then shows. */
const STATUSES: readonly (readonly [Record<string, unknown>, string, readonly string[] | string])[] = [
  [{}, 'would ask: Not Submitted, 1 not-submitted', ['not-submitted']],
  [
    { status: 'Pending', notes: ['Which goods?', 'Which suppliers?'] },
    'would ask: Pending, 2 underwriting-note',
    ['underwriting-note', 'underwriting-note'],
  ],
  [
    { status: 'RequestChanges', comment: 'The volume.' },
    'would ask: RequestChanges, 1 request-changes',
    ['request-changes'],
  ],
  [{ status: 'Escalated to Committee' }, 'would poll: Escalated to Committee', []],
  [{ status: 'Approved' }, 'would poll: Approved', []],
  [{ status: 'Approved', mid: 'MID 7' }, 'would ask: Approved, 1 unclear-mid', ['unclear-mid']],
  [{ status: 'Approved', mid: '518000000007' }, 'would end: Approved, boarded: mid 518000000007', 'boarded'],
  [
    { status: 'Declined', comment: 'Business type is not supported.' },
    'would end: Declined, declined: Business type is not supported.',
    'declined',
  ],
];

describe('merchants in every phase', () => {
  const rows: ReturnType<typeof adopted>[] = [];
  beforeAll(async () => {
    for (const [change] of STATUSES) rows.push(adopted(await there.merchant(change)));
  });

  it('are read by a dry run, which shows what would happen, sends only reads and starts nothing', async () => {
    const [start, ledger] = [wire.seen().length, await rig.sandbox.ledger()];
    const { code, stdout, stderr } = await adoptRows(rows, '--dry-run');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const lines = STATUSES.map(([, would], place) => `${place + 1} ${boardingOf(rows[place])} ${would}`);
    expect(stdout).toBe(`${lines.join('\n')}\n${rows.length} rows: 4 would ask, 2 would poll, 2 would end\n`);
    expect(linesSince(start)).toEqual(READS_OF_MERCHANTS);
    expect(await rig.sandbox.ledger()).toEqual(ledger);
    for (const row of rows) expect(await isThere(boardingOf(row))).toBe(false);
  });

  it('are followed without a write, as the dry run showed', async () => {
    const [start, ledger] = [wire.seen().length, await rig.sandbox.ledger()];
    const { code, stdout, stderr } = await adoptRows(rows);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const started = rows.map((row, place) => `${place + 1} ${boardingOf(row)} started`);
    expect(stdout).toBe(`${started.join('\n')}\n${rows.length} rows: ${rows.length} started\n`);
    for (const [place, [change, , expected]] of STATUSES.entries()) {
      const onboarding = new Onboarding(rig.client, boardingOf(rows[place]));
      if (typeof expected === 'string') {
        expect(await onboarding.outcome()).toMatchObject({ outcome: expected });
        continue;
      }
      const { partnerStatus, requirements } = await onboarding.until(
        (state) => state.partnerStatus !== null && state.requirements.length === expected.length,
        `${expected.length} requirements`,
      );
      expect(partnerStatus).toBe(change['status'] ?? 'Not Submitted');
      expect(requirements.map(({ kind }) => kind)).toEqual(expected);
      // What would be sent by itself would be sent by now.
      await onboarding.asleepAfter(2);
    }
    expect(linesSince(start)).toEqual(READS_OF_MERCHANTS);
    expect(await rig.sandbox.ledger()).toEqual(ledger);
  });

  it('attach when the command runs again, without another read by the command', async () => {
    const decided = rows.slice(-2);
    const start = wire.seen().length;
    const { code, stdout } = await adoptRows(decided);
    expect(code).toBe(0);
    const lines = decided.map((row, place) => `${place + 1} ${boardingOf(row)} attached`);
    expect(stdout).toBe(`${lines.join('\n')}\n2 rows: 2 attached\n`);
    const ids = decided.map((row) => `id=${(row as { merchantProfileId?: number }).merchantProfileId}`);
    const read = wire
      .seen()
      .slice(start)
      .filter(({ url }) => ids.some((id) => url.endsWith(id)));
    expect(read).toEqual([]);
    const preview = await adoptRows(decided, '--dry-run');
    expect(preview.stdout).toContain(
      `1 ${boardingOf(decided[0])} attached: an onboarding with this externalId exists, and nothing would be started\n`,
    );
  });
});

describe('a banking profile', () => {
  it.each([
    ['under review', { bankingStatus: 'PendingUW' }, 'would poll: PendingUW'],
    [
      'with a ticket',
      { bankingStatus: 'PendingUW', tickets: [{ text: 'What for?' }] },
      'would ask: PendingUW, 1 ticket',
    ],
    ['that nobody submitted', { bankingStatus: 'New' }, 'would ask: New, 1 not-submitted'],
    [
      'that is approved',
      { bankingStatus: 'Approved' },
      /would end: Approved, onboarded: profile \d+, no financial account, Approved/,
    ],
    [
      'whose EIN the bank hides',
      { bankingStatus: 'PendingUW', hides: ['employerIdentificationNumber'] },
      'would ask: PendingUW, 1 uncertain-write, whose profile it is: its EIN is not shown',
    ],
  ])('%s is read by a dry run, and followed without a write', async (_, change, would) => {
    const { row } = await there.profile(change);
    const own = adopted(row);
    const [start, ledger] = [wire.seen().length, await rig.sandbox.ledger()];
    const { stdout } = await adoptRows([own], '--dry-run');
    const text = stdout.split('\n')[0]?.replace(`1 ${businessOf(own)} `, '');
    typeof would === 'string' ? expect(text).toBe(would) : expect(text).toMatch(would);
    const lines = linesSince(start).filter((line) => line !== 'POST /api/auth/v2');
    expect(lines.filter((line) => !line.startsWith('GET '))).toEqual([]);
    expect(await adoptRows([own])).toMatchObject({
      code: 0,
      stdout: `1 ${businessOf(own)} started\n1 row: 1 started\n`,
    });
    const onboarding = new Onboarding(rig.client, businessOf(own));
    if (text?.startsWith('would end')) await onboarding.outcome();
    else await onboarding.until((state) => state.partnerStatus !== null || state.requirements.length > 0);
    const [, kind] = /1 ([a-z-]+)/.exec(text ?? '') ?? [];
    if (kind !== undefined) await onboarding.requirement(kind as 'ticket');
    expect(await rig.sandbox.ledger()).toEqual(ledger);
  });

  it('of another EIN than the row is not followed', async () => {
    const { row, profileId } = await there.profile({ bankingStatus: 'PendingUW' });
    const own = adopted({ ...row, employerIdentificationNumber: '987654321' });
    for (const args of [['--dry-run'], []]) {
      const { code, stdout } = await adoptRows([own], ...args);
      expect(code).toBe(1);
      expect(stdout).toContain(
        `1 ${businessOf(own)} failed: banking profile ${profileId} of “${row.dba}”: its EIN differs\n`,
      );
    }
    expect(await isThere(businessOf(own))).toBe(false);
  });
});

describe('a customer', () => {
  it('is a merchant and a profile in one row: both are followed without a write', async () => {
    const { merchantProfileId, dba } = await there.merchant({ status: 'Approved', mid: '518000000009' });
    const { profileId } = await there.profile({ bankingStatus: 'PendingUW', merchantProfileId }, dba);
    const row = adopted({ dba: `${dba} [waiting]`, merchantProfileId, profileId });
    const ledger = await rig.sandbox.ledger();
    const id = `customer-onboarding-${row.externalId}`;
    expect((await adoptRows([row], '--dry-run')).stdout).toBe(
      `1 ${id} would poll: merchant Approved, boarded: mid 518000000009; business PendingUW\n1 row: 1 would poll\n`,
    );
    expect((await adoptRows([row])).stdout).toBe(`1 ${id} started\n1 row: 1 started\n`);
    const customer = new Onboarding(rig.client, id);
    await customer.until(({ business }) => business?.partnerStatus === 'PendingUW', 'the profile');
    await rig.sandbox.transitionProfile(profileId, { bankingStatus: 'Approved' });
    expect(await customer.outcome()).toMatchObject({
      outcome: 'onboarded',
      boarding: { outcome: 'boarded', mid: '518000000009' },
      business: { outcome: 'onboarded', profileId },
    });
    expect(await rig.sandbox.ledger()).toEqual(ledger);
  });
});

describe('a row that cannot be followed', () => {
  it('is reported, and the others are started', async () => {
    const [mine, theirs] = [await there.merchant({ status: 'Pending' }), await others.merchant()];
    const rows = [
      adopted({ dba: 'Nowhere', merchantProfileId: 999_999 }),
      adopted(theirs),
      adopted({
        dba: 'No Bank',
        profileId: 999_999,
        legalBusinessName: 'No LLC',
        employerIdentificationNumber: '123456789',
      }),
      adopted(mine),
    ];
    const { code, stdout, stderr } = await adoptRows(rows);
    const [first, second, third, fourth] = rows.map((row) => row.externalId);
    expect(stdout).toBe(
      `1 merchant-boarding-${first} failed: the boarding partner has no merchant 999999 (404)\n` +
        `2 merchant-boarding-${second} failed: the boarding partner does not let us read merchant ${theirs.merchantProfileId} (403): it belongs to another organization\n` +
        `3 business-onboarding-${third} failed: the bank shows no banking profile 999999\n` +
        `4 merchant-boarding-${fourth} started\n` +
        '4 rows: 3 failed, 1 started\n',
    );
    expect({ code, stderr }).toEqual({ code: 1, stderr: '3 rows failed\n' });
    for (const id of [first, second]) expect(await isThere(`merchant-boarding-${id}`)).toBe(false);
  });

  it('because another onboarding runs with its merchant or profile names that one', async () => {
    const boarding = await rig.board(merchant('waiting'));
    const { merchantProfileId } = await boarding.until(({ stage }) => stage === 'underwriting');
    await boarding.listed(` AND MerchantProfileId = '${merchantProfileId}'`);
    const { row, profileId } = await there.profile({ bankingStatus: 'PendingUW' });
    const first = adopted(row);
    await adoptRows([first]);
    await new Onboarding(rig.client, businessOf(first)).listed(` AND BankingProfileId = '${profileId}'`);
    const rows = [adopted({ dba: 'Corner Bakery', merchantProfileId }), adopted(row)];
    const { code, stdout } = await adoptRows(rows);
    expect(code).toBe(1);
    expect(stdout).toBe(
      `1 ${boardingOf(rows[0])} failed: merchant ${merchantProfileId}: ${boarding.workflowId} has it\n` +
        `2 ${businessOf(rows[1])} failed: banking profile ${profileId} of “${row.dba}”: ${businessOf(first)} has it\n` +
        '2 rows: 2 failed\n',
    );
  });

  it('because its externalId has another merchant names that one', async () => {
    const [one, other] = [await there.merchant({ status: 'Pending' }), await there.merchant()];
    const row = adopted(one);
    await adoptRows([row]);
    await eventually(
      async () => (await new Onboarding(rig.client, boardingOf(row)).state()).merchantProfileId,
      (id) => id !== undefined,
      'the merchant',
    );
    const { code, stdout } = await adoptRows([{ ...row, ...other }]);
    expect(code).toBe(1);
    expect(stdout).toContain(
      `1 ${boardingOf(row)} failed: ${boardingOf(row)} exists, and has merchant ${one.merchantProfileId}\n`,
    );
  });

  it('does not include one whose id another account has, too', async () => {
    const { merchantProfileId, dba } = await there.merchant({ status: 'Pending' });
    const rows = [adopted({ merchantProfileId, dba }), adopted({ merchantProfileId, dba, account: 'acme' })];
    const file = await batchFile(rig, 'rows.ndjson', ndjson(rows));
    const env = { ...rig.env, GANGWAY_ACCOUNTS: 'acme' };
    expect(await runGangway(env, ['adopt', file, '--concurrency', '1'])).toEqual({
      code: 0,
      stdout: `1 ${boardingOf(rows[0])} started\n2 ${boardingOf(rows[1])}@acme started\n2 rows: 2 started\n`,
      stderr: '',
    });
  });
});

describe('a file that nobody can read at the partners', () => {
  it('because no worker runs starts nothing, and names the task queue', async () => {
    const env = { ...rig.env, GANGWAY_TASK_QUEUE: 'nobody-polls-this' };
    const file = await batchFile(rig, 'rows.ndjson', ndjson([adopted({ dba: 'One', merchantProfileId: 7 })]));
    const ran = await Promise.all(
      [['--dry-run'], []].map((args) => runGangway(env, ['adopt', file, ...args])),
    );
    expect(ran).toEqual(
      ['read', 'started'].map((label) => ({
        code: 4,
        stdout: `1 row: 1 not ${label}\n`,
        stderr: 'no worker polls task queue nobody-polls-this-boarding: is one running?\n',
      })),
    );
  });

  it('because the partner rejects the credentials stops at the first row', async () => {
    const locked = await createRig({ password: 'wrong' });
    onTestFinished(() => locked.close());
    const rows = [1, 2, 3].map((merchantProfileId) => adopted({ dba: 'One', merchantProfileId }));
    const file = await batchFile(locked, 'rows.ndjson', ndjson(rows));
    const { code, stdout, stderr } = await runGangway(locked.env, ['adopt', file, '--concurrency', '1']);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '3 rows: 3 not started\n' });
    expect(stderr).toContain(
      'the boarding partner rejected our credentials (401): correct them in the settings',
    );
  });
});

describe('an invalid file', () => {
  it('is reported with each line, field and rule, and nothing is read or started', async () => {
    const head =
      'externalId,dba,merchantProfileId,profileId,legalBusinessName,employerIdentificationNumber\n';
    const rows = [
      'a-1,One,,,,',
      'a-2,,7,,,',
      'a-3,Three,7,,,',
      'a-4,Four,7,,,',
      'a-5,Five,,8,,',
      'a-6,Six,,9,Six LLC,12-3456789',
      'a-7,Seven,12a,,,',
      'a-8,Eight,10,,Eight LLC,',
      'a-3,Nine,11,,,',
    ];
    const file = await batchFile(rig, 'rows.csv', `${head}${rows.join('\n')}\n`);
    for (const args of [[file], [file, '--dry-run']])
      expect(await adopt(args)).toEqual({
        code: 2,
        stdout: '',
        stderr: `${[
          '2: merchantProfileId: is required, or profileId, or both',
          '3: dba: is required',
          '5: merchantProfileId: is the same as in line 4',
          '6: legalBusinessName: is required to compare the profile, or merchantProfileId',
          '6: employerIdentificationNumber: is required to compare the profile, or merchantProfileId',
          '7: employerIdentificationNumber: must be the digits of a valid EIN, without dashes',
          '8: merchantProfileId: must be a whole number such as 12',
          '9: legalBusinessName: belongs to a profileId',
          '10: externalId: is the same as in line 4',
        ]
          .map((problem) => `${file}:${problem}\n`)
          .join('')}${file}: 8 of 9 rows are not valid; nothing was started\n`,
      });
    expect(wire.seen().filter(({ url }) => /[?&]id=(7|10)$/.test(url))).toEqual([]);
    expect(await isThere('merchant-boarding-a-4')).toBe(false);
  });

  it('names the column that is meant', async () => {
    const file = await batchFile(rig, 'rows.csv', 'externalId,dba,merchantProfilId\na-1,One,7\n');
    expect((await adopt([file])).stderr).toContain(
      `${file}:1: "merchantProfilId" is not a known column; did you mean merchantProfileId?\n`,
    );
  });
});

describe('--json', () => {
  it('prints what would happen to each row', async () => {
    const { merchantProfileId, dba } = await there.merchant({ status: 'Pending', notes: ['Which goods?'] });
    const row = adopted({ merchantProfileId, dba });
    expect(jsonLines(await adoptRows([row], '--dry-run', '--json'))).toEqual([
      {
        line: 1,
        externalId: row.externalId,
        workflowId: boardingOf(row),
        would: 'ask',
        merchant: { status: 'Pending', requirements: ['underwriting-note'] },
      },
    ]);
  });
});
