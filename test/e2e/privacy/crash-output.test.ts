import { expect, inject, it, onTestFinished } from 'vitest';
import { KEY, TOKEN } from '../../rigs/codec-server/running-codec-server.js';
import { business } from '../../rigs/inputs.js';
import { holderOf, ownersOf } from '../../rigs/privacy/marked-inputs.js';
import { found, markers } from '../../rigs/privacy/markers.js';
import { launchNode, run } from '../../rigs/processes.js';
import { createRig } from '../../rigs/rig.js';
import { eventually } from '../../rigs/waiting.js';

/** What an input holds, in the message of a failure that nobody foresaw. */
const MESSAGE = 'profile of 900123456 for ada@example.com, (518) 555-0100, Bearer 0a1b2c3d4e5f';

const SETTINGS = {
  PAYLOAD_KEYS: `k1:${KEY}`,
  CODEC_TOKENS: TOKEN,
  CODEC_ADDRESS: '127.0.0.1:0',
  RECEIVER_ADDRESS: '127.0.0.1:0',
  GANGWAY_HEALTH_ADDRESS: '127.0.0.1:0',
  GANGWAY_LOG_LEVEL: 'debug',
  GANGWAY_TASK_QUEUE: 'nobody-works-here',
};

/** A module that makes the process fail once it runs. */
function failing(action: string): string {
  return `data:text/javascript,setTimeout(() => { ${action} }, 1000)`;
}

it.concurrent.each([
  ['worker', `Promise.reject(new TypeError('${MESSAGE}', { cause: new Error('${MESSAGE}') }))`],
  ['receiver', `throw new Error('${MESSAGE}')`],
  ['codec-server', `throw '${MESSAGE}'`],
])('a %s that fails logs why without what is private: %s', async (name, action) => {
  const { code, stdout, stderr } = await run(
    process.execPath,
    ['--import', failing(action), `dist/${name}.js`],
    { ...SETTINGS, TEMPORAL_ADDRESS: inject('temporalAddress') },
  );
  expect([code, stdout]).toEqual([1, '']);
  const lines = stderr.trim().split('\n');
  // A process that fails while it starts may report that it is ready after that.
  const failures = lines.map((line) => JSON.parse(line)).filter(({ level }) => level === 60);
  expect(failures).toHaveLength(1);
  expect(failures[0]).toMatchObject({
    msg: 'the process has failed',
    error: { message: 'profile of [Redacted] for [Redacted], [Redacted], [Redacted]' },
  });
  for (const value of ['900123456', 'ada@', '555-0100', '0a1b2c3d']) expect(stderr).not.toContain(value);
});

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
    ...{ ssn, ein, dateOfBirth, email, phone, businessPhone, street, homeStreet, firstName },
    ...{ ownerSsn, ownerDateOfBirth, ownerPhone, ownerStreet, ownerName, familyName },
  };
  expect(found(Buffer.from(worker.stderr()), wanted)).toEqual([]);
});
