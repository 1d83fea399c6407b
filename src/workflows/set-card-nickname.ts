import type { OperationOutcome, SetCardNicknameInput } from '../messages/banking-activities.js';
import { requireFields } from './journey/input.js';
import { runOperation } from './journey/journey.js';
import { partnerActivities, REPEATABLE } from './journey/partner-activities.js';
import { runStep } from './journey/run-step.js';

const { setCardNickname: set } = partnerActivities('banking')({
  setCardNickname: { ...REPEATABLE, summary: 'Set the nickname' },
});

/** Sets the nickname of a card, or clears it (E4). */
export async function setCardNickname(
  input: SetCardNicknameInput,
): Promise<OperationOutcome<{ readonly paymentCardId: string; readonly last4: string | null }>> {
  requireFields(input, { paymentCardId: 'string' });
  const { paymentCardId, nickName } = input;
  return runOperation(
    `${nickName === null ? 'clear' : 'set'} the nickname of card ${paymentCardId}`,
    async (journey) => {
      const { last4 } = await runStep(journey, {
        effect: 'idempotent',
        title: 'set the nickname',
        run: () => set({ paymentCardId, nickName }),
        endsWhenRejected: true,
      });
      journey.timeline.add(nickName === null ? 'nickname-cleared' : 'nickname-set', {
        detail: paymentCardId,
      });
      return { paymentCardId, last4 };
    },
  );
}
