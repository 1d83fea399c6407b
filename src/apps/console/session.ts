import { createHash, randomBytes } from 'node:crypto';
import type { CookieSerializeOptions } from '@fastify/cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { EncryptJWT, errors, jwtDecrypt } from 'jose';
import { z } from 'zod';
import { ROLES } from '../../messages/actors.js';

const sessionData = z.strictObject({
  actor: z.string(),
  name: z.string(),
  role: z.enum(ROLES),
  accounts: z.array(z.string()).optional(),
  csrf: z.string(),
  /** For the sign-out at the provider. Absent if it would make the cookie too long. */
  idToken: z.string().optional(),
  /** The time of the sign-in, in milliseconds since 1970. */
  since: z.number(),
});

export type SessionData = z.output<typeof sessionData>;

export interface SessionRules {
  /** The first key encrypts. All keys decrypt. */
  readonly keys: readonly string[];
  readonly idleMs: number;
  readonly maxMs: number;
  readonly isSecure: boolean;
}

/** The purposes of encrypted values. A value for one purpose is never accepted for another. */
type Purpose = 'session' | 'account' | 'sign-in' | 'message';

/** Browsers accept cookies with this prefix only from this host, over https. */
const SECURE_PREFIX = '__Host-';

/** The maximum size of a cookie's name and value that every browser stores, in bytes. */
const MAX_COOKIE_BYTES = 4_096;

/**
 * Encrypted cookies: JWE with AES-256-GCM. A session ends after `idleMs` without a request, and after `maxMs` in any case. Browsers
 * send the cookies only to the console. They are `SameSite=Lax`, because the provider returns people by a link.
 */
export class Sessions {
  readonly #keys: readonly Uint8Array[];
  readonly #options: CookieSerializeOptions;

  constructor(private readonly rules: SessionRules) {
    this.#keys = rules.keys.map((key) => createHash('sha256').update(key).digest());
    this.#options = { path: '/', httpOnly: true, sameSite: 'lax', secure: rules.isSecure };
  }

  /** @returns undefined if there is no valid cookie, or if the session has expired */
  async read(request: FastifyRequest): Promise<SessionData | undefined> {
    const entry = await this.#unsealed(request.cookies[this.#nameOf('session')], 'session');
    const session = sessionData.safeParse(entry?.value);
    if (!entry || !session.success) return undefined;
    const endsAt = Math.min(entry.at + this.rules.idleMs, this.endOf(session.data));
    return Date.now() < endsAt ? session.data : undefined;
  }

  /**
   * Starts or extends a session.
   *
   * @returns false if a browser would not store it, even without the ID token
   */
  write(reply: FastifyReply, session: SessionData): Promise<boolean> {
    const { idToken: _, ...short } = session;
    const maxAgeMs = Math.min(this.endOf(session) - Date.now(), this.rules.idleMs);
    return this.keep(reply, 'session', session, maxAgeMs, short);
  }

  endOf({ since }: SessionData): number {
    return since + this.rules.maxMs;
  }

  /**
   * @param shorter the value to store if `value` is too long for browsers
   * @returns false if both are too long
   */
  async keep(reply: FastifyReply, purpose: Purpose, value: object, maxAgeMs: number, shorter = value) {
    const name = this.#nameOf(purpose);
    for (const each of [value, shorter]) {
      const sealed = await this.#sealed(purpose, each);
      if (name.length + sealed.length > MAX_COOKIE_BYTES) continue;
      reply.setCookie(name, sealed, { ...this.#options, maxAge: Math.ceil(maxAgeMs / 1_000) });
      return true;
    }
    return false;
  }

  /** @returns the value that {@link keep} stored; undefined if it is too old, for another purpose, or not from this console */
  async readEntry({ cookies }: FastifyRequest, purpose: Purpose, maxAgeMs: number): Promise<unknown> {
    const entry = await this.#unsealed(cookies[this.#nameOf(purpose)], purpose);
    return entry && Date.now() < entry.at + maxAgeMs ? entry.value : undefined;
  }

  forget(reply: FastifyReply, purpose: Purpose): void {
    reply.clearCookie(this.#nameOf(purpose), this.#options);
  }

  #nameOf(purpose: Purpose): string {
    return `${this.rules.isSecure ? SECURE_PREFIX : ''}gangway-${purpose}`;
  }

  #sealed(purpose: Purpose, value: object): Promise<string> {
    const [key = new Uint8Array()] = this.#keys;
    return new EncryptJWT({ value, at: Date.now() })
      .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
      .setAudience(purpose)
      .encrypt(key);
  }

  async #unsealed(sealed: string | undefined, purpose: Purpose) {
    if (sealed === undefined) return undefined;
    for (const key of this.#keys) {
      try {
        const { payload } = await jwtDecrypt<{ value: unknown; at: number }>(sealed, key, {
          audience: purpose,
          contentEncryptionAlgorithms: ['A256GCM'],
          keyManagementAlgorithms: ['dir'],
        });
        return payload;
      } catch (error) {
        if (!(error instanceof errors.JOSEError)) throw error;
      }
    }
    return undefined;
  }
}

export function randomToken(): string {
  return randomBytes(32).toString('base64url');
}
