import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { gangway as runGangway } from '../../../rigs/command.js';
import { ndjson } from '../../../rigs/commands/files.js';
import { merchant } from '../../../rigs/inputs.js';
import type { Onboarding } from '../../../rigs/onboarding.js';
import { jsonLines } from '../../../rigs/processes.js';
import { createRig } from '../../../rigs/rig.js';

const rig = await createRig({ accounts: ['acme', 'north-iso'] });
afterEach(() => rig.clear());
afterAll(() => rig.close());
/** The settings of a person who has only the names of the accounts. */
const env = { ...rig.env, GANGWAY_ACCOUNTS: 'acme,north-iso' };

const gangway = (...args: readonly string[]) => runGangway(env, args);

/** The same merchant in the account without a name and in acme, each with two open notes, and the IDs of the notes in acme. */
async function twins() {
  const input = merchant('notes');
  const nameless = await rig.board(input);
  const acmes = await rig.board({ ...input, account: 'acme' });
  const asks = (each: Onboarding) => each.until((state) => state.requirements.length === 2, 'two notes');
  const [, { requirements }] = await Promise.all([asks(nameless), asks(acmes)]);
  const [note = '', other = ''] = requirements.map(({ id }) => id);
  return { externalId: input.externalId, nameless, acmes, note, other };
}

describe('an externalId in two accounts', () => {
  it('is rejected by every command that takes an id, until the account is named', async () => {
    const { externalId, nameless, acmes, note, other } = await twins();
    const ids = `${nameless.workflowId}, ${acmes.workflowId}`;
    const commands = [
      ['status', externalId],
      ['watch', externalId],
      ['nudge', externalId],
      ['cancel', externalId, '--yes'],
      ['resolve', externalId, note, '--text', 'here'],
    ];
    const stderr = `"${externalId}" may mean ${ids}: give the whole workflow id\n`;
    for (const args of commands)
      expect([args[0], await gangway(...args)]).toEqual([args[0], { code: 1, stdout: '', stderr }]);
    const inAcme = ['--partner-account', 'acme', '--json'];
    const statusOf = async (...args: readonly string[]) =>
      /^workflow +(.*)$/m.exec((await gangway('status', ...args)).stdout)?.[1];
    for (const named of [
      [externalId, '--partner-account', 'acme'],
      [`${externalId}@acme`],
      [acmes.workflowId],
    ])
      expect(await statusOf(...named)).toBe(acmes.workflowId);
    expect(await statusOf(nameless.workflowId)).toBe(nameless.workflowId);
    expect((await gangway('status', acmes.workflowId)).stdout).toMatch(/^partner account +acme$/m);
    expect((await gangway('status', nameless.workflowId)).stdout).not.toContain('partner account');

    const answered = await gangway('resolve', externalId, note, '--text', 'here', ...inAcme);
    expect(jsonLines(answered)).toMatchObject([{ workflowId: acmes.workflowId, open: 1 }]);
    expect((await nameless.state()).requirements).toHaveLength(2);
    await gangway('resolve', `${externalId}@acme`, other, '--text', 'here');
    expect(await acmes.outcome()).toMatchObject({ outcome: 'boarded' });

    expect((await gangway('cancel', nameless.workflowId, '--yes')).code).toBe(0);
    await expect(nameless.outcome()).rejects.toThrow();
  });

  it('is rejected with another account than that of the id', async () => {
    expect(
      await gangway('cancel', 'merchant-boarding-m-1@acme', '--partner-account', 'north-iso'),
    ).toMatchObject({
      code: 2,
      stderr: '--partner-account north-iso: merchant-boarding-m-1@acme belongs to account acme\n',
    });
  });
});

it('a batch starts the same externalId once in each account', async () => {
  const input = merchant('waiting');
  const rows = ndjson([input, { ...input, account: 'acme' }]);
  const id = `merchant-boarding-${input.externalId}`;
  for (const result of ['started', 'attached']) {
    const { stdout } = await runGangway(env, ['batch', '-', '--format', 'ndjson'], rows);
    expect(stdout.split('\n').slice(0, 2).sort()).toEqual([`1 ${id} ${result}`, `2 ${id}@acme ${result}`]);
  }
});
