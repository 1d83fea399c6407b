import type { FileStore } from './file-store.js';
import { bucketAddress, folder } from './file-store.js';

/**
 * The store at a place: a folder's path, or `s3://bucket/prefix`.
 *
 * @param s3Endpoint of a server that is not AWS's
 * @param env holds AWS's own settings; default: the environment of the process
 * @throws {BadSetting} when AWS's own settings lack something
 */
export async function openStore(
  place: string,
  s3Endpoint?: string,
  env?: NodeJS.ProcessEnv,
): Promise<FileStore> {
  const address = bucketAddress(place);
  if (address === undefined) return folder(place);
  if (address === 'malformed') throw new TypeError(`${place} is neither a folder nor s3://bucket/prefix`);
  // It takes half a second to load, which a command without a bucket need not wait for.
  const { bucket } = await import('./bucket.js');
  return bucket(address, s3Endpoint, env);
}
