/** What is left of an object without the members that are undefined. */
export function defined<Members extends object>(
  members: Members,
): { [Name in keyof Members]?: Exclude<Members[Name], undefined> } {
  const set = Object.entries(members).filter(([, value]) => value !== undefined);
  return Object.fromEntries(set) as { [Name in keyof Members]?: Exclude<Members[Name], undefined> };
}
