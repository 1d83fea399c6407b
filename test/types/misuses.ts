/**
 * Mistakes with writes that the compiler refuses. `npm run check` compiles this file and nobody runs it: a line that begins to
 * compile is an unused `@ts-expect-error`, which is an error.
 */
import { callOptions, withRetries } from '../../src/activities/failures.js';
import { sendOnce, sendRepeatably } from '../../src/activities/write.js';
import { AT_MOST_ONCE, type SendOnce, type Verdict } from '../../src/at-most-once/workflow.js';
import type { BankingActivities } from '../../src/messages/banking-activities.js';
import type { BoardingActivities, CreateMerchantRequest } from '../../src/messages/boarding-activities.js';
import { workflowId } from '../../src/messages/ids.js';
import type { PartnerActivities } from '../../src/messages/onboarding-outcomes.js';
import type { BankingClient } from '../../src/partners/banking/client.js';
import type { BoardingClient } from '../../src/partners/boarding/client.js';
import { idempotent, type Operation, type Operations, once, read } from '../../src/partners/catalogue.js';
import type { PartnerClient } from '../../src/partners/client.js';
import { POLL, partnerActivities, REPEATABLE } from '../../src/workflows/runtime/activity-proxies.js';
import { runIdempotent, runOnce, runRead } from '../../src/workflows/runtime/run-step.js';
import type { IdempotentWrite, OnceWrite, StepContext } from '../../src/workflows/runtime/step.js';

declare const boarding: BoardingClient;
declare const banking: BankingClient;
declare const anyPartner: PartnerClient<Operations>;
declare const activities: BoardingActivities;
declare const runtime: StepContext;
declare const merchant: CreateMerchantRequest;
const card = { paymentCardId: 'card-1', last4: '4242' };

/** Calls of a client. */
export function calls(): void {
  // @ts-expect-error No intent: a worker that dies leaves no trace, and the next attempt submits again.
  void boarding.submitMerchant({ merchantProfileId: 1 });
  // @ts-expect-error The options of a read: the same.
  void boarding.submitMerchant({ merchantProfileId: 1 }, callOptions());
  // @ts-expect-error An intent that is recorded nowhere.
  void boarding.submitMerchant({ merchantProfileId: 1 }, { beforeSending: async () => undefined });
  // @ts-expect-error An operation that is only known at run time may be once-only.
  void anyPartner['submitMerchant']?.({ merchantProfileId: 1 });
  // @ts-expect-error A failed attempt is repeated, and the partner has the document twice.
  void withRetries(() => banking.createTicket({ text: 'Here it is' }, callOptions()));
  // @ts-expect-error A baseline that no evidence reads.
  void sendOnce(async ({ compareWith }) => compareWith({ before: 3 }));
  // @ts-expect-error An intent that permits a repetition permits no once-only operation.
  void sendRepeatably((options) => banking.closeCard(card, options));
}

/** Activities. */
export const closingByRepetition: BankingActivities['closeCard'] = () =>
  // @ts-expect-error The server would repeat a call that may have closed the card.
  withRetries(async () => ({ problems: [] }));

export const readsTheStatus: BoardingActivities['readStatus'] = () =>
  // @ts-expect-error An activity that sends once, declared like a read: workflows would call it without evidence.
  sendOnce((options) => boarding.submitMerchant({ merchantProfileId: 1 }, options));

export async function createsFromAnotherActivity(): Promise<unknown> {
  const created = await activities.createMerchant(merchant);
  // @ts-expect-error An activity inside another one: the intent of the outer one hides what the inner one did.
  return created.merchantProfileId;
}

// Proves P1.
// @ts-expect-error A worker without an activity that workflows call: they would wait for it for ever.
export const incomplete: PartnerActivities['banking'] = { readProfile: async () => ({}) as never };

/** Proxies of activities. */
const partner = partnerActivities('boarding')({
  createMerchant: { ...AT_MOST_ONCE, summary: 'Create the merchant' },
  readStatus: { ...REPEATABLE, summary: 'Read the status' },
});

// @ts-expect-error A heartbeat timeout makes attempts overlap, and a cancellation cuts off a write in flight.
partnerActivities('boarding')({ createMerchant: { ...REPEATABLE, summary: 'Create the merchant' } });
// @ts-expect-error The same, though it waits for a cancellation.
partnerActivities('boarding')({ submitMerchant: { ...POLL, summary: 'Submit to underwriting' } });
// @ts-expect-error The same for a write that may be repeated: a cancellation could not tell whether it was sent.
partnerActivities('banking')({ correctHolder: { ...REPEATABLE, summary: 'Correct the holder' } });
// @ts-expect-error The boarding partner has no cards.
partnerActivities('boarding')({ closeCard: { ...AT_MOST_ONCE, summary: 'Close the card' } });
// @ts-expect-error No worker has this activity.
partnerActivities('banking')({ reopenCard: { ...AT_MOST_ONCE, summary: 'Open the card again' } });
// @ts-expect-error Without a step, nobody resolves an unknown outcome.
void partner.createMerchant(merchant);

/** Steps. */
const title = 'create the merchant';
const create = (send: SendOnce) => send(partner.createMerchant, merchant);
const resolution = {
  readEvidence: 'none',
  polledEvidence: 'none',
  confirm: (id: string) => ({ merchantProfileId: Number(id), agentProfileId: 1, since: '' }),
  whereToLook: 'Look in the portal.',
} as const;

export function steps(): void {
  void runOnce(runtime, { title, run: create, ...resolution });
  // @ts-expect-error A read must not create.
  void runRead(runtime, title, create);
  // @ts-expect-error An idempotent write would be repeated after an uncertain outcome.
  void runIdempotent(runtime, { title, run: create });

  const { readEvidence: _, ...withoutEvidence } = resolution;
  // @ts-expect-error Nobody has said whether a read can show the write.
  void runOnce(runtime, { title, run: create, ...withoutEvidence });
  const { confirm: __, ...withoutConfirm } = resolution;
  // @ts-expect-error A person who has found the merchant cannot say so.
  void runOnce(runtime, { title, run: create, ...withoutConfirm });
  const { whereToLook: ___, ...withoutPlace } = resolution;
  // @ts-expect-error A person is asked, and does not learn where to look.
  void runOnce(runtime, { title, run: create, ...withoutPlace });
  // @ts-expect-error A read has no input to correct: the correction would be lost.
  void runRead(runtime, title, async () => 1, { correct: () => {} });
}

// @ts-expect-error An uncertain outcome, and the request is sent again without a person's answer.
export const repeated: Verdict<object> = 'again';

export const confirmed: IdempotentWrite<number> = {
  title,
  run: async () => 1,
  // @ts-expect-error Nobody is asked about an idempotent write, so nobody could confirm it.
  confirm: () => 1,
};

export const waiting: OnceWrite<object> = {
  title,
  run: create,
  ...resolution,
  // @ts-expect-error A write waits for a response, not for a change.
  waitsForChange: true,
};

// @ts-expect-error An activity that repeats its write without an intent: a nudge could not tell it from one that sent nothing.
export const withoutIntent: BankingActivities['restoreSubUser'] = async () => ({ afterLostCall: false });

/** Names. */
// @ts-expect-error No workflow has this type, so a start would wait for ever.
workflowId('reopenCard', 'card-1');

// @ts-expect-error An operation without an effect: nobody knows who may repeat it.
export const undecided: Pick<Operation, 'effect' | 'method'> = { method: 'POST' };

/** Routes. */
// @ts-expect-error A PUT changes something.
read('PUT /cards/{id}', { summary: 'Rename a card' });
// @ts-expect-error A GET that is sent once: nobody could read again.
once('GET /cards', { summary: 'Cards' });
// @ts-expect-error A second POST makes a second card, unless there is a reason why not.
idempotent('POST /cards', { summary: 'Order a card' });
// @ts-expect-error The same for a read that is a POST.
read('POST /cards/search', { summary: 'Search for cards' });
// @ts-expect-error A reason to repeat what nobody may repeat.
once('POST /cards', { summary: 'Order a card', repeats: 'has a key' });
