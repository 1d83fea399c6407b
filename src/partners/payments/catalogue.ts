import type { FailureMeaning, Operation } from '../catalogue.js';
import type { VersionedPath } from './versions.js';

/** Operations of the payments platform: a path that has no version, or one that the resource lacks, does not compile. */
export type PaymentsCatalogue = Readonly<Record<string, Operation & { readonly path: VersionedPath }>>;

/** What a 404 means for one thing that is named in the path or body (apis/3, Errors). */
export function missing(thing: string): Readonly<Record<404, FailureMeaning>> {
  return { 404: { message: `there is no such ${thing}, or this API key may not see it` } };
}
