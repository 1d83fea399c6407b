import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AuthorizationResponseError, ResponseBodyError, WWWAuthenticateChallengeError } from 'openid-client';
import type { Logger } from 'pino';
import type { ComponentChildren } from 'preact';
import { z } from 'zod';
import { looksLikeProgram, ROLES } from '../../messages/actors.js';
import { LONGEST, truncate } from '../../partners/text-limits.js';
import { errorKind, isAboutToken } from '../../platform/http/server.js';
import { harmless } from '../../services/texts/text.js';
import type { Ended } from '../../temporal/sign-outs.js';
import { renderConsolePage } from './layout.js';
import { type Person, type Provider, renewal, SIGN_IN_PATHS, signInTransaction } from './provider.js';
import { PageError, type Role } from './route.js';
import { randomToken, type SessionData, type Sessions } from './session.js';
import type { OidcSettings } from './settings.js';

const SIGN_IN_MS = 10 * 60_000;

/** The time after which a request checks the account again. Concurrent requests reuse the result for another minute. */
const CHECK_MS = 14 * 60_000;
const RESULT_MS = 60_000;

const LONGEST_NAME = 100;

/** A longer path would make the cookie too long. */
const LONGEST_PATH = 1_000;

/** Returns the address of the sign-in that then leads to the requested page. */
export function signInFor({ url }: Pick<FastifyRequest, 'url'>): string {
  const to = localPath(url);
  return to === '/' ? SIGN_IN_PATHS.begin : `${SIGN_IN_PATHS.begin}?to=${encodeURIComponent(to)}`;
}

/** Returns a path of this console, or the inbox for any other value, because another site may have set it. */
export function localPath(value: unknown): string {
  if (typeof value !== 'string' || value.length > LONGEST_PATH) return '/';
  // Browsers read a backslash as a slash, and skip tabs and line breaks.
  if (!/^\/(?![/\\])[^\\\p{Cc}]*$/u.test(value)) return '/';
  const base = 'http://console.invalid';
  const url = URL.parse(value, base);
  if (url?.origin !== base || isOfSignIn(url.pathname)) return '/';
  const path = url.pathname + url.search;
  return path.startsWith('//') || path.length > LONGEST_PATH ? '/' : path;
}

/** Reports whether a path belongs to the sign-in. Decodes it like the router, so `/%73ign-in` counts. */
function isOfSignIn(pathname: string): boolean {
  try {
    return Object.values<string>(SIGN_IN_PATHS).includes(decodeURIComponent(pathname));
  } catch {
    return true;
  }
}

/** @throws {PageError} with 403 if the person has no role, or may see no account */
export function sessionOf({ claims, subject, idToken }: Person, oidc: OidcSettings): SessionData {
  const { rolesClaim, accountsClaim } = oidc;
  const role = highestRole(claims[rolesClaim]);
  if (!role)
    throw new PageError(
      403,
      `You have no role in this console. Your claim ${rolesClaim} at the identity provider must have one of ${ROLES.join(', ')}. ` +
        'Ask the team that runs the provider, then sign in again.',
    );
  const accounts = accountsClaim === undefined ? undefined : accountsIn(claims[accountsClaim]);
  if (accounts?.length === 0)
    throw new PageError(
      403,
      `You cannot see any partner account. Your claim ${accountsClaim} at the identity provider must name one, or default for the ` +
        'account without a name. Ask the team that runs the provider, then sign in again.',
    );
  const { actor, name, id } = namesOf(claims, subject);
  return {
    actor,
    name: name || id,
    role,
    ...(accounts && { accounts }),
    csrf: randomToken(),
    ...(idToken !== undefined && { idToken }),
    since: Date.now(),
  };
}

function namesOf(claims: Person['claims'], subject: string) {
  // The final parentheses of an actor contain only the subject.
  const id = inOneLine(subject, LONGEST.line).replace(/[()]/g, '_');
  const name = typeof claims['name'] === 'string' ? inOneLine(claims['name'], LONGEST_NAME) : '';
  // The subject comes last in any case, because isSamePerson compares it. No name can pass for a program.
  const actor = name ? `${name} (${id})` : id;
  return { id, name, actor: looksLikeProgram(actor) ? id : actor };
}

/** @param claim a text, or a list of texts */
function highestRole(claim: unknown): Role | undefined {
  const values = [claim].flat();
  return ROLES.findLast((role) => values.includes(role));
}

/** @param claim a text, or a list of texts; `default` is the unnamed account */
function accountsIn(claim: unknown): string[] {
  const values = [claim].flat().filter((name) => typeof name === 'string' && name !== '');
  return values.map((name) => (name === 'default' ? '' : String(name)));
}

function inOneLine(text: string, longest: number): string {
  return truncate(harmless(text).replace(/\s+/g, ' ').trim(), longest);
}

interface ProviderOptions {
  readonly provider: Provider;
  readonly sessions: Sessions;
  readonly logger: Logger;
}

export interface SignInOptions extends ProviderOptions {
  /** Returns the session of a request. @throws {PageError} if the form is not from a page of this session */
  readonly sessionOfForm: (request: FastifyRequest) => SessionData | undefined;
  /** Ends a session, even for copies of its cookie, or ends all sessions of a person. */
  readonly end: (ended: Ended) => Promise<void>;
}

/** A session's account at the provider, and the time of its last check. */
const account = z.strictObject({ csrf: z.string(), subject: z.string(), renewal, checked: z.number() });

const rightsOf = ({ role, accounts }: SessionData) => JSON.stringify([role, accounts?.toSorted()]);

/** Stores the account in a cookie, without its token if the cookie would be too long. */
async function keepAccount(sessions: Sessions, reply: FastifyReply, session: SessionData, person: Person) {
  const short = { csrf: session.csrf, subject: person.subject, checked: Date.now() };
  const own = { ...short, renewal: person.renewal };
  await sessions.keep(reply, 'account', own, sessions.endOf(session) - Date.now(), short);
}

/**
 * Returns a function that reports whether a session's account still has its role and partner accounts at the provider. Concurrent
 * requests share one check, because a refresh token may work only once.
 */
export function accountCheck({ provider, sessions, logger }: ProviderOptions) {
  const results = new Map<string, Promise<Person | undefined>>();
  const check = async ({ subject, renewal }: z.output<typeof account>, session: SessionData) => {
    if (!renewal) return undefined;
    try {
      const person = await provider.again(subject, renewal);
      if (rightsOf(sessionOf(person, provider.oidc)) === rightsOf(session)) return person;
    } catch (error) {
      if (!isRefusal(error)) return explained(logger, session.actor)(error);
    }
    logger.info({ audit: true, actor: session.actor }, 'session ended by the identity provider');
    return undefined;
  };
  return async (session: SessionData, request: FastifyRequest, reply: FastifyReply): Promise<boolean> => {
    const cookie = await sessions.readEntry(request, 'account', Number.POSITIVE_INFINITY);
    const { data: last } = account.safeParse(cookie);
    if (last?.csrf !== session.csrf) return false;
    if (Date.now() < last.checked + CHECK_MS) return true;
    const key = `${last.csrf} ${last.checked}`;
    const result = results.get(key) ?? check(last, session);
    results.set(key, result);
    const forget = () => void results.delete(key);
    result.then(() => setTimeout(forget, RESULT_MS).unref(), forget);
    const person = await result;
    if (person) await keepAccount(sessions, reply, session, person);
    return person !== undefined;
  };
}

/** Reports whether the provider responded that the account has ended, or that it lacks a role. */
function isRefusal(error: unknown): boolean {
  const { status, cause } = error as { status?: number; cause?: { status?: number } };
  return [400, 401, 403].includes(status ?? cause?.status ?? 0);
}

/** Adds the routes of people who have not signed in: to the provider and back, and the sign-out. */
export function addSignIn(server: FastifyInstance, options: SignInOptions): void {
  const { provider, sessions, logger } = options;
  const { oidc } = provider;
  const beginSession = async (person: Person, reply: FastifyReply) => {
    const session = sessionOf(person, oidc);
    const claim = oidc.accountsClaim ?? 'name';
    if (!(await sessions.write(reply, session)))
      throw new PageError(403, `Your claim ${claim} is too long for a session. Ask for a shorter one.`);
    await keepAccount(sessions, reply, session, person);
    return session;
  };
  server.get(SIGN_IN_PATHS.begin, async (request, reply) => {
    const { to } = request.query as { readonly to?: unknown };
    const { url, remembered } = await provider.begin(localPath(to)).catch(explained(logger));
    await sessions.keep(reply, 'sign-in', remembered, SIGN_IN_MS);
    return goOn(reply, url, 'Sign in', 'Continue to the identity provider');
  });
  server.get(SIGN_IN_PATHS.back, async (request, reply) => {
    const remembered = signInTransaction.safeParse(await sessions.readEntry(request, 'sign-in', SIGN_IN_MS));
    sessions.forget(reply, 'sign-in');
    if (!remembered.success) {
      logger.info({ audit: true, actor: 'unknown' }, 'sign-in refused');
      throw new PageError(
        403,
        'This sign-in did not start in this browser, or took too long. Sign in again.',
      );
    }
    const { search } = new URL(request.url, 'http://console.invalid');
    const person = await provider.finish(search, remembered.data).catch(explained(logger));
    const session = await beginSession(person, reply).catch((error: unknown) => {
      logger.info({ audit: true, actor: namesOf(person.claims, person.subject).actor }, 'sign-in refused');
      throw error;
    });
    logger.info({ audit: true, actor: session.actor, role: session.role }, 'sign in');
    return reply.redirect(remembered.data.to, 303);
  });
  server.post(SIGN_IN_PATHS.end, async (request, reply) => {
    const session = options.sessionOfForm(request);
    if (!session) return reply.redirect(SIGN_IN_PATHS.ended, 303);
    await options.end(session);
    sessions.forget(reply, 'session');
    sessions.forget(reply, 'account');
    logger.info({ audit: true, actor: session.actor }, 'sign out');
    const url = await provider.signOut(session.idToken);
    if (!url) return reply.redirect(SIGN_IN_PATHS.ended, 303);
    return goOn(reply, url, 'Sign out', 'Continue to sign out at the identity provider');
  });
  server.post(SIGN_IN_PATHS.endAtProvider, async ({ body }, reply) => {
    const { logout_token: token } = (body ?? {}) as { readonly logout_token?: unknown };
    const subject = await provider.signedOut(String(token)).catch((error: unknown) => {
      if (!isAboutToken(error)) return explained(logger)(error);
      logger.warn({ audit: true, actor: 'unknown', kind: errorKind(error) }, 'logout token refused');
      throw new PageError(400, 'This is no logout token of the identity provider with a subject.');
    });
    const { actor } = namesOf({}, subject);
    await options.end({ actor });
    logger.info({ audit: true, actor }, 'sessions ended at the provider');
    return reply.send();
  });
  server.get(SIGN_IN_PATHS.ended, (_, reply) =>
    reply.type('text/html; charset=utf-8').send(
      plainPage(
        'Signed out',
        <p>
          You have signed out. The session has ended at every console, even for copies of its cookie.{' '}
          <a href={SIGN_IN_PATHS.begin}>Sign in again</a>
        </p>,
      ),
    ),
  );
}

/**
 * Sends a browser to the provider from a separate page. After a form, the content security policy (`form-action`) refuses a redirect
 * to another site, and every redirect after it.
 */
function goOn(reply: FastifyReply, { href }: URL, title: string, link: string): FastifyReply {
  const page = plainPage(
    title,
    <p>
      <a href={href}>{link}</a>
    </p>,
  );
  return reply.header('refresh', `0; url=${href}`).type('text/html; charset=utf-8').send(page);
}

function plainPage(title: string, content: ComponentChildren): string {
  return renderConsolePage(
    { title },
    <>
      <h1>{title}</h1>
      {content}
    </>,
  );
}

/** The library's error codes for a response with a wrong state, claim or time. */
const REFUSALS: readonly string[] = [
  'OAUTH_INVALID_RESPONSE',
  'OAUTH_JWT_CLAIM_COMPARISON_FAILED',
  'OAUTH_JWT_TIMESTAMP_CHECK_FAILED',
];

const REFUSED = 'The identity provider did not sign you in. Sign in again.';

/** Turns the provider's failure into an error page. Logs only its kind, because its message may quote a token or a code. */
function explained(logger: Logger, actor = 'unknown'): (error: unknown) => never {
  return (error) => {
    const [status, message] = explanationOf(error);
    const reason = error instanceof ResponseBodyError ? error.error : undefined;
    logger.warn(
      { audit: true, actor, kind: errorKind(error), ...(reason !== undefined && { reason }) },
      'sign-in failed',
    );
    throw new PageError(status, message);
  };
}

function explanationOf(error: unknown): [status: 403 | 503, message: string] {
  if (error instanceof AuthorizationResponseError) return [403, REFUSED];
  if (error instanceof ResponseBodyError && error.error === 'invalid_grant') return [403, REFUSED];
  if (error instanceof WWWAuthenticateChallengeError || error instanceof ResponseBodyError)
    return [
      503,
      'The identity provider does not accept this console. Its client id or secret (OIDC_CLIENT_ID) is wrong there or here.',
    ];
  const { code = '' } = error as { readonly code?: string };
  if (REFUSALS.includes(code)) return [403, REFUSED];
  return [503, 'The identity provider (OIDC_ISSUER) does not respond correctly. Try again in a moment.'];
}
