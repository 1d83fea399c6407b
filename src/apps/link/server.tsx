import { randomBytes } from 'node:crypto';
import type { MultipartFile } from '@fastify/multipart';
import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { VNode } from 'preact';
import { Registry } from 'prom-client';
import {
  asset,
  isFormOfOthers,
  pageOptions,
  preparePages,
  serveAssets,
} from '../../platform/http/html-server.js';
import { measureRequests } from '../../platform/http/metrics.js';
import {
  type ArrivalLimits,
  errorKind,
  isHealthCheck,
  listen,
  logRequests,
  mayTakeLong,
  refusedBeyond,
  routeOf,
  serverWithin,
} from '../../platform/http/server.js';
import {
  Failure,
  type FieldErrors,
  type Filled,
  type Key,
  type Link,
  LinkApi,
  type Question,
} from './api.js';
import {
  LIMITS,
  LinkPage,
  type LinkProps,
  linkPageView,
  type Notice,
  ProblemText,
  renderLinkPage,
  SCRIPT_HASH,
  STYLE_SHEET,
  titleOf,
} from './pages.js';
import type { LinkSettings } from './settings.js';
import { type Language, languageIn, textIn } from './texts.js';

export interface LinkServerOptions {
  readonly settings: LinkSettings;
  readonly logger: Logger;
  readonly limits?: ArrivalLimits;
  readonly registry?: Registry;
}

/** Enough for a phone, which sends the largest file in two minutes at 1 Mbit/s. */
const ARRIVAL = { headersMs: 10_000, requestMs: 10_000, uploadMs: 5 * 60_000 };
const MAX_FORM_BYTES = 256 * 1024;
const MAX_FILE_BYTES = LIMITS.mebibytes * 1024 * 1024;
/** A form with the largest file, and the lines around it. */
const MAX_UPLOAD_BYTES = MAX_FILE_BYTES + 64 * 1024;

const LINK = '/a/:name/:token';
const NAME = /^L-[a-z0-9]{16}$/;
const SECRET = /^[\w-]{43}$/;
/** The cookie of a visitor who has entered the code, without which the API shows nothing. */
const SESSION = 'link-session';

/** Messages for requests that never reach a page, so their language is unknown. */
const MESSAGES = {
  400: 'The request cannot be read.',
  408: 'The request took too long to arrive.',
  431: 'The headers of the request are too large. Delete the cookies of this page.',
};

/** The policy of the logo, which is a document if opened alone. It has its own styles, and runs no scripts. */
const LOGO_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

/** Starts the merchant's page: a client of the HTTP API that reads one question and sends proposals for its answer. */
export async function startLinkServer(options: LinkServerOptions) {
  return listen(await linkServer(options), options.settings);
}

export async function linkServer(options: LinkServerOptions): Promise<FastifyInstance> {
  const { settings, logger, registry = new Registry() } = options;
  const { url, logo } = settings;
  const arrival = options.limits ?? ARRIVAL;
  const page = { ...settings, maxFormBytes: MAX_FORM_BYTES, messages: MESSAGES };
  const server = serverWithin(arrival, pageOptions(page));
  const isSecure = url.protocol === 'https:';
  const api = new LinkApi(settings.api, logger);
  const languages = new WeakMap<FastifyRequest, Language>();
  logRequests(server, logger);
  measureRequests(server, registry, {
    total: 'gangway_link_requests_total',
    seconds: 'gangway_link_request_duration_seconds',
  });
  await preparePages(server, isSecure, { imgSrc: ["'self'"], scriptSrc: [SCRIPT_HASH] });
  await admit(server, settings);

  const logoFile = logo && asset(logo.name, logo.type, logo.content);
  serveAssets(server, [STYLE_SHEET]);
  if (logoFile) serveAssets(server, [logoFile], { 'content-security-policy': LOGO_POLICY });

  const view = (request: FastifyRequest) => {
    const language = languages.get(request) ?? languageIn(request.headers['accept-language']);
    return linkPageView(settings, { language, path: pathOf(request), logoPath: logoFile?.path });
  };
  const send = (
    request: FastifyRequest,
    reply: FastifyReply,
    status: number,
    title: string,
    children: VNode,
  ) => {
    const html = renderLinkPage(view(request), title, children, request.method === 'POST');
    return reply.code(status).type('text/html; charset=utf-8').send(html);
  };
  const read = async (request: FastifyRequest): Promise<Link> => {
    const link = await api.read(keyOf(request));
    languages.set(request, link.language);
    return link;
  };
  const show = (
    request: FastifyRequest,
    reply: FastifyReply,
    link: Link,
    more: Pick<LinkProps, 'notice' | 'typed' | 'errors'> = {},
  ) => {
    const isChange = 'change' in (request.query as object) || Object.keys(more).length > 0;
    const props = { view: view(request), link, isChange, ...more };
    const status = more.errors ? 422 : (more.notice?.status ?? 200);
    return send(request, reply, status, titleOf(props), <LinkPage {...props} />);
  };

  server.setErrorHandler((error, request, reply) => {
    // A response that has begun cannot become an error page.
    if (reply.raw.headersSent) return reply.raw.destroy();
    const { status, isUnsure, retryAfterS } = shown(error, request, logger);
    // The link has closed in the meantime. Its page says why.
    if (status === 409 && pathOf(request)) return reply.redirect(pathOf(request), 303);
    const isLater = status >= 500 || status === 429;
    const text = status === 404 ? 'missing' : isLater ? (isUnsure ? 'unsure' : 'later') : 'refused';
    if (isLater) reply.header('retry-after', retryAfterS);
    const action = routeOf(request).replace(LINK, pathOf(request));
    const props = { view: view(request), text, action, values: [...fieldsOf(request)] } as const;
    return send(request, reply, status, props.view.say(text), <ProblemText {...props} />);
  });
  server.setNotFoundHandler((request, reply) => {
    const props = { view: view(request), text: 'missing', action: '', values: [] } as const;
    return send(request, reply, 404, props.view.say(props.text), <ProblemText {...props} />);
  });

  // The page itself says that the API is unavailable, so the process is ready as soon as it is alive.
  for (const path of ['/healthz', '/readyz']) server.get(path, () => ({ status: 'ok' }));
  server.get('/favicon.ico', (_, reply) => reply.code(204).send());
  // Mail scanners open links, so this changes nothing.
  server.get(LINK, async (request, reply) => {
    const link = await read(request);
    const isWrong = 'wrong' in (request.query as object) && link.state === 'code';
    return show(request, reply, link, isWrong ? { notice: { text: 'codeWrong' } } : {});
  });

  const form = (
    action: string,
    receive: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>,
  ) => server.post(`${LINK}/${action}`, receive);
  form('begin', async (request, reply) => {
    await api.begin(keyOf(request));
    return reply.redirect(pathOf(request), 303);
  });
  form('enter', async (request, reply) => {
    const key = keyOf(request);
    const code = (fieldsOf(request).get('code') ?? '').replace(/[\s-]/g, '');
    const session = key.session ?? randomBytes(32).toString('base64url');
    // An input that cannot be a code does not count as an attempt.
    const isCode = /^\d{6}$/.test(code);
    const { state } = isCode ? await api.enter({ ...key, session }, code) : { state: 'code' };
    const cookie = { path: `/a/${key.name}`, httpOnly: true, sameSite: 'lax', secure: isSecure } as const;
    if (state !== 'code' && state !== 'closed') reply.setCookie(SESSION, session, cookie);
    return reply.redirect(`${pathOf(request)}${state === 'code' ? '?wrong' : ''}`, 303);
  });
  /** Both buttons send the complete form, so neither loses typed text or the chosen file. */
  const receive = async (request: FastifyRequest, reply: FastifyReply, isSend: boolean) => {
    const before = await read(request);
    if (!('wants' in before)) return show(request, reply, before, { notice: NOT_RECEIVED });
    const stored = await store(request, reply, before, (name, file) =>
      api.upload(keyOf(request), name, file, arrival.uploadMs ?? arrival.requestMs),
    );
    const typed = filledIn(before.wants, fieldsOf(request));
    if (stored && 'text' in stored) return show(request, reply, before, { typed, notice: stored });
    const link = stored ? { ...before, documents: [...before.documents, stored] } : before;
    if (!isSend) {
      const notice = stored ? ({ text: 'arrived', file: stored.fileName } as const) : NO_FILE;
      return show(request, reply, link, { typed, notice });
    }
    const errors = errorsIn(typed, link);
    if (errors.length > 0) return show(request, reply, link, { typed, errors });
    try {
      await api.propose(keyOf(request), typed);
      return reply.redirect(pathOf(request), 303);
    } catch (error) {
      if (!(error instanceof Failure && error.errors.length > 0)) throw error;
      return show(request, reply, link, { typed, errors: refusedFields(error.errors, link) });
    }
  };
  for (const action of ['begin', 'enter', 'propose', 'documents']) {
    // A phone, or going back, requests a form's address without the form.
    server.get(`${LINK}/${action}`, (request, reply) => {
      keyOf(request);
      return reply.redirect(`${pathOf(request)}?change`, 303);
    });
  }
  for (const action of ['propose', 'documents'])
    form(action, (request, reply) =>
      receive(request, reply, action === 'propose').catch(async (error: unknown) => {
        if (!(error instanceof Failure && error.status === 409)) throw error;
        const link = await read(request);
        const typed = 'wants' in link ? { typed: filledIn(link.wants, fieldsOf(request)) } : {};
        return show(request, reply, link, { ...typed, notice: NOT_RECEIVED });
      }),
    );
  return server;
}

/** Checks each request before its body is read: rate, host and origin. */
async function admit(server: FastifyInstance, { url, requestsPerMinute: max }: LinkSettings): Promise<void> {
  await server.register(rateLimit, { global: false, max, timeWindow: 60_000, allowList: isHealthCheck });
  // Many people on a phone network share an address, but a link belongs to one.
  const limits = [
    server.createRateLimit(),
    server.createRateLimit({ keyGenerator: (request) => pathOf(request).slice(0, 21) || request.ip }),
  ];
  server.addHook('onRequest', async (request, reply) => {
    reply.header('x-robots-tag', 'noindex');
    if (isHealthCheck(request)) return;
    for (const check of limits) {
      const result = await check(request);
      if (!result.isAllowed && result.isExceeded) throw new Failure(429, false, [], result.ttlInSeconds);
    }
    if (request.headers.host?.toLowerCase() !== url.host) throw new Failure(421);
    if (isFormOfOthers(request, [url.host])) throw new Failure(403);
  });
}

/** @throws {Failure} if the address does not lead to a link */
function keyOf(request: FastifyRequest): Key {
  const { name = '', token = '' } = request.params as Record<string, string | undefined>;
  if (!NAME.test(name) || !SECRET.test(token)) throw new Failure(404);
  const session = request.cookies[SESSION];
  return { name, token, ...(session && SECRET.test(session) && { session }) };
}

/** Builds the path of a link from its parts, because the browser may have sent a different one. Empty if there is none. */
function pathOf({ params }: FastifyRequest): string {
  const { name = '', token = '' } = (params ?? {}) as Record<string, string | undefined>;
  return NAME.test(name) && SECRET.test(token) ? `/a/${name}/${token}` : '';
}

function fieldsOf({ body }: FastifyRequest): URLSearchParams {
  if (body instanceof URLSearchParams) return body;
  const fields = Object.entries((body ?? {}) as Record<string, string | string[]>);
  return new URLSearchParams(fields.flatMap(([name, value]) => [value].flat().map((each) => [name, each])));
}

function filledIn(wants: Question['wants'], sent: URLSearchParams): Filled {
  // A browser sends each line break as two characters, but counts one.
  const textOf = (name: string) => (sent.get(name) ?? '').replaceAll('\r\n', '\n').trim();
  const remark = textOf('remark');
  if (wants.kind === 'text') return { text: textOf('text'), remark };
  if (wants.kind === 'documents')
    return { documents: sent.getAll('document').map(Number).filter(Number.isInteger), remark };
  const values = wants.fields.map(({ name }) => [name, textOf(`field:${name}`)]);
  return { values: Object.fromEntries(values.filter(([, value]) => value)), remark };
}

function errorsIn(
  { text, documents, values = {}, remark }: Filled,
  { language, wants, revision, documents: stored }: Question,
): FieldErrors {
  const texts = [
    ['text', text, LIMITS.text] as const,
    ['remark', remark, LIMITS.remark] as const,
    ...Object.entries(values).map(([name, value]) => [name, value, LIMITS.field] as const),
  ];
  const long = texts.filter(([, value = '', most]) => value.length > most);
  const errors = long.map(([field]) => ({ field, message: textIn(language, 'tooLong', {}) }));
  const none = stored.length > 0 ? 'needDocument' : 'needFile';
  if (documents?.length === 0) errors.push({ field: 'documents', message: textIn(language, none, {}) });
  if (documents && documents.length > LIMITS.sent)
    errors.push({ field: 'documents', message: textIn(language, 'manyDocuments', { most: LIMITS.sent }) });
  const [first] = wants.kind === 'fields' ? wants.fields : [];
  if (revision >= LIMITS.revisions)
    errors.push({ field: 'remark', message: textIn(language, 'tooOften', {}) });
  if (!documents && !text && Object.keys(values).length === 0)
    errors.push({ field: first?.name ?? 'text', message: textIn(language, 'needText', {}) });
  return errors;
}

/** Assigns the API's problems to the requested fields, because the API may name a part of one. */
function refusedFields(errors: FieldErrors, { language, wants }: Question): FieldErrors {
  const names = wants.kind === 'fields' ? wants.fields.map(({ name }) => name) : [];
  return errors.map(({ field, message }) => ({
    field: names.find((name) => `${field}.`.startsWith(`${name}.`)) ?? field,
    message: language === 'en' ? message : textIn(language, 'check', {}),
  }));
}

const NOT_RECEIVED = { text: 'notReceived', status: 409 } as const;
const NO_FILE = { text: 'needFile', status: 422 } as const;

type Stored = Question['documents'][number];
type Upload = (fileName: string, file: AsyncIterable<Buffer>) => Promise<Stored>;

/**
 * Reads a form whose file follows its fields, and streams the file to the API. The fields become the request's body, with the
 * document marked among them.
 *
 * @returns the document, or the reason why there is none; undefined if no file was chosen
 */
async function store(
  request: FastifyRequest,
  reply: FastifyReply,
  { documents }: Question,
  upload: Upload,
): Promise<Stored | Notice | undefined> {
  if (!request.isMultipart()) return undefined;
  mayTakeLong(request);
  const tooMuch = new Error('the form is too large');
  const refused = refusedBeyond(request, reply, MAX_UPLOAD_BYTES, tooMuch);
  const limits = { fileSize: MAX_FILE_BYTES, files: 1, fields: 30, fieldSize: 4_096, headerPairs: 20 };
  const parts = request.parts({ limits });
  const fields = new URLSearchParams();
  request.body = fields;
  let part: MultipartFile | undefined;
  const because = (text: Notice['text'], status: number) => ({
    text,
    status,
    file: part?.filename?.slice(-200) ?? '',
  });
  try {
    while (!part) {
      const { value } = await Promise.race([parts.next(), refused]);
      if (!value) return undefined;
      if (value.type === 'file') part = value;
      else fields.append(value.fieldname, String(value.value));
    }
    // Browsers send a file without a name if a person has chosen none.
    if (!part.filename) return undefined;
    if (documents.length >= LIMITS.files) return because('manyFiles', 413);
    if (Number(request.headers['content-length'] ?? 0) > MAX_UPLOAD_BYTES) return because('largeFile', 413);
    const stored = await Promise.race([upload(part.filename, whole(part.file)), refused]);
    fields.append('document', `${stored.id}`);
    return stored;
  } catch (error) {
    const { status } = error as { readonly status?: unknown };
    if (error === tooMuch || part?.file.truncated || status === 413) return because('largeFile', 413);
    if (error instanceof Failure && (status === 415 || status === 422))
      return because(reasonIn(error.errors), error.status);
    if (!(error instanceof Failure) || part?.file.errored) return because('brokenFile', 400);
    // The store is unavailable, or too many uploads are in progress.
    if (!error.isUnsure && status === 503) return because('brokenFile', 503);
    throw error;
  }
}

/** Returns why the API refuses a file. */
function reasonIn([{ field, message } = { field: '', message: '' }]: FieldErrors): Notice['text'] {
  if (field === 'document') return 'manyFiles';
  if (message === 'is empty') return 'emptyFile';
  return message.startsWith('is not a complete') ? 'damagedFile' : 'badFile';
}

/** Fails for a file that is too large. The parser would truncate it without an error. */
async function* whole(file: MultipartFile['file']): AsyncGenerator<Buffer> {
  yield* file as AsyncIterable<Buffer>;
  if (file.truncated) throw new Error('the file is too large');
}

function shown(error: unknown, { method }: FastifyRequest, logger: Logger): Failure {
  if (error instanceof Failure) return error;
  const { statusCode = 500 } = error as { readonly statusCode?: number };
  if (statusCode >= 500) logger.error({ kind: errorKind(error) }, 'a page could not be shown');
  return new Failure(Math.min(statusCode, 500), method === 'POST');
}
