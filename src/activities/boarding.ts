import type { BoardingActivities, StatusSnapshot } from '../messages/boarding-activities.js';
import type { BoardingClient } from '../partners/boarding/client.js';
import { MERCHANT_PHASES } from '../partners/boarding/phases.js';
import { dbaOf } from '../temporal/find-onboarding.js';
import { applicationActivities, collectWarnings } from './boarding/application.js';
import { hasChanged, lacksNotes, merchantReader } from './boarding/merchant.js';
import { documentFor } from './call-files.js';
import type { Dependencies } from './dependencies.js';
import { callOptions, callWithDeadline, withRetries } from './failures.js';
import { awaitChange, nudgeOwnPoll, readNow, readTwice } from './poll.js';
import { isRunning, reservationsAt } from './reservations.js';
import { sendOnce } from './write.js';

const UPLOAD = { system: 'boarding', operation: 'upload-attachment' };

/** Activities at the boarding partner. Each makes one or two calls, and turns their errors into activity failures. */
export function boardingActivities({
  client,
  documents,
  partnerAccount,
  poll,
  meaningOf,
}: Omit<Dependencies<BoardingClient>, 'statements'>): BoardingActivities {
  const reservations = reservationsAt('boarding', partnerAccount);
  const reader = merchantReader(client, meaningOf, reservations);
  const { snapshot, isExplained } = reader;
  return {
    ...applicationActivities(client, reader, reservations),

    readStatus: ({ merchantProfileId, seen, needsNotes }) =>
      readNow(() =>
        readTwice(
          () => snapshot(merchantProfileId, callOptions(), () => !needsNotes),
          (now) => lacksNotes(seen, now),
        ),
      ),

    inspectMerchant: ({ merchantProfileId, workflowId }) =>
      withRetries(
        async () => {
          const now = await snapshot(merchantProfileId);
          const owner = await reservations.ownerOf(merchantProfileId, workflowId);
          if (owner === undefined) return { now };
          const dba = await callWithDeadline((temporal) => dbaOf(temporal, owner));
          return { now, owner: { workflowId: owner, dba, isRunning: await isRunning({ owner }) } };
        },
        { mayBeForeign: true },
      ),

    reserveMerchant: (record) => withRetries(() => reservations.takeOver(record)),

    awaitStatusChange({ merchantProfileId, seen, pace }) {
      const isChange = (now: StatusSnapshot) => hasChanged(seen, now);
      const read = () => snapshot(merchantProfileId, callOptions(), isChange);
      const readAll = () => readTwice(read, (now) => lacksNotes(seen, now));
      return awaitChange(poll, pace, readAll, isChange, () => isExplained(seen));
    },

    attachDocument: ({ merchantProfileId, document, description }) =>
      sendOnce(async (options) => {
        await reservations.ensureReserved(merchantProfileId);
        const file = await documentFor(UPLOAD, documents, document);
        const upload = { id: merchantProfileId, file, description };
        return collectWarnings(options, async (warning) => {
          await client.uploadAttachment(upload, warning);
          return {};
        });
      }),

    requestUnderwritingReview: ({ merchantProfileId, comment, noteIds, deliveredIds }) =>
      sendOnce(async (options) => {
        await reservations.ensureReserved(merchantProfileId);
        const before = await readTwice(
          () => snapshot(merchantProfileId, { signal: options.signal }, () => false),
          (now) => lacksNotes({ noteIds }, now),
        );
        const isAsked = before.notes.some(({ id }) => noteIds.includes(id));
        options.compareWith({ phase: before.phase });
        // For the partner, a review answers all listed notes.
        const answeredIds = deliveredIds && [...noteIds, ...deliveredIds];
        const isIncomplete =
          answeredIds !== undefined && before.notes.some(({ id }) => !answeredIds.includes(id));
        if (!isAsked || isIncomplete || MERCHANT_PHASES[before.phase].answer === 'waits')
          return { delivered: false, before, ...(isIncomplete && { isIncomplete }) };
        const request = { id: merchantProfileId, ...(comment !== undefined && { comment }) };
        return await collectWarnings(options, async (warning) => {
          await client.requestUnderwritingReview(request, warning);
          nudgeOwnPoll();
          return { delivered: true, before };
        });
      }),
  };
}
