import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { gangway as runGangway } from '../../../rigs/command.js';
import { existing, imported } from '../../../rigs/commands/existing.js';
import { batchFile, ndjson, wasStarted } from '../../../rigs/commands/files.js';
import { countingProxy } from '../../../rigs/counting-proxy.js';
import { merchant } from '../../../rigs/inputs.js';
import { Onboarding } from '../../../rigs/onboarding.js';
import { jsonLines } from '../../../rigs/processes.js';
import { createRig } from '../../../rigs/rig.js';

const rig = await createRig({ worker: false });
afterEach(() => rig.clear());
const wire = await countingProxy(rig.sandbox.url, rig.atClose);
await rig.startWorker({ boardingUrl: wire.url, bankingUrl: wire.url });
const [there, others] = [existing(rig), existing(rig, 'other-iso')];
afterAll(() => rig.close());

/** Runs the command with these rows, one after the other. */
async function importRows(rows: readonly object[], ...args: string[]) {
  const file = await batchFile(rig, 'rows.ndjson', ndjson(rows));
  return runGangway(rig.env, ['import', file, '--concurrency', '1', ...args]);
}

const boardingOf = (row?: { externalId: string }) => `merchant-boarding-${row?.externalId}`;
const businessOf = (row?: { externalId: string }) => `business-onboarding-${row?.externalId}`;

const isThere = (id: string) => wasStarted(rig.client, id);

/** What was sent over the wire since a moment besides reads, each line once. */
const writesSince = (start: number) =>
  [
    ...new Set(
      wire
        .seen()
        .slice(start)
        .map(({ line }) => line),
    ),
  ].filter((line) => !line.startsWith('GET '));

type Phase = readonly [change: Record<string, unknown>, would: string, expected: readonly string[] | string];

/** Merchants of each phase: what a dry run prints, and what the follow-up then shows. */
const MERCHANTS: readonly Phase[] = [
  [{}, 'would ask: Not Submitted, 1 not-submitted', ['not-submitted']],
  [
    { status: 'Pending', notes: ['Which goods?', 'Which suppliers?'] },
    'would ask: Pending, 2 underwriting-note',
    ['underwriting-note', 'underwriting-note'],
  ],
  [
    { status: 'RequestChanges', comment: 'The volume.' },
    'would ask: RequestChanges, 1 changes-requested',
    ['changes-requested'],
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

const PROFILES: readonly Phase[] = [
  [{ bankingStatus: 'PendingUW' }, 'would poll: PendingUW', []],
  [
    { bankingStatus: 'PendingUW', tickets: [{ text: 'What for?' }] },
    'would ask: PendingUW, 1 ticket',
    ['ticket'],
  ],
  [{ bankingStatus: 'New' }, 'would ask: New, 1 not-submitted', ['not-submitted']],
  [
    { bankingStatus: 'Approved' },
    'would end: Approved, onboarded: profile N, no financial account, Approved',
    'onboarded',
  ],
  [
    { bankingStatus: 'PendingUW', hides: ['employerIdentificationNumber'] },
    'would ask: PendingUW, 1 uncertain-write, whose it is: its EIN is not shown',
    ['uncertain-write'],
  ],
];

it('merchants and profiles in every phase are read by a dry run, and followed as it shows, without a write', async () => {
  const PHASES = [...MERCHANTS, ...PROFILES];
  const rows: { readonly externalId: string }[] = [];
  for (const [change] of MERCHANTS) rows.push(imported(await there.merchant(change)));
  for (const [change] of PROFILES) rows.push(imported((await there.profile(change)).row));
  const ids = rows.map((row, place) => (place < MERCHANTS.length ? boardingOf(row) : businessOf(row)));
  const [start, ledger] = [wire.seen().length, await rig.sandbox.ledger()];

  const read = await importRows(rows, '--dry-run');
  const lines = PHASES.map(([, would], place) => `${place + 1} ${ids[place]} ${would}\n`);
  expect({ ...read, stdout: read.stdout.replace(/profile \d+,/, 'profile N,') }).toMatchObject({
    code: 0,
    stderr: '',
    stdout: `${lines.join('')}13 rows: 7 would ask, 3 would poll, 3 would end\n`,
  });
  for (const id of ids) expect(await isThere(id)).toBe(false);

  const started = ids.map((id, place) => `${place + 1} ${id} started\n`);
  expect(await importRows(rows)).toMatchObject({
    code: 0,
    stdout: `${started.join('')}13 rows: 13 started\n`,
    stderr: '',
  });
  for (const [place, [change, , expected]] of PHASES.entries()) {
    const onboarding = new Onboarding(rig.client, ids[place] ?? '');
    if (typeof expected === 'string') {
      expect(await onboarding.outcome()).toMatchObject({ outcome: expected });
      continue;
    }
    const { partnerStatus, requirements } = await onboarding.until(
      (state) =>
        (state.partnerStatus !== null || expected[0] === 'uncertain-write') &&
        state.requirements.length === expected.length,
      `${expected.length} requirements`,
    );
    expect(requirements.map(({ kind }) => kind)).toEqual(expected);
    if (place >= MERCHANTS.length) continue;
    expect(partnerStatus).toBe(change['status'] ?? 'Not Submitted');
    // What would be sent by itself would be sent by now.
    await onboarding.asleepAfter(2);
  }
  expect(writesSince(start)).toEqual(['POST /api/auth/v2']);
  expect(await rig.sandbox.ledger()).toEqual(ledger);
});

it('a customer is a merchant and a profile in one row: both are followed without a write', async () => {
  const { merchantProfileId, dba } = await there.merchant({ status: 'Approved', mid: '518000000009' });
  const { profileId } = await there.profile({ bankingStatus: 'PendingUW', merchantProfileId }, dba);
  const row = imported({ dba: `${dba} [waiting]`, merchantProfileId, profileId });
  const ledger = await rig.sandbox.ledger();
  const id = `customer-onboarding-${row.externalId}`;
  expect((await importRows([row], '--dry-run')).stdout).toBe(
    `1 ${id} would poll: merchant Approved, boarded: mid 518000000009; business PendingUW\n1 row: 1 would poll\n`,
  );
  expect((await importRows([row])).stdout).toBe(`1 ${id} started\n1 row: 1 started\n`);
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

describe('a row that cannot be followed', () => {
  it('is reported, and the others are started', async () => {
    const [mine, theirs] = [await there.merchant({ status: 'Pending' }), await others.merchant()];
    const { row, profileId } = await there.profile({ bankingStatus: 'PendingUW' });
    const holder = { legalBusinessName: 'No LLC', employerIdentificationNumber: '123456789' };
    const rows = [
      imported({ dba: 'Nowhere', merchantProfileId: 999_999 }),
      imported(theirs),
      imported({ dba: 'No Bank', profileId: 999_999, ...holder }),
      imported({ ...row, employerIdentificationNumber: '987654321' }),
      imported(mine),
    ];
    const { code, stdout, stderr } = await importRows(rows);
    expect(stdout).toBe(
      `1 ${boardingOf(rows[0])} failed: the boarding partner has no merchant 999999 (404)\n` +
        `2 ${boardingOf(rows[1])} failed: the boarding partner does not let us read merchant ${theirs.merchantProfileId} (403): it belongs to another organization\n` +
        `3 ${businessOf(rows[2])} failed: the bank shows no banking profile 999999\n` +
        `4 ${businessOf(rows[3])} failed: banking profile ${profileId} of “${row.dba}”: its EIN differs\n` +
        `5 ${boardingOf(rows[4])} started\n` +
        '5 rows: 4 failed, 1 started\n',
    );
    expect({ code, stderr }).toEqual({ code: 1, stderr: '4 rows failed\n' });
    for (const id of [boardingOf(rows[0]), businessOf(rows[3])]) expect(await isThere(id)).toBe(false);
  });

  it('because another onboarding runs with its merchant or profile names that one', async () => {
    const boarding = await rig.board(merchant('waiting'));
    const { merchantProfileId } = await boarding.until(({ stage }) => stage === 'underwriting');
    await boarding.listed(` AND MerchantProfileId = '${merchantProfileId}'`);
    const { row, profileId } = await there.profile({ bankingStatus: 'PendingUW' });
    const first = imported(row);
    await importRows([first]);
    await new Onboarding(rig.client, businessOf(first)).listed(` AND BankingProfileId = '${profileId}'`);
    const rows = [imported({ dba: 'Corner Bakery', merchantProfileId }), imported(row)];
    const { code, stdout } = await importRows(rows);
    expect(code).toBe(1);
    expect(stdout).toBe(
      `1 ${boardingOf(rows[0])} failed: merchant ${merchantProfileId}: ${boarding.workflowId} has it\n` +
        `2 ${businessOf(rows[1])} failed: banking profile ${profileId} of “${row.dba}”: ${businessOf(first)} has it\n` +
        '2 rows: 2 failed\n',
    );
  });
});

// Alone catches a dry run that does not foresee whose merchant it is. The partner shows no dba, an onboarding that had it does.
it('a merchant that an ended onboarding has is taken over, or a person is asked if it has another dba', async () => {
  const input = merchant('waiting');
  const boarding = await rig.board(input);
  const { merchantProfileId } = await boarding.until(({ stage }) => stage === 'underwriting');
  await boarding.handle.terminate();
  const { dba } = input.merchant;
  const [same, other] = [dba, 'Harbor Books'].map((dba) => imported({ dba, merchantProfileId }));
  expect((await importRows([same ?? {}], '--dry-run')).stdout).toMatch(
    new RegExp(` would poll: \\w+, taken over from ${boarding.workflowId}, which has ended\n`),
  );
  const { stdout } = await importRows([other ?? {}], '--dry-run');
  const why = `whose it is: it is “${dba}” of ${boarding.workflowId}`;
  expect(stdout.replace(/: \w+, /, ': ')).toContain(` would ask: 1 rejected-input, ${why}\n`);
  await importRows([other ?? {}]);
  const asking = new Onboarding(rig.client, boardingOf(other));
  const { requirements } = await asking.until((state) => state.requirements.length > 0, 'a question');
  expect(requirements.map(({ kind }) => kind)).toEqual(['rejected-input']);
});

it('a file that nobody can read at the partners because no worker runs starts nothing, and names the task queue', async () => {
  const env = { ...rig.env, GANGWAY_TASK_QUEUE: 'nobody-polls-this' };
  const file = await batchFile(rig, 'rows.ndjson', ndjson([imported({ dba: 'One', merchantProfileId: 7 })]));
  const ran = await Promise.all(
    [['--dry-run'], []].map((args) => runGangway(env, ['import', file, ...args])),
  );
  expect(ran).toEqual(
    ['read', 'started'].map((label) => ({
      code: 4,
      stdout: `1 row: 1 not ${label}\n`,
      stderr: 'no worker polls task queue nobody-polls-this-boarding: is one running?\n',
    })),
  );
});

it('an invalid file is reported with each line, field and rule, and nothing is read or started', async () => {
  const head = 'externalId,dba,merchantProfileId,profileId,legalBusinessName,employerIdentificationNumber\n';
  const rows = [
    'a-1,One,,,,',
    'a-2,,7,,,',
    'a-3,Three,7,,,',
    'a-4,Four,7,,,',
    'a-5,Five,,8,,',
    'a-6,Six,,9,Six LLC,12-345678x',
    'a-7,Seven,12a,,,',
    'a-8,Eight,10,,Eight LLC,',
    'a-3,Nine,11,,,',
  ];
  const file = await batchFile(rig, 'rows.csv', `${head}${rows.join('\n')}\n`);
  const problems = [
    '2: merchantProfileId: is required, or profileId, or both',
    '3: dba: is required',
    '5: merchantProfileId: is the same as in line 4',
    '6: legalBusinessName: is required to compare the profile, or merchantProfileId',
    '6: employerIdentificationNumber: is required to compare the profile, or merchantProfileId',
    '7: employerIdentificationNumber: must be 9 digits of a valid EIN, without dashes',
    '8: merchantProfileId: must be a whole number such as 12',
    '9: legalBusinessName: belongs to a profileId',
    '10: externalId: is the same as in line 4',
  ].map((problem) => `${file}:${problem}\n`);
  // Temporal, which reads and starts, is not there.
  for (const args of [[], ['--dry-run']])
    expect(await runGangway({ TEMPORAL_ADDRESS: '127.0.0.1:9' }, ['import', file, ...args])).toEqual({
      code: 2,
      stdout: '',
      stderr: `${problems.join('')}${file}: 8 of 9 rows are not valid; nothing was started\n`,
    });
});

it('--json prints what would happen to each row', async () => {
  const { merchantProfileId, dba } = await there.merchant({ status: 'Pending', notes: ['Which goods?'] });
  const row = imported({ merchantProfileId, dba });
  const merchant = { status: 'Pending', requirements: ['underwriting-note'] };
  expect(jsonLines(await importRows([row], '--dry-run', '--json'))).toEqual([
    { line: 1, externalId: row.externalId, workflowId: boardingOf(row), would: 'ask', merchant },
  ]);
});
