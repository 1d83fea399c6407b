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

/** The operations that issue and renew a token. The client makes both calls itself, with the one-time code in E1. */
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

/** Time-based codes (RFC 6238: SHA-1, 6 digits, 30 seconds) by the partner's clock, once that is known. */
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

  /** Takes over the partner's clock; true if codes were wrong by a period or more until now. */
  correct(serverDate: number): boolean {
    const offset = serverDate - Date.now();
    if (Number.isNaN(offset) || Math.abs(offset - this.#offsetMs) < PERIOD_MS) return false;
    this.#offsetMs = offset;
    return true;
  }
}

/** The identity that requests tokens, and the form of E1 that it uses. */
export interface TokenSettings extends Pick<Connection, 'observe' | 'inspect'> {
  readonly username: string;
  readonly password: string;
  /** Identifies the calling device; for a partner, a label of the type of device. */
  readonly deviceToken: string;
  /** Names the device; for a partner, identifies the calling application. */
  readonly deviceName: string;
  /** `partner` spells the fields NickName, Password, TokenDevice, NameDevice. */
  readonly form: 'user' | 'partner';
  /** Base32. With it, codes of the second factor are generated here, and nobody is asked. */
  readonly totpSecret?: string;
  /** Milliseconds of a monotonic clock. Default: `performance.now()`. */
  readonly now?: () => number;
}

/** The time for which a refusal is remembered: after a 403, the account is locked or suspended, or the second factor failed. */
const LOCKED_MS = 15 * 60_000;
/** The same after a wrong user name or password. */
const REFUSED_MS = 60_000;

/** Documented lifetime (docs/partner-apis.md#banking-rules). It applies when the lifetime in a response is not plausible. */
const LIFETIME_MS = 10 * 60_000;
const LONGEST_LIFETIME_MS = 24 * 60 * 60_000;
const RENEWED_AT = 0.8;
/** Between two attempts to renew a token that is still valid. */
const NEXT_ATTEMPT_MS = 10_000;

/** A token that is refused sooner than this after it was issued, in milliseconds, has not expired. */
const SHORTEST_LIFE_MS = 60_000;
/** The age that the token after such a one has before it is replaced, in milliseconds. It doubles with each. */
const TIMEOUT_MS = 2_000;

/** Times are those of {@link TokenSettings.now}. */
interface Held {
  readonly credentials: Credentials;
  readonly issuedAt: number;
  readonly expiresAt: number;
  readonly neededPerson: boolean;
  renewAt: number;
}

/**
 * The Bearer token of a banking client: one for all callers, fetched once however many wait for it, renewed before it
 * expires, and visible to nothing else. Its lifetime is the difference of its `expiration` and the `Date` of the same
 * response, both by the partner's clock, so that a wrong clock on our side does no harm.
 *
 * A refusal is remembered: until `forget`, a code, or the end of the cool-down, calls fail at once and without network,
 * because each attempt with a wrong password may count towards locking the account.
 */
export class BankingToken {
  readonly #now: () => number;
  readonly #codes: TimeBasedCodes | undefined;
  readonly #client: PartnerClient<typeof TOKEN_OPERATIONS>;
  #held: Held | undefined;
  #flight: Promise<Held> | undefined;
  #code: OneTimeCode | undefined;
  #pauseMs = 0;
  #refusal: { readonly details: PartnerErrorDetails; readonly until: number } | undefined;
  /** The latest request for a token; there is never more than one at a time. */
  #latest: { readonly date: number; readonly asksForCode: boolean } | undefined;

  /** @param headers sent with every call, besides the token. @throws {TypeError} if the TOTP secret is not base32. */
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
      open: (response: PartnerResponse) => this.#open(response),
      secrets: () => this.secrets(),
      observe: settings.observe,
      inspect: settings.inspect,
    };
    this.#client = partnerClient(TOKEN_OPERATIONS, protocol, http);
  }

  /** Headers with a valid token, fetched or renewed if necessary. @throws {PartnerError} if there is none. */
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
   * Returns headers with a new token after a 401. Callers whose calls got the same token share one request. A bank may allow one
   * session per user: each sign-in then ends the session of another process, which signs in again. So after a token that ended early,
   * it pauses before it signs in again.
   */
  async reauthorize(refused: Credentials, operation: string): Promise<Credentials> {
    const held = this.#held;
    if (held && held.credentials['authorization'] === refused['authorization']) {
      const ageMs = this.#now() - held.issuedAt;
      if (ageMs < this.#pauseMs) throw this.#ended(operation, this.#pauseMs - ageMs);
      const isEarly = ageMs < SHORTEST_LIFE_MS;
      this.#pauseMs = isEarly ? Math.min(2 * this.#pauseMs || TIMEOUT_MS, SHORTEST_LIFE_MS) : 0;
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

  #renewed(): Promise<Held> {
    this.#flight ??= this.#obtain().finally(() => {
      this.#flight = undefined;
    });
    return this.#flight;
  }

  /** E2 while the token is valid, and after that only where E1 would need a person; E1 if E2 fails. */
  async #obtain(): Promise<Held> {
    const held = this.#held;
    if (held && (held.neededPerson || this.#now() < held.expiresAt)) {
      const since = this.#now();
      const response = await this.#client.refreshToken({}).catch(() => undefined);
      if (response) return this.#hold(response, since, held.neededPerson);
    }
    return this.#issue();
  }

  async #issue(): Promise<Held> {
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
      // A time-based code of a wrong clock: the response has the right time.
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

  #hold(response: z.output<typeof tokenResponse>, since: number, neededPerson: boolean): Held {
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

  /** The partner's clock in its latest response; NaN without a `Date`. */
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
   * The error that callers get. Whatever E1 rejects (400 and 404 included), a person must check the credentials. It is
   * a new error, because the cause of the other does not help the caller.
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

/** A 2xx with a message instead of a token, such as a captcha challenge, is a refused sign-in. */
function openToken(response: PartnerResponse): Unwrapped | undefined {
  const opened = openPlain(response);
  if (!opened || opened.failed || tokenResponse.safeParse(opened.payload).success) return opened;
  const fields = problemsInBody(opened.payload);
  return fields.length > 0 ? { failed: true, kind: 'Unauthorized', fields } : opened;
}
