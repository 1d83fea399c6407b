import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startOnce } from '../../../src/temporal/onboardings.js';
import { business, customer } from '../../rigs/inputs.js';
import { Onboarding } from '../../rigs/onboarding.js';
import { launch, type RunningProcess } from '../../rigs/processes.js';
import { createRig, type Rig } from '../../rigs/rig.js';
import { eventually } from '../../rigs/waiting.js';
import { bankOf } from '../../rigs/workflows/bank.js';

const SUBMIT = 'submit-business-account-holder';
const OPEN_ACCOUNT = 'submit-business-customer';
const CARD = { paymentCardId: 'card-1001', last4: '1001' };

/** What a killed worker was reading is lost for a minute, so reads are few. */
const SELDOM = { GANGWAY_POLL_MIN: '2s', GANGWAY_POLL_MAX: '2s' };
const PATIENCE_MS = 90_000;

const startWorker = () => launch('worker', { ...rig.env, ...SELDOM }, 'worker is ready');

let rig: Rig;
let next: RunningProcess;
const submitted = business();
const both = customer();
let submitting: Onboarding;
let opening: Onboarding;
let replying: Onboarding;
let ticketId: string;
let closing: Onboarding;
let onboarding: Onboarding;

// All of these are in the middle of a write when the one worker there is gets killed.
beforeAll(async () => {
  rig = await createRig({ worker: false });
  const doomed = await startWorker();
  replying = await rig.onboardBusiness(business('ticket'));
  ({ id: ticketId } = await replying.requirement('ticket'));

  // The effects are there at once, the answers take longer than the worker lives.
  const slowly = (operation: string, times = 1) =>
    rig.sandbox.plan('delay-after-commit', operation, { times, milliseconds: 60_000 });
  for (const operation of ['close-card', 'create-ticket', OPEN_ACCOUNT]) await slowly(operation);
  opening = await rig.onboardBusiness(business('account-on-request', { openFinancialAccount: true }));
  await opening.until(({ stage }) => stage === 'opening', 'the account');
  await slowly(SUBMIT, 2);
  submitting = await rig.onboardBusiness(submitted);
  onboarding = await rig.onboard(both);
  await replying.resolve(ticketId, { kind: 'text', text: 'Here.' });
  const { paymentCardId: key } = CARD;
  const start = { type: 'closeCard', key, args: [CARD], summary: 'Close the card' } as const;
  const { workflowId } = await startOnce(rig.client, start, { taskQueue: rig.taskQueue });
  closing = new Onboarding(rig.client, workflowId);

  const effects = async () => {
    const operations = (await rig.sandbox.ledger()).map(({ operation }) => operation);
    return operations.filter((one) => [SUBMIT, OPEN_ACCOUNT, 'close-card', 'create-ticket'].includes(one));
  };
  await eventually(effects, (all) => all.length === 7, 'all the effects');
  await onboarding.until(({ mid }) => mid !== undefined, 'the mid');
  doomed.child.kill('SIGKILL');
  await doomed.exit;
  next = await startWorker();
}, PATIENCE_MS);

afterAll(async () => {
  next.child.kill('SIGTERM');
  expect(await next.exit).toBe(0);
  await rig.close();
});

describe('a worker killed between the bank’s commit and its own report', () => {
  it(
    'of a submission leaves one profile, which is found by its name',
    async () => {
      expect(await submitting.outcome()).toMatchObject({ outcome: 'onboarded' });
      const { profileId } = await submitting.state();
      expect(await bankOf(rig).submissions(submitted.holder)).toEqual([profileId]);
      expect(await submitting.events()).not.toContain('requirement-raised');
    },
    PATIENCE_MS,
  );

  it(
    'of the opening of an account leaves one account, which is found in the profile',
    async () => {
      expect(await opening.outcome()).toMatchObject({ outcome: 'onboarded' });
      const { profileId = 0, financialAccountId } = await opening.state();
      expect(financialAccountId).toBe(`fa-${profileId}-1`);
      expect(await bankOf(rig).writesTo(profileId)).toEqual([SUBMIT, OPEN_ACCOUNT]);
      expect(await opening.events()).not.toContain('requirement-raised');
    },
    PATIENCE_MS,
  );

  it(
    'of the reply to a ticket leaves one reply',
    async () => {
      expect(await replying.outcome()).toMatchObject({ outcome: 'onboarded' });
      expect(await bankOf(rig).repliesTo(ticketId)).toEqual(['Here.']);
    },
    PATIENCE_MS,
  );

  it(
    'of the closing of a card leaves it closed once, and says so',
    async () => {
      expect(await closing.outcome()).toEqual({ outcome: 'done', paymentCardId: CARD.paymentCardId });
      expect(await bankOf(rig).writesTo(CARD.paymentCardId)).toEqual(['close-card']);
      const events = ['started', 'write-uncertain', 'write-adopted', 'card-closed', 'ended'];
      expect(await closing.events()).toEqual(events);
    },
    PATIENCE_MS,
  );

  it(
    'of a customer’s submission leaves one merchant and one profile, both taken aboard',
    async () => {
      expect(await onboarding.outcome()).toMatchObject({
        outcome: 'onboarded',
        boarding: { outcome: 'boarded' },
        business: { outcome: 'onboarded' },
      });
      const { profileId } = await onboarding.state();
      expect(await bankOf(rig).submissions(both.business.holder)).toEqual([profileId]);
      const writes = await rig.sandbox.writes(both.externalId);
      expect(writes).toEqual(['create-merchant', 'submit-merchant']);
    },
    PATIENCE_MS,
  );
});
