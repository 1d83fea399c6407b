import { describe, expect, it } from 'vitest';
import { partnerRecordId } from '../../../../src/messages/ids.js';
import { answerers, CHECK, CONFIRM, fill, gone, open } from '../../../rigs/console/answering.js';
import { office } from '../../../rigs/console/office.js';
import { press } from '../../../rigs/console/people.js';
import { runConsole } from '../../../rigs/console/running-console.js';
import { business, merchant } from '../../../rigs/inputs.js';
import { Onboarding } from '../../../rigs/onboarding.js';
import { accountOf, asked, begun, withAccounts } from '../../../rigs/workflows/partner-account.js';

const rig = await office();
const { answering } = answerers(rig);

describe('without scripts a person answers', () => {
  const scripts = false;

  it('an uncertain write: confirms no letters, and then has it sent again', async () => {
    const input = merchant();
    await rig.sandbox.plan('drop-before-commit', 'create-merchant', { about: input.externalId });
    const boarding = await rig.board(input);
    const person = await answering(boarding, 'uncertain-write', 'It took effect', { scripts });
    await fill(person, 'ID at the partner', 'M-17');
    await fill(person, 'Reason', 'it is in the portal');
    await press(person, CHECK);
    await person.says('must be the ID at the partner, in digits');
    await fill(person, 'ID at the partner', '17');
    await press(person, CHECK);
    await expect.poll(() => person.page.locator('form.preview').innerText()).toContain(input.externalId);
    await press(person, 'Change it');
    await open(person, 'It did not take effect');
    await fill(person, 'Reason', 'looked twice');
    await press(person, CHECK);
    await person.says('it exists twice then');
    await press(person, CONFIRM);
    expect(await boarding.outcome()).toMatchObject({ outcome: 'boarded' });
    expect(await rig.sandbox.writes(input.externalId)).toContain('create-merchant');
    await gone(person);
  });
});

describe('a person answers', () => {
  it('what a new status means, after no reason, and all onboardings with it end', async () => {
    const boarding = await rig.board(merchant('waiting'));
    const { merchantProfileId = 0 } = await boarding.until(({ stage }) => stage === 'underwriting');
    await rig.sandbox.transition(merchantProfileId, { status: 'Manual Look' });
    await boarding.until(({ partnerStatus }) => partnerStatus === 'Manual Look', 'its new status');
    const record = new Onboarding(rig.client, partnerRecordId('boarding', rig.taskQueue));
    await begun(record);
    const person = await answering(record, 'new-status', 'Choose what it means');
    const meaning = person.page.getByLabel('Meaning');
    // Nothing is chosen before a person does.
    await expect.poll(() => meaning.inputValue()).toBe('');
    await meaning.selectOption({
      label: 'ended-declined: every onboarding with this status ends as declined',
    });
    await fill(person, 'Reason', ' ');
    await press(person, CHECK);
    await person.says('is required');
    await expect.poll(() => meaning.inputValue()).toBe('ended-declined');
    await fill(person, 'Reason', 'the partner wrote so');
    await press(person, CHECK);
    await press(person, CONFIRM);
    expect(await boarding.outcome()).toMatchObject({ outcome: 'declined' });
    await person.go('/onboardings?what=accounts');
    await person.says('Boarding partner');
    await gone(person);
  });

  it('a locked profile by giving up', async () => {
    const onboarding = await rig.onboardBusiness(business('waiting'));
    const { profileId = 0 } = await onboarding.until((state) => state.profileId !== undefined, 'the profile');
    await rig.sandbox.transitionProfile(profileId, { isLocked: true });
    const person = await answering(onboarding, 'locked-profile', 'Give up');
    await fill(person, 'Reason', 'the business closed');
    await press(person, CHECK);
    await person.says(`What exists stays at the partners: banking profile ${profileId}.`);
    await press(person, CONFIRM);
    const comment = 'the business closed';
    expect(await onboarding.outcome()).toMatchObject({ outcome: 'abandoned', comment });
    await gone(person);
  });

  // An account of a partner has one workflow for all: so the namespace is its own.
  it('at a partner account with the one-time code, after one of two digits', () =>
    withAccounts(async (own) => {
      await own.startWorker({ bankingUser: 'mfa' });
      const onboarding = await own.onboardBusiness(business());
      const account = accountOf(own, 'banking');
      await asked(account, 'one-time-code');
      const console = await runConsole(own, { provider: null });
      const person = await answering(account, 'one-time-code', 'Enter the code', { console });
      await expect
        .poll(() => person.page.getByLabel('One-time code').getAttribute('inputmode'))
        .toBe('numeric');
      await fill(person, 'One-time code', '12');
      await press(person, 'Send the code');
      await person.says('must be 6 digits');
      await fill(person, 'One-time code', '000 000');
      await press(person, 'Send the code');
      expect(await onboarding.outcome()).toMatchObject({ outcome: 'onboarded' });
      await gone(person);
      await console.close();
    }));
});
