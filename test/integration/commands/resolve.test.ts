import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { workflowId } from '../../../src/messages/ids.js';
import type { TimelineEntry } from '../../../src/messages/onboarding-state.js';
import { gangway as runGangway } from '../../rigs/command.js';
import { waitingBoarding } from '../../rigs/commands/waiting-boarding.js';
import { customer, merchant } from '../../rigs/inputs.js';
import { Onboarding } from '../../rigs/onboarding.js';
import { jsonLines } from '../../rigs/processes.js';
import { createRig, type Rig } from '../../rigs/rig.js';

let rig: Rig;
beforeAll(async () => {
  rig = await createRig();
});
afterAll(() => rig.close());

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
    expect(second).toEqual({ code: 0, stdout: `${share?.id} resolved; 0 still open\n`, stderr: '' });
    await boarding.outcome();
    const { timeline, merchantProfileId = 0 } = await boarding.state();
    const resolved = timeline.find(({ detail }) => detail === `${check?.id}: documents: scan.pdf`);
    expect(resolved).toMatchObject({ actor: 'olga', reason: 'called' });
    const { attachments } = await rig.sandbox.merchant(merchantProfileId);
    expect(attachments).toMatchObject([{ fileName: 'scan.pdf', contentType: 'application/pdf', bytes: 8 }]);
  });

  it.each([
    ['no answer', [], 'give exactly one of --text'],
    ['two answers', ['--text', 'a', '--retry'], 'give exactly one of --text'],
    ['a decision without a reason', ['--abandon'], '--abandon needs --reason'],
    ['a document that is not there', ['--document', '/nowhere.pdf'], '/nowhere.pdf: cannot be read (ENOENT)'],
    [
      'a patch that is not JSON',
      ['--patch', '{'],
      '--patch: is not JSON: line 1, column 2: the text ends early',
    ],
    ['a patch that is not an object', ['--patch', '[]'], '--patch: must be a JSON object'],
    [
      'an answer of a kind that is not allowed',
      ['--adopt', '1', '--reason', 'x'],
      'does not take --adopt; it takes --text, --document, --abandon:\n    gangway resolve ',
    ],
    ['an unknown option', ['--txt', 'a'], "unknown option '--txt'"],
  ])('rejects %s with a reason, exits 2', async (_, args, why) => {
    const { externalId, id } = await waiting();
    const { code, stdout, stderr } = await gangway(['resolve', externalId, id, ...args]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(why);
  });

  it('names the open requirements when the given one is not among them', async () => {
    const { externalId, id } = await waiting();
    const { code, stderr } = await gangway(['resolve', externalId, 'note-1', '--text', 'x']);
    expect(code).toBe(2);
    expect(stderr).toContain(`no requirement "note-1" is open; open: ${id}`);
  });
});

describe('gangway watch, nudge and cancel', () => {
  it('watch shows the timeline until the end, and ends with the outcome and the mid', async () => {
    const boarding = await rig.board(merchant());
    const watched = await gangway(['watch', boarding.workflowId, '--json']);
    expect(watched.code).toBe(0);
    const lines = jsonLines<TimelineEntry>(watched);
    expect(lines.slice(0, -1).map(({ event }) => event)).toEqual(await boarding.events());
    const { mid } = await boarding.state();
    expect(lines.at(-1)).toMatchObject({ workflowId: boarding.workflowId, outcome: 'boarded', mid });
    const { stdout } = await gangway(['watch', boarding.workflowId]);
    expect(stdout.trimEnd().split('\n').at(-1)).toBe(`${boarding.workflowId} boarded: mid ${mid}`);
  });

  it('nudge makes it read now, or reports that it does not wait', async () => {
    const { externalId } = await waiting();
    const { code, stdout } = await gangway(['nudge', externalId]);
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: `merchant-boarding-${externalId} reads its status now\n`,
    });
    const ended = await rig.board(merchant('declined'));
    await ended.outcome();
    expect((await gangway(['nudge', ended.workflowId])).code).toBe(1);
  });

  it('cancel requests the cancellation, once', async () => {
    const { boarding, externalId } = await waiting();
    expect((await gangway(['cancel', externalId, '--yes'])).stdout).toBe(
      `merchant-boarding-${externalId}: cancellation requested\n`,
    );
    await expect(boarding.outcome()).rejects.toThrow();
    const again = await gangway(['cancel', externalId, '--yes']);
    expect(again).toMatchObject({ code: 1, stderr: `merchant-boarding-${externalId} has already ended\n` });
    expect(await gangway(['watch', externalId])).toMatchObject({ code: 1 });
  });
});

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
