import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import {
  actOnLink,
  LINK_NAME,
  type LinkHolder,
  type LinkView,
  linkQuery,
  type MerchantAction,
} from '../../../messages/links.js';
import { omitUndefined } from '../../../messages/objects.js';
import { documentStore } from '../../../partners/documents/document-store.js';
import { withoutMetadata } from '../../../partners/documents/photo-metadata.js';
import { openStore } from '../../../platform/documents/open-store.js';
import { knownHashes } from '../../../platform/http/server.js';
import { createSender, EndedOnboarding } from '../../../services/inbox/send-answer.js';
import {
  askThroughLink,
  codeHash,
  sendReturn,
  sendRevocation,
  sha256,
} from '../../../services/links/create-link.js';
import { InvalidInput } from '../../../services/texts/invalid-input.js';
import { describeWithin } from '../../../temporal/find-onboarding.js';
import { findLink } from '../../../temporal/links.js';
import { response } from '../openapi.js';
import { invalidRequest, later, Problem } from '../problems.js';
import { type ApiRoute, audit, type Call, defineRoute } from './calls.js';
import { storeFile } from './documents.js';
import * as shapes from './link-shapes.js';
import { action } from './requirements.js';
import { about } from './shapes.js';

/** Links for merchants. Colleagues ask. The merchant’s page, a program with the scope `link`, acts for its visitor. */

/** Returns the routes of the merchant’s page, and those with which colleagues create, end and follow links. */
export function linkRoutes(linkUrl: string | undefined): ApiRoute[] {
  return [
    action(
      'ask',
      'answer',
      'Ask the merchant: make a link, which replaces the one before',
      [shapes.askRequest, shapes.newLink],
      ({ backend, body: { person: _, ...question } }, { workflowId, ...of }, once) =>
        askThroughLink(
          backend.client,
          workflowId,
          of,
          question,
          { linkUrl, taskQueue: backend.taskQueue },
          once,
        ),
    ),
    action(
      'revoke-link',
      'answer',
      'End the link of a requirement',
      [shapes.revokeLinkRequest, about],
      ({ backend }, { workflowId, ...of }, once) => sendRevocation(backend.client, workflowId, of, once),
    ),
    action(
      'send-back',
      'answer',
      'Send the proposed answer of a merchant back, with a sentence',
      [shapes.sendBackRequest, about],
      ({ backend, body: { proposedAt, text } }, { workflowId, ...of }, once) =>
        sendReturn(backend.client, workflowId, { ...of, proposedAt, text }, once),
    ),
    merchantRoute('read', 'Read a link. Changes nothing', shapes.readLinkRequest, shapes.linkView, view),
    merchantRoute(
      'enter',
      'Enter the code of a link',
      shapes.enterRequest,
      shapes.linkView,
      (call, place) => {
        const { code, session } = call.body;
        const action = {
          kind: 'enter',
          codeHash: codeHash(place.link, code),
          session: sha256(session),
        } as const;
        return act(call, place, action);
      },
    ),
    merchantRoute(
      'begin',
      'Record that the merchant begins',
      shapes.readLinkRequest,
      shapes.linkView,
      async (call, place) => {
        const seen = await view(call, place);
        return 'began' in seen && seen.began ? seen : act(call, place, { kind: 'begin' });
      },
    ),
    merchantRoute(
      'propose',
      'Propose the answer of the merchant',
      shapes.merchantRequest,
      shapes.linkView,
      async (call, place) => {
        const { answer, remark } = call.body;
        const seen = await view(call, place);
        const isSame =
          seen.state === 'received' && JSON.stringify(seen.answer) === JSON.stringify({ ...answer, remark });
        // A request without effect adds nothing to the history.
        if (isSame) return seen;
        return act(call, place, { kind: 'answer', answer, ...omitUndefined({ remark }) });
      },
    ),
  ];
}

type Path = z.output<typeof shapes.linkPath>;

interface Place extends LinkHolder {
  readonly workflowId: string;
}

type Holding = { readonly token: string; readonly session?: string | undefined };

function merchantRoute<Body extends Holding>(
  name: string,
  summary: string,
  body: z.ZodType<Body>,
  reply: z.ZodType,
  respond: (call: Call<Path, unknown, Body>, place: Place) => Promise<LinkView>,
): ApiRoute {
  return defineRoute<Path, unknown, Body>(`POST /v1/links/{link}/${name}`, `${name}-link`, 'link', summary, {
    params: shapes.linkPath,
    body,
    bodyLimit: 64 * 1024,
    responses: { 200: response('The link as the merchant sees it then', reply) },
    reply: async (call) => respond(call, await placeOf(call, call.body)),
  });
}

/** The duration of every request without a valid token, in milliseconds, so it does not reveal which links exist. */
const REFUSED_MS = 400;

const NO_TOKEN = '0'.repeat(64);

/** Names of links that were opened with their tokens, most recent last. */
const held = new Set<string>();
const MAX_HELD = 10_000;

/** Reports whether somebody has opened this link with its token, as far as this process knows. */
export function isHeld(link: string): boolean {
  return held.has(link);
}

function remember(link: string): void {
  held.delete(link);
  held.add(link);
  for (const oldest of held) {
    if (held.size <= MAX_HELD) break;
    held.delete(oldest);
  }
}

// Keeps D6.
/** @throws {Problem} `unknown-link` if the token is wrong, with the same text and duration for every name */
async function placeOf(
  { backend, client, params: { link } }: Call<Path>,
  { token, session }: Holding,
): Promise<Place> {
  const began = performance.now();
  const place = LINK_NAME.test(link) ? await findLink(backend.client, link) : undefined;
  const holds = knownHashes([Buffer.from(place?.tokenHash ?? NO_TOKEN, 'hex')])(token) === 0;
  if (place && holds && (await describeWithin(backend.client, place.workflowId, client.accounts))) {
    remember(link);
    return { ...place, link, ...(session !== undefined && { session: sha256(session) }) };
  }
  await sleep(Math.max(0, began + REFUSED_MS - performance.now()));
  throw new Problem('unknown-link', 'there is no link with this name and token');
}

function view({ backend }: Pick<Call, 'backend'>, { workflowId, ...holder }: Place): Promise<LinkView> {
  return backend.client.workflow.getHandle(workflowId).query(linkQuery, holder);
}

const sendAction = createSender(actOnLink, 'repeat it');

async function act(
  call: Call<Path>,
  { workflowId, ...holder }: Place,
  action: MerchantAction,
): Promise<LinkView> {
  const { requirementId, link } = holder;
  try {
    const seen = await sendAction(call.backend.client, workflowId, { ...holder, action });
    audit(call, `${action.kind} by the merchant, through link ${link}`, { workflowId, requirementId });
    return seen;
  } catch (error) {
    if (error instanceof EndedOnboarding) throw closed();
    if (!(error instanceof InvalidInput)) throw error;
    // Each invalid field has a line.
    const errors = error.message.split('\n').map((line) => {
      const [, field = '', message = line] = /^([\w.]+): (.*)$/.exec(line) ?? [];
      return { field: field.replace(/^answer\.patch\./, 'answer.values.'), message };
    });
    if (errors.some(({ field }) => field === 'link')) throw closed();
    throw invalidRequest(errors);
  }
}

const closed = () => new Problem('link-closed', 'the link is closed, or its code was not entered');

/** The maximum size of a merchant's document, in bytes. It is held in memory, because its metadata is removed. */
const MAX_BYTES = 10 * 1024 * 1024;

/** The maximum number of concurrent uploads for a link, because strangers may have one, and each upload fills memory. */
const MAX_AT_ONCE = 2;

/** The number of uploads in progress, by link. */
const arriving = new Map<string, number>();

async function whileFew<Result>(link: string, receive: () => Promise<Result>): Promise<Result> {
  const before = arriving.get(link) ?? 0;
  if (before >= MAX_AT_ONCE)
    throw later('too-many-requests', undefined, 'other files of this link arrive now');
  arriving.set(link, before + 1);
  try {
    return await receive();
  } finally {
    const left = (arriving.get(link) ?? 1) - 1;
    if (left > 0) arriving.set(link, left);
    else arriving.delete(link);
  }
}

const TYPES = ['image/jpeg', 'image/png', 'application/pdf'];

/** Stores a file of the merchant, for the answer that follows. The token is in a header, because a file may arrive before a field. */
export const linkDocumentRoute = defineRoute<Path>(
  'POST /v1/links/{link}/documents',
  'send-link-document',
  'link',
  'Send a document of the merchant',
  {
    params: shapes.linkPath,
    headers: ['link-token', 'link-session'],
    body: z.object({ file: z.file() }),
    takesFile: true,
    responses: { 201: response('The document, for the answer', shapes.linkDocument) },
    reply: async (call) => {
      const { 'link-token': token = '', 'link-session': session } = call.request.headers;
      const place = await placeOf(call, {
        token: String(token),
        ...(session && { session: String(session) }),
      });
      const seen = await view(call, place);
      if (seen.state === 'closed' || seen.state === 'code' || seen.wants.kind !== 'documents') throw closed();
      const document = await whileFew(place.link, () =>
        storeFile(call, {
          most: MAX_BYTES,
          prepare: async (fileName, file) => withoutMetadata(await buffer(file), typeOfName(fileName)),
        }),
      );
      try {
        const after = await act(call, place, { kind: 'document', document });
        call.reply.code(201);
        // Another file for the link may have arrived meanwhile.
        const isOwn = ({ fileName }: { readonly fileName: string }) => fileName === document.fileName;
        return 'documents' in after ? after.documents.findLast(isOwn) : undefined;
      } catch (error) {
        // A worker may still apply it, so remove only refused files.
        if (error instanceof Problem) await documentStore(await openStore(call.documentDir)).remove(document);
        throw error;
      }
    },
  },
);

function typeOfName(fileName: string): string {
  const type = /\.jpe?g$/i.test(fileName)
    ? TYPES[0]
    : /\.png$/i.test(fileName)
      ? TYPES[1]
      : /\.pdf$/i.test(fileName)
        ? TYPES[2]
        : undefined;
  if (type) return type;
  throw invalidRequest([{ field: 'file', message: 'must be a .jpg, .jpeg, .png or .pdf file' }]);
}
