import { createHash, randomBytes } from 'node:crypto';
import type { CookieSerializeOptions } from '@fastify/cookie';
import { type Client, WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { EncryptJWT, errors, jwtDecrypt } from 'jose';
import { z } from 'zod';
import { isNotFound } from '../temporal/unavailable.js';
import { ROLES } from './route.js';

const sessionData = z.strictObject({
  actor: z.string(),
  name: z.string(),
  role: z.enum(ROLES),
  accounts: z.array(z.string()).optional(),
  csrf: z.string(),
  /** For the sign-out at the provider; left out where the cookie would be too long. */
  idToken: z.string().optional(),
  /** The time of the sign-in, in milliseconds since 1970. */
  since: z.number(),
});

export type SessionData = z.output<typeof sessionData>;

export interface SessionRules {
  /** The first encrypts, each decrypts. */
  readonly keys: readonly string[];
  readonly idleMs: number;
  readonly maxMs: number;
  readonly isSecure: boolean;
}

/** The purposes of encrypted values. A value of one purpose is never accepted for another. */
type Purpose = 'session' | 'sign-in' | 'message';

/** Cookies with this prefix come only from this host, over https. */
const SECURE_PREFIX = '__Host-';

/** The size of a cookie, name and value, that every browser stores, in bytes. */
const MAX_COOKIE_BYTES = 4_096;

/**
 * Encrypted cookies: JWE with AES-256-GCM. A session ends when no request came for `idleMs`, and after `maxMs` in any case.
 * Browsers send the cookies to pages of the console only (`SameSite=Lax`: the provider sends people back by a link).
 */
export class Sessions {
  readonly #keys: readonly Uint8Array[];
  readonly #options: CookieSerializeOptions;

  constructor(private readonly rules: SessionRules) {
    this.#keys = rules.keys.map((key) => createHash('sha256').update(key).digest());
    this.#options = { path: '/', httpOnly: true, sameSite: 'lax', secure: rules.isSecure };
  }

  /** @returns undefined without a valid cookie, and for a session that has ended by itself */
  async read(request: FastifyRequest): Promise<SessionData | undefined> {
    const found = await this.#unsealed(request.cookies[this.#nameOf('session')], 'session');
    const session = sessionData.safeParse(found?.value);
    if (!found || !session.success) return undefined;
    const endsAt = Math.min(found.at + this.rules.idleMs, this.endOf(session.data));
    return Date.now() < endsAt ? session.data : undefined;
  }

  /**
   * Starts a session, or extends it.
   *
   * @throws {RangeError} when a browser would not store it, even without the ID token
   */
  async write(reply: FastifyReply, session: SessionData): Promise<void> {
    const { idToken: _, ...short } = session;
    const left = this.endOf(session) - Date.now();
    const maxAgeMs = Math.min(left, this.rules.idleMs);
    for (const data of [session, short]) {
      const value = await this.#sealed('session', data);
      if (this.#nameOf('session').length + value.length > MAX_COOKIE_BYTES) continue;
      this.#set(reply, 'session', value, maxAgeMs);
      return;
    }
    throw new RangeError('the session is too long for a cookie');
  }

  endOf({ since }: SessionData): number {
    return since + this.rules.maxMs;
  }

  async keep(reply: FastifyReply, purpose: Purpose, value: object, maxAgeMs: number): Promise<void> {
    this.#set(reply, purpose, await this.#sealed(purpose, value), maxAgeMs);
  }

  /** @returns what {@link keep} has kept; undefined for a value that is older, for another purpose, or not from here */
  async kept({ cookies }: FastifyRequest, purpose: Purpose, maxAgeMs: number): Promise<unknown> {
    const found = await this.#unsealed(cookies[this.#nameOf(purpose)], purpose);
    return found && Date.now() < found.at + maxAgeMs ? found.value : undefined;
  }

  forget(reply: FastifyReply, purpose: Purpose): void {
    reply.clearCookie(this.#nameOf(purpose), this.#options);
  }

  #nameOf(purpose: Purpose): string {
    return `${this.rules.isSecure ? SECURE_PREFIX : ''}gangway-${purpose}`;
  }

  #set(reply: FastifyReply, purpose: Purpose, value: string, maxAgeMs: number): void {
    reply.setCookie(this.#nameOf(purpose), value, { ...this.#options, maxAge: Math.ceil(maxAgeMs / 1_000) });
  }

  #sealed(purpose: Purpose, value: object): Promise<string> {
    const [key = new Uint8Array()] = this.#keys;
    return new EncryptJWT({ value, at: Date.now() })
      .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
      .setAudience(purpose)
      .encrypt(key);
  }

  async #unsealed(
    sealed: string | undefined,
    purpose: Purpose,
  ): Promise<{ readonly value: unknown; readonly at: number } | undefined> {
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

export function unguessable(): string {
  return randomBytes(32).toString('base64url');
}

/**
 * Sessions of the console that people ended before their time. All consoles of a namespace look here, so each of them refuses a
 * copied cookie, even after a restart. A sign-out is a workflow that only exists. Its first task is delayed beyond its end, so no
 * worker ever gets it. The server ends it when the session would have ended anyway, and finds it until the retention of the
 * namespace is over.
 */
export async function recordSignOut(
  client: Client,
  {
    session,
    until,
    taskQueue,
  }: { readonly session: string; readonly until: number; readonly taskQueue: string },
): Promise<void> {
  const leftMs = Math.max(1, until - Date.now());
  try {
    await client.workflow.start('consoleSignOut', {
      workflowId: idOf(session),
      taskQueue: `${taskQueue}-console`,
      workflowExecutionTimeout: leftMs,
      startDelay: 2 * leftMs,
      workflowIdReusePolicy: 'REJECT_DUPLICATE',
    });
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
}

export async function hasSignedOut(client: Client, session: string): Promise<boolean> {
  const execution = { workflowId: idOf(session) };
  try {
    const { namespace } = client.options;
    await client.workflowService.describeWorkflowExecution({ namespace, execution });
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}

/** @param session what identifies it, which must not be read from Temporal */
function idOf(session: string): string {
  return `console-sign-out-${createHash('sha256').update(session).digest('hex')}`;
}
