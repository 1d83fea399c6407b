/** Who may sign in to the sandbox's banking API (the password is the user name), in the user's or the partner's form. */
export interface BankingUser {
  readonly name: string;
  readonly userId: number;
  /** What belongs to another partner is out of reach. */
  readonly partnerId: number;
  /** `none` signs in, and that is all. */
  readonly access: 'write' | 'read' | 'none';
  /** Owners and partners are administrators. */
  readonly role: 'owner' | 'partner' | 'client';
  /** The user's own banking profile, if any. */
  readonly profileId?: number;
  readonly isLocked?: true;
  readonly needsSecondFactor?: true;
}

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
export const PARTNERS = [
  { partnerId: 1, isoId: 1, agentIds: [101, 102] },
  { partnerId: 2, isoId: 2, agentIds: [201] },
] as const;
