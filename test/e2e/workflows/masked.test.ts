import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { masked } from '../../../src/workflows/journey/masked.js';
import { gangway } from '../../rigs/command.js';
import { business } from '../../rigs/inputs.js';
import { createRig, type Rig } from '../../rigs/rig.js';

describe('a number that looks like a social security or tax number', () => {
  it.each([
    ['SSN 123-45-6789 does not match', 'SSN ***-**-6789 does not match'],
    ['SSN 123456789, please', 'SSN ***-**-6789, please'],
    ['(123456789)', '(***-**-6789)'],
    ['EIN 12-3456789', 'EIN **-***6789'],
    ['two: 123-45-6789 and 987654321', 'two: ***-**-6789 and ***-**-4321'],
  ])('is masked in the words of others: %s', (text, shown) => {
    expect(masked(text)).toBe(shown);
  });

  it.each([
    'mid 518000000001001',
    'call 5185550100',
    'merchant 12345678',
    'run 01a1fd30-abdc-7c0d-a0c9-9edbb184ef65',
    'due 2026-03-01T10:00:00Z',
    'ref A123456789',
  ])('is not seen where there is none: %s', (text) => {
    expect(masked(text)).toBe(text);
  });
});

describe('a ticket that repeats a social security number', () => {
  let rig: Rig;
  beforeAll(async () => {
    rig = await createRig();
  });
  afterAll(() => rig.close());

  it('is masked in state, inbox and status, and so is the reason of its answer', async () => {
    const input = business('waiting');
    const onboarding = await rig.onboardBusiness(input);
    const { profileId = 0 } = await onboarding.until(({ partnerStatus }) => partnerStatus === 'Submitted');
    const text = `The SSN ${input.holder.ssn} is not that of the owner.`;
    await rig.sandbox.transitionProfile(profileId, { tickets: [{ text }] });
    const { id, detail } = await onboarding.requirement('ticket');
    expect(detail).toBe('The SSN ***-**-6789 is not that of the owner.');

    const { workflowId } = onboarding;
    const shown = await Promise.all([
      gangway(rig.env, ['inbox', '--json']),
      gangway(rig.env, ['status', workflowId]),
    ]);
    for (const { stdout } of shown) {
      expect(stdout).toContain('***-**-6789');
      expect(stdout).not.toContain(input.holder.ssn);
    }
    await onboarding.resolve(id, { kind: 'abandon' }, 'olga', `not ${input.holder.ssn}`);
    expect(await onboarding.outcome()).toMatchObject({ comment: 'not ***-**-6789' });
    expect(JSON.stringify(await onboarding.state())).not.toContain(input.holder.ssn);
  });
});
