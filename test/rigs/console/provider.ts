import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { SignJWT } from 'jose';
import Provider, { interactionPolicy } from 'oidc-provider';
import MemoryAdapter from 'oidc-provider/lib/adapters/memory_adapter.js';
import type { OidcSettings } from '../../../src/apps/console/settings.js';
import { listening } from '../listening.js';
import { testEnds, type Until } from '../shared.js';

/** A person at the identity provider. */
export interface Person {
  readonly sub: string;
  /** Default: no claim. */
  readonly name?: string;
  /** A text or a list. Default: no claim. */
  readonly roles?: unknown;
  readonly accounts?: unknown;
}

/** A real identity provider on loopback. Its sign-in page asks for the `sub` of a person, without a password. */
export interface RunningProvider {
  /** What the console needs to know of it. */
  readonly oidc: OidcSettings;
  /** The same as settings of a process. */
  readonly env: Readonly<Record<string, string>>;
  /** The paths that were requested, in their order. */
  readonly requested: string[];
  /** Whether it ends each connection without a response. */
  isUnavailable: boolean;
  /** Adds a person, or changes one. */
  add(person: Person): void;
  /** Ends an account. */
  remove(sub: string): void;
  /** A token as it tells a console that a person has signed out. `claims` override its own. */
  logoutToken(sub: string, claims?: object): Promise<string>;
  close(): Promise<void>;
}

export interface ProviderOptions {
  /** Default: false. Then the ID token has all claims. */
  readonly claimsInUserInfo?: boolean;
  /** What the console takes for its secret. Default: its secret. */
  readonly clientSecret?: string;
  /** How the console shows who it is, which is the only way that the provider accepts. Default: `client_secret_basic`. */
  readonly auth?: 'client_secret_basic' | 'client_secret_post' | 'none';
  /** Whether people can sign out. Default: true. */
  readonly hasSignOut?: boolean;
  /** Whether the console gets a refresh token, which works once. Default: true. */
  readonly hasRefresh?: boolean;
  /** Whether the provider has a userinfo endpoint. Default: true. */
  readonly hasUserInfo?: boolean;
}

const CLIENT_ID = 'gangway-console';
const CLIENT_SECRET = 'a-secret-of-the-console-at-its-provider';

/** The provider takes any port of a loopback address for the one of the console, as it does for each native client. */
const CONSOLE = 'http://127.0.0.1';

const HOUR_S = 3_600;

/** With a class of its own, the provider prints no warning about its default. */
class Store extends MemoryAdapter {}

export async function runProvider(
  options: ProviderOptions = {},
  until: Until = testEnds,
): Promise<RunningProvider> {
  const { claimsInUserInfo = false, clientSecret = CLIENT_SECRET, hasSignOut = true } = options;
  const { auth = 'client_secret_basic', hasRefresh = true, hasUserInfo = true } = options;
  const requested: string[] = [];
  const people = new Map<string, Person>();
  const server = createServer();
  const issuer = `http://${await listening(server, until)}`;
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const kid = randomUUID();
  const policy = interactionPolicy.base();
  policy.get('consent').checks.remove('native_client_prompt');
  const provider = new Provider(issuer, {
    adapter: Store,
    jwks: {
      keys: [{ ...privateKey.export({ format: 'jwk' }), alg: 'ES256', use: 'sig', kid }],
    },
    ttl: {
      AccessToken: HOUR_S,
      Grant: HOUR_S,
      IdToken: HOUR_S,
      Interaction: HOUR_S,
      RefreshToken: HOUR_S,
      Session: HOUR_S,
    },
    clients: [
      {
        client_id: CLIENT_ID,
        ...(auth !== 'none' && { client_secret: CLIENT_SECRET }),
        token_endpoint_auth_method: auth,
        application_type: 'native',
        grant_types: ['authorization_code', 'refresh_token'],
        id_token_signed_response_alg: 'ES256',
        redirect_uris: [`${CONSOLE}/sign-in/return`],
        ...(hasSignOut && { post_logout_redirect_uris: [`${CONSOLE}/signed-out`] }),
      },
    ],
    claims: { openid: ['sub'], profile: ['name', 'roles', 'accounts'] },
    scopes: ['openid', 'profile', 'email'],
    issueRefreshToken: async () => hasRefresh,
    rotateRefreshToken: true,
    conformIdTokenClaims: claimsInUserInfo,
    clientAuthMethods: [auth],
    cookies: { keys: [randomUUID()] },
    findAccount: (_: unknown, sub: string) => {
      const person = people.get(sub);
      return person && { accountId: sub, claims: () => person };
    },
    interactions: { policy, url: (_: unknown, { uid }: { readonly uid: string }) => `/people/${uid}` },
    // People are not asked whether the console may see their claims.
    async loadExistingGrant(context: GrantContext) {
      const { client, session, provider: own } = context.oidc;
      const grant = new own.Grant({ clientId: client.clientId, accountId: session.accountId });
      grant.addOIDCScope('openid profile email');
      await grant.save();
      return grant;
    },
    features: {
      devInteractions: { enabled: false },
      userinfo: { enabled: hasUserInfo },
      rpInitiatedLogout: {
        enabled: hasSignOut,
        logoutSource: (context: { body: string }, form: string) => {
          context.body = `<!doctype html><title>Sign out</title>${form}<button form="op.logoutForm" name="logout" value="yes">Sign out</button>`;
        },
      },
    },
  });
  const serve = provider.callback();
  server.on('request', (request, response) => {
    requested.push(new URL(request.url ?? '/', issuer).pathname);
    if (running.isUnavailable) request.socket.destroy();
    else if (request.url?.startsWith('/people/')) void signIn(provider, people, request, response);
    else serve(request, response);
  });
  const close = async () => {
    server.closeAllConnections();
    server.close();
  };
  const running: RunningProvider = {
    oidc: {
      issuer,
      clientId: CLIENT_ID,
      clientSecret,
      scope: 'openid profile email',
      rolesClaim: 'roles',
      accountsClaim: undefined,
    },
    env: {
      OIDC_ISSUER: issuer,
      OIDC_CLIENT_ID: CLIENT_ID,
      ...(auth !== 'none' && { OIDC_CLIENT_SECRET: clientSecret }),
    },
    requested,
    isUnavailable: false,
    add: (person) => void people.set(person.sub, person),
    remove: (sub) => void people.delete(sub),
    logoutToken: (sub, claims) =>
      new SignJWT({
        iss: issuer,
        aud: CLIENT_ID,
        sub,
        jti: randomUUID(),
        iat: Math.floor(Date.now() / 1_000),
        events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
        ...claims,
      })
        .setProtectedHeader({ alg: 'ES256', typ: 'logout+jwt', kid })
        .sign(privateKey),
    close,
  };
  return running;
}

interface GrantContext {
  readonly oidc: {
    readonly client: { readonly clientId: string };
    readonly session: { readonly accountId: string };
    readonly provider: {
      readonly Grant: new (of: object) => { addOIDCScope(scope: string): void; save(): Promise<string> };
    };
  };
}

/** A page with a button for each person. */
async function signIn(
  provider: Provider,
  people: ReadonlyMap<string, Person>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (request.method === 'POST') {
    const accountId = new URLSearchParams(await text(request)).get('sub') ?? '';
    const result = people.has(accountId) ? { login: { accountId } } : { error: 'access_denied' };
    return provider.interactionFinished(request, response, result);
  }
  const buttons = [...people.keys()].map((sub) => `<button name="sub" value="${sub}">${sub}</button>`);
  response
    .setHeader('content-type', 'text/html')
    .end(`<!doctype html><title>Sign in</title><form method="post">${buttons.join('')}</form>`);
}
