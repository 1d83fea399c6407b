import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { workflowId } from '../../../src/messages/ids.js';
import type { TimelineEntry } from '../../../src/messages/onboarding-state.js';
import { gangway as runGangway, startGangway } from '../../rigs/command.js';
import { waitingBoarding } from '../../rigs/commands/waiting-boarding.js';
import { customer, merchant } from '../../rigs/inputs.js';
import { Onboarding } from '../../rigs/onboarding.js';
import { jsonLines } from '../../rigs/processes.js';
import { sharedRig } from '../../rigs/shared-rig.js';

const rig = await sharedRig();

const gangway = (args: readonly string[], input?: string) => runGangway(rig.env, args, input);

const waiting = () => waitingBoarding(rig);

describe('gangway resolve', () => {
  it('sends text and documents with an actor and a reason', async () => {
    const { boarding, externalId } = await waiting();
    const [check, share] = (await boarding.state()).requirements;
    const scan = join(rig.documentDir, 'scan.pdf');
    await mkdir(rig.documentDir, { recursive: true });
    await writeFile(scan, '%PDF-1.7');
    const first = [
      'resolve',
      externalId,
      check?.id ?? '',
      '--document',
      scan,
      '--actor',
      'olga',
      '--reason',
      'called',
    ];
    expect(jsonLines(await gangway([...first, '--json']))).toMatchObject([
      { requirementId: check?.id, open: 1 },
    ]);
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
    expect(attachments).toMatchObject([{ fileName: 'scan.pdf', contentType: 'application/pdf', bytes: 8 }]);
  });

  it('without an answer prints the commands that answer, and exits 2', async () => {
    const { externalId, id } = await waiting();
    expect(await gangway(['resolve', externalId, id])).toEqual({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(
        /^nothing was sent; answer with one of these:\n {2}note-149967d738cb .*\n(.*\n)+ {4}gangway resolve \S+ note-149967d738cb --text TEXT\n/,
      ),
    });
  });

  it('lists what is open without a requirement, and takes the only one', async () => {
    const { externalId, id } = await waiting();
    const { code, stderr } = await gangway(['resolve', externalId, '--text', 'Yes.']);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringMatching(/^nothing was sent; 2 requirements are open:\n/),
    });
    expect(stderr.match(/^ {4}gangway resolve .* --text TEXT$/gm)).toHaveLength(2);
    await gangway(['resolve', externalId, id, '--text', 'Yes.']);
    expect(await gangway(['resolve', externalId, '--text', 'One in ten.'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('note-6b2e32759339 answered. Nothing is left'),
    });
  });

  it('takes the beginning of an id, but not the whole id of an earlier one', async () => {
    const { externalId, id } = await waiting();
    const secret = await gangway(['resolve', externalId, id, '--text', 'Ask ada@example.com.', '--dry-run']);
    expect(secret.stdout).toBe(
      `${id} takes this answer (text: Ask [Redacted].); nothing was sent (--dry-run)\n`,
    );
    expect(await gangway(['resolve', externalId, id.slice(0, 8), '--text', 'Yes.'])).toMatchObject({
      code: 0,
    });
    const again = await gangway(['resolve', externalId, id, '--text', 'Yes.']);
    expect(again.code).toBe(1);
  });

  it('reports that a note waits for the others, and status shows the answer with the command that takes it back', async () => {
    const { externalId, id } = await waiting();
    const first = await gangway(['resolve', externalId, id, '--text', 'Yes.', '--actor', 'olga']);
    expect(first.stdout).toBe(
      `${id} answered. It is sent together with the other notes, which are still open:\n` +
        '  note-6b2e32759339: What share of sales is keyed in by hand?\n',
    );
    const { stdout } = await gangway(['status', externalId]);
    expect(stdout).toContain(
      `\nanswered, not sent yet:\n  ${id}: text: Yes. (olga)\n` +
        `    gangway resolve ${externalId} ${id} --take-back --reason WHY\n`,
    );
    expect(stdout).toMatch(/requirement-resolved +note-149967d738cb: text: Yes\. \(olga\)$/m);
    expect(stdout).toContain(`    gangway resolve ${externalId} note-6b2e32759339 --document FILE\n`);
  });

  it('asks at a terminal before the onboarding is given up, and names what stays', async () => {
    const { boarding, externalId, id } = await waiting();
    const { merchantProfileId } = await boarding.state();
    const args = ['resolve', externalId, id, '--abandon', '--reason', 'withdrew'];
    const asked = startGangway({ ...rig.env, COLUMNS: '1000' }, args, { terminal: true });
    await asked.says(
      `This gives up the whole onboarding and cannot be undone; merchant ${merchantProfileId} stays at the partner. Continue? [y/N] `,
    );
    asked.type('');
    expect(await asked.finished).toMatchObject({ code: 1, stdout: '' });
    expect((await boarding.state()).requirements).toHaveLength(2);
    expect(await gangway(args)).toMatchObject({ code: 0 });
    await expect(boarding.outcome()).resolves.toMatchObject({ outcome: 'abandoned' });
  });
});

describe('an answer whose effect is known soon', () => {
  /** A boarding that does not know whether its merchant was created. */
  async function uncertain() {
    const input = merchant();
    await rig.sandbox.plan('drop-before-commit', 'create-merchant', { about: input.externalId });
    const boarding = await rig.board(input);
    const { id } = await boarding.requirement('uncertain-write');
    return { boarding, externalId: input.externalId, id };
  }

  it('names the option whose value is wrong', async () => {
    const { boarding, externalId, id } = await uncertain();
    expect(await gangway(['resolve', externalId, id, '--adopt', 'abc', '--reason', 'x'])).toEqual({
      ...{ code: 2, stdout: '' },
      stderr: '--adopt: must be the id at the partner, in digits: "1012"\n',
    });
    await boarding.handle.terminate();
  });

  it('reports that it was not accepted, and under which id it is asked again', async () => {
    const { boarding, externalId, id } = await uncertain();
    const args = ['resolve', externalId, id, '--adopt', '999999', '--reason', 'x'];
    const { code, stdout, stderr } = await gangway(args);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(
      new RegExp(
        `^not adopted: .*not found.*\nIt is asked again as uncertain-write-2: gangway resolve ${externalId} uncertain-write-2\n$`,
      ),
    );
    const again = ['resolve', externalId, 'uncertain-write-2', ...args.slice(3), '--json'];
    const asked = await gangway(again);
    expect([asked.code, JSON.parse(asked.stdout)]).toMatchObject([
      ...[1, { requirementId: 'uncertain-write-2', askedAgain: { id: 'uncertain-write-3' } }],
    ]);
    await boarding.handle.terminate();
  });

  it('reports what the onboarding did next, after a confirmation at a terminal', async () => {
    const { boarding, externalId, id } = await uncertain();
    const env = { ...rig.env, COLUMNS: '1000' };
    const args = ['resolve', externalId, id, '--retry', '--reason', 'not there'];
    const asked = startGangway(env, args, { terminal: true });
    await asked.says(
      'This sends the write again. If the first one took effect, the partner has it twice. Continue? [y/N] ',
    );
    asked.type('y');
    expect(await asked.finished).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(
        new RegExp(`^${id} answered \\(merchant-created: .*\\)\\. Nothing is left`),
      ),
    });
    await boarding.outcome();
  });
});

describe('an onboarding that has ended', () => {
  it('takes no answer and no nudge: resolve, claim, nudge and cancel say how it ended', async () => {
    const boarding = await rig.board(merchant());
    const outcome = await boarding.outcome();
    const mid = 'mid' in outcome ? outcome.mid : '';
    const ended = `${boarding.workflowId} has ended: boarded, mid ${mid}`;
    for (const args of [['nudge'], ['cancel', '--yes']])
      expect(await gangway([...args, boarding.workflowId])).toEqual({ ...FAILED, stderr: `${ended}\n` });
    for (const args of [
      ['resolve', boarding.workflowId],
      ['resolve', boarding.workflowId, 'note-1', '--text', 'x'],
      ['claim', boarding.workflowId, 'note-1'],
    ])
      expect(await gangway(args)).toEqual({ ...FAILED, stderr: `${ended}; it takes no answers\n` });
  });

  it('by force is named with its last stage', async () => {
    const { boarding } = await waiting();
    await boarding.handle.terminate();
    const stderr = `${boarding.workflowId} has ended: terminated in stage underwriting\n`;
    expect(await gangway(['nudge', boarding.workflowId])).toEqual({ ...FAILED, stderr });
  });
});

const FAILED = { code: 1, stdout: '' };

describe('gangway watch of a customer', () => {
  it('shows its timeline with those of its parts, oldest entry first', async () => {
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
});
