import { parse } from 'csv-parse/sync';
import { afterEach, describe, expect, it } from 'vitest';
import { gangway as runGangway } from '../../../rigs/command.js';
import { waitingBoarding } from '../../../rigs/commands/waiting-boarding.js';
import { peopleFile } from '../../../rigs/people-file.js';
import { jsonLines } from '../../../rigs/processes.js';
import { sharedRig } from '../../../rigs/shared-rig.js';

// The inbox shows all onboardings of a server.
const rig = await sharedRig({ ownNamespace: true });
afterEach(() => rig.clear());

const gangway = (...args: readonly string[]) => runGangway(rig.env, args);

const TEXT = { kind: 'text', text: 'One sale in ten.' } as const;

const minutesUntil = (time: unknown) => Math.round((Date.parse(String(time)) - Date.now()) / 60_000);

describe('gangway claim and release', () => {
  it('claim for four hours by default, show it in status, and release', async () => {
    const { boarding, id } = await waitingBoarding(rig);
    const claimed = await gangway('claim', boarding.workflowId, id, '--actor', 'olga');
    expect(claimed).toEqual({
      code: 0,
      stderr: '',
      stdout: expect.stringMatching(
        new RegExp(`^${id} claimed by olga until \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d UTC\\n$`),
      ),
    });
    const [requirement] = (await boarding.state()).requirements;
    expect(minutesUntil(requirement?.claim?.until)).toBe(240);
    expect((await gangway('status', boarding.workflowId)).stdout).toMatch(
      /^ {4}claimed by olga until \d{4}-\d\d-\d\d \d\d:\d\d UTC$/m,
    );
    expect(await gangway('release', boarding.workflowId, id, '--actor', 'olga')).toEqual({
      code: 0,
      stdout: `${id} released\n`,
      stderr: '',
    });
    expect((await boarding.state()).requirements[0]).not.toHaveProperty('claim');
    expect(await gangway('release', boarding.workflowId, id, '--actor', 'olga')).toEqual({
      code: 0,
      stdout: `${id}: was not claimed\n`,
      stderr: '',
    });
    const { stdout } = await gangway('status', boarding.workflowId);
    expect(stdout).not.toContain('    claimed by');
    expect(stdout).toMatch(/requirement-claimed +note-\S+: until .* UTC \(olga\)\n/);
  });

  it('exit with 2 while another person has a claim, and name the person; --override takes it over', async () => {
    const { boarding, id } = await waitingBoarding(rig);
    await boarding.claim(id, 'olga');
    const claim = ['claim', boarding.workflowId, id, '--actor', 'pete'];
    for (const args of [claim, ['release', ...claim.slice(1)]])
      expect(await gangway(...args)).toMatchObject({
        code: 2,
        stdout: '',
        stderr: expect.stringMatching(/^requirementId: olga has claimed note-\S+ until \d{4}-/),
      });
    expect(await gangway(...claim, '--override')).toMatchObject({ code: 0 });
    expect((await boarding.state()).requirements[0]?.claim?.actor).toBe('pete');
    const answer = ['resolve', boarding.workflowId, id, '--text', 'Here.', '--actor', 'olga'];
    expect((await gangway(...answer)).stderr).toMatch(
      /^pete has claimed note-\S+ until .* UTC\. You can still answer it\.\n$/,
    );
  });

  it('claim several at once, and name each that is refused, exit 1', async () => {
    const [one, other] = [await waitingBoarding(rig), await waitingBoarding(rig)];
    const [first, second] = [one, other].map(({ boarding, id }) => [boarding.workflowId, id] as const);
    const rows = [...(first ?? []), ...(second ?? [])];
    const taken = { code: 0, stderr: '' };
    expect(await gangway('claim', ...rows, '--actor', 'olga')).toEqual({
      ...taken,
      stdout: expect.stringMatching(/^(note-\w+ claimed by olga until .* UTC\n){2}$/),
    });
    const [row] = jsonLines<object>(await gangway('claim', ...rows, '--actor', 'olga', '--json'));
    expect(row).toMatchObject({ workflowId: one.boarding.workflowId, requirementId: one.id });
    await other.boarding.claim(other.id, 'pete', { override: true });
    const refused = await gangway('claim', ...rows, 'nowhere', 'note', '--actor', 'olga');
    expect(refused.code).toBe(1);
    expect(refused.stdout).toMatch(/^note-\w+ claimed by olga until .* UTC\n$/);
    expect(refused.stderr.split('\n')).toEqual([
      expect.stringMatching(/^merchant-boarding-\S+: requirementId: pete has claimed note-\w+ until \d{4}-/),
      expect.stringMatching(/^nowhere: there is no onboarding with id, mid or dba "nowhere"/),
      'claimed 1 of 3',
      '',
    ]);
    expect(await gangway('claim', ...rows, 'nowhere')).toEqual({
      code: 2,
      stdout: '',
      stderr: 'nowhere: add its requirement; nothing was claimed\n',
    });
  });
});

it('gangway assign hands several over to a colleague, who finds them with inbox --mine', async () => {
  const env = { ...rig.env, ...peopleFile([{ name: 'Ada Park', id: 'ada', role: 'operator' }]) };
  const { boarding, id } = await waitingBoarding(rig);
  const assign = [
    'assign',
    boarding.workflowId,
    id,
    '--actor',
    'olga',
    '--remark',
    'SSN 123-45-6789',
    '--to',
  ];
  expect(await runGangway(env, [...assign, 'Adda'])).toMatchObject({
    code: 2,
    stderr: 'assignee: no colleague is called "Adda"; did you mean Ada?\n',
  });
  expect(await runGangway(env, [...assign, 'Ada Park'])).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^note-\w+ assigned to Ada Park \(ada\) until /),
  });
  await boarding.listedAs((all) => all.some((each) => each.claim));
  const mine = async (actor: string) =>
    jsonLines<object>(await runGangway(env, ['inbox', '--mine', actor, '--json']));
  const row = { workflowId: boarding.workflowId, id, claimedBy: 'Ada Park (ada)', assignedBy: 'olga' };
  expect(await mine('ada')).toMatchObject([row]);
  expect(await mine('olga')).toEqual([]);
  const { timeline, requirements } = await boarding.state();
  expect(minutesUntil(requirements[0]?.claim?.until)).toBe(3 * 24 * 60);
  expect(timeline.slice(-2)).toMatchObject([
    { event: 'requirement-assigned', actor: 'olga' },
    { event: 'remark-added', detail: `${id}: SSN ***-**-6789` },
  ]);
  for (const over of ['0ms', '1d'])
    expect(jsonLines(await runGangway(env, ['list', '--waiting-over', over, '--json']))).toHaveLength(
      over === '1d' ? 0 : 1,
    );
});

it('the inbox has a column for claims only when there is one, fields in JSON and CSV, and a filter', async () => {
  const { boarding, id } = await waitingBoarding(rig);
  const own = ['inbox', '--dba', (await boarding.state()).dba ?? ''];
  expect((await gangway(...own)).stdout).not.toContain('CLAIMED BY');
  const { claim } = await boarding.claim(id, 'olga');
  await boarding.listedAs((all) => all.some((each) => each.claim));
  expect((await gangway(...own)).stdout).toMatch(/CLAIMED BY[\s\S]* olga /);
  const items = jsonLines<Record<string, unknown>>(await gangway(...own, '--json'));
  const ofBoarding = items.filter(({ workflowId }) => workflowId === boarding.workflowId);
  expect(ofBoarding.find((item) => item['id'] === id)).toMatchObject({
    claimedBy: 'olga',
    claimedUntil: claim?.until,
  });
  expect(ofBoarding.filter(({ claimedBy }) => claimedBy !== undefined)).toHaveLength(1);
  const rows: Record<string, string>[] = parse((await gangway(...own, '--csv')).stdout, { columns: true });
  expect(rows.find((row) => row['id'] === id && row['claimedBy'])).toMatchObject({
    claimedBy: 'olga',
    claimedUntil: claim?.until,
    proposedBy: '',
  });
  const free = jsonLines<Record<string, unknown>>(await gangway(...own, '--unclaimed', '--json'));
  expect(free.filter(({ workflowId }) => workflowId === boarding.workflowId)).toHaveLength(1);
  expect(free.map(({ claimedBy }) => claimedBy).filter(Boolean)).toEqual([]);
  const result = async (...filter: string[]) =>
    jsonLines(await gangway(...own, '--kind', 'underwriting-note', ...filter, '--json')).filter(
      ({ workflowId }) => workflowId === boarding.workflowId,
    ).length;
  expect(await result('--unclaimed')).toBe(1);
  expect(await result()).toBe(2);
});

it('gangway confirm shows the proposed answer and applies it once a second person confirms it', async () => {
  const { boarding, id } = await waitingBoarding(rig);
  await boarding.propose(id, TEXT);
  const { stdout } = await gangway('status', boarding.workflowId);
  expect(stdout).toMatch(/^ {4}proposed by pete, .* UTC: text: One sale in ten\. \(called the merchant\)$/m);
  expect(stdout).toContain(`\n    gangway confirm ${boarding.workflowId} ${id}\n`);
  const confirm = ['confirm', boarding.workflowId, id];
  expect(await gangway(...confirm, '--actor', 'olga')).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^This answers note-\S+ as pete proposed at .*: text: One sale in ten\. /),
  });
  expect(await gangway(...confirm, '--actor', 'Pete', '--yes')).toMatchObject({
    code: 2,
    stderr: 'actor: must not be the person who proposed the answer\n',
  });
  expect(await gangway(...confirm, '--actor', 'olga', '--reason', 'ok', '--yes')).toEqual({
    code: 0,
    stdout: expect.stringContaining(`${id} answered. It is sent together with`),
    stderr: '',
  });
  const { timeline } = await boarding.state();
  const entryOf = (wanted: string) => timeline.find(({ event }) => event === wanted);
  expect(entryOf('answer-confirmed')).toMatchObject({ actor: 'olga', reason: 'ok' });
  expect(entryOf('requirement-resolved')).toMatchObject({ actor: 'pete', reason: 'called the merchant' });
  const [other = ''] = (await boarding.state()).requirements.map((each) => each.id);
  expect(await gangway(...confirm.slice(0, 2), other, '--yes')).toMatchObject({
    code: 2,
    stderr: `"${other}" has no proposed answer\n`,
  });
});
