/** What callers of a system show that has keys in place of users: the name is the key, unless one is set for all. */
export function isKey(name: string, shown: string | undefined, password?: string): boolean {
  return shown === (password ?? name);
}

/** The token of an `Authorization` header; undefined when it is no Bearer token. */
export function bearerOf(authorization: string | undefined): string | undefined {
  return /^Bearer (\S+)$/i.exec(authorization ?? '')?.[1];
}
