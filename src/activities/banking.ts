import { Readable } from 'node:stream';
import { activityInfo, getClient } from '@temporalio/activity';
import { z } from 'zod';
import type { BankingActivities, SavedStatement, StatementRequest } from '../messages/banking-activities.js';
import { workflowTaskQueue } from '../messages/ids.js';
import { omitUndefined } from '../messages/objects.js';
import {
  type BankingClient,
  eachPaymentCard,
  isClosed,
  type StatementFormat,
  statementFormat,
} from '../partners/banking/client.js';
import type { NotificationType } from '../partners/banking/requests.js';
import type { Download } from '../partners/catalogue.js';
import type { CallOptions } from '../partners/client.js';
import { fileNamePart, hashOf } from '../partners/documents/document-store.js';
import {
  checkContent,
  endsWith,
  type Form,
  PDF,
  RefusedDocument,
  startsAs,
} from '../partners/documents/document-types.js';
import { type FieldProblem, failureIn, PartnerError, problemsInBody } from '../partners/partner-error.js';
import { type FileStore, StoreFailure } from '../platform/documents/file-store.js';
import { shownProfiles } from '../temporal/find-onboarding.js';
import { holderActivities, profileCandidates } from './banking/holder.js';
import { profileActivities, profileReader } from './banking/profiles.js';
import { problemsIn } from './banking/refusal.js';
import { OtherTickets, ticketActivities } from './banking/tickets.js';
import { withStoreFailures } from './call-files.js';
import type { Dependencies } from './dependencies.js';
import { callOptions, ifFound, ifNotRejected, withRetries } from './failures.js';
import { reservationsAt } from './reservations.js';
import { sendOnce, sendRepeatably } from './write.js';

/** Activities at the banking partner. Each makes one or two calls, and turns their errors into activity failures. */
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

    // The operation is an assumption, so the partner may not offer it.
    isCardClosed: ({ paymentCardId }) =>
      withRetries(() => ifNotRejected(isCardClosed(client, paymentCardId), null)),

    changeAddress: ({ change }) =>
      sendRepeatably(async (options) => {
        const response = await client.changeAddress(change, options);
        requireSuccess('change-address', response);
        // The contract shows an empty object. A message instead is the bank's reason for refusing.
        const message = z.strictObject({ message: z.string() }).safeParse(response);
        if (message.success) throw failureInBody('change-address', problemsInBody(message.data));
      }, change.oneTimeCode === undefined),

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
  // Midnight UTC on the first is still the previous month in the United States, so use a day in the middle.
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
    saveStatement: (request) => withRetries(() => withStoreFailures(STATEMENT, () => save(request))),

    // `saveStatement` has saved the file. Read it to its end: only a complete file shows that the partner accepted the request.
    sendStatement: (request) =>
      sendOnce(async (options) => {
        const file = await generate(request, options);
        for await (const _ of checkStatement(file, request.fileFormat).content);
      }),
  } satisfies Partial<BankingActivities>;
}

/**
 * Statements in the statement store. A sign-in page may also come with HTTP 200, so a file must have the type, beginning and end of
 * a statement. A file never replaces another: a later one of the same name gets the time in its name.
 */

const OFX = {
  begins: startsAs(/^\s*(?=OFXHEADER:|<\?|<OFX).*<OFX/s),
  ends: endsWith('</OFX>'),
};

const FORMS: Readonly<Record<StatementFormat, Form>> = {
  // Some PDF files begin with printer commands. PDF readers look for the header in the first 1024 bytes.
  PDF: { ...PDF, begins: (start) => start.subarray(0, 1_024).includes('%PDF-') },
  QBO: { ...OFX, names: ['.qbo'] },
  OFX: { ...OFX, names: ['.ofx'] },
  // A line has at least three columns; a title may precede it. A sentence has fewer commas, and JSON and XML begin differently.
  CSV: { names: ['.csv'], begins: startsAs(/^(?!\s*[{[<]).*?([,;\t|])[^\r\n]*?\1/s) },
};

/** The content types of pages and of failures. */
const OTHER_TYPE = /^(text\/html|application\/(\w+\+)?(json|xhtml))\b/i;

/** A cell that begins with a date, as in `2026-01-31T10:00:00Z` or `1/31/2026`. */
const DATE = /(?:^|[,;\t|])"?(\d{4}-\d\d-\d\d|\d\d?\/\d\d?\/\d\d(?:\d\d)?)/gm;
const DAY_MS = 86_400_000;

const OPERATION = 'generate-full-statement';
const UNREADABLE = {
  system: 'banking' as const,
  operation: OPERATION,
  unreadable: OPERATION,
  kind: 'Uncertain' as const,
  reason: 'unreadable response' as const,
};

/** Streams a statement. If the content is not a statement, the stream fails with a `PartnerError`, and nothing is stored. */
export function checkStatement(
  { body, contentType }: Download,
  requestedFormat: StatementFormat,
  onChunk: (chunk: Buffer) => void = () => undefined,
) {
  // The download may fail while the store looks for earlier statements.
  body.once('error', () => undefined);
  // Every format except PDF is plain text.
  const isAsked = requestedFormat !== 'PDF' && /^text\/plain\b/i.test(contentType);
  const format = (!isAsked && statementFormat(contentType)) || requestedFormat;
  const form = OTHER_TYPE.test(contentType) ? { ...FORMS[format], begins: () => false } : FORMS[format];
  async function* translated() {
    try {
      yield* checkContent(body, form, onChunk, Number.POSITIVE_INFINITY);
    } catch (error) {
      if (!(error instanceof RefusedDocument)) throw error;
      const fields = [{ field: '', message: `the ${format} ${error.message}` }];
      throw new PartnerError({ ...UNREADABLE, fields }, { cause: error });
    } finally {
      body.destroy();
    }
  }
  return { format, content: Readable.from(translated(), { objectMode: false }) };
}

/**
 * Saves a statement while it arrives. If a file of its name exists, adds the time to the name.
 *
 * @throws {PartnerError} for anything but a statement. @throws as {@link FileStore.save}
 */
export async function saveStatement(
  files: FileStore,
  partnerAccount: string | undefined,
  request: StatementRequest,
  download: Download,
): Promise<SavedStatement> {
  const { period } = request;
  let [outside, example] = [0, ''];
  const note = (chunk: Buffer) => {
    for (const [, date = ''] of chunk.toString('latin1').matchAll(DATE)) {
      const days = (Date.parse(date) - Date.parse(`${period}-01`)) / DAY_MS;
      // The limits are rough, because time zones differ. A text such as 31/1/2026 is not a date here.
      if (!(days <= -2 || days >= 33)) continue;
      outside += 1;
      example ||= date;
    }
  };
  const { format, content } = checkStatement(download, request.fileFormat, note);
  try {
    const of = (partnerAccount === undefined ? '' : `${partnerAccount}-`) + nameOf(request);
    const isTaken = await isThere(files, `${of}.${format.toLowerCase()}`);
    const time = isTaken ? `-${new Date().toISOString().replace(/[-:.]/g, '')}` : '';
    const fileName = `${of}${time}.${format.toLowerCase()}`;
    const bytes = await files.save(fileName, content, download.contentType);
    const warning = `dates outside ${period}: ${outside}, such as ${example}`;
    return { fileName, bytes, format, ...(format === 'CSV' && outside > 0 && { warning }) };
  } finally {
    download.body.destroy();
  }
}

async function isThere(files: FileStore, name: string): Promise<boolean> {
  try {
    return (await files.open(name)).destroy().destroyed;
  } catch (error) {
    if (error instanceof StoreFailure && error.kind === 'missing') return false;
    throw error;
  }
}

/** Returns the name of a statement, with its partner account: two of these may have financial accounts with the same ID. */
function nameOf({ period, financialAccountIds }: StatementRequest): string {
  const ids = [...new Set(financialAccountIds)].sort();
  const [only = ''] = ids;
  return `${fileNamePart(period)}-${ids.length === 1 ? fileNamePart(only) : `${ids.length}-accounts-${hashOf(ids)}`}`;
}
