import { Secret, TOTP } from 'otpauth';
import type { z } from 'zod';
import type { secondFactor } from './rules.js';

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
