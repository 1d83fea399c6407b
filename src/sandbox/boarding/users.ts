/** Who may call the sandbox's boarding API, by Basic credentials (the password is the user name, unless one is set for all). */
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
export function authenticate(authorization: string | undefined, password?: string): User | undefined {
  const credentials = (name: string) => Buffer.from(`${name}:${password ?? name}`).toString('base64');
  return USERS.find(({ name }) => authorization === `Basic ${credentials(name)}`);
}
