/**
 * The versions of each resource of the payments platform: the first two segments of every path (apis/3, path prefixes and
 * Versioning). `payments` is where the actions on a payment are; `payment` and `preauth` initiate one.
 */
export const VERSIONS = {
  accounts: ['v1', 'v2'],
  terminals: ['v2'],
  locations: ['v1'],
  transactions: ['v1'],
  payment: ['v3'],
  preauth: ['v3'],
  payments: ['v1', 'v3'],
  refund: ['v3'],
  batches: ['v1'],
  apikeys: ['v5'],
} as const satisfies Readonly<Record<string, readonly `v${number}`[]>>;

type Resource = keyof typeof VERSIONS;

type Prefix = { [Name in Resource]: `/${(typeof VERSIONS)[Name][number]}/${Name}` }[Resource];

/** A path below a version of a resource that has this version. */
export type VersionedPath = Prefix | `${Prefix}/${string}`;

/** Whether a path is one that the types would let pass. */
export function isVersioned(path: string): path is VersionedPath {
  const [start, version, resource] = path.split('/');
  return (
    start === '' &&
    Object.entries(VERSIONS).some(
      ([name, versions]) => name === resource && versions.some((one) => one === version),
    )
  );
}

/** The versions there are, for someone who wrote another one: `/v1/accounts, /v2/accounts, ...` */
export function versionedPrefixes(): string {
  return Object.entries(VERSIONS)
    .flatMap(([name, versions]) => versions.map((version) => `/${version}/${name}`))
    .join(', ');
}
