import { performance } from 'node:perf_hooks';
import { Secret, TOTP } from 'otpauth';
import type { z } from 'zod';
import { type Operations, RESPONSE_BYTES } from '../catalogue.js';
import {
  type Credentials,
  type Opened,
  type PartnerClient,
  type PartnerResponse,
  partnerClient,
} from '../client.js';
import { openPlain } from '../fields.js';
import type { PartnerHttp, PartnerObserver } from '../http.js';
import { PartnerError, type PartnerErrorDetails, problemsOf } from '../partner-error.js';
import { asksForCode } from './holder.js';
import { nothing, secondFactorRequest, tokenRequest } from './requests.js';
import { tokenResponse } from './responses.js';
import type { secondFactor } from './rules.js';

/** Asking for a token and renewing one. `token.ts` does both by itself, with the one-time code inside of E1. */
export const TOKEN_OPERATIONS = {
  issueToken: {
    reference: 'E1',
    summary: 'Issue a Bearer token for user name and password, in the user’s or the partner’s form',
    method: 'POST',
    path: '/api/auth/v2',
    query: ['likev1'],
    anonymous: true,
    effect: 'idempotent',
    issuesCredential: true,
    provenance: 'documented',
    request: tokenRequest,
    response: tokenResponse,
    maxBytes: RESPONSE_BYTES.status,
  },
  confirmSecondFactor: {
    summary: 'Issue a Bearer token for user name, password and a one-time code',
    method: 'POST',
    path: '/api/auth/v2/2Fac',
    anonymous: true,
    effect: 'idempotent',
    issuesCredential: true,
    provenance: 'assumed',
    request: secondFactorRequest,
    response: tokenResponse,
    maxBytes: RESPONSE_BYTES.status,
  },
  refreshToken: {
    reference: 'E2',
    summary: 'Issue a fresh token in exchange for one that is about to expire',
    method: 'POST',
    path: '/api/auth/refresh',
    effect: 'idempotent',
    issuesCredential: true,
    provenance: 'assumed',
    request: nothing,
    response: tokenResponse,
    maxBytes: RESPONSE_BYTES.status,
  },
} as const satisfies Operations;

/** A code of the second factor, as E1 takes it. */
export interface OneTimeCode {
  readonly smsCode: string;
  readonly typeOperation: z.input<typeof secondFactor>;
}

const PERIOD_MS = 30_000;

/** Time-based codes (RFC 6238: SHA-1, 6 digits, 30 seconds) by the partner's clock, once that is known. */
export class TimeBasedCodes {
  readonly #totp: TOTP;
  /** What is to be added to our clock. */
  #offsetMs = 0;

  /** @throws {TypeError} when the secret is not base32. The message does not repeat it. */
  constructor(secret: string) {
    const base32 = secret.replace(/[\s-]/g, '').replace(/=+$/, '').toUpperCase();
    if (!/^[A-Z2-7]+$/.test(base32)) throw new TypeError('the TOTP secret must be base32');
    this.#totp = new TOTP({ secret: Secret.fromBase32(base32) });
  }

  now(): OneTimeCode {
    const timestamp = Date.now() + this.#offsetMs;
    return { smsCode: this.#totp.generate({ timestamp }), typeOperation: 'TimeBasedCode' };
  }

  /** Takes over the partner's clock; true when codes were off by a period or more until now. */
  correct(serverDate: number): boolean {
    const offset = serverDate - Date.now();
    if (Number.isNaN(offset) || Math.abs(offset - this.#offsetMs) < PERIOD_MS) return false;
    this.#offsetMs = offset;
    return true;
  }
}

/** Who asks for tokens, and in which of the two forms of E1. */
export interface TokenSettings {
  readonly username: string;
  readonly password: string;
  /** Identifies the calling device; for a partner, a label of the type of device. */
  readonly deviceToken: string;
  /** Names the device; for a partner, identifies the calling application. */
  readonly deviceName: string;
  /** `partner` spells the members NickName, Password, TokenDevice, NameDevice. */
  readonly form: 'user' | 'partner';
  /** Asks for the format of version 1. */
  readonly likeV1?: boolean;
  /** Base32. Codes of the second factor are then made here, and nobody is asked. */
  readonly totpSecret?: string;
  /** How long a refusal is believed before the partner is asked again. */
  readonly coolDown?: Partial<CoolDown>;
  /** Milliseconds of a clock that nobody sets; default: `performance.now()`. */
  readonly now?: () => number;
  readonly observe?: PartnerObserver | undefined;
}

interface CoolDown {
  /** After a 403: the account is locked or suspended, or the second factor failed. */
  readonly lockedMs: number;
  /** After a wrong user name or password. */
  readonly refusedMs: number;
}

const COOL_DOWN: CoolDown = { lockedMs: 15 * 60_000, refusedMs: 60_000 };

/** Documented lifetime (apis/1, Limits), for when an answer does not tell or cannot be believed. */
const LIFETIME_MS = 10 * 60_000;
const LONGEST_LIFETIME_MS = 24 * 60 * 60_000;
const RENEWED_AT = 0.8;
/** Between two attempts to renew a token that is still good. */
const NEXT_ATTEMPT_MS = 10_000;

/** Times are those of {@link TokenSettings.now}. */
interface Held {
  readonly credentials: Credentials;
  readonly expiresAt: number;
  readonly neededPerson: boolean;
  renewAt: number;
}

/**
 * The Bearer token of a banking client: one for all callers, fetched once however many ask at the same time, renewed
 * ahead of its end, and seen by nobody else. How long it lives is told by its `expiration` and the `Date` of the same
 * answer, both by the partner's clock, so that a wrong clock of ours does no harm.
 *
 * A refusal is remembered: until `forget`, a code, or the end of the cool-down, calls fail at once and without network,
 * for each attempt with a wrong password may count towards locking the account.
 */
export class BankingToken {
  readonly #settings: TokenSettings;
  readonly #headers: Credentials;
  readonly #coolDown: CoolDown;
  readonly #now: () => number;
  readonly #codes: TimeBasedCodes | undefined;
  readonly #client: PartnerClient<typeof TOKEN_OPERATIONS>;
  #held: Held | undefined;
  #flight: Promise<Held> | undefined;
  #code: OneTimeCode | undefined;
  #refusal: { readonly details: PartnerErrorDetails; readonly until: number } | undefined;
  /** Of the latest answer about tokens; there is never more than one on its way. */
  #latest: { readonly date: number; readonly asksForCode: boolean } | undefined;

  /** @param headers sent beside the token with every call. @throws {TypeError} when the TOTP secret is not base32. */
  constructor(system: string, settings: TokenSettings, http: PartnerHttp, headers: Credentials) {
    this.#settings = settings;
    this.#headers = headers;
    this.#coolDown = { ...COOL_DOWN, ...settings.coolDown };
    this.#now = settings.now ?? (() => performance.now());
    this.#codes = settings.totpSecret === undefined ? undefined : new TimeBasedCodes(settings.totpSecret);
    const authorization = async () => this.#held?.credentials ?? headers;
    const open = (response: PartnerResponse) => this.#open(response);
    this.#client = partnerClient(
      TOKEN_OPERATIONS,
      { system, authorization, open, secrets: () => this.secrets(), observe: settings.observe },
      http,
    );
  }

  /** Headers with a token that is good, fetched or renewed if need be. @throws {PartnerError} when there is none. */
  async authorization(): Promise<Credentials> {
    const held = this.#held;
    if (held && this.#now() < held.renewAt) return held.credentials;
    try {
      return (await this.#renewed()).credentials;
    } catch (error) {
      const isStillGood = held && held === this.#held && this.#now() < held.expiresAt;
      if (!isStillGood) throw error;
      held.renewAt = this.#now() + NEXT_ATTEMPT_MS;
      return held.credentials;
    }
  }

  /** Headers with another token than the one that was answered with a 401; one fetch for all who were. */
  async reauthorize(refused: Credentials): Promise<Credentials> {
    if (this.#held?.credentials['authorization'] === refused['authorization']) this.#held = undefined;
    return (this.#held ?? (await this.#renewed())).credentials;
  }

  /** Gives the next attempt a one-time code that a person received, and lets that attempt be made. */
  useCode(code: string, typeOperation: OneTimeCode['typeOperation'] = 'ShortMessageCode'): void {
    this.#code = { smsCode: code, typeOperation };
    this.#refusal = undefined;
  }

  /** Drops the token, a code that was not used, and what is remembered of refusals. */
  forget(): void {
    this.#held = undefined;
    this.#code = undefined;
    this.#refusal = undefined;
  }

  /**
   * What must never be shown: password, device token, TOTP secret, and the token as long as it is held. A password that is the
   * user name, as in the sandbox, is no secret, and may be a word of a response.
   */
  secrets(): string[] {
    const { username, password, deviceToken, totpSecret = '' } = this.#settings;
    const token = this.#held?.credentials['authorization']?.slice('Bearer '.length) ?? '';
    return [password === username ? '' : password, deviceToken, totpSecret, token];
  }

  #renewed(): Promise<Held> {
    this.#flight ??= this.#obtain().finally(() => {
      this.#flight = undefined;
    });
    return this.#flight;
  }

  /** E2 while the token lives, and after that only where E1 would need a person; E1 when E2 fails. */
  async #obtain(): Promise<Held> {
    const held = this.#held;
    if (held && (held.neededPerson || this.#now() < held.expiresAt)) {
      const since = this.#now();
      const answer = await this.#client.refreshToken({}).catch(() => undefined);
      if (answer) return this.#hold(answer, since, held.neededPerson);
    }
    return this.#issue();
  }

  async #issue(): Promise<Held> {
    if (this.#refusal && this.#now() < this.#refusal.until) throw new PartnerError(this.#refusal.details);
    const since = this.#now();
    const code = this.#code;
    try {
      const answer = await this.#ask(code);
      if (this.#code === code) this.#code = undefined;
      this.#refusal = undefined;
      return this.#hold(answer, since, code !== undefined);
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
      // A time-based code of a clock that goes wrong: the refusal tells the right time.
      const wasRefused = error instanceof PartnerError && (error.status === 401 || error.status === 403);
      if (!wasRefused || !codes?.correct(this.#serverDate())) throw error;
      return await this.#client.issueToken(this.#request(codes.now()));
    }
  }

  #request(code: OneTimeCode | undefined) {
    const { username, password, deviceToken, deviceName, form, likeV1 } = this.#settings;
    const more = { ...(likeV1 && { likev1: true }), ...code };
    return form === 'partner'
      ? { NickName: username, Password: password, TokenDevice: deviceToken, NameDevice: deviceName, ...more }
      : { nickName: username, password, tokenDevice: deviceToken, nameDevice: deviceName, ...more };
  }

  #hold(answer: z.output<typeof tokenResponse>, since: number, neededPerson: boolean): Held {
    const life = this.#lifetime(answer.expiration);
    this.#codes?.correct(this.#serverDate());
    this.#held = {
      credentials: { ...this.#headers, authorization: `Bearer ${answer.token}` },
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

  /** By the partner's clock, when it answered last; NaN when it did not say. */
  #serverDate(): number {
    return this.#latest?.date ?? Number.NaN;
  }

  #open(response: PartnerResponse): Opened | undefined {
    const opened = openToken(response);
    const date = Date.parse(String(response.headers['date']));
    this.#latest = { date, asksForCode: asksForCode(response, opened) };
    return opened;
  }

  /**
   * What callers are told. Whatever E1 has against the request (400, 404 included), it is credentials that a person
   * must look at. The error is a new one, for what caused the other is of no use to them.
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
    const coolDown = kind === 'Forbidden' ? this.#coolDown.lockedMs : this.#coolDown.refusedMs;
    this.#refusal = { details: refusal, until: this.#now() + coolDown };
    return new PartnerError(refusal);
  }
}

/** A 2xx that has words instead of a token, such as those of a captcha challenge, refuses the sign-in. */
function openToken(response: PartnerResponse): Opened | undefined {
  const opened = openPlain(response);
  if (!opened || opened.failed || tokenResponse.safeParse(opened.payload).success) return opened;
  const fields = problemsOf(opened.payload);
  return fields.length > 0 ? { failed: true, kind: 'Unauthorized', fields } : opened;
}
