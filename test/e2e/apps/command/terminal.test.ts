import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { READING_MS } from '../../../rigs/command.js';
import { idOf, inputFile } from '../../../rigs/commands/files.js';
import { merchant } from '../../../rigs/inputs.js';
import { Onboarding } from '../../../rigs/onboarding.js';
import { sharedRig } from '../../../rigs/shared-rig.js';
import { CTRL_C, gangwayAtTerminal } from '../../../rigs/terminal.js';

const rig = await sharedRig();

const at = (args: string, columns?: number) => gangwayAtTerminal(args, rig.env, columns);

describe('board --wait at a terminal', () => {
  it('shows a spinner with the current step, and leaves only the lines', async () => {
    const input = merchant();
    const id = idOf(input);
    const held = await rig.sandbox.hold('create-merchant', input.externalId);
    const boarding = at(`board ${await inputFile(rig, input)} --wait`);
    // A busy machine skips frames and seconds.
    await boarding.prints(new RegExp(`[-\\\\|/] ${id}: started \\(\\d+ s\\)`));
    await boarding.prints(/Corner Bakery: preparing \([1-9]\d* s\)/);
    await held.letGo();
    const { code, screen } = await boarding.finished;
    expect(code).toBe(0);
    const { mid } = await new Onboarding(rig.client, id).state();
    expect(screen.filter((line) => !line.startsWith('... '))).toEqual([
      `started ${id}`,
      expect.stringMatching(/^http:/),
      `${id} boarded: mid ${mid}`,
      '',
    ]);
  });

  it('prints a requirement above the spinner, goes on, and prints what continues after Ctrl-C', async () => {
    const input = merchant('notes');
    const id = idOf(input);
    const boarding = at(`board ${await inputFile(rig, input)} --wait`);
    await boarding.prints(`gangway resolve ${id} note-13e54e3f88e6 --text TEXT\r\n`);
    await boarding.prints('underwriting, Pending; waits for a person: 2 open (');
    await boarding.prints(/ 2 open \(([5-9]|\d\d+) s\)/);
    boarding.type(CTRL_C);
    const { code, screen } = await boarding.finished;
    expect(code).toBe(130);
    expect(screen.slice(2, 5)).toEqual([
      `... Ctrl-C ends the wait, not the onboarding; "gangway watch ${id}" follows it again`,
      `Corner Bakery [notes] (${id}) has an open requirement:`,
      expect.stringMatching(/^ {2}note-/),
    ]);
    expect(screen.slice(-2)).toEqual([
      `Corner Bakery [notes] (${id}) continues; "gangway watch ${id}" follows it again`,
      '',
    ]);
    await new Onboarding(rig.client, id).handle.terminate();
  });
});

it('a question is not answered by what was typed before it, such as the start of a line that Enter would complete', async () => {
  const closing = at(`call banking close-card '{"paymentCardId":"card-1001"}'`);
  closing.type('gangway inbox\ry');
  await closing.prints('does not answer this:\r\n  gangway inbox\r\n  y\r\n');
  await closing.prints('Continue? [y/N] ');
  await setTimeout(READING_MS);
  closing.type('\r');
  const { code, screen } = await closing.finished;
  expect([code, screen.at(-2)]).toEqual([1, 'not confirmed; nothing was done']);
  expect(await rig.sandbox.ledger({ operation: 'close-card' })).toEqual([]);
});
