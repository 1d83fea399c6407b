import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import {
  AuthorizationResponseError,
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  buildEndSessionUrl,
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  type Configuration,
  calculatePKCECodeChallenge,
  clockTolerance,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
  None,
  ResponseBodyError,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
  WWWAuthenticateChallengeError,
} from 'openid-client';
import type { Logger } from 'pino';
import type { ComponentChildren } from 'preact';
import { z } from 'zod';
import { kindOf } from '../http/server.js';
import { LONGEST, shortened } from '../partners/bounds.js';
import { harmless } from '../texts/text.js';
import { pageWith } from './layout.js';
import { NotShown, ROLES, type Role } from './route.js';
import { type SessionData, type Sessions, unguessable } from './session.js';
import type { OidcSettings } from './settings.js';

const SIGN_IN_MS = 10 * 60_000;

/** The time limit for the provider's response, in seconds. */
const PROVIDER_SECONDS = 10;

/** The tolerated error of the provider's clock. */
const TOLERANCE_SECONDS = 5;

const LONGEST_NAME = 100;

/** A longer path would make the cookie too long. */
const LONGEST_PATH = 1_000;

/** The state that the console keeps while a person is at the provider. */
const transaction = z.strictObject({
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  to: z.string(),
});

export const SIGN_IN_PATHS = {
  begin: '/sign-in',
  back: '/sign-in/return',
  end: '/sign-out',
  ended: '/signed-out',
} as const;

/** The way to the sign-in, and after that to a page. */
export function signInFor({ url }: Pick<FastifyRequest, 'url'>): string {
  const to = localPath(url);
  return to === '/' ? SIGN_IN_PATHS.begin : `${SIGN_IN_PATHS.begin}?to=${encodeURIComponent(to)}`;
}

/** A page that may come from another site: a path of this console, or the inbox instead. */
export function localPath(given: unknown): string {
  if (typeof given !== 'string' || given.length > LONGEST_PATH) return '/';
  // Browsers read a backslash as a slash, and skip tabs and line ends.
  if (!/^\/(?![/\\])[^\\\p{Cc}]*$/u.test(given)) return '/';
  const base = 'http://console.invalid';
  const url = URL.parse(given, base);
  if (url?.origin !== base || isOfSignIn(url.pathname)) return '/';
  const path = url.pathname + url.search;
  return path.startsWith('//') ? '/' : path;
}

/** The router decodes a path, so `/%73ign-in` is one as well. */
function isOfSignIn(pathname: string): boolean {
  try {
    return Object.values<string>(SIGN_IN_PATHS).includes(decodeURIComponent(pathname));
  } catch {
    return true;
  }
}

/**
 * The identity provider, by OpenID Connect: authorization code with PKCE, state and nonce. Its addresses are read when they are first
 * needed, and again after a failure, so the console starts without it.
 */
function providerOf(oidc: OidcSettings, consoleUrl: () => string) {
  let found: Promise<Configuration> | undefined;
  const configured = () => {
    found ??= discovered(oidc).catch((error: unknown) => {
      found = undefined;
      throw error;
    });
    return found;
  };
  return {
    /** @returns the address at the provider, and what to remember until the person comes back */
    async begin(to: string) {
      const [state, nonce, verifier] = [randomState(), randomNonce(), randomPKCECodeVerifier()];
      const url = buildAuthorizationUrl(await configured(), {
        redirect_uri: consoleUrl() + SIGN_IN_PATHS.back,
        scope: oidc.scope,
        ...{ state, nonce, code_challenge: await calculatePKCECodeChallenge(verifier) },
        code_challenge_method: 'S256',
      });
      return { url, remembered: { state, nonce, verifier, to } };
    },
    /** @param query of the address that the provider sent the person back to */
    async finish(query: string, { state, nonce, verifier }: z.output<typeof transaction>) {
      const configuration = await configured();
      const url = new URL(consoleUrl() + SIGN_IN_PATHS.back + query);
      const tokens = await authorizationCodeGrant(configuration, url, {
        ...{ expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier },
        idTokenExpected: true,
      });
      const claims = tokens.claims();
      if (!claims) throw new TypeError('no ID token');
      const { rolesClaim, accountsClaim } = oidc;
      const isComplete = [rolesClaim, accountsClaim].every((name) => name === undefined || name in claims);
      // Some providers keep such claims out of the ID token.
      const more =
        isComplete || !configuration.serverMetadata().userinfo_endpoint
          ? {}
          : await fetchUserInfo(configuration, tokens.access_token, claims.sub);
      return { claims: { ...more, ...claims }, subject: claims.sub, idToken: tokens.id_token };
    },
    /** @returns undefined when the provider has no sign-out, or does not respond */
    async signOut(idToken: string | undefined) {
      const configuration = await configured().catch(() => undefined);
      if (!configuration?.serverMetadata().end_session_endpoint) return undefined;
      return buildEndSessionUrl(configuration, {
        post_logout_redirect_uri: consoleUrl() + SIGN_IN_PATHS.ended,
        ...(idToken !== undefined && { id_token_hint: idToken }),
      });
    },
  };
}

function discovered({ issuer, clientId, clientSecret }: OidcSettings): Promise<Configuration> {
  const url = new URL(issuer);
  // The settings accept http on loopback only.
  const insecure = url.protocol === 'http:' ? [allowInsecureRequests] : [];
  return discovery(url, clientId, { [clockTolerance]: TOLERANCE_SECONDS }, clientAuth(clientSecret), {
    execute: [enableNonRepudiationChecks, ...insecure],
    timeout: PROVIDER_SECONDS,
  });
}

/** Sends the secret in the header `Authorization`, which is the default of OpenID Connect, unless the provider wants it in the body. */
function clientAuth(secret: string | undefined): ClientAuth {
  if (secret === undefined) return None();
  const [basic, post] = [ClientSecretBasic(secret), ClientSecretPost(secret)];
  return (server, ...rest) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    const chosen = methods.includes('client_secret_basic') ? basic : post;
    chosen(server, ...rest);
  };
}

interface Person {
  readonly claims: Readonly<Record<string, unknown>>;
  readonly subject: string;
  readonly idToken: string | undefined;
}

/** @throws {NotShown} with 403 for a person without a role, or without an account that they may see */
export function sessionOf({ claims, subject, idToken }: Person, oidc: OidcSettings): SessionData {
  const { rolesClaim, accountsClaim } = oidc;
  const role = highestRole(claims[rolesClaim]);
  if (!role)
    throw new NotShown(
      403,
      `You have no role in this console. Your claim ${rolesClaim} at the identity provider must have one of ${ROLES.join(', ')}. ` +
        'Ask the team that runs the provider, then sign in again.',
    );
  const accounts = accountsClaim === undefined ? undefined : accountsIn(claims[accountsClaim]);
  if (accounts?.length === 0)
    throw new NotShown(
      403,
      `You cannot see any partner account. Your claim ${accountsClaim} at the identity provider must name one, or default for the ` +
        'account without a name. Ask the team that runs the provider, then sign in again.',
    );
  // The parentheses at the end of an actor hold the subject and nothing else.
  const id = inOneLine(subject, LONGEST.line).replace(/[()]/g, '_');
  const name = typeof claims['name'] === 'string' ? inOneLine(claims['name'], LONGEST_NAME) : '';
  return {
    // The subject comes last, whatever the name looks like: it is what isSamePerson compares.
    actor: name ? `${name} (${id})` : id,
    name: name || id,
    role,
    ...(accounts && { accounts }),
    csrf: unguessable(),
    ...(idToken !== undefined && { idToken }),
    since: Date.now(),
  };
}

/** @param claim a text, or a list of texts */
function highestRole(claim: unknown): Role | undefined {
  const given = [claim].flat();
  return ROLES.findLast((role) => given.includes(role));
}

/** @param claim a text, or a list of texts; `default` is the account without a name */
function accountsIn(claim: unknown): string[] {
  const given = [claim].flat().filter((name) => typeof name === 'string' && name !== '');
  return given.map((name) => (name === 'default' ? '' : String(name)));
}

function inOneLine(text: string, longest: number): string {
  return shortened(harmless(text).replace(/\s+/g, ' ').trim(), longest);
}

export interface SignInOptions {
  readonly oidc: OidcSettings;
  readonly sessions: Sessions;
  readonly logger: Logger;
  /** Address of the console in browsers, without a slash at its end. */
  readonly consoleUrl: () => string;
  /** The session of a request. @throws {NotShown} when the form is not from a page of it */
  readonly sessionOfForm: (request: FastifyRequest) => SessionData | undefined;
  /** Ends a session, including copies of its cookie. */
  readonly end: (session: SessionData) => Promise<void>;
}

/** Routes for people who have not signed in: the way to the provider and back, and the sign-out. */
export function addSignIn(server: FastifyInstance, options: SignInOptions): void {
  const { oidc, sessions, logger, consoleUrl } = options;
  const provider = providerOf(oidc, consoleUrl);
  server.get(SIGN_IN_PATHS.begin, async (request, reply) => {
    const { to } = request.query as { readonly to?: unknown };
    const { url, remembered } = await provider.begin(localPath(to)).catch(explained(logger));
    await sessions.keep(reply, 'sign-in', remembered, SIGN_IN_MS);
    return goOn(reply, url, 'Sign in', 'Continue to the identity provider');
  });
  server.get(SIGN_IN_PATHS.back, async (request, reply) => {
    const remembered = transaction.safeParse(await sessions.kept(request, 'sign-in', SIGN_IN_MS));
    sessions.forget(reply, 'sign-in');
    if (!remembered.success)
      throw new NotShown(403, 'This sign-in did not start in this browser, or took too long. Sign in again.');
    const { search } = new URL(request.url, 'http://console.invalid');
    const person = await provider.finish(search, remembered.data).catch(explained(logger));
    const session = sessionOf(person, oidc);
    await sessions.write(reply, session).catch((error: unknown) => {
      if (!(error instanceof RangeError)) throw error;
      throw new NotShown(
        403,
        `Your claim ${oidc.accountsClaim ?? 'name'} is too long for a session. Ask for a shorter one.`,
      );
    });
    logger.info({ audit: true, actor: session.actor, role: session.role }, 'sign in');
    return reply.redirect(remembered.data.to, 303);
  });
  server.post(SIGN_IN_PATHS.end, async (request, reply) => {
    const session = options.sessionOfForm(request);
    if (!session) return reply.redirect(SIGN_IN_PATHS.ended, 303);
    await options.end(session);
    sessions.forget(reply, 'session');
    logger.info({ audit: true, actor: session.actor }, 'sign out');
    const url = await provider.signOut(session.idToken);
    if (!url) return reply.redirect(SIGN_IN_PATHS.ended, 303);
    return goOn(reply, url, 'Sign out', 'Continue to sign out at the identity provider');
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
 * Sends a browser to the provider from a page of its own. A redirect would not do: after a form, `form-action` of the content security
 * policy refuses a redirect to another place, and also each redirect from there.
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
  return pageWith(
    { title },
    <>
      <h1>{title}</h1>
      {content}
    </>,
  );
}

/** Codes of the library: the state, a claim or a time in a response is wrong. */
const REFUSALS: readonly string[] = [
  'OAUTH_INVALID_RESPONSE',
  'OAUTH_JWT_CLAIM_COMPARISON_FAILED',
  'OAUTH_JWT_TIMESTAMP_CHECK_FAILED',
];

const REFUSED = 'The identity provider did not sign you in. Sign in again.';

/** Turns a failure of the provider into a page. The log has the kind of the failure: messages may quote a token or a code. */
function explained(logger: Logger): (error: unknown) => never {
  return (error) => {
    const [status, message] = explanationOf(error);
    const reason = error instanceof ResponseBodyError ? error.error : undefined;
    logger.warn({ kind: kindOf(error), ...(reason !== undefined && { reason }) }, 'sign-in failed');
    throw new NotShown(status, message);
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
