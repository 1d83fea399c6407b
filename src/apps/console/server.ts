import { parse } from 'node:querystring';
import cookie from '@fastify/cookie';
import helmet from '@fastify/helmet';
import multipart from '@fastify/multipart';
import type { Client } from '@temporalio/client';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { Counter, Registry } from 'prom-client';
import { StoreFailure } from '../../platform/documents/file-store.js';
import { measureRequests } from '../../platform/http/metrics.js';
import {
  type ArrivalLimits,
  listen,
  logRequests,
  mayTakeLong,
  refusesUnreadable,
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
import { ASSETS, type Asset, errorPage, renderPage, renderPart } from './layout.js';
import { countWaiting } from './pages/inbox-filter.js';
import { ROUTES } from './pages/routes.js';
import { providerOf } from './provider.js';
import { Fields } from './query.js';
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

const FORM = 'application/x-www-form-urlencoded';

/** Forms are short. Files come as multipart/form-data, which has limits of its own. */
const MAX_FORM_BYTES = 256 * 1024;

/** A large document takes its time. Nobody sends one without a session: the session is checked before the body is read. */
const LIMITS = { headersMs: 10_000, requestMs: 10_000, uploadMs: 10 * 60_000 };

const UNREAD = { bytes: 16 * 1024 * 1024, ms: 5_000, checkMs: 20 };

/** Longer than any workflow id. */
const MAX_PARAM_LENGTH = 300;

/** The time that a page waits for Temporal after it has just failed to respond. The client itself would try for 40 s. */
const UNAVAILABLE_MS = 2_000;

const MESSAGE_MS = 30_000;

interface Handling {
  readonly console: Console;
  readonly sessions: Sessions;
  readonly admission: Admission;
  readonly isReady: () => Promise<boolean>;
}

/** Starts the console: pages over the updates and queries of the workflows, without a store of its own. */
export async function startConsole(options: ConsoleOptions) {
  const { url, close } = await listen(await consoleServer(options), options.settings);
  return { url, close: () => close().then(() => endQuestions(options.client)) };
}

export async function consoleServer(options: ConsoleOptions): Promise<FastifyInstance> {
  const { settings, client, logger, routes = ROUTES, registry = new Registry() } = options;
  const server = serverWithin(options.limits ?? LIMITS, {
    bodyLimit: MAX_FORM_BYTES,
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
    return503OnClosing: false,
    trustProxy: settings.trustedProxies.length > 0 && [...settings.trustedProxies],
    clientErrorHandler: refusesUnreadable((status) => ({
      title: 'Unreadable',
      contentType: 'text/plain; charset=utf-8',
      body: `${FASTIFY_ERRORS[status]}\n`,
    })),
    // A page has headers that only a request with a route gets.
    rewriteUrl: ({ url = '/' }) => (isReadable(url) ? url : '/unreadable'),
  });
  const isSecure = settings.url?.startsWith('https:') ?? false;
  const sessions = new Sessions({
    // Without a provider there are no sessions to encrypt, only messages.
    keys: settings.sessionKeys.length > 0 ? settings.sessionKeys : [randomToken()],
    idleMs: settings.idleMs,
    maxMs: settings.sessionMaxMs,
    isSecure,
  });
  const console: Console = { settings, client, logger, audit: auditsTo(logger, registry) };
  logRequests(server, logger);
  endUnread(server);
  measureRequests(server, registry, {
    total: 'gangway_console_requests_total',
    seconds: 'gangway_console_request_duration_seconds',
  });
  await protect(server, isSecure);
  await server.register(cookie);
  // Forms only: another site cannot send them in another form without the browser's question.
  server.removeAllContentTypeParsers();
  server.addContentTypeParser(FORM, { parseAs: 'string' }, async (_: unknown, form: string) =>
    parse(form, '&', '=', { maxKeys: 0 }),
  );
  // The limits are those of each route.
  await server.register(multipart);
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
  for (const asset of Object.values(ASSETS))
    server.get(asset.path, ({ headers }, reply) => sendAsset(reply, asset, headers['accept-encoding']));
  healthRoutes(server, isReady);
  const end = (ended: Ended) => inTime(client, isReady, () => signOut(options, ended));
  if (atProvider) addSignIn(server, { ...admission, ...atProvider, end });
  for (const route of routes) addRoute(server, route, handling);
  return server;
}

function sendAsset(reply: FastifyReply, { contentType, content, gzipped }: Asset, accepted = '') {
  const isZipped = /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/.test(accepted);
  if (isZipped) reply.header('content-encoding', 'gzip');
  return reply
    .headers({ 'cache-control': 'public, max-age=31536000, immutable', vary: 'accept-encoding' })
    .type(contentType)
    .send(isZipped ? gzipped : content);
}

/** The router itself would respond to what it cannot decode, and to a longer parameter, and quote it. */
function isReadable(url: string): boolean {
  try {
    decodeURIComponent(url);
    const [path = ''] = url.split('?');
    return path.split('/').every((part) => decodeURIComponent(part).length <= MAX_PARAM_LENGTH);
  } catch {
    return false;
  }
}

/**
 * A response may be ready before its request has arrived, such as the refusal of a large upload. Some browsers read the response only
 * when they have sent everything, so a little more is read and dropped. Then the connection ends.
 */
function endUnread(server: FastifyInstance): void {
  server.addHook('onResponse', async ({ raw }) => {
    if (raw.complete) return;
    const { socket } = raw;
    const [before, until] = [socket.bytesRead, Date.now() + UNREAD.ms];
    // Node drops what arrives now, so its events do not show how much there was.
    const timer = setInterval(() => {
      if (socket.bytesRead - before > UNREAD.bytes || Date.now() > until) socket.destroy();
      // The request may have closed already, and then no event would end this.
      if (raw.complete || socket.destroyed) clearInterval(timer);
    }, UNREAD.checkMs);
    raw.unpipe().resume();
  });
}

/** Nothing from elsewhere, no script in a page, no page in another one. */
async function protect(server: FastifyInstance, isSecure: boolean): Promise<void> {
  await server.register(helmet, {
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        ...{
          styleSrc: ["'self'"],
          scriptSrc: ["'self'"],
          connectSrc: ["'self'"],
          imgSrc: ["'self'", 'data:'],
        },
        ...{ formAction: ["'self'"], baseUri: ["'none'"], frameAncestors: ["'none'"] },
      },
    },
    referrerPolicy: { policy: 'no-referrer' },
    xFrameOptions: { action: 'deny' },
    strictTransportSecurity: isSecure,
    crossOriginEmbedderPolicy: false,
  });
}

/** The log has who saw or did what. The metrics have how many answers of each kind there were. */
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

/** The console is alive as long as it responds, and ready only while Temporal is available. */
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
    // Before the body is read.
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
      const mayCount = method === 'GET' && !part && !admission.temporalErrorOf(request);
      const waiting = mayCount && (await isReady()) ? countWaiting(context) : undefined;
      const respond = () => (isForm ? handleOnce(context, () => show(context)) : show(context));
      const response = admission.temporalErrorOf(request)
        ? console.client.withDeadline(Date.now(), respond)
        : inTime(console.client, isReady, respond);
      return send(context, await response.catch(instead), sessions, await waiting);
    },
  });
}

function instead(error: unknown): RouteResponse {
  if (error instanceof Redirect) return error.response;
  throw error;
}

/** Asks Temporal, and gives up early when it has not responded a moment ago. */
async function inTime<Result>(client: Client, isReady: () => Promise<boolean>, ask: () => Promise<Result>) {
  return (await isReady()) ? ask() : client.withDeadline(Date.now() + UNAVAILABLE_MS, ask);
}

/** @throws {PageError} when the sign-out would not hold at the other consoles */
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
    ...{ ...console, user, csrf, request, reply },
    times: new Times({ TZ: request.cookies[ZONE_COOKIE] }),
    fields: new Fields(request.method === 'GET' ? request.query : request.body),
    params: request.params as RequestContext['params'],
  };
}

async function send(
  context: RequestContext,
  response: RouteResponse,
  sessions: Sessions,
  waiting: number | undefined,
): Promise<FastifyReply> {
  const { reply, request } = context;
  if ('to' in response) {
    if (response.message !== undefined)
      await sessions.keep(reply, 'message', { text: response.message }, MESSAGE_MS);
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
  const message = (await sessions.readEntry(request, 'message', MESSAGE_MS)) as { text: string } | undefined;
  // A script that follows a redirect shows the page to nobody.
  if (message && request.headers['sec-fetch-dest'] !== 'empty') sessions.forget(reply, 'message');
  const frame = { title: response.title, context, message: message?.text, path: routeOf(request), waiting };
  return reply.send(renderPage(frame, response.page));
}

/** A text of a header by RFC 8187: any other character is in its UTF-8 bytes. */
function inHeader(text: string): string {
  return encodeURIComponent(Buffer.from(text).toString()).replace(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** Errors of Fastify by HTTP status. Its own messages are not shown, because some quote the request. */
const FASTIFY_ERRORS: Readonly<Record<number, string>> = {
  400: 'The request cannot be read.',
  408: 'The request took too long to arrive.',
  413: 'The request is too large.',
  415: 'The console accepts only forms.',
  429: 'There are too many requests. Wait a minute, and try again.',
  431: 'The headers of the request are too large. Delete the cookies of this page.',
};

/** Responds to every error with a page, which never shows more than a sentence. */
function handleErrors(server: FastifyInstance, { console, admission }: Handling): void {
  const page = (request: FastifyRequest, reply: FastifyReply, response: ReturnType<typeof errorPage>) => {
    const session = admission.sessionOf(request);
    const context = session && contextOf(console, session, request, reply);
    return reply
      .code(response.status)
      .type('text/html; charset=utf-8')
      .send(renderPage({ title: response.title, context }, response.page));
  };
  server.setErrorHandler((error, request, reply) => {
    // A stream that has begun cannot become an error page.
    if (reply.raw.headersSent) return reply.raw.destroy();
    return page(request, reply, shownError(console.logger, error));
  });
  server.setNotFoundHandler((request, reply) => {
    if (request.url === '/unreadable') return page(request, reply, errorPage(400, FASTIFY_ERRORS[400] ?? ''));
    return page(request, reply, errorPage(404, 'There is no such page.'));
  });
}

function shownError(logger: Logger, error: unknown): ReturnType<typeof errorPage> {
  if (error instanceof PageError) return errorPage(error.status, error.message);
  if (error instanceof InvalidInput) return errorPage(422, error.report);
  if (error instanceof UnsearchableText) return errorPage(422, error.message);
  const sentence = sentenceOf(error);
  if (sentence !== undefined) {
    const isLater =
      isUnavailable(error) || isDenied(error) || (error instanceof TemporalProblem && error.isUnavailable);
    return errorPage(isLater ? 503 : 409, sentence);
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
