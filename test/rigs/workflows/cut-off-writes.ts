import { business, customer, merchant, terminal } from '../inputs.js';
import type { Onboarding } from '../onboarding.js';
import { launch } from '../processes.js';
import type { Rig } from '../rig.js';
import { eventually } from '../waiting.js';
import { bankOf } from './bank.js';
import { createAlone } from './create-alone.js';
import { giveUp } from './give-up.js';

const SUBMIT = 'submit-business-account-holder';
const OPEN_ACCOUNT = 'submit-business-customer';

/** Longer than a worker waits for a response. */
const DELAY_MS = 120_000;

/**
 * Starts a worker and kills it in the middle of writes to each partner: they are marked and have taken effect, and their
 * responses are pending. Returns the writes once the server has given up on all of their attempts.
 */
export async function cutOffWrites(rig: Rig) {
  const doomed = await launch('worker', rig.env, 'worker is ready');
  const slowly = (operation: string, times = 1) =>
    rig.sandbox.plan('delay-after-commit', operation, { times, milliseconds: DELAY_MS });
  const effects = (operation: string, count: number) =>
    eventually(
      async () => (await rig.sandbox.ledger({ operation })).length,
      (length) => length === count,
      `${count} of ${operation}`,
    );

  // First the workflows that take several steps before their write.
  for (const operation of [OPEN_ACCOUNT, 'create-terminal']) await slowly(operation);
  const replying = await rig.onboardBusiness(business('ticket'));
  const opening = await rig.onboardBusiness(business('account-on-request', { openFinancialAccount: true }));
  const creatingTerminal = await rig.onboard(customer({}, { provisionTerminal: terminal() }));
  await effects('create-account', 1);
  await slowly('create-account');
  const creatingAccount = await rig.onboard(customer({}, { provisionTerminal: terminal() }));
  await Promise.all([
    effects(OPEN_ACCOUNT, 1),
    effects('create-terminal', 1),
    effects('create-account', 2),
    ...[creatingTerminal, creatingAccount].map((each) =>
      each.until(({ profileId }) => profileId !== undefined, 'the profile'),
    ),
  ]);

  const ticket = await replying.requirement('ticket');
  for (const operation of ['close-card', 'create-ticket']) await slowly(operation);
  await slowly(SUBMIT, 2);
  await replying.resolve(ticket.id, { kind: 'text', text: 'Here.' });
  const card = { paymentCardId: 'card-1001', last4: '1001' };
  const closing = await bankOf(rig).operate('close-card', card.paymentCardId, card);
  const submitted = business();
  const submitting = await rig.onboardBusiness(submitted);
  const both = customer();
  const submittingBoth = await rig.onboard(both);
  await Promise.all([
    effects('close-card', 1),
    effects('create-ticket', 1),
    effects(SUBMIT, 6),
    submittingBoth.until(({ mid }) => mid !== undefined, 'the mid'),
  ]);

  const inputs = {
    submitted: merchant(),
    created: merchant(),
    reset: merchant(),
    resetWithMarks: merchant(),
  };
  await slowly('submit-merchant');
  const submittingMerchant = await rig.board(inputs.submitted);
  await effects('submit-merchant', 4);
  await slowly('create-merchant', 3);
  const creating = await rig.board(inputs.created);
  const reset = await rig.board(inputs.reset);
  const resetWithMarks = await createAlone(rig, inputs.resetWithMarks);
  await effects('create-merchant', 7);
  await resetCreate(rig, reset);

  doomed.child.kill('SIGKILL');
  await doomed.exit;
  await eventually(
    () => pendingCreate(resetWithMarks),
    (create) => Boolean(create?.lastFailure),
    'the end of the attempt',
  );
  await resetCreate(rig, resetWithMarks, { resetHeartbeat: true });
  await giveUp(rig);
  return {
    merchants: {
      submitting: { input: inputs.submitted, boarding: submittingMerchant },
      creating: { input: inputs.created, boarding: creating },
      reset: { input: inputs.reset, boarding: reset },
      resetWithMarks: { input: inputs.resetWithMarks, creating: resetWithMarks },
    },
    businesses: { submitted, submitting, opening, replying, ticketId: ticket.id },
    card: { ...card, closing },
    customer: { input: both, submitting: submittingBoth },
    terminals: { creatingAccount, creatingTerminal },
  };
}

type Boarding = Pick<Onboarding, 'handle' | 'workflowId'>;

async function pendingCreate({ handle }: Boarding) {
  const pending = (await handle.describe()).raw.pendingActivities ?? [];
  return pending.find(({ activityType }) => activityType?.name === 'createMerchant');
}

/** Resets the activity as the `temporal` command does: attempts count from 1 again. */
async function resetCreate(
  { client }: Rig,
  boarding: Boarding,
  options: { readonly resetHeartbeat?: true } = {},
): Promise<void> {
  await client.workflowService.resetActivity({
    namespace: client.options.namespace,
    execution: { workflowId: boarding.workflowId },
    id: (await pendingCreate(boarding))?.activityId ?? '',
    ...options,
  });
}
