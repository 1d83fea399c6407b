import type { Client } from '@temporalio/client';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { Counter, Registry } from 'prom-client';
import { StoreFailure } from '../../platform/documents/file-store.js';
import { pageOptions, preparePages, serveAssets, UNREADABLE } from '../../platform/http/html-server.js';
import { measureRequests } from '../../platform/http/metrics.js';
import {
  type ArrivalLimits,
  listen,
  logRequests,
  mayTakeLong,
  routeOf,
  serverWithin,
} from '../../platform/http/server.js';
import { InvalidInput } from '../../services/texts/invalid-input.js';
import { Times } from '../../services/texts/time.js';
import { UnsearchableText } from '../../temporal/query.js';
import { temporalCheck } from '../../temporal/server.js';
import { type Ended, hasEnded, recordSignOut } from '../../temporal/sign-outs.js';
import { isDenied, isUnavailable, sentenceOf, TemporalProblem } from '../../temporal/unavailable.js';
import { type Admission, admitRequests, originOf } from './admission.js';
import { ASSETS, errorPage, type Message, renderConsolePage, renderPart } from './layout.js';
import { countWaiting } from './pages/inbox-filter.js';
import { ROUTES } from './pages/routes.js';
import { providerOf } from './provider.js';
import { Fields, LIST, withList } from './query.js';
import { endQuestions } from './questions.js';
import {
  type AuditEvent,
  type Console,
  handleOnce,
  PageError,
  Redirect,
  type RequestContext,
  type Route,
  type RouteResponse,
  requireRole,
  type User,
  ZONE_COOKIE,
} from './route.js';
import { randomToken, type SessionData, Sessions } from './session.js';
import type { ConsoleSettings } from './settings.js';
import { accountCheck, addSignIn, signInFor } from './sign-in.js';

export interface ConsoleOptions {
  readonly settings: ConsoleSettings;
  readonly client: Client;
  readonly logger: Logger;
  readonly limits?: ArrivalLimits;
  readonly registry?: Registry;
  readonly routes?: readonly Route[];
}

/** Forms are short. Forms with files (multipart/form-data) have separate limits. */
const MAX_FORM_BYTES = 256 * 1024;

/** A large document takes long to upload. Only people with a session can upload: it is checked before the body is read. */
const LIMITS = { headersMs: 10_000, requestMs: 10_000, uploadMs: 10 * 60_000 };

/** The time that a page waits for Temporal after a recent failure, in milliseconds. The client itself would try for 40 s. */
const UNAVAILABLE_MS = 2_000;

const MESSAGE_MS = 30_000;

interface Handling {
  readonly console: Console;
  readonly sessions: Sessions;
  readonly admission: Admission;
  readonly isReady: () => Promise<boolean>;
}

/** Starts the console. Its pages call updates and queries of the workflows. It stores nothing itself. */
export async function startConsole(options: ConsoleOptions) {
  const { url, close } = await listen(await consoleServer(options), options.settings);
  return { url, close: () => close().then(() => endQuestions(options.client)) };
}

export async function consoleServer(options: ConsoleOptions): Promise<FastifyInstance> {
  const { settings, client, logger, routes = ROUTES, registry = new Registry() } = options;
  const server = serverWithin(
    options.limits ?? LIMITS,
    pageOptions({ ...settings, maxFormBytes: MAX_FORM_BYTES, messages: FASTIFY_ERRORS }),
  );
  const isSecure = settings.url?.startsWith('https:') ?? false;
  const sessions = new Sessions({
    // Without a provider, the key encrypts only messages.
    keys: settings.sessionKeys.length > 0 ? settings.sessionKeys : [randomToken()],
    idleMs: settings.idleMs,
    maxMs: settings.sessionMaxMs,
    isSecure,
  });
  const console: Console = { settings, client, logger, audit: auditsTo(logger, registry) };
  logRequests(server, logger);
  measureRequests(server, registry, {
    total: 'gangway_console_requests_total',
    seconds: 'gangway_console_request_duration_seconds',
  });
  await preparePages(server, isSecure, {
    scriptSrc: ["'self'"],
    connectSrc: ["'self'"],
    imgSrc: ["'self'", 'data:'],
  });
  const isReady = temporalCheck(client);
  const { oidc } = settings;
  const provider = oidc && providerOf(oidc, () => originOf(server, settings));
  const atProvider = provider && { provider, sessions, logger };
  const isAccount = atProvider ? accountCheck(atProvider) : async () => true;
  const admission = await admitRequests(server, settings, sessions, async (session, ...http) => {
    const isOver = await inTime(client, isReady, () => hasEnded(client, session));
    return isOver || !(await isAccount(session, ...http));
  });
  const handling: Handling = { console, sessions, admission, isReady };
  handleErrors(server, handling);
  serveAssets(server, Object.values(ASSETS));
  healthRoutes(server, isReady);
  const end = (ended: Ended) => inTime(client, isReady, () => signOut(options, ended));
  if (atProvider) addSignIn(server, { ...admission, ...atProvider, end });
  for (const route of routes) addRoute(server, route, handling);
  return server;
}

/** Logs who saw or did what, and counts answers of each kind in the metrics. */
function auditsTo(logger: Logger, registry: Registry): Console['audit'] {
  const answers = new Counter({
    name: 'gangway_console_answers_total',
    help: 'Answers to requirements, by kind and by what the workflow did with them',
    labelNames: ['kind', 'result'],
    registers: [registry],
  });
  return (user: User, event: AuditEvent) => {
    const { what, detail = '', result } = event;
    if (result !== undefined) answers.inc({ kind: detail, result });
    logger.info({ audit: true, actor: user.actor, ...event }, what);
  };
}

/** The console is alive if it responds, and ready if Temporal is available. */
function healthRoutes(server: FastifyInstance, isReady: () => Promise<boolean>): void {
  server.get('/healthz', () => ({ status: 'ok' }));
  server.get('/readyz', async (_, reply) => {
    const ready = await isReady();
    return reply.code(ready ? 200 : 503).send({ temporal: ready ? 'ready' : 'unavailable' });
  });
}

function addRoute(server: FastifyInstance, route: Route, handling: Handling): void {
  const { method, path, role, part = false, multipart = false, keepsTyped = false, show } = route;
  const { console, sessions, admission, isReady } = handling;
  server.route({
    method,
    url: path,
    // This hook runs before the body is read.
    onRequest: async (request, reply) => {
      const session = admission.sessionOf(request);
      if (!session) {
        if (method === 'GET' && !part) return reply.redirect(signInFor(request), 303);
        throw new PageError(401, 'Your session has ended. Open the page again to sign in.');
      }
      const temporalError = admission.temporalErrorOf(request);
      if (temporalError && !keepsTyped) throw temporalError;
      requireRole(session, role);
      if (multipart) mayTakeLong(request);
    },
    handler: async (request, reply) => {
      const session = admission.sessionOf(request) as SessionData;
      const isForm = method === 'POST' && !multipart;
      if (isForm) admission.sessionOfForm(request);
      if (!part && console.settings.oidc) await sessions.write(reply, session);
      const context = contextOf(console, session, request, reply);
      const respond = () => (isForm ? handleOnce(context, () => show(context)) : show(context));
      const response = admission.temporalErrorOf(request)
        ? console.client.withDeadline(Date.now(), respond)
        : inTime(console.client, isReady, respond);
      return send(context, await response.catch(instead), sessions, () => waitingFor(context, handling));
    },
  });
}

/** Returns the number in the navigation; undefined if Temporal does not respond. */
async function waitingFor(context: RequestContext, { admission, isReady }: Handling) {
  if (admission.temporalErrorOf(context.request) || !(await isReady())) return undefined;
  return countWaiting(context);
}

function instead(error: unknown): RouteResponse {
  if (error instanceof Redirect) return { ...error.response, isProblem: true };
  throw error;
}

/** Calls Temporal, with a short deadline if it did not respond a moment ago. */
async function inTime<Result>(client: Client, isReady: () => Promise<boolean>, ask: () => Promise<Result>) {
  return (await isReady()) ? ask() : client.withDeadline(Date.now() + UNAVAILABLE_MS, ask);
}

/** @throws {PageError} if the sign-out cannot be recorded, so other consoles would not know it */
async function signOut({ settings: { taskQueue }, client }: ConsoleOptions, ended: Ended): Promise<void> {
  try {
    await recordSignOut(client, ended, taskQueue);
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    throw new PageError(503, 'Temporal does not respond, so you are still signed in. Try again in a moment.');
  }
}

function contextOf(
  console: Console,
  { actor, name, role, accounts, csrf }: SessionData,
  request: FastifyRequest,
  reply: FastifyReply,
): RequestContext {
  const user = { actor, name, role, accounts };
  return {
    ...console,
    user,
    csrf,
    request,
    reply,
    times: new Times({ TZ: request.cookies[ZONE_COOKIE] || 'UTC' }),
    fields: new Fields(request.method === 'GET' ? request.query : request.body),
    params: request.params as RequestContext['params'],
  };
}

async function send(
  context: RequestContext,
  response: RouteResponse,
  sessions: Sessions,
  countThem: () => Promise<number | undefined>,
): Promise<FastifyReply> {
  const { reply, request } = context;
  if ('to' in response) {
    if (response.message !== undefined)
      await sessions.keep(
        reply,
        'message',
        { text: response.message, isProblem: response.isProblem },
        MESSAGE_MS,
      );
    return reply.redirect(response.to, 303);
  }
  if ('file' in response) {
    const { file, fileName, contentType } = response;
    return reply
      .header('content-disposition', `attachment; filename*=UTF-8''${inHeader(fileName)}`)
      .type(contentType)
      .send(file);
  }
  reply.type('text/html; charset=utf-8');
  if ('part' in response) return reply.send(renderPart(context, response.part));
  reply.code(response.status ?? 200);
  const message = (await sessions.readEntry(request, 'message', MESSAGE_MS)) as Message | undefined;
  // If a script follows the redirect, nobody sees the page and its message.
  if (message && request.headers['sec-fetch-dest'] !== 'empty') sessions.forget(reply, 'message');
  const { title, waiting = await countThem() } = response;
  const frame = { title, context, message, path: routeOf(request), waiting, instead: pageOfForm(request) };
  return reply.send(renderConsolePage(frame, response.page));
}

const PAGES = new Set(ROUTES.flatMap(({ method, path, part }) => (method === 'GET' && !part ? path : [])));

/** Returns the address of a form's page. It replaces the form's in the history, because going back to a form's response fails. */
function pageOfForm(request: FastifyRequest): string | undefined {
  if (request.method !== 'POST') return undefined;
  const names = routeOf(request).split('/');
  while (names.length > 1 && !PAGES.has(names.join('/'))) names.pop();
  const path = request.url.split(/[?#]/, 1).join('').split('/').slice(0, names.length).join('/') || '/';
  const fields = new Fields(request.body);
  return withList(path, fields.names.includes(LIST) ? fields.text(LIST) : undefined);
}

/** Encodes a text for a header (RFC 8187): other characters as their UTF-8 bytes. */
function inHeader(text: string): string {
  return encodeURIComponent(Buffer.from(text).toString()).replace(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** Messages for Fastify's errors, by HTTP status. Some of Fastify's own messages quote the request, so pages never show them. */
const FASTIFY_ERRORS: Readonly<Record<number, string>> = {
  400: 'The request cannot be read.',
  408: 'The request took too long to arrive.',
  413: 'The request is too large.',
  415: 'The console accepts only forms.',
  429: 'There are too many requests. Wait a minute, and try again.',
  431: 'The headers of the request are too large. Delete the cookies of this page.',
};

/** Responds to every error with a page of one sentence. */
function handleErrors(server: FastifyInstance, handling: Handling): void {
  const { console, admission } = handling;
  const page = async (
    request: FastifyRequest,
    reply: FastifyReply,
    response: ReturnType<typeof errorPage>,
  ) => {
    const session = admission.sessionOf(request);
    const context = session && contextOf(console, session, request, reply);
    // A request with an unreadable address must not cause calls to Temporal.
    const mayCount = context && request.url !== UNREADABLE;
    const waiting = mayCount ? await waitingFor(context, handling) : undefined;
    const frame = { title: response.title, context, waiting, instead: pageOfForm(request) };
    return reply
      .code(response.status)
      .type('text/html; charset=utf-8')
      .send(renderConsolePage(frame, response.page));
  };
  server.setErrorHandler((error, request, reply) => {
    // A started stream cannot become an error page.
    if (reply.raw.headersSent) return reply.raw.destroy();
    return page(request, reply, shownError(console.logger, error));
  });
  server.setNotFoundHandler((request, reply) => {
    if (request.url === UNREADABLE) return page(request, reply, errorPage(400, FASTIFY_ERRORS[400] ?? ''));
    return page(request, reply, errorPage(404, 'There is no such page.'));
  });
}

function shownError(logger: Logger, error: unknown): ReturnType<typeof errorPage> {
  if (error instanceof PageError) return errorPage(error.status, error.message);
  if (error instanceof InvalidInput) return errorPage(422, error.report);
  if (error instanceof UnsearchableText) return errorPage(422, error.message);
  const sentence = sentenceOf(error);
  if (sentence !== undefined) {
    if (isDenied(error)) return errorPage(503, 'The workflow service refuses the console.', sentence);
    if (isUnavailable(error)) return errorPage(503, 'The workflow service does not respond.', sentence);
    return errorPage(error instanceof TemporalProblem && error.isUnavailable ? 503 : 409, sentence);
  }
  if (error instanceof StoreFailure) {
    logger.error({ reason: error.message }, 'the document store failed');
    return errorPage(503, `The document store failed: ${error.reason}. Nothing was changed.`);
  }
  const { statusCode = 500 } = error as { readonly statusCode?: number };
  const message = FASTIFY_ERRORS[statusCode];
  if (message !== undefined) return errorPage(statusCode, message);
  logger.error({ error }, 'a page could not be shown');
  return errorPage(500, 'The console has a bug. The log has the error.');
}
