import { expect, it } from 'vitest';
import { gangway } from '../../rigs/command.js';
import { business } from '../../rigs/inputs.js';
import { sharedRig } from '../../rigs/shared-rig.js';
import { eventually } from '../../rigs/waiting.js';

const rig = await sharedRig();

it('a ticket that repeats a social security number is masked in state, inbox and status, and so is the reason of its answer', async () => {
  const input = business('waiting');
  const onboarding = await rig.onboardBusiness(input);
  const { profileId = 0 } = await onboarding.until(({ partnerStatus }) => partnerStatus === 'Submitted');
  const text = `The SSN ${input.holder.ssn} is not that of the owner.`;
  await rig.sandbox.transitionProfile(profileId, { tickets: [{ text }] });
  const { id, detail } = await onboarding.requirement('ticket');
  expect(detail).toBe('The SSN ***-**-6789 is not that of the owner.');
  for (const args of [
    ['inbox', '--details', '--json'],
    ['status', onboarding.workflowId],
  ]) {
    // Lists lag behind.
    const { stdout } = await eventually(
      () => gangway(rig.env, args),
      (printed) => printed.stdout.includes('***-**-6789'),
      `the masked number in ${args[0]}`,
    );
    expect(stdout).not.toContain(input.holder.ssn);
  }
  await onboarding.resolve(id, { kind: 'abandon' }, 'olga', `not ${input.holder.ssn}`);
  expect(await onboarding.outcome()).toMatchObject({ comment: 'not ***-**-6789' });
  expect(JSON.stringify(await onboarding.state())).not.toContain(input.holder.ssn);
});
