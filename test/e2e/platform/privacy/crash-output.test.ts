import { expect, it, onTestFinished } from 'vitest';
import { business } from '../../../rigs/inputs.js';
import { holderOf, ownersOf } from '../../../rigs/privacy/marked-inputs.js';
import { found, markers } from '../../../rigs/privacy/markers.js';
import { launchNode } from '../../../rigs/processes.js';
import { createRig } from '../../../rigs/rig.js';
import { eventually } from '../../../rigs/waiting.js';

it('a worker that fails while it works on an input logs nothing of that input', async () => {
  const rig = await createRig({ worker: false });
  onTestFinished(() => rig.close());
  const marked = markers();
  const onSignal = "process.on('SIGUSR2', () => { throw new Error(process.env.FAILURE) })";
  const env = { ...rig.env, GANGWAY_LOG_LEVEL: 'debug', FAILURE: JSON.stringify(Object.values(marked)) };
  const args = ['--import', `data:text/javascript,${encodeURIComponent(onSignal)}`, 'dist/worker.js'];
  const worker = await launchNode(args, env, 'worker is ready');
  await rig.sandbox.plan('delay', 'submit-business-account-holder', { milliseconds: 60_000 });
  const holder = holderOf(marked, marked.ssn, marked.dba);
  const beneficialOwners = ownersOf(marked);
  const onboarding = await rig.onboardBusiness(business(undefined, { holder, beneficialOwners }));
  // The mark shows that the worker has the input. A scheduled activity does not.
  const isSent = async () => {
    const { raw } = await onboarding.handle.describe();
    return raw.pendingActivities?.some(
      ({ activityType, heartbeatDetails }) => activityType?.name === 'submitHolder' && heartbeatDetails,
    );
  };
  await eventually(isSent, Boolean, 'the submission');
  expect(await worker.stop('SIGUSR2')).toBe(1);
  expect(worker.stderr()).toContain('the process has failed');
  const { ssn, ein, dateOfBirth, email, phone, businessPhone, street, homeStreet, firstName } = marked;
  const { ownerSsn, ownerDateOfBirth, ownerPhone, ownerStreet, ownerName, familyName } = marked;
  const wanted = {
    ssn,
    ein,
    dateOfBirth,
    email,
    phone,
    businessPhone,
    street,
    homeStreet,
    firstName,
    ownerSsn,
    ownerDateOfBirth,
    ownerPhone,
    ownerStreet,
    ownerName,
    familyName,
  };
  expect(found(Buffer.from(worker.stderr()), wanted)).toEqual([]);
});
