import { expect, it } from 'vitest';
import { gangway as runGangway } from '../../../rigs/command.js';
import { merchant } from '../../../rigs/inputs.js';
import { sharedRig } from '../../../rigs/shared-rig.js';

const rig = await sharedRig();

const gangway = (...args: readonly string[]) =>
  runGangway({ ...rig.env, LINK_URL: 'https://ask.acme.example' }, args);

// Alone catches a person who asks a merchant again, because nothing says that the merchant has a link.
it('a link is shown with its requirement, and a new one says that it has ended', async () => {
  const input = merchant('notes');
  const boarding = await rig.board(input);
  const { id } = await boarding.requirement('underwriting-note');
  const ask = () => gangway('ask', input.externalId, id, '--text', 'Which one?', '--actor', 'olga');
  const first = await ask();
  const [link = ''] = /L-[a-z0-9]{16}/.exec(first.stdout) ?? [];
  expect(first.stderr).not.toContain('has ended');
  // Seven days, for an answer that is due in fewer.
  expect(first.stderr).toContain('The merchant reads that as the deadline, and the answer is due 20');
  const token = first.stdout.trim().split('/').at(-1) ?? '';
  const status = await gangway('status', input.externalId);
  expect(status.stdout).toMatch(
    new RegExp(`the merchant has not answered yet; olga asked through ${link}, until \\d{4}-`),
  );
  expect(status.stdout).not.toContain(token);
  expect((await ask()).stderr).toContain(`The link before, ${link}, has ended.\n`);
  expect((await gangway('status', input.externalId)).stdout).not.toContain(`asked through ${link}`);
});
