import type { AddressInfo } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isFormOfOthers } from '../../platform/http/html-server.js';
import { isHealthCheck, knownSecrets, limitRequests, routeOf } from '../../platform/http/server.js';
import { userName } from '../../services/texts/display-names.js';
import { isUnavailable } from '../../temporal/unavailable.js';
import { ASSETS } from './layout.js';
import { SIGN_IN_PATHS } from './provider.js';
import { PageError } from './route.js';
import { randomToken, type SessionData, type Sessions } from './session.js';
import type { ConsoleSettings } from './settings.js';

export type Admission = Awaited<ReturnType<typeof admitRequests>>;

/**
 * Checks each request before its handler runs: the host, the rate limit, and that no other site sent the form. Also finds the
 * request's session.
 */
export async function admitRequests(
  server: FastifyInstance,
  settings: ConsoleSettings,
  sessions: Sessions,
  hasEnded: (session: SessionData, request: FastifyRequest, reply: FastifyReply) => Promise<boolean>,
) {
  const local = settings.oidc ? undefined : localSession(settings);
  const sessionsByRequest = new WeakMap<FastifyRequest, SessionData | undefined>();
  const temporalErrors = new WeakMap<FastifyRequest, unknown>();
  server.addHook('onRequest', async (request) => {
    // Machines send health checks to an IP address. The responses contain nothing about onboardings.
    if (!isHealthCheck(request)) requireHost(request, hostsOf(server, settings));
    sessionsByRequest.set(request, local ?? (await sessions.read(request)));
  });
  await limitRequests(server, settings.requestsPerMinute, (request) => {
    const session = sessionsByRequest.get(request);
    return session ? `session ${session.csrf}` : `address ${request.ip}`;
  });
  server.addHook('onRequest', async (request) => {
    // Rejects early. The form's token is checked later in any case.
    if (isFormOfOthers(request, hostsOf(server, settings)))
      throw new PageError(403, 'The form is from another site. Open the page here.');
  });
  // This hook comes last, because it calls Temporal and the identity provider.
  server.addHook('onRequest', async (request, reply) => {
    const session = local || isOpen(request) ? undefined : sessionsByRequest.get(request);
    try {
      if (session && (await hasEnded(session, request, reply))) sessionsByRequest.delete(request);
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      temporalErrors.set(request, error);
    }
  });
  const sessionOf = (request: FastifyRequest) => sessionsByRequest.get(request);
  return {
    /** Returns the session of a request; undefined if the person has not signed in, or has signed out. */
    sessionOf,
    /** Returns Temporal's error if it did not respond, so nobody knows whether the session was ended. */
    temporalErrorOf: (request: FastifyRequest) => temporalErrors.get(request),
    /** Returns the session of a request. @throws {PageError} if the form is not from a page of this session */
    sessionOfForm(request: FastifyRequest) {
      const session = sessionOf(request);
      if (session) requireCsrf(request, session.csrf);
      return session;
    },
  };
}

// Keeps D2.
/** @throws {PageError} if a form is not from a page of this session */
export function requireCsrf({ body }: Pick<FastifyRequest, 'body'>, csrf: string): void {
  const token = (body as { readonly csrf?: unknown } | undefined | null)?.csrf;
  if (typeof token !== 'string' || knownSecrets([csrf])(token) !== 0)
    throw new PageError(403, 'This form has expired, or is not from this console. Open the page again.');
}

/** Returns the session that everyone on this machine shares if there is no identity provider. It ends with the process. */
function localSession({ person }: ConsoleSettings): SessionData {
  const own = { actor: userName(), name: userName(), role: 'admin', accounts: undefined } as const;
  const { actor, name, role, accounts } = person ?? own;
  const seen = accounts && { accounts: [...accounts] };
  return { actor, name, role, ...seen, csrf: randomToken(), since: Date.now() };
}

/** Reports whether the response to a request is the same without a session. */
function isOpen(request: FastifyRequest): boolean {
  return isHealthCheck(request) || OPEN_PATHS.includes(routeOf(request));
}

const OPEN_PATHS: readonly string[] = [
  ...Object.values(ASSETS).map(({ path }) => path),
  ...Object.values(SIGN_IN_PATHS),
];

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/** Returns the console's address in browsers, such as `https://console.example.com`. */
export function originOf(server: FastifyInstance, settings: ConsoleSettings): string {
  return new URL(settings.url ?? `http://${settings.host}:${portOf(server)}`).origin;
}

function hostsOf(server: FastifyInstance, settings: ConsoleSettings): string[] {
  if (settings.url !== undefined || settings.oidc) return [new URL(originOf(server, settings)).host];
  return [...LOOPBACK, settings.host].map((host) => new URL(`http://${host}:${portOf(server)}`).host);
}

function portOf({ server }: FastifyInstance): number {
  return (server.address() as AddressInfo).port;
}

/**
 * Prevents DNS rebinding: another site's name can resolve to this machine. The browser then treats the console as part of that site,
 * and sends the site's name as `Host`.
 */
function requireHost({ headers }: FastifyRequest, hosts: readonly string[]): void {
  if (hosts.includes(headers.host?.toLowerCase() ?? '')) return;
  throw new PageError(421, `The console is not at this address. Open ${hosts[0]} (CONSOLE_URL).`);
}
