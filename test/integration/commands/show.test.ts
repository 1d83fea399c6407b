import { afterAll, describe, expect, it } from 'vitest';
import { gangway as runGangway } from '../../rigs/command.js';
import { business } from '../../rigs/inputs.js';
import { jsonLines } from '../../rigs/processes.js';
import { createRig, type RigOptions } from '../../rigs/rig.js';

const rig = await createRig();
afterAll(() => rig.close());

const show = (...args: string[]) => runGangway(rig.env, ['show', ...args]);
const ids = async (...args: string[]) => jsonLines(await show(...args, '--json')).map(({ id }) => id);

describe('gangway show', () => {
  it('prints a table for people, and records as the bank has them as JSON', async () => {
    const { code, stdout, stderr } = await show('departments');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^ID +NAME +USERS +DESCRIPTION\n31 +Operations +0 +Day-to-day payments\n32 /);
    expect(jsonLines(await show('departments', '--json'))).toEqual([
      {
        id: 31,
        name: 'Operations',
        description: 'Day-to-day payments',
        creator: { id: 11, name: 'sandbox' },
        authorizedUserCount: 0,
      },
      {
        id: 32,
        name: 'Finance',
        description: 'Books and statements',
        creator: { id: 11, name: 'sandbox' },
        authorizedUserCount: 1,
      },
    ]);
  });

  it('prints CSV, with the fields of the partner by their paths', async () => {
    expect((await show('departments', '--csv')).stdout.split('\r\n')).toEqual([
      'id,name,authorizedUserCount,description,creator.id,creator.name',
      '31,Operations,0,Day-to-day payments,11,sandbox',
      '32,Finance,1,Books and statements,11,sandbox',
      '',
    ]);
    expect((await show('notifications', '--search', 'no such text', '--csv')).stdout).toBe(
      'id,createdDate,level,group,dateRead,subject,body\r\n',
    );
    expect(await show('departments', '--csv', '--json')).toMatchObject({
      code: 2,
      stderr: "error: option '--csv' cannot be used with option '--json'\n",
    });
  });

  it('shows as many as --limit, and reports that there are more', async () => {
    const limited = await show('departments', '--limit', '1', '--json');
    expect(limited).toMatchObject({ code: 0, stderr: 'the first 1; --limit 0 for all\n' });
    expect(jsonLines(limited)).toHaveLength(1);
    const all = await show('departments', '--limit', '0', '--json');
    expect({ records: jsonLines(all).length, stderr: all.stderr }).toEqual({ records: 2, stderr: '' });
  });

  it('shows the tickets of a business, without their terminal control characters', async () => {
    const waiting = await rig.onboardBusiness(business('ticket'));
    await waiting.requirement('ticket');
    expect((await show('tickets')).stdout).toMatch(
      /^TICKET +CREATED +STATUS +TOPIC +ASKS ABOUT +TEXT\n9001 +[-\d]+ [:\d]+ UTC +New +Application +Phone +The/,
    );
    const { profileId = 0 } = await waiting.state();
    await rig.sandbox.transitionProfile(profileId, { tickets: [{ text: 'Call \u001b[2J\u009bus.' }] });
    expect((await show('tickets')).stdout).toMatch(/\n9002 .* Call \[2Jus\./);
    await waiting.handle.terminate();
  });

  it('shows notifications by day, level and text', async () => {
    expect(await ids('notifications', '--from', '2026-01-02', '--to', '2026-01-03')).toEqual([6002, 6003]);
    expect(await ids('notifications', '--to', '2026-01-02T07:00:00Z')).toEqual([6001]);
    expect(await ids('notifications', '--to', '2026-01-31', '--level', 'Warning')).toEqual([6003]);
    expect(await ids('notifications', '--search', 'shipped')).toEqual([6001]);
    expect((await show('notifications', '--search', 'no such text')).stdout).toBe('none\n');
  });

  it('shows external activity of a profile', async () => {
    expect((await show('external-activity', '501')).stdout).toMatch(
      /\nexternal-1 +2026-01-05 09:00 UTC +250\.00 USD +Deposit from outside +Corner Supplies/,
    );
    expect(await ids('external-activity', '501', '--from', '2026-01-06')).toEqual(['external-2']);
    expect(await ids('external-activity', '501', '--account', 'fa-501-2')).toEqual([]);
    expect((await show('external-activity', '502')).stdout).toBe('none\n');
  });

  it('searches accounts', async () => {
    const input = business('waiting');
    const waiting = await rig.onboardBusiness(input);
    const { profileId } = await waiting.until((state) => state.profileId !== undefined, 'a profile');
    const dba = input.holder.doingBusinessAsName;
    const name = dba.replace(' [waiting]', '');
    expect(
      jsonLines(await show('accounts', '--dba', name, '--agent', '101', '--iso', '1', '--json')),
    ).toEqual([{ id: profileId, dba }]);
    expect(await ids('accounts', '--agent', '102')).toEqual([]);
    await waiting.handle.terminate();
  });

  it.each([
    [
      'notifications',
      ['--from', 'x', '--level', 'info'],
      ['--from: must be a day such as', '--level: must be one of'],
    ],
    [
      'external-activity',
      ['x', '--provider', 'lower', '--account', ''],
      ['profile: must be a number', '--provider: must be in upper case', '--account: must not be empty'],
    ],
    [
      'accounts',
      ['--agent', '1', 'x', '--iso', '0'],
      ['--agent.1: must be a number', '--iso: must be 1 or more'],
    ],
    ['tickets', ['--limit', '-1'], ['It must be a number, or 0 for all.']],
  ])('names every invalid option of %s %j, exits 2', async (list, args, problems) => {
    const { code, stdout, stderr } = await show(list, ...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    for (const problem of problems) expect(stderr).toContain(problem);
  });
});

describe('gangway show with a problem', () => {
  async function withRig(options: RigOptions) {
    // An account has one workflow for all task queues.
    const other = await createRig({ ...options, ownNamespace: true });
    const shown = await runGangway(other.env, ['show', 'departments', '--json']);
    await other.close();
    return shown;
  }

  it.each([
    [
      3,
      'needs a code',
      { bankingUser: 'mfa' },
      'requires a one-time code to sign in: answer its requirement ("gangway inbox"), or set BANKING_TOTP_SECRET',
    ],
    [4, 'has no bank', { bankingUser: null }, 'could not be reached: BANKING_URL is not set'],
  ])('exits %i and explains that the worker %s', async (exitCode, _, options, words) => {
    const { code, stdout, stderr } = await withRig(options);
    expect({ code, stdout }).toEqual({ code: exitCode, stdout: '' });
    expect(stderr).toContain(`the banking partner ${words}`);
  });
});
