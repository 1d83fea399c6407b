import type { BankingActivities } from '../../messages/banking-activities.js';
import { eachPaymentCard, isClosed } from '../../partners/banking/cards.js';
import type { BankingClient } from '../../partners/banking/client.js';
import type { AddressChange, NotificationType } from '../../partners/banking/requests.js';
import { PartnerError } from '../../partners/partner-error.js';
import { repeatable, untilCancelled } from '../failures.js';
import { write } from '../write.js';
import { isRefused, problemsIn } from './refusal.js';

type OperationCalls = Pick<
  BankingActivities,
  'closeCard' | 'isCardClosed' | 'changeAddress' | 'setCardNickname' | 'restoreSubUser' | 'ensureWebhook'
>;

/** Single operations on cards, addresses, sub-users and webhooks. */
export function operationActivities(client: BankingClient): OperationCalls {
  async function isCardClosed(paymentCardId: string): Promise<boolean | null> {
    for await (const card of eachPaymentCard(client, untilCancelled())) {
      if (card.paymentCardId === paymentCardId) return isClosed(card);
    }
    return null;
  }

  return {
    closeCard: (request) =>
      write(async (options) => ({ problems: problemsIn(await client.closeCard(request, options)) })),

    isCardClosed: ({ paymentCardId }) =>
      repeatable(async () => {
        try {
          return await isCardClosed(paymentCardId);
        } catch (error) {
          // The list is an operation that is assumed, so not every partner need have it for us.
          if (isRefused(error)) return null;
          throw error;
        }
      }),

    changeAddress: ({ change }) =>
      write(
        async (options) => {
          // What it is, the client checks.
          await client.changeAddress(change as unknown as AddressChange, options);
        },
        { mayRepeat: change['oneTimeCode'] === undefined },
      ),

    setCardNickname: (request) =>
      repeatable(async () => {
        const { last4 } = await client.setCardNickname(request);
        return { last4 };
      }),

    restoreSubUser: ({ subUserId }) =>
      write(
        async ({ isUnclear, ...options }) => {
          try {
            await client.restoreSubUser({ id: subUserId }, options);
            return { afterLostCall: false };
          } catch (error) {
            const isGone = error instanceof PartnerError && error.kind === 'Rejected' && error.status === 404;
            if (isGone && isUnclear) return { afterLostCall: true };
            throw error;
          }
        },
        { mayRepeat: true },
      ),

    ensureWebhook: ({ name, url, notificationType }) =>
      repeatable(async () => {
        // Which types there are, the client checks.
        const request = { name, url, notificationType: notificationType as NotificationType };
        const { success, exists, id } = await client.createWebhook(request);
        if (!success) throw notRegistered();
        return { existed: exists, id };
      }),
  };
}

function notRegistered(): PartnerError {
  return new PartnerError({
    system: 'banking',
    operation: 'create-webhook',
    kind: 'Rejected',
    status: 200,
    fields: [{ field: '', message: 'the partner did not register the webhook' }],
    reason: 'success: false',
  });
}
