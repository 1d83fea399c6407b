import { afterAll, describe, expect, it } from 'vitest';
import { SEARCH_ATTRIBUTES } from '../../../src/messages/search-attributes.js';
import { gangway as runGangway, startGangway } from '../../rigs/command.js';
import { inputFile } from '../../rigs/commands/files.js';
import { waitingBoarding } from '../../rigs/commands/waiting-boarding.js';
import { business, customer, merchant } from '../../rigs/inputs.js';
import { jsonLines } from '../../rigs/processes.js';
import { createRig } from '../../rigs/rig.js';
import { eventually } from '../../rigs/waiting.js';

// Lists and the inbox show all onboardings of a server.
const rig = await createRig({ ownNamespace: true });
afterAll(() => rig.close());

const gangway = (args: readonly string[], input?: string) => runGangway(rig.env, args, input);

const waiting = () => waitingBoarding(rig);

describe('gangway list and inbox', () => {
  it('find onboardings that wait for a person, also by agent profile, with their requirements', async () => {
    const { externalId } = await waiting();
    const workflowId = `merchant-boarding-${externalId}`;
    const listed = jsonLines(await gangway(['list', '--action-required', '--agent', '101', '--json']));
    expect(listed.find((row) => row['workflowId'] === workflowId)).toMatchObject({
      state: 'running',
      stage: 'underwriting',
      partnerStatus: 'Pending',
      merchantProfileId: expect.stringMatching(/^\d+$/),
      agentProfileId: '101',
      requirements: [{ kind: 'underwriting-note' }, { kind: 'underwriting-note' }],
    });
    const ofOther = jsonLines(await gangway(['list', '--agent', '102', '--json']));
    expect(ofOther.map((row) => row['workflowId'])).not.toContain(workflowId);
    const items = jsonLines(await gangway(['inbox', '--json'])).filter(
      (item) => item['workflowId'] === workflowId,
    );
    const { dba } = merchant('notes').merchant;
    const item = { dba, system: 'boarding', kind: 'underwriting-note', task: 'answer note' };
    expect(items).toEqual([expect.objectContaining(item), expect.objectContaining(item)]);
    expect(items.map(({ overdue }) => overdue)).toEqual([false, false]);
    const { stdout } = await gangway(['inbox', '--dba', dba, '--kind', 'underwriting-note']);
    expect(stdout).toMatch(
      new RegExp(`Corner Bakery \\[notes\\] +answer note +\\d+ s +boarding +${externalId} +note-`),
    );
    expect(jsonLines(await gangway(['inbox', '--kind', 'ticket', '--json']))).toEqual([]);
    expect((await gangway(['inbox', '--overdue'])).stdout).toMatch(
      /^none of the \d+ that waits? for a person is overdue\n$/,
    );
  });

  it('show the most urgent of many, and how to see the others', async () => {
    const many = await createRig({ ownNamespace: true });
    const run = (args: readonly string[]) => runGangway(many.env, args);
    try {
      const hours = [50, 10, 40, 30, 20];
      for (const dueInHours of hours) {
        const boarding = await many.board(merchant('notes', { dueInHours }));
        await boarding.listed(' AND ActionRequired = true');
      }
      const first = await run(['inbox', '--limit', '2', '--json']);
      const due = (line: Record<string, unknown>) =>
        Math.round((Date.parse(String(line['dueAt'])) - Date.now()) / 3_600_000);
      const shown = [...new Set(jsonLines(first).map(due))];
      expect(shown).toEqual([10, 20].slice(0, shown.length));
      const next =
        /2 of 5 onboardings, the most urgent; the next: gangway inbox (--due-after \S+); all: --limit 0/;
      expect(first.stderr).toMatch(next);
      const more = (next.exec(first.stderr)?.[1] ?? '').split(' ');
      const rest = jsonLines(await run(['inbox', ...more, '--json']));
      expect([...new Set(rest.map(due))]).toEqual([30, 40, 50]);
      expect(new Set(jsonLines(await run(['inbox', '--limit', '0', '--json'])).map(due)).size).toBe(5);
    } finally {
      await many.close();
    }
  });

  it('filter by a stage and a query, and quote their values', async () => {
    const declined = await rig.board(merchant('declined'));
    await declined.outcome();
    const { stdout } = await gangway([
      'list',
      '--stage',
      'declined',
      '--query',
      "PartnerStatus = 'Declined'",
    ]);
    const [, externalId = ''] = declined.workflowId.split('merchant-boarding-');
    expect(stdout).toContain(externalId);
    expect(jsonLines(await gangway(['list', '--agent', "101' OR ''='", '--json']))).toEqual([]);
    expect((await gangway(['list', '--ended-since', 'today'])).stdout).toContain(externalId);
    expect((await gangway(['list', '--started-before', '1h'])).stdout).toBe('none\n');
  });
});

describe('the tables', () => {
  it('of the inbox with --details are blocks, with the whole question and the commands that answer it', async () => {
    for (const more of [
      { externalId: 'golden-1', dueInHours: 10.5 },
      { externalId: 'golden-2', dueInHours: 1 },
    ]) {
      const boarding = await rig.board(merchant('notes', more));
      await boarding.listed(' AND ActionRequired = true');
    }
    const { stdout } = await startGangway({ ...rig.env, COLUMNS: '60', TZ: 'UTC' }, ['inbox', '--details'], {
      terminal: true,
    }).finished;
    expect(stdout).toContain(
      '\n\nCorner Bakery [notes] (golden-1)\n  note-149967d738cb (underwriting-note, ',
    );
    expect(stdout.replace(/\s+/g, ' ')).toContain(
      ': What share of sales is keyed in by hand? gangway resolve',
    );
    expect(stdout).toContain('\n    gangway resolve golden-1 note-6b2e32759339 --text TEXT\n');
    const prose = stdout.split('\n').filter((line) => !line.trim().startsWith('gangway '));
    expect(Math.max(...prose.map((line) => line.length))).toBeLessThanOrEqual(60);
  });
});

describe('gangway list', () => {
  it('shows the banking profile of onboardings', async () => {
    const input = business('denied');
    const { handle, workflowId: id } = await rig.onboardBusiness(input);
    const { profileId } = (await handle.result()) as { profileId: number };
    const query = `WorkflowId = '${id}'`;
    const [listed] = await eventually(
      async () => jsonLines(await gangway(['list', '--stage', 'declined', '--query', query, '--json'])),
      (lines) => lines.length === 1,
      'the list of workflows, which the server writes after the outcome',
    );
    expect(listed).toMatchObject({
      workflowId: id,
      partnerStatus: 'Denied',
      bankingProfileId: String(profileId),
    });
    expect((await gangway(['list', '--query', query])).stdout).toMatch(
      new RegExp(`PROFILE[\\s\\S]*Denied .* ${profileId} .*${input.externalId}`),
    );
    expect(jsonLines(await gangway(['list', '--operations', '--query', query, '--json']))).toEqual([]);
  });
});

describe('a dba', () => {
  it('names an onboarding where it is unique', async () => {
    const named = (dba: string) => ({ ...merchant().merchant, dba });
    const acme = await rig.board(merchant(undefined, { merchant: named('Acme Bikes') }));
    await acme.outcome();
    await acme.listed();
    expect((await gangway(['status', 'Acme Bikes'])).stdout).toMatch(/^dba +Acme Bikes\n/);
    const { merchantProfileId } = await acme.state();
    const portal = { BOARDING_PORTAL_URL: 'https://portal.example.com/merchants/{id}' };
    expect((await runGangway({ ...rig.env, ...portal }, ['status', 'Acme Bikes'])).stdout).toContain(
      `\nmerchant portal   https://portal.example.com/merchants/${merchantProfileId}\n`,
    );
    expect((await gangway(['status', 'Acme Bike'])).stderr).toBe(
      'there is no onboarding with id or dba "Acme Bike"; did you mean Acme Bikes?\n',
    );
    expect((await gangway(['status', 'acme'])).stderr).toMatch(/did you mean Acme Bikes\?\n$/);
    const second = await rig.board(merchant(undefined, { merchant: named('Acme Bikes') }));
    await second.listed();
    const { code, stderr } = await gangway(['status', 'Acme Bikes']);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^"Acme Bikes" may mean .*: give the whole workflow id\n$/);
    for (const { workflowId } of [acme, second]) expect(stderr).toContain(workflowId);
  });

  it('of a customer names the customer, not its parts', async () => {
    const input = customer();
    const running = await rig.onboard(input);
    await running.outcome();
    await running.listed();
    const { stdout } = await gangway(['status', input.boarding.merchant.dba]);
    expect(stdout).toContain(running.workflowId);
  });

  it('is whole for those who have the key, also where lists have it masked', async () => {
    const file = await inputFile(
      rig,
      merchant(undefined, { merchant: { ...merchant().merchant, dba: 'Hidden Harbor' } }),
    );
    const { stdout } = await runGangway({ ...rig.env, GANGWAY_DBA: 'masked' }, [
      'board',
      file,
      '--wait',
      '--json',
    ]);
    const { workflowId } = JSON.parse(stdout.split('\n')[0] ?? '') as { workflowId: string };
    const raw = await rig.client.workflow.getHandle(workflowId).describe();
    expect(raw.typedSearchAttributes.get(SEARCH_ATTRIBUTES.dba)).toBe('H… H…');
    expect(JSON.stringify(raw.raw.workflowExecutionInfo)).not.toContain('Harbor');
    const [listed] = jsonLines(await gangway(['list', '--dba', 'Hidden Harbor', '--json']));
    expect(listed).toMatchObject({ workflowId, dba: 'Hidden Harbor' });
    expect((await gangway(['status', 'Hidden Harbor'])).stdout).toContain(workflowId);
  });
});
