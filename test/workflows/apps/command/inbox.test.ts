import { afterEach, describe, expect, it } from 'vitest';
import { SEARCH_ATTRIBUTES } from '../../../../src/messages/search-attributes.js';
import { gangway as runGangway, startGangway } from '../../../rigs/command.js';
import { inputFile } from '../../../rigs/commands/files.js';
import { waitingBoarding } from '../../../rigs/commands/waiting-boarding.js';
import { business, merchant } from '../../../rigs/inputs.js';
import { jsonLines } from '../../../rigs/processes.js';
import { sharedRig } from '../../../rigs/shared-rig.js';
import { eventually } from '../../../rigs/waiting.js';

// Lists and the inbox show all onboardings of a server.
const rig = await sharedRig({ ownNamespace: true });
afterEach(() => rig.clear());

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
    const inbox = (...args: string[]) => gangway(['inbox', ...args, '--json']);
    for (const dueInHours of [30, 10, 20]) {
      const boarding = await rig.board(merchant('notes', { dueInHours }));
      await boarding.listed(' AND ActionRequired = true');
    }
    /** When they are due, in hours, each once. */
    const dueIn = (lines: Record<string, unknown>[]) => [
      ...new Set(lines.map(({ dueAt }) => Math.round((Date.parse(String(dueAt)) - Date.now()) / 3_600_000))),
    ];
    expect((await gangway(['list', '--running', '--limit', '1'])).stderr).toBe('1 of 3; --limit 0 for all\n');
    const first = await inbox('--limit', '1');
    expect(dueIn(jsonLines(first))).toEqual([10]);
    const next =
      /1 of 3 onboardings, the most urgent; the next: gangway inbox (--due-after \S+); all: --limit 0/;
    expect(first.stderr).toMatch(next);
    const more = (next.exec(first.stderr)?.[1] ?? '').split(' ');
    expect(dueIn(jsonLines(await inbox(...more)))).toEqual([20, 30]);
    expect(dueIn(jsonLines(await inbox('--limit', '0')))).toEqual([10, 20, 30]);
  });

  // Alone catches a filter of people or times that looks only at the most urgent onboardings.
  it('find what somebody has behind everything that is due earlier', async () => {
    for (const dueInHours of [1, 2, 30]) {
      const boarding = await rig.board(merchant('notes', { dueInHours }));
      const { requirements } = await boarding.listedAs((all) => all.length > 0);
      const id = requirements[0]?.id ?? '';
      if (dueInHours < 30) continue;
      await boarding.claim(id, 'olga');
      await boarding.listedAs((all) => all.some((each) => each.claim));
      const mine = await gangway(['inbox', '--mine', 'olga', '--limit', '1', '--json']);
      expect(jsonLines(mine)).toMatchObject([{ workflowId: boarding.workflowId, id, claimedBy: 'olga' }]);
    }
    const unclaimed = await gangway(['inbox', '--unclaimed', '--limit', '2', '--json']);
    expect([
      new Set(jsonLines(unclaimed).map(({ workflowId }) => workflowId)).size,
      unclaimed.stderr,
    ]).toEqual([2, '2 of 3 onboardings, the most urgent; all: --limit 0\n']);
  });

  it('filter by a stage and a query, and quote their values', async () => {
    const declined = await rig.board(merchant('declined'));
    await declined.outcome();
    await declined.listed(" AND OnboardingStage = 'declined' AND ExecutionStatus = 'Completed'");
    const query = ['--query', "PartnerStatus = 'Declined'"];
    const { stdout } = await gangway(['list', '--stage', 'declined', ...query]);
    const [, externalId = ''] = declined.workflowId.split('merchant-boarding-');
    expect(stdout).toContain(externalId);
    expect(jsonLines(await gangway(['list', '--agent', "101' OR ''='", '--json']))).toEqual([]);
    expect((await gangway(['list', '--ended-since', 'today'])).stdout).toContain(externalId);
    expect((await gangway(['list', '--started-before', '30d'])).stdout).toBe('none\n');
  });
});

it('the inbox with --details has blocks, with the whole question and the commands that answer it', async () => {
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
  expect(stdout).toContain('\n\nCorner Bakery [notes] (golden-1)\n  note-0e5ac65b83c0 (underwriting-note, ');
  expect(stdout.replace(/\s+/g, ' ')).toContain(': What share of sales is keyed in by hand? gangway resolve');
  expect(stdout).toContain('\n    gangway resolve golden-1 note-13e54e3f88e6 --text TEXT\n');
  const prose = stdout.split('\n').filter((line) => !line.trim().startsWith('gangway '));
  expect(Math.max(...prose.map((line) => line.length))).toBeLessThanOrEqual(60);
});

it('gangway list shows the banking profile of onboardings', async () => {
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
      'there is no onboarding with id, mid or dba "Acme Bike"; did you mean Acme Bikes?\n',
    );
    expect((await gangway(['status', 'acme'])).stderr).toMatch(/did you mean Acme Bikes\?\n$/);
    const second = await rig.board(merchant(undefined, { merchant: named('Acme Bikes') }));
    await second.listed();
    const { code, stderr } = await gangway(['status', 'Acme Bikes']);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^"Acme Bikes" may mean .*: give the whole workflow id\n$/);
    for (const { workflowId } of [acme, second]) expect(stderr).toContain(workflowId);
  });

  it('is whole for those who have the key, also where lists have it masked', async () => {
    const file = await inputFile(
      rig,
      merchant(undefined, { merchant: { ...merchant().merchant, dba: 'Hidden Harbor' } }),
    );
    const masked = { ...rig.env, GANGWAY_DBA: 'masked' };
    const [{ workflowId } = { workflowId: '' }] = jsonLines<{ workflowId: string }>(
      await runGangway(masked, ['board', file, '--wait', '--json']),
    );
    const raw = await rig.client.workflow.getHandle(workflowId).describe();
    expect(raw.typedSearchAttributes.get(SEARCH_ATTRIBUTES.dba)).toBe('H… H…');
    expect(JSON.stringify(raw.raw.workflowExecutionInfo)).not.toContain('Harbor');
    const [listed] = jsonLines(await gangway(['list', '--dba', 'Hidden Harbor', '--json']));
    expect(listed).toMatchObject({ workflowId, dba: 'Hidden Harbor' });
    expect((await gangway(['status', 'Hidden Harbor'])).stdout).toContain(workflowId);
  });
});

describe('completion with live values', () => {
  /** The candidates for a line, each with its description, once Temporal has responded within a second. */
  const candidates = (line: string): Promise<string[][]> =>
    eventually(
      async () => {
        const { code, stdout, stderr } = await gangway(['complete', 'zsh', '--', line]);
        expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
        return stdout
          .split('\n')
          .filter(Boolean)
          .map((candidate) => candidate.split('\t'));
      },
      (matches) => matches.length > 0,
      `candidates for ${line}`,
    );

  it('suggests the onboardings that a command can be about, with dba, stage and task, and their requirements', async () => {
    const { boarding, externalId } = await waiting();
    const input = business('waiting');
    await (await rig.onboardBusiness(input)).listed();
    const { dba, requirements } = await boarding.state();
    expect(await candidates(`gangway resolve ${externalId.slice(0, -2)}`)).toEqual([
      [externalId, `${dba}, underwriting, answer note`],
    ]);
    const all = (await candidates('gangway status ')).map(([name]) => name);
    expect(all).toEqual(expect.arrayContaining([externalId, input.externalId]));
    expect((await candidates('gangway resolve ')).map(([name]) => name)).not.toContain(input.externalId);
    expect((await candidates(`gangway resolve ${externalId} `)).sort()).toEqual(
      requirements.map(({ id }) => [id, 'answer note']).sort(),
    );
  });
});
