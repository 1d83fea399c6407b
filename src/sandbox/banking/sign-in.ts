import { randomUUID } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';
import type { z } from 'zod';
import type { tokenRequest } from '../../partners/banking/requests.js';
import { Refusal } from '../refusal.js';
import { BANKING_USERS, type BankingUser } from './users.js';

/** Base32, of the user `mfa` and of every confirmation by a time-based code. */
export const TOTP_SECRET = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP';

/** What every text message says. */
export const SHORT_MESSAGE_CODE = '000000';

/** Documented lifetime of a token (apis/1, Limits). */
export const TOKEN_LIFETIME_MS = 10 * 60_000;

const totp = new TOTP({ secret: Secret.fromBase32(TOTP_SECRET) });

/** E1 and E2: who signs in, and the tokens that are out. */
export class SignIn {
  readonly #tokens = new Map<string, { readonly user: BankingUser; readonly expiresAt: number }>();

  /** @param now by the partner's clock */
  constructor(
    private readonly now: () => number,
    private readonly tokenLifetimeMs: number,
    private readonly password?: string,
  ) {}

  /**
   * E1, and the second factor by itself.
   *
   * @param needsCode whoever signs in; default: users with a second factor
   */
  signIn(request: z.output<typeof tokenRequest>, needsCode = false) {
    const isPartnerForm = 'NickName' in request;
    const name = isPartnerForm ? request.NickName : request.nickName;
    const password = isPartnerForm ? request.Password : request.password;
    const user = BANKING_USERS.find((one) => one.name === name);
    if (!user) throw new Refusal(404, 'User not found');
    if (password !== (this.password ?? name)) throw new Refusal(401, 'Wrong nickName or password');
    if (user.isLocked) throw new Refusal(403, 'The account is locked');
    if ((needsCode || user.needsSecondFactor) && !this.isCode(request.smsCode, request.typeOperation)) {
      throw new Refusal(403, 'The multi-factor code is missing or wrong');
    }
    return this.issue(user, request.likev1);
  }

  /** Whether a one-time code is right, by the partner's clock; a period too early or too late is right as well. */
  isCode(code: string | null | undefined, kind: string | null | undefined): boolean {
    if (kind === 'ShortMessageCode') return code === SHORT_MESSAGE_CODE;
    return typeof code === 'string' && totp.validate({ token: code, timestamp: this.now() }) !== null;
  }

  /** A fresh token. That version 1 did not tell the user is assumed. */
  issue(user: BankingUser, likeV1 = false) {
    const token = randomUUID();
    const expiresAt = this.now() + this.tokenLifetimeMs;
    this.#tokens.set(token, { user, expiresAt });
    const answer = { token, expiration: new Date(expiresAt).toISOString() };
    return likeV1 ? answer : { ...answer, userId: user.userId };
  }

  /** The user whom an `Authorization` header stands for; undefined when its token is missing, unknown or too old. */
  userOf(authorization: string | undefined): BankingUser | undefined {
    const token = /^Bearer (\S+)$/i.exec(authorization ?? '')?.[1] ?? '';
    const issued = this.#tokens.get(token);
    if (issued && issued.expiresAt > this.now()) return issued.user;
    this.#tokens.delete(token);
    return undefined;
  }
}
