import { copyFile, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { LedgerEntry } from '../../../../src/apps/sandbox/ledger.js';
import type { OnboardingState } from '../../../../src/messages/onboarding-state.js';
import type { Requirement } from '../../../../src/messages/requirements.js';
import { gangway as runGangway } from '../../../rigs/command.js';
import { business, customer, merchant } from '../../../rigs/inputs.js';
import type { Onboarding } from '../../../rigs/onboarding.js';
import { jsonLines, launch, type RunningProcess } from '../../../rigs/processes.js';
import { createRig, type Rig } from '../../../rigs/rig.js';
import { startTemporal } from '../../../rigs/temporal-server.js';
import { eventually } from '../../../rigs/waiting.js';

const TIMEOUT_MS = 900_000;

/** Far longer than the test may take, in milliseconds. */
const HOUR_MS = 3_000_000;

let server: Awaited<ReturnType<typeof serverWithCopies>>;
let rig: Rig;
const workers: RunningProcess[] = [];
beforeEach(async () => {
  server = await serverWithCopies();
  rig = await createRig({ address: server.address, worker: false });
});
afterEach(async () => {
  await Promise.all(workers.splice(0).map(({ stop }) => stop()));
  await rig.close();
  await server.close();
});

/** A server whose database can be put back to an earlier copy, or be lost, always at the same address. */
async function serverWithCopies() {
  const folder = await mkdtemp(join(tmpdir(), 'gangway-disaster-'));
  const [database, copy] = [join(folder, 'temporal.db'), join(folder, 'copy.db')];
  let running = await startTemporal({ databaseFile: database });
  const { address } = running;
  const restart = async (databaseFile?: string) => {
    await running.stop();
    if (databaseFile === database) await copyFile(database, copy);
    const port = Number(address.split(':')[1]);
    running = await startTemporal({ port, ...(databaseFile !== undefined && { databaseFile }) });
    expect(running.address).toBe(address);
  };
  return {
    address,
    backup: join(folder, 'backup.ndjson'),
    copied: () => restart(database),
    putBack: () => restart(copy),
    emptied: () => restart(),
    close: async () => {
      await running.stop();
      await rm(folder, { recursive: true });
    },
  };
}

const gangway = (...args: string[]) => runGangway(rig.env, args);

async function startWorker(): Promise<RunningProcess> {
  const worker = await launch('worker', rig.env, 'worker is ready');
  workers.push(worker);
  return worker;
}

const boarding = async (count: number, scenario?: string) =>
  Promise.all(Array.from({ length: count }, () => rig.board(merchant(scenario))));

const onboarding = async (count: number, scenario?: string) =>
  Promise.all(Array.from({ length: count }, () => rig.onboardBusiness(business(scenario))));

/** The same input, whose create first looks up the boarding settings by name. */
function lookingUp<Input extends { boardingSettingsId?: number | undefined }>(input: Input) {
  const { boardingSettingsId: _, ...others } = input;
  return { ...others, boardingSettings: 'Standard' };
}

/** A partner that is down for an hour when somebody looks up boarding settings. */
const down = (times = 1) =>
  rig.sandbox.plan('503', 'list-boarding-settings', { times, milliseconds: HOUR_MS });

/** Boardings whose create waits for an hour, because the partner was down before it. */
async function beforeCreate(count: number): Promise<Onboarding[]> {
  const inputs = Array.from({ length: count }, () => lookingUp(merchant()));
  await down(count);
  const held = await Promise.all(inputs.map((input) => rig.board(input)));
  for (const each of held) await each.retrying('createMerchant');
  return held;
}

/** Businesses whose submission waits likewise. */
async function beforeSubmit(count: number): Promise<Onboarding[]> {
  const inputs = Array.from({ length: count }, () => business());
  for (const { holder } of inputs)
    await rig.sandbox.plan('503', 'search-business-account-holders', {
      about: holder.doingBusinessAsName,
      milliseconds: HOUR_MS,
    });
  const held = await Promise.all(inputs.map((input) => rig.onboardBusiness(input)));
  for (const each of held) await each.retrying('submitHolder');
  return held;
}

const nudged = async ({ workflowId }: Onboarding) =>
  expect((await gangway('nudge', workflowId)).code).toBe(0);

interface Asked extends Requirement {
  readonly workflowId: string;
}

/** Answers as an operator does who looks into the partner's portal. */
async function answer({ workflowId, id, kind, title }: Asked): Promise<void> {
  const externalId = workflowId.replace(/^merchant-boarding-/, '');
  const [record] = await rig.sandbox.ledger({ operation: 'create-merchant', guid: externalId });
  const decided =
    kind === 'uncertain-write'
      ? [
          ...(title.includes('create the merchant') && record ? ['--confirm', `${record.id}`] : ['--retry']),
          '--reason',
          'as in the portal',
        ]
      : kind === 'changes-requested'
        ? ['--retry', '--reason', 'nothing to change']
        : ['--text', 'Here it is.'];
  await gangway('resolve', workflowId, id, ...decided);
}

/** Makes the partners decide, and answers requirements, until everything has ended. */
async function untilAllEnded(waiting: {
  merchants: readonly number[];
  profiles: readonly number[];
}): Promise<void> {
  for (const id of waiting.merchants)
    await rig.sandbox.transition(id, { status: 'Approved', mid: `${880_000 + id}` });
  for (const id of waiting.profiles) await rig.sandbox.transitionProfile(id, { bankingStatus: 'Approved' });
  const running = async () => {
    for (const requirement of jsonLines<Asked>(await gangway('inbox', '--details', '--json')))
      await answer(requirement);
    return jsonLines<{ workflowId: string; stage: string }>(
      await gangway('list', '--running', '--limit', '100', '--json'),
    ).map(({ workflowId, stage }) => `${workflowId}: ${stage}`);
  };
  await eventually(running, (left) => left.length === 0, 'the end of all', 300_000);
}

function merchantOf(listed: readonly Record<string, unknown>[], id: string): unknown {
  return listed.find(({ workflowId }) => workflowId === id)?.['merchantProfileId'];
}

/** The writes that took effect more than once: creates by the caller's own key, the others by what they write to. */
function doubled(ledger: readonly LedgerEntry[]): string[] {
  const writes = ledger.map(({ operation, id, guid, name }) => {
    const makesIt = operation === 'create-merchant' || operation === 'submit-business-account-holder';
    return `${operation} of ${makesIt ? (guid ?? name) : id}`;
  });
  return [...new Set(writes.filter((write, index) => writes.indexOf(write) !== index))].sort();
}

/** What is asked about a merchant that may have been created after the backup. */
const asksAbout = (guid: string) =>
  new RegExp(
    '^The request was perhaps sent before. Whether it took effect is unknown \\(restored from a backup of \\S+, in which ' +
      `it was not done\\)\\. Look in the partner’s portal for a merchant with dba “Corner Bakery” and guid ${guid}\\.`,
  );

it(
  'after the loss of all that Temporal had, thirty onboardings at all stages are restored from a backup, and end, and nothing is written twice',
  async () => {
    const first = await startWorker();
    const declined = await boarding(3, 'declined');
    const ended = [...declined, ...(await boarding(3)), ...(await onboarding(2))];
    const [answered, submittedAgain] = [await boarding(4, 'notes'), await boarding(2, 'changes-requested')];
    const [pending, submitted] = [await boarding(3, 'waiting'), await onboarding(1, 'waiting')];
    const tickets = await onboarding(2, 'ticket');
    const [uncreated, gaveUp] = [await beforeCreate(4), await beforeCreate(3)];
    const unsubmitted = await beforeSubmit(2);
    const lost = merchant();
    await rig.sandbox.plan('drop-after-commit', 'create-merchant', { about: lost.externalId });
    const uncertainty = await rig.board(lost);
    const [whole, half] = [
      await rig.onboard(customer()),
      await rig.onboard(customer({ business: 'waiting' })),
    ];
    const notes = customer({ boarding: 'notes' });
    const early = { ...notes, boarding: lookingUp(notes.boarding) };
    await down();
    const start = await rig.onboard(early);
    const all: Onboarding[] = [
      ...ended,
      ...answered,
      ...submittedAgain,
      ...pending,
      ...submitted,
      ...tickets,
      ...uncreated,
      ...unsubmitted,
      uncertainty,
      whole,
      half,
      start,
    ];
    expect(all).toHaveLength(30);

    await Promise.all([...ended, whole].map((each) => each.outcome()));
    for (const each of answered) await each.requirement('underwriting-note');
    for (const each of submittedAgain) await each.requirement('changes-requested');
    for (const each of tickets) await each.requirement('ticket');
    await uncertainty.requirement('uncertain-write');
    const states = await Promise.all(
      pending.map((each) => each.until(({ stage }) => stage === 'underwriting')),
    );
    const merchants = states.map(({ merchantProfileId = 0 }) => merchantProfileId);
    const isSubmitted = ({ business: own, partnerStatus }: OnboardingState) =>
      (own?.partnerStatus ?? partnerStatus) === 'Submitted';
    const profiles = (await Promise.all([...submitted, half].map((each) => each.until(isSubmitted)))).map(
      ({ business: own, profileId = own?.profileId ?? 0 }) => profileId,
    );
    for (const { handle } of gaveUp) {
      await handle.cancel();
      await handle.result().catch(() => undefined);
    }

    // Temporal lists an onboarding some time after its start, and the merchant of the last customer begins after that.
    const many = async () => jsonLines(await gangway('list', '--limit', '100', '--json')).length;
    await eventually(many, (count) => count === 38, 'all onboardings');
    expect(await gangway('backup', server.backup)).toEqual({
      code: 0,
      stdout: `saved 38 onboardings to ${server.backup}\n`,
      stderr: '',
    });
    expect(((await stat(server.backup)).mode & 0o777).toString(8)).toBe('600');

    // What happens between the backup and the loss is not in it.
    for (const each of [...uncreated.slice(0, 2), ...unsubmitted.slice(0, 1)]) {
      await nudged(each);
      await each.outcome();
    }
    for (const { id } of (await answered[0]?.state())?.requirements ?? [])
      await answered[0]?.resolve(id, { kind: 'text', text: 'Here it is.' });
    await answered[0]?.outcome();
    const written = await rig.sandbox.ledger();

    await first.stop();
    await server.emptied();
    const summary =
      'restored 35, of which 8 ask before they create anything; already there: 0; not restored: 3\n';
    const dry = await gangway('restore', server.backup, '--dry-run');
    expect(dry).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`would ${summary.replace('restored', 'restore')}`),
    });
    expect((await gangway('list', '--json')).stdout).toBe('');
    const restored = await gangway('restore', server.backup);
    expect(restored).toMatchObject({ code: 0, stdout: expect.stringContaining(summary) });
    for (const { workflowId } of gaveUp)
      expect(restored.stdout).toContain(`${workflowId} not restored: it is cancelled\n`);
    expect(await rig.sandbox.ledger()).toEqual(written);

    await startWorker();
    // What was created after the backup is not created again: a person is asked.
    const [since] = uncreated as [Onboarding];
    const { detail } = await since.requirement('uncertain-write');
    const guid = since.workflowId.replace('merchant-boarding-', '');
    expect(detail).toMatch(asksAbout(guid));
    await untilAllEnded({ merchants, profiles });
    const listed = await eventually(
      async () => jsonLines(await gangway('list', '--limit', '100', '--json')),
      (lines) => lines.every(({ state }) => state === 'completed'),
      'the end of all in the list',
    );
    const stages = new Map(listed.map(({ workflowId, stage }) => [workflowId, stage]));
    for (const { workflowId } of all) {
      const isDeclined = declined.some((each) => each.workflowId === workflowId);
      const end = isDeclined ? 'declined' : workflowId.startsWith('merchant') ? 'boarded' : 'onboarded';
      expect([workflowId, stages.get(workflowId)]).toEqual([workflowId, end]);
    }
    // Asked for by the partner.
    const again = submittedAgain.map(
      ({ workflowId }) => `submit-merchant of ${merchantOf(listed, workflowId)}`,
    );
    expect(doubled(await rig.sandbox.ledger())).toEqual(again.sort());
    const repeated = await gangway('restore', server.backup);
    expect(repeated.stdout).toContain(
      'restored 0, of which 0 ask before they create anything; already there: 35; not restored: 3\n',
    );
  },
  TIMEOUT_MS,
);

it(
  'after a restore of the database from an older copy, a backup of it, restored, asks about what may have been created since, and creates nothing twice',
  async () => {
    const input = lookingUp(merchant());
    await down();
    const before = await startWorker();
    const boarded = await rig.board(merchant());
    await boarded.outcome();
    const held = await rig.board(input);
    await held.retrying('createMerchant');
    await before.stop();
    await server.copied();

    const since = await startWorker();
    // A server that has just started may have tried it already.
    await gangway('nudge', held.workflowId);
    expect(await held.outcome()).toMatchObject({ outcome: 'boarded' });
    await since.stop();
    await server.putBack();
    const { status } = await held.handle.describe();
    expect(status.name).toBe('RUNNING');
    const many = async () => jsonLines(await gangway('list', '--json')).length;
    await eventually(many, (count) => count === 2, 'both onboardings');
    const file = server.backup;
    expect((await gangway('backup', file)).stdout).toBe(`saved 2 onboardings to ${file}\n`);

    await server.emptied();
    const restored = 'restored 2, of which 1 ask before they create anything;';
    expect((await gangway('restore', file)).stdout).toContain(restored);
    await startWorker();
    const requirement = await held.requirement('uncertain-write');
    expect(requirement.detail).toMatch(asksAbout(input.externalId));
    const [record] = await rig.sandbox.ledger({ operation: 'create-merchant', guid: input.externalId });
    await gangway(
      'resolve',
      held.workflowId,
      requirement.id,
      '--confirm',
      `${record?.id}`,
      '--reason',
      'it is there',
    );
    expect(await held.outcome()).toMatchObject({ outcome: 'boarded', merchantProfileId: record?.id });
    expect(await boarded.outcome()).toMatchObject({ outcome: 'boarded' });
    expect(doubled(await rig.sandbox.ledger())).toEqual([]);
  },
  TIMEOUT_MS,
);
