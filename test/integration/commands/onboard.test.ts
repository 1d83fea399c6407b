import { describe, expect, it } from 'vitest';
import { workflowId } from '../../../src/messages/ids.js';
import type { OnboardingState, TimelineEntry } from '../../../src/messages/onboarding-state.js';
import { gangway as runGangway } from '../../rigs/command.js';
import { inputFile } from '../../rigs/commands/files.js';
import { business, customer, terminal } from '../../rigs/inputs.js';
import { Onboarding } from '../../rigs/onboarding.js';
import { jsonLines } from '../../rigs/processes.js';
import { sharedRig } from '../../rigs/shared-rig.js';
import { eventually } from '../../rigs/waiting.js';

const rig = await sharedRig();

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

describe('gangway onboard-business', () => {
  it('starts, waits, and prints profile, account and status', async () => {
    const input = business('account-at-once');
    const { code, stdout, stderr } = await gangway(['onboard-business', await file(input), '--wait']);
    const [started, url, outcome] = stdout.split('\n');
    const id = `business-onboarding-${input.externalId}`;
    expect({ code, stderr, started }).toEqual({ code: 0, stderr: '', started: `started ${id}` });
    expect(url).toMatch(/\/namespaces\/default\/workflows\/business-onboarding-b-/);
    expect(outcome).toMatch(
      new RegExp(`^${id} onboarded: profile (\\d+), account fa-\\1-1, (PendingUW|Approved)$`),
    );
  });
});

describe('gangway onboard', () => {
  it('prints all of it as JSON', async () => {
    const input = customer({ business: 'denied' });
    const result = await gangway(['onboard', '-', '--wait', '--json'], JSON.stringify(input));
    const id = `customer-onboarding-${input.externalId}`;
    expect(jsonLines(result)).toEqual([
      { workflowId: id, runId: expect.any(String), started: true, url: expect.any(String) },
      {
        workflowId: id,
        outcome: 'partly-onboarded',
        boarding: {
          outcome: 'boarded',
          mid: expect.stringMatching(/^5180/),
          merchantProfileId: expect.any(Number),
        },
        business: {
          outcome: 'declined',
          profileId: expect.any(Number),
          financialAccountId: null,
          bankingStatus: 'Denied',
        },
      },
    ]);
  });
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
      /^stage +onboarding$/m,
      new RegExp(`^merchant +${merchantProfileId}$`, 'm'),
      new RegExp(`^profile +${profileId}$`, 'm'),
      /^boarding +underwriting, Pending$/m,
      /^business +underwriting, PendingUW$/m,
      /Ticket about Phone/,
    ]) {
      expect(stdout).toMatch(fact);
    }
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

describe('a customer whose terminal is being provisioned', () => {
  /** The sandbox has no such location. */
  const rejected = () =>
    customer({}, { provisionTerminal: terminal({ terminal: { name: 'Counter', location_id: 'none' } }) });

  it('is in the inbox by its terminal, and takes answers, is shown and is awaited by its own key', async () => {
    const input = rejected();
    const { externalId } = input;
    const path = await file(input);
    await gangway(['onboard', path]);
    const both = new Onboarding(rig.client, workflowId('customerOnboarding', externalId));
    await both.requirement('rejected-input');
    const part = workflowId('terminalProvisioning', externalId);
    const items = await inbox(externalId, 1);
    expect(items.map(({ workflowId: id, id: requirement }) => [id, requirement])).toEqual([
      [part, 'terminal-rejected-input-1'],
    ]);
    const { stdout: shown } = await gangway(['status', externalId]);
    const { paymentsAccountId } = await both.state();
    expect(shown).toMatch(new RegExp(`^payments account +${paymentsAccountId}$`, 'm'));
    expect(shown).toMatch(/^terminal +provisioning$/m);
    expect(shown).toContain('provisionTerminal.terminal.location_id: is unknown');
    expect((await gangway(['nudge', part])).stderr).toBe(`${part} does not wait for a partner\n`);

    const patch = JSON.stringify({ provisionTerminal: { terminal: { location_id: null } } });
    const answer = ['resolve', externalId, 'terminal-rejected-input-1', '--patch', patch, '--reason', 'typo'];
    expect((await gangway(answer)).stdout).toMatch(
      /^terminal-rejected-input-1 answered \(terminal-created: .*\)\. Nothing is left to answer; /,
    );
    const { stdout: printed } = await gangway(['onboard', path, '--wait']);
    const { mid, terminalId } = await both.state();
    expect(printed).toContain(`${both.workflowId} onboarded\n  merchant boarded: mid ${mid}\n`);
    expect(printed).toContain(`  terminal provisioned: ${terminalId} in account ${paymentsAccountId}\n`);
    const watched = jsonLines<TimelineEntry & { of: string }>(await gangway(['watch', externalId, '--json']));
    expect(watched.filter(({ of }) => of === 'terminal').map(({ event }) => event)).toContain(
      'terminal-created',
    );
    const query = `WorkflowId = '${part}'`;
    const [listed] = await eventually(
      async () => jsonLines(await gangway(['list', '--query', query, '--json'])),
      ([{ state } = {}]) => state === 'completed',
      'the list of workflows, which the server writes after the outcome',
    );
    expect(listed).toMatchObject({ workflowId: part, state: 'completed', stage: 'provisioned' });
  });
});
