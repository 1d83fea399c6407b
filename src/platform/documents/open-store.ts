import { z } from 'zod';
import { secureUrl } from '../settings/settings.js';

import { bucketAddress, type FileStore, folder } from './file-store.js';

/** A folder, or `s3://bucket/prefix`. */
const storePlace = z
  .string()
  .refine((place) => bucketAddress(place) !== 'malformed', 'must be a folder, or s3://bucket/prefix')
  .meta({ format: 'folder, or `s3://bucket/prefix`', address: 'AWS_ENDPOINT_URL_S3' });

export const storeSettings = z.object({
  DOCUMENT_DIR: storePlace
    .default('documents')
    .describe('Documents to be sent to partners. The processes share it.'),
  STATEMENT_DIR: storePlace
    .default('statements')
    .describe('Statements that workers save, and files that `gangway call` receives.'),
  AWS_ENDPOINT_URL_S3: secureUrl
    .optional()
    .meta({ description: 'S3 endpoint of the buckets.', unset: 'AWS' }),
});

export type StorePlaces = Readonly<ReturnType<typeof storesFrom>>;

export function storesFrom(set: z.output<typeof storeSettings>) {
  return { documentDir: set.DOCUMENT_DIR, statementDir: set.STATEMENT_DIR };
}

/** Opens the store at a folder's path or `s3://bucket/prefix`. @throws {BadSetting} if AWS's own settings are incomplete */
export async function openStore(place: string, env?: NodeJS.ProcessEnv): Promise<FileStore> {
  const address = bucketAddress(place);
  if (address === undefined) return folder(place);
  if (address === 'malformed') throw new TypeError(`${place} is neither a folder nor s3://bucket/prefix`);
  // It takes half a second to load, which a command without a bucket should not wait for.
  const { bucket } = await import('./bucket.js');
  return bucket(address, env);
}
