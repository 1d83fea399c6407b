import { afterAll, describe, expect, it } from 'vitest';
import { gangway } from '../../rigs/command.js';
import { business } from '../../rigs/inputs.js';
import { createRig } from '../../rigs/rig.js';

const rig = await createRig();
afterAll(() => rig.close());

const table = (...args: string[]) => gangway(rig.env, ['call', 'banking', ...args, '--table']);

describe('gangway call --table', () => {
  it('prints the records of a list, with the fields of the partner by their paths', async () => {
    const { code, stdout, stderr } = await table('list-departments');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(
      /^ID +NAME +DESCRIPTION +CREATOR\.ID +CREATOR\.NAME +AUTHORIZEDUSERCOUNT\n31 +Operations +Day-to-day payments +11 +sandbox +0\n32 /,
    );
    const csv = await gangway(rig.env, ['call', 'banking', 'list-departments', '--csv']);
    expect(csv.stdout.split('\r\n')).toEqual([
      'id,name,description,creator.id,creator.name,authorizedUserCount',
      '31,Operations,Day-to-day payments,11,sandbox,0',
      '32,Finance,Books and statements,11,sandbox,1',
      '',
    ]);
  });

  it('prints the list in a response that is named, with times for people', async () => {
    const activityOf = (profileId: number, list = 'activity') =>
      table('get-external-account-activity', JSON.stringify({ profileId }), '--list', list);
    expect((await activityOf(501)).stdout).toMatch(/\nexternal-1 .*2026-01-05 09:00 UTC/);
    expect((await activityOf(502)).stdout).toBe('none\n');
    expect(await activityOf(501, 'x')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/the response has no list "x"; its lists: .*activity/),
    });
  });

  it('prints tickets without their terminal control characters, and a response without a list as one record', async () => {
    const waiting = await rig.onboardBusiness(business('ticket'));
    await waiting.requirement('ticket');
    const { profileId = 0 } = await waiting.state();
    await rig.sandbox.transitionProfile(profileId, { tickets: [{ text: 'Call \u001b[2J\u009bus.' }] });
    expect((await table('list-new-tickets')).stdout).toMatch(/\n9002 .* Call \[2Jus\./);
    const profile = await table('get-profile', JSON.stringify({ id: profileId }));
    expect(profile.stdout.split('\n')).toHaveLength(3);
    await waiting.handle.terminate();
  });

  it('is one format of several', async () => {
    expect(await table('list-departments', '--json')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("'--table' cannot be used with option '--json'"),
    });
  });
});
