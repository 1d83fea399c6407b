import { describe, expect, it } from 'vitest';
import { gangway as runGangway, startGangway } from '../../rigs/command.js';
import { business, merchant } from '../../rigs/inputs.js';
import { jsonLines } from '../../rigs/processes.js';
import { sharedRig } from '../../rigs/shared-rig.js';

const rig = await sharedRig();

const gangway = (args: readonly string[], input?: string) => runGangway(rig.env, args, input);

const PROFILE = { volume: 180_000, contactName: 'Ada Baker', phone: '518-555-0100' };

/** A boarding whose underwriters ask for changes. */
async function asked() {
  const application = { salesAndBusinessProfile: PROFILE };
  const input = merchant('request-changes', { application });
  const boarding = await rig.board(input);
  const { id } = await boarding.requirement('request-changes');
  return { boarding, externalId: input.externalId, id };
}

const done = (externalId: string, id: string) =>
  `${id} answered (submitted). Nothing is left to answer; "gangway watch ${externalId}" follows it.\n`;

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
    const env = { ...rig.env, COLUMNS: '40' };
    const { stdout } = await startGangway(env, ['status', input.externalId, '--input'], { terminal: true })
      .finished;
    const [named = '', others = ''] = stdout.split('\nother fields that a correction can change now:\n');
    expect(named).toMatch(/\nfields that an open requirement names:\n {2}holder\.website: string/);
    expect(others).not.toContain('holder.website');
    expect(others).toContain('  beneficialOwners.N.zipCode');
    expect(others).toContain('N is the index of an item');
    expect(stdout).not.toContain('…');
    expect(stdout).toContain(`resolve ${input.externalId} ${id} --set FIELD=VALUE --dry-run\n`);
    await onboarding.handle.terminate();
  });

  it('has corrections in it, and prints JSON', async () => {
    const input = business('correction');
    const onboarding = await rig.onboardBusiness(input);
    const { id } = await onboarding.requirement('rejected-input');
    const [before] = jsonLines<{ input: object; canChange: { field: string }[] }>(
      await gangway(['status', input.externalId, '--input', '--json']),
    );
    expect(before).toMatchObject({
      workflowId: onboarding.workflowId,
      input: { holder: { ssn: '[Redacted]', city: 'Albany' } },
    });
    expect(before?.canChange).toContainEqual({
      field: 'holder.postalCode',
      required: true,
      type: 'string',
      rule: 'must be 5 digits, or 5-4',
    });
    expect(before?.canChange.map(({ field }) => field)).toContain('beneficialOwners.N.zipCode');
    await gangway(['resolve', input.externalId, id, '--set', 'holder.city=Troy']);
    const [after] = jsonLines(await gangway(['status', input.externalId, '--input', '--json']));
    expect(after).toMatchObject({ input: { holder: { city: 'Troy' } } });
    await onboarding.handle.terminate();
  });
});

describe('a correction', () => {
  it('is shown with --dry-run, and nothing is sent', async () => {
    const { boarding, externalId, id } = await asked();
    const phone = 'application.salesAndBusinessProfile.phone=518-555-0199';
    const args = ['resolve', externalId, id, '--set', `${VOLUME}=240000`, '--set', phone, '--dry-run'];
    expect(await gangway(args)).toEqual({
      code: 0,
      stdout: [
        `${id} of ${boarding.workflowId}:`,
        `  ${VOLUME}: 180000 -> 240000`,
        '  application.salesAndBusinessProfile.phone: "[Redacted]" -> "[Redacted]"',
        `${id} takes this answer (correction); nothing was sent (--dry-run)`,
        '',
      ].join('\n'),
      stderr: '',
    });
    const [json] = jsonLines(await gangway([...args, '--json']));
    expect(json).toMatchObject({ changes: [{ field: VOLUME, before: 180_000, after: 240_000 }, {}] });
    expect((await boarding.state()).requirements.map((each) => each.id)).toEqual([id]);
  });

  it('is sent without a terminal, and the timeline has its fields and no value', async () => {
    const { boarding, externalId, id } = await asked();
    const args = ['resolve', externalId, id, '--set', `${VOLUME}=240000`, '--actor', 'olga'];
    expect(await gangway(args)).toEqual({ code: 0, stdout: done(externalId, id), stderr: '' });
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
    const env = { ...rig.env, COLUMNS: '1000' };
    const first = startGangway(env, args, { terminal: true });
    await first.says(`  ${VOLUME}: 180000 -> 240000\n`);
    first.type('n');
    const refused = await first.finished;
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toContain('not confirmed; nothing was done');
    expect((await boarding.state()).requirements).toHaveLength(1);
    const left = startGangway(env, args, { terminal: true });
    await left.says('Continue? [y/N] ');
    left.kill('SIGINT');
    const stopped = await left.finished;
    expect(stopped.code).toBe(130);
    // Below the ^C of the terminal.
    expect(stopped.stderr).toMatch(/\[y\/N\] \nstopped; nothing was sent\n$/);
    expect((await boarding.state()).requirements).toHaveLength(1);
    const second = startGangway(env, args, { terminal: true });
    await second.says('Continue? [y/N] ');
    second.type('yes');
    expect(await second.finished).toMatchObject({ code: 0, stdout: done(externalId, id) });
    const other = await asked();
    const third = ['resolve', other.externalId, other.id, '--set', `${VOLUME}=1`, '--yes'];
    const sent = await startGangway(rig.env, third, { terminal: true }).finished;
    expect(sent.code).toBe(0);
    expect(sent.stderr).not.toContain('Continue?');
  });
});
