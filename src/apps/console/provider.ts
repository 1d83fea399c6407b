import { createRemoteJWKSet, customFetch, errors, type JWTVerifyGetKey, jwtVerify } from 'jose';
import * as openid from 'openid-client';
import { z } from 'zod';
import { fetchThroughProxy } from '../../platform/http/proxy.js';
import { ALGORITHMS } from '../../platform/http/server.js';
import type { OidcSettings } from './settings.js';

/** The time limit for the provider's response, in seconds. */
const PROVIDER_SECONDS = 10;

/** The tolerated difference to the provider's clock, in seconds. */
const TOLERANCE_SECONDS = 5;

/** The event that a logout token must contain (OpenID Connect Back-Channel Logout 1.0). */
const LOGOUT = 'http://schemas.openid.net/event/backchannel-logout';

/** The state that the console stores while a person signs in at the provider. */
export const signInTransaction = z.strictObject({
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  to: z.string(),
});

/** A token for checking the account again at the provider. Without one, only a sign-in checks it. */
export const renewal = z.tuple([z.enum(['refresh', 'access']), z.string()]).optional();

type Renewal = z.output<typeof renewal>;

/** A person, as the provider describes them. */
export interface Person {
  readonly claims: Readonly<Record<string, unknown>>;
  readonly subject: string;
  readonly idToken: string | undefined;
  readonly renewal?: Renewal;
}

export type Provider = ReturnType<typeof providerOf>;

export const SIGN_IN_PATHS = {
  begin: '/sign-in',
  back: '/sign-in/return',
  end: '/sign-out',
  endAtProvider: '/sign-out/back-channel',
  ended: '/signed-out',
} as const;

/**
 * Signs people in by OpenID Connect: authorization code with PKCE, state and nonce. Discovers the provider at the first sign-in, and
 * again after a failure, so the console starts without it.
 */
export function providerOf(oidc: OidcSettings, consoleUrl: () => string) {
  let configuration: Promise<openid.Configuration> | undefined;
  let keys: JWTVerifyGetKey | undefined;
  const configured = () => {
    configuration ??= discovered(oidc).catch((error: unknown) => {
      configuration = undefined;
      throw error;
    });
    return configuration;
  };
  const personOf = async (
    configuration: openid.Configuration,
    { access_token: access, refresh_token: refresh, id_token: idToken }: Granted,
    subject: string,
    claims?: openid.IDToken,
  ): Promise<Person> => {
    if (claims && claims.sub !== subject) throw new TypeError('the ID token of another person');
    const wanted = [oidc.rolesClaim, oidc.accountsClaim ?? oidc.rolesClaim];
    const hasUserInfo = configuration.serverMetadata().userinfo_endpoint !== undefined;
    // Some providers leave such claims out of the ID token.
    const isComplete = !hasUserInfo || wanted.every((name) => claims && name in claims);
    const more = isComplete ? {} : await openid.fetchUserInfo(configuration, access, subject);
    const byAccess: Renewal = hasUserInfo ? ['access', access] : undefined;
    return {
      claims: { ...more, ...claims },
      subject,
      idToken,
      renewal: refresh === undefined ? byAccess : ['refresh', refresh],
    };
  };
  return {
    oidc,
    /** @returns the address at the provider, and the state to store until the person returns */
    async begin(to: string) {
      const verifier = openid.randomPKCECodeVerifier();
      const expected = { state: openid.randomState(), nonce: openid.randomNonce() };
      const url = openid.buildAuthorizationUrl(await configured(), {
        redirect_uri: consoleUrl() + SIGN_IN_PATHS.back,
        scope: oidc.scope,
        ...expected,
        code_challenge: await openid.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      });
      return { url, remembered: { ...expected, verifier, to } };
    },
    /** @param query the query of the address to which the provider redirected the person */
    async finish(
      query: string,
      { state, nonce, verifier }: z.output<typeof signInTransaction>,
    ): Promise<Person> {
      const configuration = await configured();
      const url = new URL(consoleUrl() + SIGN_IN_PATHS.back + query);
      const granted = await openid.authorizationCodeGrant(configuration, url, {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
      });
      const claims = granted.claims();
      if (!claims) throw new TypeError('no ID token');
      return personOf(configuration, granted, claims.sub, claims);
    },
    /** Checks the account of a signed-in person again. Fails with the provider's status if the account has ended. */
    async again(subject: string, [kind, token]: NonNullable<Renewal>): Promise<Person> {
      const configuration = await configured();
      if (kind === 'access') return personOf(configuration, { access_token: token }, subject);
      const granted = await openid.refreshTokenGrant(configuration, token);
      // The provider may return no new refresh token; the last one then stays valid.
      return personOf(configuration, { refresh_token: token, ...granted }, subject, granted.claims());
    },
    /** @returns the subject whose sessions end. Fails if the logout token is not from the provider, or not for this console */
    async signedOut(token: string): Promise<string> {
      const { issuer, jwks_uri: url = '' } = (await configured()).serverMetadata();
      keys ??= createRemoteJWKSet(new URL(url), { [customFetch]: fetchThroughProxy });
      const { payload } = await jwtVerify<{ events: object }>(token, keys, {
        issuer,
        audience: oidc.clientId,
        algorithms: ALGORITHMS,
        maxTokenAge: '5m',
        clockTolerance: TOLERANCE_SECONDS,
        requiredClaims: ['sub', 'events'],
      });
      // An ID token has a nonce. It must not end a session.
      if ('nonce' in payload || !Object.hasOwn(Object(payload.events), LOGOUT))
        throw new errors.JWTInvalid('no logout token');
      return payload.sub ?? '';
    },
    /** @returns undefined if the provider has no sign-out, or does not respond */
    async signOut(idToken: string | undefined) {
      const configuration = await configured().catch(() => undefined);
      if (!configuration?.serverMetadata().end_session_endpoint) return undefined;
      return openid.buildEndSessionUrl(configuration, {
        post_logout_redirect_uri: consoleUrl() + SIGN_IN_PATHS.ended,
        ...(idToken !== undefined && { id_token_hint: idToken }),
      });
    },
  };
}

type Granted = Pick<openid.TokenEndpointResponse, 'access_token' | 'refresh_token' | 'id_token'>;

function discovered({ issuer, clientId, clientSecret }: OidcSettings): Promise<openid.Configuration> {
  const url = new URL(issuer);
  // The settings accept http on loopback only.
  const insecure = url.protocol === 'http:' ? [openid.allowInsecureRequests] : [];
  return openid.discovery(
    url,
    clientId,
    { [openid.clockTolerance]: TOLERANCE_SECONDS },
    clientAuth(clientSecret),
    {
      execute: [openid.enableNonRepudiationChecks, ...insecure],
      timeout: PROVIDER_SECONDS,
      [openid.customFetch]: fetchThroughProxy,
    },
  );
}

/** Sends the secret in the `Authorization` header (the OpenID Connect default), unless the provider requires it in the body. */
function clientAuth(secret: string | undefined): openid.ClientAuth {
  if (secret === undefined) return openid.None();
  const [basic, post] = [openid.ClientSecretBasic(secret), openid.ClientSecretPost(secret)];
  return (server, ...rest) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    const chosen = methods.includes('client_secret_basic') ? basic : post;
    chosen(server, ...rest);
  };
}
