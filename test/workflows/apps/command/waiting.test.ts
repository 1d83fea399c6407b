import { afterEach, describe, expect, it } from 'vitest';
import { workflowId } from '../../../../src/messages/ids.js';
import { gangway as runGangway, startGangway } from '../../../rigs/command.js';
import { idOf, inputFile } from '../../../rigs/commands/files.js';
import { customer, merchant } from '../../../rigs/inputs.js';
import { Onboarding } from '../../../rigs/onboarding.js';
import { sharedRig } from '../../../rigs/shared-rig.js';

const rig = await sharedRig();
afterEach(() => rig.clear());

const gangway = (...args: string[]) => runGangway(rig.env, args);
const start = (...args: string[]) => startGangway(rig.env, args);
const file = (content: unknown) => inputFile(rig, content);
const boarding = (id: string) => new Onboarding(rig.client, id);
const count = (text: string, part: string) => text.split(part).length - 1;

describe('board --wait', () => {
  it('prints on standard error how to leave, and a line for each step, and on standard output only the outcome', async () => {
    const input = merchant('waiting');
    const id = idOf(input);
    const waiting = start('board', await file(input), '--wait');
    await waiting.says(
      `... Ctrl-C ends the wait, not the onboarding; "gangway watch ${id}" follows it again\n`,
    );
    await waiting.says('... Corner Bakery [waiting]: underwriting, Pending\n');
    const { merchantProfileId = 0 } = await boarding(id).state();
    await rig.sandbox.transition(merchantProfileId, { status: 'Declined' });
    const { code, stdout, stderr } = await waiting.finished;
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(new RegExp(`^started ${id}\nhttp:\\S+\n${id} declined(: .*)?\n$`));
    expect(count(waiting.stderr(), 'underwriting, Pending\n')).toBe(1);
  });

  it('prints a requirement when it appears, and once its answer was taken back, with the commands that answer it', async () => {
    const input = merchant('notes');
    const id = idOf(input);
    const waiting = start('board', await file(input), '--wait');
    await waiting.says(`    gangway resolve ${id} note-0e5ac65b83c0 --document FILE\n`);
    await waiting.says(
      `Corner Bakery [notes] (${id}) has an open requirement:\n  note-13e54e3f88e6 (underwriting-note, waiting `,
    );
    await waiting.says('keyed in by hand?\n');
    await waiting.says('... Corner Bakery [notes]: underwriting, Pending; waits for a person: 2 open\n');
    const [first, second] = ['note-0e5ac65b83c0', 'note-13e54e3f88e6'] as const;
    const answer = async (note: string) =>
      expect((await gangway('resolve', id, note, '--text', 'Yes.')).code).toBe(0);
    await answer(first);
    await waiting.says('waits for a person: 1 open\n');
    // Its answer is taken back, so it is printed again.
    await gangway('resolve', id, first, '--take-back', '--reason', 'wrong');
    await expect.poll(() => count(waiting.stderr(), `\n  ${first} (`)).toBe(2);
    for (const note of [first, second]) await answer(note);
    const stdout = expect.stringContaining(' boarded: mid ');
    expect(await waiting.finished).toMatchObject({ code: 0, stdout });
    expect(count(waiting.stderr(), 'has an open requirement')).toBe(3);
  });
});

it('onboard --wait prints the step of each part, and the requirement of a part, which the customer answers', async () => {
  const input = customer({ boarding: 'notes', business: 'waiting' });
  const id = workflowId('customerOnboarding', input.externalId);
  const waiting = start('onboard', await file(input), '--wait');
  await waiting.says(`(${id}) has an open requirement:\n`);
  await waiting.says('boarding: underwriting, Pending; business: underwriting, ');
  const [, command = ''] = /gangway resolve (\S+ \S+) --text TEXT/.exec(waiting.stderr()) ?? [];
  expect(await gangway('resolve', ...command.split(' '), '--text', 'Yes.')).toMatchObject({ code: 0 });
  waiting.kill('SIGINT');
  const { code, stderr } = await waiting.finished;
  expect(code).toBe(130);
  expect(stderr).toContain(`(${id}) continues; "gangway watch ${id}" follows it again\n`);
  await boarding(id).handle.terminate();
});

describe('--timeout ends the wait', () => {
  it('after its time, with 1 while nobody is asked', async () => {
    const input = merchant('waiting');
    const { code, stderr } = await gangway('board', await file(input), '--wait', '--timeout', '1s');
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining('stopped after 1 s (--timeout); what it started continues\n'),
    });
  });

  it('with 3 while a requirement is open, and the onboarding continues', async () => {
    const input = merchant('notes');
    const id = idOf(input);
    const waiting = start('board', await file(input), '--wait');
    await waiting.says('waits for a person: 2 open\n');
    waiting.timeOut();
    expect(await waiting.finished).toMatchObject({
      code: 3,
      stderr: expect.stringMatching(
        new RegExp(
          `\nCorner Bakery \\[notes\\] \\(${id}\\) continues; "gangway watch ${id}" follows it again\n$`,
        ),
      ),
    });
    expect((await boarding(id).handle.describe()).status.name).toBe('RUNNING');
  });
});

it('nudge prints that it works, and what continues after Ctrl-C', async () => {
  const input = merchant('waiting');
  const nudged = await rig.board(input);
  await nudged.until(({ stage }) => stage === 'underwriting');
  await nudged.asleepAfter(1);
  const { merchantProfileId } = await nudged.state();
  const held = await rig.sandbox.hold('get-status', String(merchantProfileId));
  await held.underWay();
  const nudging = start('nudge', nudged.workflowId);
  await nudging.says(`... nudging ${nudged.workflowId}\n`);
  nudging.kill('SIGINT');
  expect(await nudging.finished).toMatchObject({
    code: 130,
    stderr: 'what was retried continues; run the same command again for the rest\n',
  });
  await held.letGo();
  await nudged.handle.terminate();
});
