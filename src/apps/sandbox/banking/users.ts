import { randomUUID } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';
import type { z } from 'zod';
import type { BankingOperations } from '../../../partners/banking/operations.js';
import type { tokenRequest } from '../../../partners/banking/requests.js';
import { SHORT_MESSAGE_CODE } from '../fault-kinds.js';
import { bearerOf, type Handlers, Refusal } from '../routes.js';
import { Store } from '../store.js';

/** The users who may sign in to the sandbox's banking API (the password is the user name), in the user's or the partner's form. */
export interface BankingUser {
  readonly name: string;
  readonly userId: number;
  /** The partner whose records the user can reach. */
  readonly partnerId: number;
  /** `none` can only sign in. */
  readonly access: 'write' | 'read' | 'none';
  /** Owners and partners are administrators. */
  readonly role: 'owner' | 'partner' | 'client';
  readonly profileId?: number;
  readonly isLocked?: true;
  readonly needsSecondFactor?: true;
}

export type BankingHandlers = Handlers<BankingOperations, BankingUser>;

const CUSTOMER = { partnerId: 1, access: 'write', role: 'owner', profileId: 501 } as const;

export const BANKING_USERS: readonly BankingUser[] = [
  { name: 'sandbox', userId: 11, ...CUSTOMER },
  { name: 'partner', userId: 12, ...CUSTOMER, role: 'partner' },
  { name: 'mfa', userId: 13, ...CUSTOMER, needsSecondFactor: true },
  { name: 'locked', userId: 14, ...CUSTOMER, isLocked: true },
  { name: 'read-only', userId: 15, ...CUSTOMER, access: 'read' },
  { name: 'no-access', userId: 16, ...CUSTOMER, access: 'none' },
  { name: 'client', userId: 17, ...CUSTOMER, role: 'client' },
  { name: 'without-profile', userId: 18, partnerId: 1, access: 'write', role: 'owner' },
  { name: 'other-partner', userId: 21, ...CUSTOMER, partnerId: 2, profileId: 601 },
];

/** Partners of the sandbox: the ISO and the agents that E9 searches by. */
export const SANDBOX_PARTNERS = [
  { partnerId: 1, isoId: 1, agentIds: [101, 102] },
  { partnerId: 2, isoId: 2, agentIds: [201] },
] as const;

/** Base32, of the user `mfa` and of every confirmation by a time-based code. */
export const TOTP_SECRET = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP';

/** Documented lifetime of a token (docs/partner-apis.md#banking-rules). */
export const TOKEN_LIFETIME_MS = 10 * 60_000;

const totp = new TOTP({ secret: Secret.fromBase32(TOTP_SECRET) });

/** E1 and E2: sign-ins and issued tokens. */
export class SignIn {
  readonly #tokens = new Map<string, { readonly user: BankingUser; readonly expiresAt: number }>();

  constructor(
    private readonly now: () => number,
    private readonly tokenLifetimeMs: number,
    private readonly password?: string,
  ) {}

  /**
   * E1, and the second factor alone.
   *
   * @param needsCode whether every user needs a code. Default: only users with a second factor
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

  /** Reports whether a one-time code is right, by the partner's clock, give or take one period. */
  isCode(code: string | null | undefined, kind: string | null | undefined): boolean {
    if (kind === 'ShortMessageCode') return code === SHORT_MESSAGE_CODE;
    return typeof code === 'string' && totp.validate({ token: code, timestamp: this.now() }) !== null;
  }

  /** Issues a token. Assumption: version 1 does not return the user. */
  issue(user: BankingUser, likeV1 = false) {
    const token = randomUUID();
    const expiresAt = this.now() + this.tokenLifetimeMs;
    this.#tokens.set(token, { user, expiresAt });
    const answer = { token, expiration: new Date(expiresAt).toISOString() };
    return likeV1 ? answer : { ...answer, userId: user.userId };
  }

  /** Returns the user of an `Authorization` header; undefined if its token is missing, unknown or expired. */
  userOf(authorization: string | undefined): BankingUser | undefined {
    const token = bearerOf(authorization) ?? '';
    const issued = this.#tokens.get(token);
    if (issued && issued.expiresAt > this.now()) return issued.user;
    this.#tokens.delete(token);
    return undefined;
  }
}

const DEPARTMENTS = [
  { partnerId: 1, id: 31, name: 'Operations', description: 'Day-to-day payments' },
  { partnerId: 1, id: 32, name: 'Finance', description: 'Books and statements' },
  { partnerId: 2, id: 33, name: 'Head office', description: '' },
];

const SUB_USERS = [
  { partnerId: 1, departmentId: 31, state: 'deleted' },
  { partnerId: 1, departmentId: 31, state: 'inactive' },
  { partnerId: 1, departmentId: 32, state: 'active' },
  { partnerId: 2, departmentId: 33, state: 'deleted' },
];

export function teamHandlers(record: (operation: 'restoreSubUser', id: number) => void) {
  const subUsers = new Store<(typeof SUB_USERS)[number]>({ kind: 'sub-user', id: (number) => 70 + number });
  for (const subUser of SUB_USERS) subUsers.add(subUser, () => ({ ...subUser }));
  return {
    listDepartments: (_, user) => {
      administratorsOnly(user);
      return DEPARTMENTS.filter(({ partnerId }) => partnerId === user.partnerId).map(
        ({ partnerId: _partnerId, ...department }) => ({
          ...department,
          creator: { id: user.userId, name: user.name },
          authorizedUserCount: subUsers
            .of(user)
            .filter(({ departmentId, state }) => departmentId === department.id && state === 'active').length,
        }),
      );
    },
    restoreSubUser: ({ id }, user) => {
      administratorsOnly(user);
      const subUser = subUsers.get(id, user);
      if (subUser.state === 'active') throw new Refusal(404, `no deleted or inactive sub-user ${id}`);
      subUser.state = 'active';
      record('restoreSubUser', id);
      return {};
    },
  } satisfies BankingHandlers;
}

function administratorsOnly({ role }: BankingUser): void {
  if (role === 'client') throw new Refusal(403, 'For administrators only');
}
