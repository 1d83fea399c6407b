import { activityInfo, getClient } from '@temporalio/activity';
import { z } from 'zod';
import type { BankingActivities, StatementRequest } from '../messages/banking-activities.js';
import { workflowTaskQueue } from '../messages/ids.js';
import { omitUndefined } from '../messages/objects.js';
import { type BankingClient, eachPaymentCard, isClosed } from '../partners/banking/client.js';
import type { addressChange, NotificationType } from '../partners/banking/requests.js';
import type { CallOptions } from '../partners/client.js';
import { type FieldProblem, failureIn, PartnerError, problemsOf } from '../partners/partner-error.js';
import type { FileStore } from '../platform/documents/file-store.js';
import { shownProfiles } from '../temporal/onboardings.js';
import { holderActivities, profileCandidates } from './banking/holder.js';
import { profileActivities, profileReader } from './banking/profiles.js';
import { problemsIn } from './banking/refusal.js';
import { checkStatement, saveStatement } from './banking/statements.js';
import { OtherTickets, ticketActivities } from './banking/tickets.js';
import type { Dependencies } from './dependencies.js';
import { callOptions, ifFound, ifNotRejected, withRetries } from './failures.js';
import { reservationsAt } from './reservations.js';
import { saveFile } from './stores.js';
import { sendOnce, sendRepeatably } from './write.js';

/** The activities of workflows at the banking partner. Each makes a call or two, and translates failures. */
export function bankingActivities({
  client,
  statements,
  partnerAccount,
  poll,
  meaningOf,
  fourEyes,
}: Omit<Dependencies<BankingClient>, 'documents'>): BankingActivities {
  const reservations = reservationsAt('banking', partnerAccount);
  const shownAmong = (ids: readonly number[]) => {
    const taskQueue = workflowTaskQueue(activityInfo().taskQueue, 'banking', partnerAccount);
    return shownProfiles(getClient(), { ids, taskQueue, partnerAccount });
  };
  const candidates = profileCandidates(client, reservations);
  const reader = profileReader(client, new OtherTickets(partnerAccount, fourEyes), meaningOf);
  return {
    ...profileActivities(client, poll, reader, reservations),
    ...holderActivities(client, candidates, reader, reservations),
    ...ticketActivities(client, shownAmong, reservations, poll),
    reserveProfile: (record) => withRetries(() => reservations.takeOver(record)),
    ...operationActivities(client),
    ...statementActivities(client, statements, partnerAccount),
  };
}

function operationActivities(client: BankingClient) {
  return {
    closeCard: (request) =>
      sendOnce(async (options) => ({ problems: problemsIn(await client.closeCard(request, options)) })),

    // The operation is assumed, so a partner may not offer it to this account.
    isCardClosed: ({ paymentCardId }) =>
      withRetries(() => ifNotRejected(isCardClosed(client, paymentCardId), null)),

    changeAddress: ({ change }) =>
      sendRepeatably(async (options) => {
        // The client checks it.
        const address = change as unknown as z.input<typeof addressChange>;
        const response = await client.changeAddress(address, options);
        requireSuccess('change-address', response);
        // The contract shows an empty object. A message in its place is why the bank refuses.
        const message = z.strictObject({ message: z.string() }).safeParse(response);
        if (message.success) throw failureInBody('change-address', problemsOf(message.data));
      }, change['oneTimeCode'] === undefined),

    setCardNickname: (request) =>
      withRetries(async () => {
        const { last4 } = await client.setCardNickname(request);
        return { last4 };
      }),

    restoreSubUser: ({ subUserId }) =>
      sendRepeatably(async ({ mayHaveBeenSent, ...options }) => {
        const restored = client.restoreSubUser({ id: subUserId }, options).then((response) => {
          // The contract does not show the body.
          requireSuccess('restore-sub-user', response);
          return false;
        });
        return { afterLostCall: await (mayHaveBeenSent ? ifFound(restored, true) : restored) };
      }),

    ensureWebhook: ({ name, url, notificationType }) =>
      withRetries(async () => {
        // The client checks the type.
        const request = { name, url, notificationType: notificationType as NotificationType };
        const response = await client.createWebhook(request);
        if (!response.success) throw failureInBody('create-webhook', failureIn(response));
        return { existed: response.exists, id: response.id };
      }),
  } satisfies Partial<BankingActivities>;
}

/** @throws {PartnerError} for a failure in the body of a response with 200 */
function requireSuccess(operation: string, response: unknown): void {
  const fields = failureIn(response);
  if (fields.length > 0) throw failureInBody(operation, fields);
}

/** A failure in the body of a response with 200. */
function failureInBody(operation: string, fields: readonly FieldProblem[]): PartnerError {
  const call = { system: 'banking', operation, kind: 'Rejected', status: 200 } as const;
  return new PartnerError({ ...call, fields, reason: 'success: false' });
}

async function isCardClosed(client: BankingClient, paymentCardId: string): Promise<boolean | null> {
  for await (const card of eachPaymentCard(client, callOptions()))
    if (card.paymentCardId === paymentCardId) return isClosed(card);
  return null;
}

const STATEMENT = { system: 'banking', operation: 'generate-full-statement' };

function statementActivities(
  client: BankingClient,
  statements: FileStore,
  partnerAccount: string | undefined,
) {
  // Midnight on the first in UTC is the month before in the United States, so the period is a day in the middle.
  const generate = (
    { period, financialAccountIds: ids, fileFormat, email }: StatementRequest,
    options: CallOptions,
  ) =>
    client.generateFullStatement(
      {
        period: `${period}-15T12:00:00Z`,
        financialAccountIds: [...ids],
        fileFormat,
        ...omitUndefined({ email }),
      },
      options,
    );
  const save = async (request: StatementRequest) =>
    saveStatement(statements, partnerAccount, request, await generate(request, callOptions()));
  return {
    saveStatement: (request) => withRetries(() => saveFile(STATEMENT, () => save(request))),

    // `saveStatement` has saved the file. Here, only a whole statement shows that the partner took the request.
    sendStatement: (request) =>
      sendOnce(async (options) => {
        const file = await generate(request, options);
        for await (const _ of checkStatement(file, request.fileFormat).content);
      }),
  } satisfies Partial<BankingActivities>;
}
