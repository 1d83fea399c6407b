import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { workflowId } from '../../../../src/messages/ids.js';
import type { TimelineEntry } from '../../../../src/messages/onboarding-state.js';
import { answered, gangway as runGangway, startGangway } from '../../../rigs/command.js';
import { waitingBoarding } from '../../../rigs/commands/waiting-boarding.js';
import { business, customer, merchant } from '../../../rigs/inputs.js';
import { Onboarding } from '../../../rigs/onboarding.js';
import { jsonLines } from '../../../rigs/processes.js';
import { sharedRig } from '../../../rigs/shared-rig.js';
import { eventually } from '../../../rigs/waiting.js';

const rig = await sharedRig();
afterEach(() => rig.clear());

const gangway = (args: readonly string[], input?: string) => runGangway(rig.env, args, input);

const waiting = () => waitingBoarding(rig);

describe('gangway resolve', () => {
  it('sends text and documents with an actor and a reason', async () => {
    const { boarding, externalId } = await waiting();
    const [check, share] = (await boarding.state()).requirements;
    const scan = join(rig.documentDir, 'scan.pdf');
    await mkdir(rig.documentDir, { recursive: true });
    await writeFile(scan, '%PDF-1.7\n%%EOF');
    const first = ['resolve', externalId, check?.id ?? '', '--document', scan];
    expect(
      jsonLines(await gangway([...first, '--actor', 'olga', '--reason', 'called', '--json'])),
    ).toMatchObject([{ requirementId: check?.id, open: 1 }]);
    const second = await gangway(['resolve', externalId, share?.id ?? '', '--text', 'One in ten.']);
    expect(second).toEqual({
      code: 0,
      stdout: `${share?.id} answered. Nothing is left to answer; "gangway watch ${externalId}" follows it.\n`,
      stderr: '',
    });
    await boarding.outcome();
    const { timeline, merchantProfileId = 0 } = await boarding.state();
    const resolved = timeline.find(({ detail }) => detail === `${check?.id}: documents: scan.pdf`);
    expect(resolved).toMatchObject({ actor: 'olga', reason: 'called' });
    const { attachments } = await rig.sandbox.merchant(merchantProfileId);
    expect(attachments).toMatchObject([{ fileName: 'scan.pdf', contentType: 'application/pdf', bytes: 14 }]);
  });

  it('without an answer or a requirement prints the commands that answer, and takes the only one', async () => {
    const { externalId, id } = await waiting();
    expect(await gangway(['resolve', externalId, id])).toEqual({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(
        /^nothing was sent; answer with one of these:\n {2}note-0e5ac65b83c0 .*\n(.*\n)+ {4}gangway resolve \S+ note-0e5ac65b83c0 --text TEXT\n/,
      ),
    });
    const { code, stderr } = await gangway(['resolve', externalId, '--text', 'Yes.']);
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/^nothing was sent; 2 requirements are open:\n/),
    ]);
    expect(stderr.match(/^ {4}gangway resolve .* --text TEXT$/gm)).toHaveLength(2);
    const text = ['--text', 'Ask ada@example.com.'];
    expect((await gangway(['resolve', externalId, id, ...text, '--dry-run'])).stdout).toBe(
      `${id} takes this answer (text: Ask [Redacted].); nothing was sent (--dry-run)\n`,
    );

    expect(await gangway(['resolve', externalId, id.slice(0, 7), '--text', 'Yes.'])).toMatchObject({
      code: 2,
      stdout: '',
      stderr: `give at least 8 characters of the id, not "note-0e"; open: ${id}, note-13e54e3f88e6\n`,
    });
    // The beginning of an id, but not the whole id of an earlier one.
    const short = ['resolve', externalId, id.slice(0, 8), '--text', 'Yes.', '--actor', 'olga'];
    expect((await gangway(short)).stdout).toBe(
      `${id} answered. It is sent together with the other notes, which are still open:\n` +
        '  note-13e54e3f88e6: What share of sales is keyed in by hand?\n',
    );
    expect((await gangway(['resolve', externalId, id, '--text', 'Yes.'])).code).toBe(1);
    // Alone catches a beginning of an answered id that is called unknown.
    const again = await gangway(['resolve', externalId, 'note-0e5', '--text', 'Yes.']);
    expect(again).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^olga answered it at .*: text: Yes\.\n/),
    });
    // Nothing else is open, so there is nothing to tell it from.
    expect((await gangway(['resolve', externalId, 'note-1', '--text', 'Yes.'])).stderr).toBe(
      'no requirement "note-1" is open; open: note-13e54e3f88e6; did you mean note-13e54e3f88e6?\n',
    );
    const { stdout } = await gangway(['status', externalId]);
    expect(stdout).toContain(
      `\nanswered, not sent yet:\n  ${id}: text: Yes. (olga)\n` +
        `    gangway resolve ${externalId} ${id} --take-back --reason WHY\n`,
    );
    expect(stdout).toMatch(/requirement-resolved +note-0e5ac65b83c0: text: Yes\. \(olga\)$/m);
    expect(stdout).toContain(`    gangway resolve ${externalId} note-13e54e3f88e6 --document FILE\n`);
    expect(await gangway(['resolve', externalId, '--text', 'One in ten.'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('note-13e54e3f88e6 answered. Nothing is left'),
    });
  });

  it('asks at a terminal before the onboarding is given up, and names what stays', async () => {
    const { boarding, externalId, id } = await waiting();
    const { merchantProfileId } = await boarding.state();
    const args = ['resolve', externalId, id, '--abandon', '--reason', 'withdrew'];
    const question = `This gives up the whole onboarding and cannot be undone; merchant ${merchantProfileId} stays at the partner. Continue? [y/N] `;
    expect(await answered(rig.env, args, '')).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining(question),
    });
    expect((await boarding.state()).requirements).toHaveLength(2);
    expect(await gangway(args)).toMatchObject({ code: 0 });
    await expect(boarding.outcome()).resolves.toMatchObject({ outcome: 'abandoned' });
  });
});

it('an answer whose effect is known soon names a value that is wrong, one that was not accepted and as what it is asked again, and what came next', async () => {
  // The boarding does not know whether its merchant was created.
  const input = merchant();
  const { externalId } = input;
  await rig.sandbox.plan('drop-before-commit', 'create-merchant', { about: externalId });
  const boarding = await rig.board(input);
  const { id } = await boarding.requirement('uncertain-write');
  expect(await gangway(['resolve', externalId, id, '--confirm', 'abc', '--reason', 'x'])).toEqual({
    code: 2,
    stdout: '',
    stderr: '--confirm: must be the id at the partner, in digits: "1012"\n',
  });
  const confirm = ['--confirm', '999999', '--reason', 'x'];
  const { code, stdout, stderr } = await gangway(['resolve', externalId, id, ...confirm]);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(
    new RegExp(
      `^not confirmed: .*not found.*\nIt is asked again as uncertain-write-2: gangway resolve ${externalId} uncertain-write-2\n$`,
    ),
  );
  const again = await gangway(['resolve', externalId, 'uncertain-write-2', ...confirm, '--json']);
  expect([again.code, JSON.parse(again.stdout)]).toMatchObject([
    1,
    { requirementId: 'uncertain-write-2', askedAgain: { id: 'uncertain-write-3' } },
  ]);
  const retry = ['resolve', externalId, 'uncertain-write-3', '--retry', '--reason', 'not there'];
  expect(await answered(rig.env, retry, 'y')).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^uncertain-write-3 answered \(merchant-created: .*\)\. Nothing is left/),
    stderr: expect.stringContaining(
      'This sends the write again. If the first one took effect, the partner has it twice. Continue? [y/N] ',
    ),
  });
  await boarding.outcome();
});

it('an onboarding that has ended takes no answer and no nudge: resolve, claim, nudge and cancel say how it ended', async () => {
  const boarding = await rig.board(merchant());
  const outcome = await boarding.outcome();
  const mid = 'mid' in outcome ? outcome.mid : '';
  const ended = `${boarding.workflowId} has ended: boarded, mid ${mid}`;
  const { boarding: forced } = await waiting();
  await forced.handle.terminate();
  const stderr = `${forced.workflowId} has ended: terminated in stage underwriting\n`;
  expect(await gangway(['nudge', forced.workflowId])).toEqual({ ...FAILED, stderr });
  const listed = await eventually(
    () => gangway(['list', forced.workflowId]),
    ({ stdout }) => stdout.includes(' terminated '),
    'the end in the list',
  );
  expect(listed.stdout).not.toContain('answer note');
  for (const args of [['nudge'], ['cancel', '--yes']])
    expect(await gangway([...args, boarding.workflowId])).toEqual({ ...FAILED, stderr: `${ended}\n` });
  for (const args of [
    ['resolve', boarding.workflowId],
    ['resolve', boarding.workflowId, 'note-1', '--text', 'x'],
    ['claim', boarding.workflowId, 'note-1'],
  ])
    expect(await gangway(args)).toEqual({ ...FAILED, stderr: `${ended}; it takes no answers\n` });
});

const FAILED = { code: 1, stdout: '' };

it('gangway watch of a customer shows its timeline with those of its parts, oldest entry first', async () => {
  const input = customer({ boarding: 'declined', business: 'denied' });
  const both = await rig.onboard(input);
  const watched = await gangway(['watch', input.externalId, '--json']);
  expect(watched.code).toBe(0);
  const entries = jsonLines<TimelineEntry & { of: string }>(watched);
  const of = (whose: string) =>
    entries.filter((entry) => entry.of === whose).map(({ of: _, ...entry }) => entry);
  const timelineOf = async (id: string) => (await new Onboarding(rig.client, id).state()).timeline;
  expect(of('customer')).toEqual(await timelineOf(both.workflowId));
  expect(of('boarding')).toEqual(await timelineOf(workflowId('merchantBoarding', input.externalId)));
  expect(of('business')).toEqual(await timelineOf(workflowId('businessOnboarding', input.externalId)));
  const { stdout } = await gangway(['watch', input.externalId]);
  const lines = stdout.trimEnd().split('\n');
  expect(lines.slice(-3)).toEqual([
    `${both.workflowId} declined`,
    '  merchant declined: Business type is not supported.',
    expect.stringMatching(/^ {2}business declined: profile \d+, no financial account, Denied$/),
  ]);
  const times = lines.slice(0, -3).map((line) => line.slice(0, 19));
  expect(times).toEqual([...times].sort());
  expect(stdout).toMatch(/ {2}boarding {2}status-changed {2}Declined: Business/m);
  expect(stdout).toMatch(/ {2}business {2}status-changed {2}Denied$/m);
});

it('gangway cancel asks at a terminal what a person confirms, and needs --yes elsewhere', async () => {
  const boarding = await rig.board(merchant('waiting'));
  const { workflowId: id } = boarding;
  const { merchantProfileId } = await boarding.until(({ stage }) => stage === 'underwriting');
  const consequence = `This cancels Corner Bakery [waiting] (${id}) in stage underwriting; merchant ${merchantProfileId} stays at the partner.`;
  expect(await gangway(['cancel', id])).toEqual({
    code: 2,
    stdout: '',
    stderr: `${consequence}\nNothing was done: without a terminal, confirm it with --yes\n`,
  });
  expect(await answered(rig.env, ['cancel', id], 'no')).toEqual({
    code: 1,
    stdout: '',
    stderr: `${consequence} Continue? [y/N] not confirmed; nothing was done\n`,
  });
  expect((await boarding.handle.describe()).status.name).toBe('RUNNING');
  const why = ['--reason', 'opened twice, says ada@example.com'];
  expect(await answered(rig.env, ['cancel', id, ...why], 'yes')).toEqual({
    code: 0,
    stdout: `${id}: cancellation requested\n`,
    stderr: `${consequence} Continue? [y/N] `,
  });
  await expect(boarding.outcome()).rejects.toThrow();
  // In the history, the reason is not encrypted.
  const { events } = await boarding.handle.fetchHistory();
  const requested = events?.map((event) => event.workflowExecutionCancelRequestedEventAttributes?.cause);
  expect(requested?.filter(Boolean)).toEqual(['opened twice, says [Redacted]']);
});

const PROFILE = { volume: 180_000, contactName: 'Ada Baker', phone: '518-555-0100' };

/** A boarding whose underwriters ask for changes. */
async function asked() {
  const application = { salesAndBusinessProfile: PROFILE };
  const input = merchant('changes-requested', { application });
  const boarding = await rig.board(input);
  const { id } = await boarding.requirement('changes-requested');
  return { boarding, externalId: input.externalId, id };
}

/** The command waits some seconds for the result, which a busy machine may need for the submission. */
/** The partner may also decide before the worker has reported the submission. */
const done = (externalId: string, id: string) =>
  expect.stringMatching(
    `^${id} answered(?: \\((?:submitted|write-unfinished: .*: done)\\)|, but its result is not known yet)\\. ` +
      `Nothing is left to answer; "gangway watch ${externalId}" follows it\\.\n$`,
  );

const VOLUME = 'application.salesAndBusinessProfile.volume';

describe('gangway status --input', () => {
  it('shows the input without private values, and the fields that can change now with their rules', async () => {
    const { externalId, id } = await asked();
    const { code, stdout, stderr } = await gangway(['status', externalId, '--input']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('"volume": 180000');
    expect(stdout).toContain('"contactName": "[Redacted]"');
    expect(stdout).not.toMatch(/Ada|555/);
    expect(stdout).toMatch(/^ {2}fees\.minimumDiscountAmount: number; at least 0; at most 500$/m);
    expect(stdout).toMatch(/^ {2}fees\.minimumDiscountType: string; one of Daily, Monthly$/m);
    expect(stdout).toMatch(/^ {2}application\.salesAndBusinessProfile\.volume = 180000: any$/m);
    expect(stdout).not.toMatch(/^ *merchant\./m);
    expect(stdout).not.toContain('N is the number');
    expect(stdout).toContain(`gangway resolve ${externalId} ${id} --set FIELD=VALUE --dry-run\n`);
  });

  it('begins with the fields that an open requirement names, and never cuts a name', async () => {
    const input = business('correction');
    const onboarding = await rig.onboardBusiness(input);
    const { id } = await onboarding.requirement('rejected-input');
    expect((await gangway(['resolve', input.externalId])).stderr).toContain(
      `    gangway resolve ${input.externalId} ${id} --set holder.website=VALUE\n`,
    );
    const env = { ...rig.env, COLUMNS: '40' };
    const { stdout } = await startGangway(env, ['status', input.externalId, '--input'], { terminal: true })
      .finished;
    const [named = '', others = ''] = stdout.split('\nother fields that a correction can change now:\n');
    expect(named).toMatch(/\nfields that an open requirement names:\n {2}holder\.website: string/);
    expect(others).not.toContain('holder.website');
    expect(others).toContain('  beneficialOwners.N.zipCode');
    expect(others).toContain('N is the index of an item');
    expect(stdout).not.toContain('…');
    const [json] = jsonLines<{ canChange: object[] }>(
      await gangway(['status', input.externalId, '--input', '--json']),
    );
    expect(json).toMatchObject({ input: { holder: { ssn: '[Redacted]', city: 'Albany' } } });
    const rule = { required: true, type: 'string', rule: 'must be 5 digits, or 5-4' };
    expect(json?.canChange).toContainEqual({ field: 'holder.postalCode', ...rule });
    expect(stdout).toContain(`resolve ${input.externalId} ${id} --set FIELD=VALUE --dry-run\n`);
    await onboarding.handle.terminate();
  });
});

describe('a correction', () => {
  it('is shown with --dry-run, is sent without a terminal, and the timeline has its fields and no value', async () => {
    const { boarding, externalId, id } = await asked();
    const phone = 'application.salesAndBusinessProfile.phone';
    const args = ['resolve', externalId, id, '--set', `${VOLUME}=240000`];
    const preview = [...args, '--set', `${phone}=518-555-0199`, '--dry-run'];
    expect(await gangway(preview)).toEqual({
      code: 0,
      stdout: [
        `${id} of ${boarding.workflowId}:`,
        `  ${VOLUME}: 180000 -> 240000`,
        `  ${phone}: "[Redacted]" -> "[Redacted]"`,
        `${id} takes this answer (correction); nothing was sent (--dry-run)`,
        '',
      ].join('\n'),
      stderr: '',
    });
    const [json] = jsonLines(await gangway([...preview, '--json']));
    expect(json).toMatchObject({ changes: [{ field: VOLUME, before: 180_000, after: 240_000 }, {}] });
    expect((await boarding.state()).requirements.map((each) => each.id)).toEqual([id]);

    expect(await gangway([...args, '--actor', 'olga'])).toEqual({
      code: 0,
      stdout: done(externalId, id),
      stderr: '',
    });
    await boarding.outcome();
    const { timeline } = await boarding.state();
    expect(timeline.find(({ event }) => event === 'requirement-resolved')).toMatchObject({
      detail: `${id}: correction: ${VOLUME}`,
      actor: 'olga',
    });
    const [now] = jsonLines(await gangway(['status', externalId, '--input', '--json']));
    const merged = { ...PROFILE, volume: 240_000, contactName: '[Redacted]', phone: '[Redacted]' };
    expect(now).toMatchObject({ input: { application: { salesAndBusinessProfile: merged } } });
  });

  it('is shown on a terminal before it is sent, and sent only after a yes', async () => {
    const { boarding, externalId, id } = await asked();
    const args = ['resolve', externalId, id, '--set', `${VOLUME}=240000`];
    expect(await answered(rig.env, args, 'n')).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(
        new RegExp(
          `^(?:.|\\n)* {2}${VOLUME}: 180000 -> 240000\n(?:.|\\n)*not confirmed; nothing was done\n$`,
        ),
      ),
    });
    expect((await boarding.state()).requirements).toHaveLength(1);
    const left = startGangway(rig.env, args, { terminal: true });
    await left.says('Continue? [y/N] ');
    left.kill('SIGINT');
    const stopped = await left.finished;
    expect(stopped.code).toBe(130);
    // Below the ^C of the terminal.
    expect(stopped.stderr).toMatch(/\[y\/N\] \nstopped; nothing was sent\n$/);
    expect((await boarding.state()).requirements).toHaveLength(1);
    expect(await answered(rig.env, args, 'yes')).toMatchObject({ code: 0, stdout: done(externalId, id) });
  });
});
