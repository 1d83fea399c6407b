import type { z } from 'zod';
import { saveStatement } from '../documents/document-store.js';
import type { FileStore } from '../documents/file-store.js';
import type { BankingActivities, SavedStatement, StatementRequest } from '../messages/banking-activities.js';
import {
  type BankingClient,
  eachPaymentCard,
  isClosed,
  statementFormat,
} from '../partners/banking/client.js';
import type { addressChange, NotificationType } from '../partners/banking/requests.js';
import type { CallOptions } from '../partners/client.js';
import { PartnerError } from '../partners/partner-error.js';
import type { MeaningOf } from '../partners/phases.js';
import { Candidates, holderActivities } from './banking/holder.js';
import { profileActivities, profileReader } from './banking/profiles.js';
import { isRejected, problemsIn } from './banking/refusal.js';
import { OtherTickets, ticketActivities } from './banking/tickets.js';
import { repeatable, untilCancelled } from './failures.js';
import type { PollBounds } from './poll.js';
import { kept } from './stores.js';
import { writeOnce, writeRepeatably } from './write.js';

export interface BankingDependencies {
  readonly client: BankingClient;
  readonly statements: FileStore;
  /** Name of the account at the partners; undefined for the one without a name. */
  readonly partnerAccount?: string | undefined;
  readonly poll: PollBounds;
  readonly meaningOf: MeaningOf;
}

/** The activities of workflows at the banking partner. Each makes a call or two, and translates failures. */
export function bankingActivities(dependencies: BankingDependencies): BankingActivities {
  const { client, statements, partnerAccount, poll, meaningOf } = dependencies;
  const candidates = new Candidates(client, partnerAccount);
  const reader = profileReader(client, new OtherTickets(partnerAccount), meaningOf);
  return {
    ...profileActivities(client, poll, reader),
    ...holderActivities(client, candidates, reader),
    ...ticketActivities(client, candidates, poll),
    ...operationActivities(client),
    ...statementActivities(client, statements, partnerAccount),
  };
}

/** Single operations on cards, addresses, sub-users and webhooks. */
function operationActivities(client: BankingClient) {
  return {
    closeCard: (request) =>
      writeOnce(async (options) => ({ problems: problemsIn(await client.closeCard(request, options)) })),

    isCardClosed: ({ paymentCardId }) =>
      repeatable(async () => {
        try {
          for await (const card of eachPaymentCard(client, untilCancelled())) {
            if (card.paymentCardId === paymentCardId) return isClosed(card);
          }
          return null;
        } catch (error) {
          // The operation is assumed, so a partner may not offer it to this account.
          if (isRejected(error)) return null;
          throw error;
        }
      }),

    changeAddress: ({ change }) =>
      writeRepeatably(async (options) => {
        // The client checks it.
        await client.changeAddress(change as unknown as z.input<typeof addressChange>, options);
      }, change['oneTimeCode'] === undefined),

    setCardNickname: (request) =>
      repeatable(async () => {
        const { last4 } = await client.setCardNickname(request);
        return { last4 };
      }),

    restoreSubUser: ({ subUserId }) =>
      writeRepeatably(async ({ mayHaveBeenSent, ...options }) => {
        try {
          await client.restoreSubUser({ id: subUserId }, options);
          return { afterLostCall: false };
        } catch (error) {
          const isRestored =
            error instanceof PartnerError && error.kind === 'Rejected' && error.status === 404;
          if (isRestored && mayHaveBeenSent) return { afterLostCall: true };
          throw error;
        }
      }),

    ensureWebhook: ({ name, url, notificationType }) =>
      repeatable(async () => {
        // The client checks the type.
        const request = { name, url, notificationType: notificationType as NotificationType };
        const { success, exists, id } = await client.createWebhook(request);
        if (success) return { existed: exists, id };
        throw new PartnerError({
          ...{ system: 'banking', operation: 'create-webhook', kind: 'Rejected', status: 200 },
          fields: [{ field: '', message: 'the partner did not register the webhook' }],
          reason: 'success: false',
        });
      }),
  } satisfies Partial<BankingActivities>;
}

const STATEMENT = { system: 'banking', operation: 'generate-full-statement' };

function statementActivities(
  client: BankingClient,
  statements: FileStore,
  partnerAccount: string | undefined,
) {
  async function save(request: StatementRequest, options: CallOptions): Promise<SavedStatement> {
    const { period, financialAccountIds, fileFormat, email } = request;
    const file = await client.generateFullStatement(
      {
        period: `${period}-01T00:00:00Z`,
        financialAccountIds: [...financialAccountIds],
        fileFormat,
        ...(email !== undefined && { email }),
      },
      options,
    );
    const format = statementFormat(file.contentType) ?? fileFormat;
    return saveStatement(statements, { partnerAccount, period, accounts: financialAccountIds, format }, file);
  }

  return {
    saveStatement: (request) => repeatable(() => kept(STATEMENT, () => save(request, untilCancelled()))),

    // The partner sends its e-mail before a failure of the store: such a call is uncertain and must not be repeated.
    sendStatement: (request) => writeOnce((options) => save(request, options)),
  } satisfies Partial<BankingActivities>;
}
