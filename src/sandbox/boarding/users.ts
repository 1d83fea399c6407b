/** Who may call the sandbox's boarding API, by Basic credentials (the password is the user name). */
export interface User {
  readonly name: string;
  readonly isoId: number;
  readonly mayWrite: boolean;
}

export const USERS: readonly User[] = [
  { name: 'sandbox', isoId: 1, mayWrite: true },
  { name: 'other-iso', isoId: 2, mayWrite: true },
  { name: 'read-only', isoId: 1, mayWrite: false },
];

/** The user of an `Authorization` header, or undefined. */
export function authenticate(authorization: string | undefined): User | undefined {
  return USERS.find(
    ({ name }) => authorization === `Basic ${Buffer.from(`${name}:${name}`).toString('base64')}`,
  );
}
