import type { CloseCardInput, OperationOutcome } from '../messages/banking-activities.js';
import { requireFields } from './journey/input.js';
import { runOperation } from './journey/journey.js';
import { ONCE, partnerActivities, REPEATABLE } from './journey/partner-activities.js';
import { RejectedByPartner, runStep } from './journey/run-step.js';

const { closeCard: close, isCardClosed } = partnerActivities('banking')({
  closeCard: { ...ONCE, summary: 'Close the card' },
  isCardClosed: { ...REPEATABLE, summary: 'Check whether the card is closed' },
});

/** Closes a card for good (E8). Started as `close-card-<paymentCardId>`. */
export async function closeCard(
  input: CloseCardInput,
): Promise<OperationOutcome<{ readonly paymentCardId: string }>> {
  requireFields(input, { paymentCardId: 'string', last4: 'string' });
  const { paymentCardId } = input;
  return runOperation(`close card ${paymentCardId} for good`, async (journey) => {
    const isClosed = () => isCardClosed({ paymentCardId });
    await runStep<void>(journey, {
      effect: 'once',
      title: 'close the card',
      run: async (send) => {
        const { problems } = await send(close, input);
        if (problems.length > 0) throw new RejectedByPartner(problems);
      },
      endsWhenRejected: true,
      readEvidence: async () => {
        const title = 'check whether the card is closed';
        const closed = await runStep(journey, { effect: 'read', title, run: isClosed });
        return closed ? { found: undefined } : undefined;
      },
      polledEvidence: 'none',
      adopt: () => undefined,
      idFormat: 'text',
      whereToLook: `Check in the partner’s portal whether card ${paymentCardId} is closed. If it is, adopt ${paymentCardId}.`,
    });
    journey.timeline.add('card-closed', { detail: paymentCardId });
    return { paymentCardId };
  });
}
