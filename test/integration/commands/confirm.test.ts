import { afterAll, describe, expect, it } from 'vitest';
import { gangway as runGangway, startGangway } from '../../rigs/command.js';
import { merchantsFile } from '../../rigs/commands/files.js';
import { merchant } from '../../rigs/inputs.js';
import { Onboarding } from '../../rigs/onboarding.js';
import { createRig } from '../../rigs/rig.js';

/** With a server of its own, because ids of operations contain ids of the sandbox, which other files use as well. */
const rig = await createRig({ ownNamespace: true });
afterAll(() => rig.close());

const gangway = (args: readonly string[], input?: string) => runGangway(rig.env, args, input);
const isRunning = async (id: string) => {
  const { status } = await rig.client.workflow.getHandle(id).describe();
  return status.name === 'RUNNING';
};
const QUESTION = ' Continue? [y/N] ';
const NEEDS_YES = 'Nothing was done: without a terminal, confirm it with --yes\n';

/** Runs a command at a terminal, and types an answer to its question. Its messages are as long as they are without a terminal. */
async function answered(args: readonly string[], answer: string) {
  const command = startGangway({ ...rig.env, COLUMNS: '1000' }, args, { terminal: true });
  await command.says(QUESTION);
  command.type(answer);
  return command.finished;
}

describe('cancel', () => {
  it('asks at a terminal what a person confirms, and needs --yes elsewhere', async () => {
    const boarding = await rig.board(merchant('waiting'));
    const { workflowId: id } = boarding;
    const { merchantProfileId } = await boarding.until(({ stage }) => stage === 'underwriting');
    const consequence = `This cancels Corner Bakery [waiting] (${id}) in stage underwriting; merchant ${merchantProfileId} stays at the partner.`;
    expect(await gangway(['cancel', id])).toEqual({
      code: 2,
      stdout: '',
      stderr: `${consequence}\n${NEEDS_YES}`,
    });
    expect(await answered(['cancel', id], 'no')).toEqual({
      code: 1,
      stdout: '',
      stderr: `${consequence}${QUESTION}not confirmed; nothing was done\n`,
    });
    expect(await isRunning(id)).toBe(true);
    expect(await answered(['cancel', id], 'yes')).toEqual({
      code: 0,
      stdout: `${id}: cancellation requested\n`,
      stderr: `${consequence}${QUESTION}`,
    });
    await expect(boarding.outcome()).rejects.toThrow();
  });
});

describe('close-card', () => {
  it('asks at a terminal, and needs --yes elsewhere', async () => {
    const args = ['close-card', 'card-1001', '--last4', '1001'];
    const consequence = 'This closes card card-1001, which ends in 1001, for good.';
    expect(await gangway(args)).toEqual({ code: 2, stdout: '', stderr: `${consequence}\n${NEEDS_YES}` });
    expect((await answered(args, '')).stderr).toBe(
      `${consequence}${QUESTION}not confirmed; nothing was done\n`,
    );
    expect(await rig.sandbox.ledger({ operation: 'close-card' })).toEqual([]);
    expect(await answered(args, 'Y')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('closed for good'),
    });
    expect(await rig.sandbox.ledger({ operation: 'close-card' })).toHaveLength(1);
  });
});

describe('batch', () => {
  const wasStarted = (id: string) =>
    new Onboarding(rig.client, id).handle.describe().then(
      () => true,
      () => false,
    );

  it('of more than 20 rows is confirmed', async () => {
    const { file, ids } = await merchantsFile(rig, 21);
    const [first = ''] = ids;
    const consequence = `This starts 21 rows of ${file} (21 merchants), which creates applications at the partners.`;
    expect(await gangway(['batch', file])).toEqual({
      code: 2,
      stdout: '',
      stderr: `${consequence}\n${NEEDS_YES}`,
    });
    expect((await answered(['batch', file], 'n')).code).toBe(1);
    expect(await wasStarted(first)).toBe(false);
    const { code, stdout } = await answered(['batch', file], 'y');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^21 rows: 21 started$/m);
  });

  it('of 20 rows is not, nor is a dry run', async () => {
    expect((await gangway(['batch', (await merchantsFile(rig, 20)).file])).code).toBe(0);
    expect((await gangway(['batch', (await merchantsFile(rig, 21)).file, '--dry-run'])).code).toBe(0);
  });

  it('from standard input cannot ask there, also at a terminal', async () => {
    const rows = Array.from({ length: 21 }, () => JSON.stringify(merchant())).join('\n');
    const command = startGangway(rig.env, ['batch', '-', '--format', 'ndjson'], { terminal: true });
    command.type(rows);
    command.endInput();
    expect(await command.finished).toMatchObject({ code: 2, stderr: expect.stringContaining(NEEDS_YES) });
  });
});
