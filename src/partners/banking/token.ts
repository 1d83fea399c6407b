import { performance } from 'node:perf_hooks';
import { Secret, TOTP } from 'otpauth';
import type { z } from 'zod';
import { idempotent, type Operations, RESPONSE_BYTES } from '../catalogue.js';
import { type Credentials, type PartnerClient, partnerClient } from '../client.js';
import { openPlain } from '../field-schemas.js';
import type { Transport } from '../http.js';
import type { Connection } from '../partner.js';
import { PartnerError, type PartnerErrorDetails, problemsInBody } from '../partner-error.js';
import type { PartnerResponse, Unwrapped } from '../responses.js';
import { asksForCode } from './holder.js';
import { secondFactorRequest, tokenRequest } from './requests.js';
import { tokenResponse } from './responses.js';
import type { secondFactor } from './rules.js';

/** The operations that issue and renew a token. Only the client calls them. */
export const TOKEN_OPERATIONS = {
  issueToken: idempotent('POST /api/auth/v2', {
    repeats: 'signs in',
    reference: 'E1',
    summary: 'Issue a Bearer token for user name and password, in the user or the partner form',
    query: ['likev1'],
    anonymous: true,
    issuesCredential: true,
    inWorkflows: true,
    request: tokenRequest,
    response: tokenResponse,
    maxBytes: RESPONSE_BYTES.status,
  }),
  confirmSecondFactor: idempotent('POST /api/auth/v2/2Fac', {
    repeats: 'signs in',
    summary: 'Issue a Bearer token for user name, password and a one-time code',
    anonymous: true,
    issuesCredential: true,
    request: secondFactorRequest,
    response: tokenResponse,
    maxBytes: RESPONSE_BYTES.status,
  }),
  refreshToken: idempotent('POST /api/auth/refresh', {
    repeats: 'signs in',
    reference: 'E2',
    provenance: 'assumed',
    summary: 'Exchange a token that is about to expire for a new one',
    issuesCredential: true,
    inWorkflows: true,
    response: tokenResponse,
    maxBytes: RESPONSE_BYTES.status,
  }),
} satisfies Operations;

export interface OneTimeCode {
  readonly smsCode: string;
  readonly typeOperation: z.input<typeof secondFactor>;
}

const PERIOD_MS = 30_000;

/** Generates time-based codes (RFC 6238: SHA-1, 6 digits, 30 seconds), by the partner's clock once it is known. */
class TimeBasedCodes {
  readonly #totp: TOTP;
  #offsetMs = 0;

  /** @throws {TypeError} if the secret is not base32. The message does not repeat it. */
  constructor(secret: string) {
    const base32 = secret
      .replace(/[\s-]/g, '')
      .replace(/(?<!=)=+$/, '')
      .toUpperCase();
    if (!/^[A-Z2-7]+$/.test(base32)) throw new TypeError('the TOTP secret must be base32');
    this.#totp = new TOTP({ secret: Secret.fromBase32(base32) });
  }

  now(): OneTimeCode {
    const timestamp = Date.now() + this.#offsetMs;
    return { smsCode: this.#totp.generate({ timestamp }), typeOperation: 'TimeBasedCode' };
  }

  /** Adjusts to the partner's clock. Returns true if earlier codes were off by a period or more. */
  correct(serverDate: number): boolean {
    const offset = serverDate - Date.now();
    if (Number.isNaN(offset) || Math.abs(offset - this.#offsetMs) < PERIOD_MS) return false;
    this.#offsetMs = offset;
    return true;
  }
}

/** The identity that requests tokens, and its form of E1. */
export interface TokenSettings extends Pick<Connection, 'observe' | 'inspect'> {
  readonly username: string;
  readonly password: string;
  /** Identifies the calling device; for a partner, a label for the type of device. */
  readonly deviceToken: string;
  /** Names the device; for a partner, the calling application. */
  readonly deviceName: string;
  /** `partner` spells the fields NickName, Password, TokenDevice, NameDevice. */
  readonly form: 'user' | 'partner';
  /** Base32. If set, the client generates the second factor's codes, and nobody is asked for one. */
  readonly totpSecret?: string;
  /** Milliseconds of a monotonic clock. Default: `performance.now()`. */
  readonly now?: () => number;
}

/** How long a 403 is remembered, in milliseconds: the account is locked or suspended, or the second factor failed. */
const LOCKED_MS = 15 * 60_000;
/** How long a wrong user name or password is remembered, in milliseconds. */
const REFUSED_MS = 60_000;

/** The documented lifetime (docs/partner-apis.md#banking-rules), used if the lifetime in a response is not plausible. */
const LIFETIME_MS = 10 * 60_000;
const LONGEST_LIFETIME_MS = 24 * 60 * 60_000;
const RENEWED_AT = 0.8;
/** The interval between attempts to renew a token that is still valid, in milliseconds. */
const NEXT_ATTEMPT_MS = 10_000;

/** A token that is refused earlier than this after its issue has not expired, in milliseconds. */
const MIN_LIFE_MS = 60_000;
/** After such an early refusal, the minimum age of the next token before it is replaced, in milliseconds. Doubles each time. */
const TIMEOUT_MS = 2_000;

/** A token with its times, by {@link TokenSettings.now}. */
interface HeldToken {
  readonly credentials: Credentials;
  readonly issuedAt: number;
  readonly expiresAt: number;
  readonly neededPerson: boolean;
  renewAt: number;
}

/**
 * A banking client's bearer token. All callers share it; concurrent callers share one request, and it is renewed before it expires.
 * Its lifetime is the difference between `expiration` and `Date` in one response, both by the partner's clock, so a wrong clock on
 * our side does no harm.
 *
 * A refusal is remembered: until `forget`, a code, or the end of the cool-down, calls fail at once without a request, because each
 * attempt with a wrong password may count toward locking the account.
 */
export class BankingToken {
  readonly #now: () => number;
  readonly #codes: TimeBasedCodes | undefined;
  readonly #client: PartnerClient<typeof TOKEN_OPERATIONS>;
  #held: HeldToken | undefined;
  #flight: Promise<HeldToken> | undefined;
  #code: OneTimeCode | undefined;
  #pauseMs = 0;
  #refusal: { readonly details: PartnerErrorDetails; readonly until: number } | undefined;
  /** The latest request for a token. At most one is in flight. */
  #latest: { readonly date: number; readonly asksForCode: boolean } | undefined;

  /** @param headers headers of every call, besides the token. @throws {TypeError} if the TOTP secret is not base32. */
  constructor(
    private readonly system: string,
    private readonly settings: TokenSettings,
    http: Transport,
    private readonly headers: Credentials,
  ) {
    this.#now = settings.now ?? (() => performance.now());
    this.#codes = settings.totpSecret === undefined ? undefined : new TimeBasedCodes(settings.totpSecret);
    const protocol = {
      system,
      authorization: async () => this.#held?.credentials ?? headers,
      unwrap: (response: PartnerResponse) => this.#open(response),
      secrets: () => this.secrets(),
      observe: settings.observe,
      inspect: settings.inspect,
    };
    this.#client = partnerClient(TOKEN_OPERATIONS, protocol, http);
  }

  /** Returns headers with a valid token. Fetches or renews the token if necessary. @throws {PartnerError} if that fails. */
  async authorization(): Promise<Credentials> {
    const held = this.#held;
    if (held && this.#now() < held.renewAt) return held.credentials;
    try {
      return (await this.#renewed()).credentials;
    } catch (error) {
      const isStillGood = held && held === this.#held && this.#now() < held.expiresAt;
      if (!isStillGood) throw error;
      held.renewAt = Math.min(this.#now() + NEXT_ATTEMPT_MS, held.expiresAt);
      return held.credentials;
    }
  }

  /**
   * Returns headers with a new token after a 401. Callers with the same refused token share one request. If a bank allows one
   * session per user, each sign-in ends another process's session, which then signs in again. So if a token ends early, pauses
   * before the next sign-in.
   */
  async reauthorize(refused: Credentials, operation: string): Promise<Credentials> {
    const held = this.#held;
    if (held && held.credentials['authorization'] === refused['authorization']) {
      const ageMs = this.#now() - held.issuedAt;
      if (ageMs < this.#pauseMs) throw this.#ended(operation, this.#pauseMs - ageMs);
      const isEarly = ageMs < MIN_LIFE_MS;
      this.#pauseMs = isEarly ? Math.min(2 * this.#pauseMs || TIMEOUT_MS, MIN_LIFE_MS) : 0;
      this.#held = undefined;
    }
    return (this.#held ?? (await this.#renewed())).credentials;
  }

  useCode(code: string, typeOperation: OneTimeCode['typeOperation'] = 'ShortMessageCode'): void {
    this.#code = { smsCode: code, typeOperation };
    this.#refusal = undefined;
  }

  forget(): void {
    this.#pauseMs = 0;
    this.#held = undefined;
    this.#code = undefined;
    this.#refusal = undefined;
  }

  /**
   * Returns all secrets: password, device token, TOTP secret and current token. A password that equals the user name, as in the
   * sandbox, is not secret, and may be a word in a response.
   */
  secrets(): string[] {
    const { username, password, deviceToken, totpSecret = '' } = this.settings;
    const token = this.#held?.credentials['authorization']?.slice('Bearer '.length) ?? '';
    return [password === username ? '' : password, deviceToken, totpSecret, token];
  }

  #renewed(): Promise<HeldToken> {
    this.#flight ??= this.#obtain().finally(() => {
      this.#flight = undefined;
    });
    return this.#flight;
  }

  /** Gets a token: with E2 while the old one is valid, or if E1 would need a person; with E1 if E2 fails. */
  async #obtain(): Promise<HeldToken> {
    const held = this.#held;
    if (held && (held.neededPerson || this.#now() < held.expiresAt)) {
      const since = this.#now();
      const response = await this.#client.refreshToken({}).catch(() => undefined);
      if (response) return this.#hold(response, since, held.neededPerson);
    }
    return this.#issue();
  }

  async #issue(): Promise<HeldToken> {
    if (this.#refusal && this.#now() < this.#refusal.until) throw new PartnerError(this.#refusal.details);
    const since = this.#now();
    const code = this.#code;
    try {
      const response = await this.#ask(code);
      if (this.#code === code) this.#code = undefined;
      this.#refusal = undefined;
      return this.#hold(response, since, code !== undefined);
    } catch (error) {
      if (!(error instanceof PartnerError)) throw error;
      const wasUsed = error.kind !== 'NotSent' && error.kind !== 'RateLimited';
      if (wasUsed && this.#code === code) this.#code = undefined;
      throw this.#refused(error);
    }
  }

  async #ask(code: OneTimeCode | undefined) {
    const codes = code ? undefined : this.#codes;
    this.#latest = undefined;
    try {
      return await this.#client.issueToken(this.#request(code ?? codes?.now()));
    } catch (error) {
      // If our clock was wrong, the time-based code was too. The response has the right time.
      const wasRefused = error instanceof PartnerError && (error.status === 401 || error.status === 403);
      if (!wasRefused || !codes?.correct(this.#serverDate())) throw error;
      return await this.#client.issueToken(this.#request(codes.now()));
    }
  }

  #request(code: OneTimeCode | undefined) {
    const { username, password, deviceToken, deviceName, form } = this.settings;
    return form === 'partner'
      ? { NickName: username, Password: password, TokenDevice: deviceToken, NameDevice: deviceName, ...code }
      : { nickName: username, password, tokenDevice: deviceToken, nameDevice: deviceName, ...code };
  }

  #hold(response: z.output<typeof tokenResponse>, since: number, neededPerson: boolean): HeldToken {
    const life = this.#lifetime(response.expiration);
    this.#codes?.correct(this.#serverDate());
    this.#held = {
      credentials: { ...this.headers, authorization: `Bearer ${response.token}` },
      issuedAt: since,
      renewAt: since + life * RENEWED_AT,
      expiresAt: since + life,
      neededPerson,
    };
    return this.#held;
  }

  #lifetime(expiration: string | null): number {
    if (expiration === null) return LIFETIME_MS;
    const hasOffset = /(Z|[+-]\d\d:?\d\d)$/i.test(expiration);
    const life = Date.parse(hasOffset ? expiration : `${expiration}Z`) - this.#serverDate();
    return life > 0 && life <= LONGEST_LIFETIME_MS ? life : LIFETIME_MS;
  }

  /** Returns the partner's time in its latest response; NaN without a `Date`. */
  #serverDate(): number {
    return this.#latest?.date ?? Number.NaN;
  }

  #open(response: PartnerResponse): Unwrapped | undefined {
    const opened = openToken(response);
    const date = Date.parse(String(response.headers['date']));
    this.#latest = { date, asksForCode: asksForCode(response, opened) };
    return opened;
  }

  #ended(operation: string, leftMs: number): PartnerError {
    const reason =
      'HTTP 401 right after a sign-in that worked: another process or person ends our session, or this is not permitted';
    const call = { system: this.system, operation, unreadable: operation, retryAfterMs: Math.ceil(leftMs) };
    return new PartnerError({ ...call, kind: 'RateLimited', fields: [], reason });
  }

  /**
   * Returns the error for callers. Whatever E1 rejects (including 400 and 404), a person must check the credentials. It is a new
   * error, because the original's cause does not help the caller.
   */
  #refused(error: PartnerError): PartnerError {
    const { kind, ...details } = error.details;
    if (kind !== 'Rejected' && kind !== 'Unauthorized' && kind !== 'Forbidden') return error;
    const needsCode = !this.#codes && this.#latest?.asksForCode;
    const refusal = {
      ...details,
      kind: kind === 'Forbidden' ? ('Forbidden' as const) : ('Unauthorized' as const),
      ...(needsCode && { needs: 'one-time-code' as const }),
    };
    const until = this.#now() + (kind === 'Forbidden' ? LOCKED_MS : REFUSED_MS);
    this.#refusal = { details: refusal, until };
    return new PartnerError(refusal);
  }
}

/** Treats a 2xx with a message instead of a token, such as a captcha challenge, as a refused sign-in. */
function openToken(response: PartnerResponse): Unwrapped | undefined {
  const opened = openPlain(response);
  if (!opened || opened.failed || tokenResponse.safeParse(opened.payload).success) return opened;
  const fields = problemsInBody(opened.payload);
  return fields.length > 0 ? { failed: true, kind: 'Unauthorized', fields } : opened;
}
