import { userInfo } from 'node:os';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { workflowId } from '../../../../src/messages/ids.js';
import type { OnboardingState } from '../../../../src/messages/onboarding-state.js';
import { partIds } from '../../../../src/temporal/find-onboarding.js';
import { gangway as runGangway, startGangway } from '../../../rigs/command.js';
import { idOf, inputFile } from '../../../rigs/commands/files.js';
import { waitingBoarding } from '../../../rigs/commands/waiting-boarding.js';
import { business, customer, merchant } from '../../../rigs/inputs.js';
import { Onboarding } from '../../../rigs/onboarding.js';
import { closedPort } from '../../../rigs/partners/servers.js';
import { jsonLines } from '../../../rigs/processes.js';
import { createRig } from '../../../rigs/rig.js';
import { sharedRig } from '../../../rigs/shared-rig.js';
import { eventually } from '../../../rigs/waiting.js';

const rig = await sharedRig();
afterEach(() => rig.clear());

const gangway = (args: readonly string[], input?: string) => runGangway(rig.env, args, input);
const file = (content: unknown) => inputFile(rig, content);
/** The inbox's items of a customer and its parts, once the server lists as many. */
const inbox = (externalId: string, count: number) =>
  eventually(
    async () =>
      jsonLines(await gangway(['inbox', '--json'])).filter(({ workflowId: id }) =>
        String(id).endsWith(externalId),
      ),
    (items) => items.length >= count,
    `${count} items in the inbox`,
  );

describe('gangway board', () => {
  it('starts a boarding, waits for it, and prints its outcome and its address in the Web UI', async () => {
    const input = merchant();
    const { code, stdout, stderr } = await gangway(['board', await file(input), '--wait']);
    const [started, url, outcome] = stdout.split('\n');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(started).toBe(`started merchant-boarding-${input.externalId}`);
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/namespaces\/default\/workflows\/merchant-boarding-m-/);
    expect(outcome).toMatch(/ boarded: mid 5180\d+$/);
    // The person of this process, in the list and in the timeline.
    const status = await gangway(['status', input.externalId]);
    expect(status.stdout).toMatch(/^timeline:\n.+ started +\(\S.*\)$/m);
    const list = jsonLines(await gangway(['list', input.externalId, '--json']));
    expect(list).toMatchObject([{ startedBy: userInfo().username }]);
  });

  it('reads standard input, and with --json prints JSON lines only', async () => {
    const input = merchant('declined');
    const result = await gangway(['board', '-', '--wait', '--json'], JSON.stringify(input));
    const workflowId = `merchant-boarding-${input.externalId}`;
    expect(jsonLines(result)).toEqual([
      { workflowId, runId: expect.any(String), started: true, url: expect.any(String) },
      {
        workflowId,
        outcome: 'declined',
        comment: 'Business type is not supported.',
        merchantProfileId: expect.any(Number),
      },
    ]);
    expect(result.code).toBe(0);
  });

  it('warns of what is doubtful, and with --strict starts nothing', async () => {
    const input = merchant(undefined, { agentProfileId: 999 });
    const uncertain = { ...input, merchant: { ...input.merchant, dba: '🍕', email: 'not-an-email' } };
    const path = await file(uncertain);
    const format = 'merchant.email: is not an e-mail address';
    const strict = await eventually(
      () => gangway(['board', path, '--strict']),
      ({ stderr }) =>
        stderr.includes('\n  agentProfileId: the partner does not list this id; choose one of: '),
      'the lists of the partner to be read',
    );
    expect(strict).toMatchObject({ code: 2, stdout: '' });
    expect(strict.stderr).toContain(`${path}: has warnings, which --strict rejects; nothing was started\n`);
    expect(strict.stderr).toContain(`  merchant.dba: has no letter or digit\n  ${format}\n`);
    const { code, stderr } = await gangway(['board', path]);
    expect([code, stderr]).toEqual([0, expect.stringContaining(`warning: ${format}\n`)]);
    // What is there takes no new input, so nothing is doubtful.
    for (const options of [['--strict'], []]) {
      const again = await gangway(['board', path, ...options]);
      expect([again.stdout.split('\n')[0], again.stderr]).toEqual([`already started: ${idOf(input)}`, '']);
    }
    const boarded = (name: string) =>
      startGangway({ ...rig.env, COLUMNS: '1000' }, ['board', name], { terminal: true }).finished;
    expect((await boarded(path)).stderr).not.toContain('was not used');
    const other = await file({ ...uncertain, merchant: { ...uncertain.merchant, dba: 'Other' } });
    expect((await boarded(other)).stderr).toContain(
      `${other} was not used: an onboarding keeps its first input, which differs in merchant.dba\n`,
    );
  });
});

describe('gangway status', () => {
  it('shows a person the facts, the open requirements and the timeline', async () => {
    const { externalId, id } = await waitingBoarding(rig);
    const { stdout, code } = await gangway(['status', externalId]);
    expect(code).toBe(0);
    const answer = `gangway resolve ${externalId} ${id} --text TEXT`;
    for (const part of ['underwriting', 'Pending', id, 'voided check', answer, 'merchant-created'])
      expect(stdout).toContain(part);
  });

  it('shows why a call is retried, of an onboarding and of a part of a customer', async () => {
    const alone = await createRig({ boardingUrl: `http://127.0.0.1:${await closedPort()}` });
    onTestFinished(() => alone.close());
    const onboarding = await alone.onboard(customer());
    const { workflowId } = onboarding;
    await onboarding.until(({ boarding }) => boarding !== undefined, 'its boarding');
    const part = new Onboarding(alone.client, partIds(workflowId).boarding);
    await part.retrying('createMerchant');
    for (const id of [part.workflowId, workflowId])
      expect((await runGangway(alone.env, ['status', id])).stdout).toMatch(
        /^retrying +boarding create-merchant: NotSent, ECONNREFUSED$/m,
      );
  });

  // Alone catches that a number names one onboarding by its externalId, and silently another one by the partner's id.
  it('finds an onboarding by its merchant id, unless that is the externalId of another one', async () => {
    const input = merchant('waiting');
    await gangway(['board', await file(input)]);
    const workflowId = idOf(input);
    const onboarding = new Onboarding(rig.client, workflowId);
    const { merchantProfileId } = await onboarding.until((state) => state.merchantProfileId !== undefined);
    const id = String(merchantProfileId);
    await onboarding.listed(` AND MerchantProfileId = '${id}'`);
    // Merchants of other sandboxes may have the same id.
    const { stdout, stderr } = await gangway(['status', id]);
    expect(stdout + stderr).toContain(workflowId);

    await gangway(['board', await file({ ...merchant('waiting'), externalId: id })]);
    const again = await gangway(['status', id]);
    expect(again).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/ may mean .*: give the whole workflow id\n$/),
    });
    for (const each of [workflowId, `merchant-boarding-${id}`]) expect(again.stderr).toContain(each);
  });

  it('reports an unknown onboarding', async () => {
    const { code, stderr } = await gangway(['status', 'nobody']);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: 'there is no onboarding with id, mid or dba "nobody"; "gangway list" shows all\n',
    });
    expect((await gangway(['status', 'operation-close-card-x'])).stderr).toBe(
      'there is no workflow "operation-close-card-x"\n',
    );
  });
});

it('an onboarding that was terminated names the merchant at the partner, and how to import it', async () => {
  const input = merchant('waiting');
  const path = await file(input);
  await gangway(['board', path]);
  const onboarding = new Onboarding(rig.client, idOf(input));
  const { merchantProfileId: id } = await onboarding.until((state) => state.merchantProfileId !== undefined);
  await onboarding.handle.terminate();
  expect(await gangway(['board', path])).toMatchObject({
    code: 1,
    stderr:
      `${idOf(input)}: it was terminated; merchant ${id} exists at the partner: to import it, set "merchantProfileId": ` +
      `${id} in FILE; then start it again with --again\n`,
  });
});

it('gangway onboard-business starts, waits, and prints profile, account and status', async () => {
  const input = business('account-at-once');
  const id = `business-onboarding-${input.externalId}`;
  expect(await gangway(['onboard-business', await file(input), '--wait'])).toEqual({
    code: 0,
    stdout: expect.stringMatching(
      new RegExp(
        `^started ${id}\nhttp\\S+/namespaces/default/workflows/${id}\\S*\n${id} onboarded: profile (\\d+), account fa-\\1-1, (PendingUW|Approved)\n$`,
      ),
    ),
    stderr: '',
  });
});

it('gangway onboard prints all of it as JSON', async () => {
  const input = customer({ business: 'denied' });
  const result = await gangway(['onboard', '-', '--wait', '--json'], JSON.stringify(input));
  const id = `customer-onboarding-${input.externalId}`;
  const number = expect.any(Number);
  const boarding = { outcome: 'boarded', mid: expect.stringMatching(/^5180/), merchantProfileId: number };
  const ofBank = { profileId: number, financialAccountId: null, bankingStatus: 'Denied' };
  expect(jsonLines(result)).toEqual([
    { workflowId: id, runId: expect.any(String), started: true, url: expect.any(String) },
    {
      workflowId: id,
      outcome: 'partly-onboarded',
      boarding,
      business: { outcome: 'declined', ...ofBank },
    },
  ]);
});

/** A customer whose merchant waits for answers to notes, and its business for an answer to a ticket. */
async function asked() {
  const input = customer({ boarding: 'notes', business: 'ticket' });
  const both = await rig.onboard(input);
  await both.until(({ requirements }) => requirements.length === 3, 'two notes and a ticket');
  const { externalId } = input;
  const part = (type: 'merchantBoarding' | 'businessOnboarding') =>
    new Onboarding(rig.client, workflowId(type, externalId));
  return {
    externalId,
    both,
    boarding: part('merchantBoarding'),
    business: part('businessOnboarding'),
    end: () => both.handle.terminate(),
  };
}

describe('a running customer onboarding', () => {
  it('shows the state of both parts with status, and is nudged in them', async () => {
    const { externalId, both, end } = await asked();
    const { stdout } = await gangway(['status', externalId]);
    const { merchantProfileId, profileId } = await both.state();
    for (const fact of [
      'stage +onboarding',
      `merchant +${merchantProfileId}`,
      `profile +${profileId}`,
      'boarding +underwriting, Pending',
      'business +underwriting, PendingUW',
      '.*Ticket about Phone.*',
    ])
      expect(stdout).toMatch(new RegExp(`^${fact}$`, 'm'));
    const [state] = jsonLines<OnboardingState>(await gangway(['status', externalId, '--json']));
    expect(state).toEqual(await both.state());
    const [nudged] = jsonLines(await gangway(['nudge', externalId, '--json']));
    expect(nudged).toEqual({ workflowId: both.workflowId, nudged: true, retried: [] });
    await end();
  });

  it('is in the inbox by its parts only, and takes answers by its own key', async () => {
    const { externalId, both, boarding, business: bank } = await asked();
    const items = await inbox(externalId, 3);
    expect(items.map(({ workflowId: id, kind }) => `${id} ${kind}`).sort()).toEqual([
      `${bank.workflowId} ticket`,
      `${boarding.workflowId} underwriting-note`,
      `${boarding.workflowId} underwriting-note`,
    ]);
    const ticket = items.find(({ kind }) => kind === 'ticket')?.['id'];
    const answer = ['resolve', externalId, String(ticket), '--text', 'Ours is 518-555-0100.'];
    expect((await gangway(answer)).stdout).toMatch(
      new RegExp(`^${ticket} answered\\. Still open:\n( {2}note-\\S+: .*\n){2}$`),
    );
    expect(await bank.outcome()).toMatchObject({ outcome: 'onboarded' });
    await both.handle.terminate();
  });

  it('names the workflow that takes the answers of a part that was started before, and passes them on to it', async () => {
    const input = customer({ boarding: 'notes' });
    const { externalId, boarding } = input;
    const before = await rig.board({ externalId, ...boarding });
    await before.requirement('underwriting-note');
    const both = await rig.onboard(input);
    await both.until(({ timeline }) => timeline.some(({ event }) => event === 'boarding-attached'));
    const { stdout } = await gangway(['status', externalId]);
    expect(stdout).toMatch(
      new RegExp(`^boarding +underwriting, Pending, waits for a person: see ${before.workflowId}$`, 'm'),
    );
    const { id } = await before.requirement('underwriting-note');
    const [claimed] = jsonLines(await gangway(['claim', externalId, id, '--json']));
    expect(claimed).toMatchObject({ workflowId: before.workflowId, requirementId: id });
    const [answered] = jsonLines(await gangway(['resolve', externalId, id, '--text', 'Here.', '--json']));
    expect(answered).toMatchObject({ workflowId: before.workflowId, requirementId: id });
    await Promise.all([before.handle.terminate(), both.handle.terminate()]);
  });
});
