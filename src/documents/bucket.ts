import { GetObjectCommand, S3Client, type S3ClientConfig, S3ServiceException } from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { BadSetting } from '../settings/settings.js';
import type { BucketAddress } from './file-store.js';
import { type FileStore, fileStore, type Medium } from './file-store.js';

/** What is in memory of a file on its way in: so many parts, each of the least size that S3 takes. */
const PARTS_AT_ONCE = 2;
const PART_BYTES = 5 * 1024 * 1024;

const CONNECT_TIMEOUT_MS = 5_000;

/** Without a byte in either direction. */
const SILENCE_TIMEOUT_MS = 30_000;

/** The SDK tells on standard error until when it keeps to this Node; that is for who builds Gangway, not who runs it. */
process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true';

/** Beside what the server is to blame for: it is too busy, or we were too slow. */
const WORTH_ANOTHER_TRY = [408, 429];

/**
 * Files under a prefix of a bucket. Region and credentials come from AWS's own settings, files and roles.
 *
 * @param endpoint of a server that is not AWS's
 * @param env where region and keys are looked for first
 * @throws {BadSetting} when no region is set
 */
export async function bucket(
  { bucket: Bucket, prefix }: BucketAddress,
  endpoint?: string,
  env: NodeJS.ProcessEnv = {},
): Promise<FileStore> {
  const s3 = new S3Client({
    ...settingsIn(env),
    requestHandler: { connectionTimeout: CONNECT_TIMEOUT_MS, socketTimeout: SILENCE_TIMEOUT_MS },
    ...(endpoint !== undefined && { endpoint, forcePathStyle: true }),
  });
  await s3.config.region().catch(() => {
    throw new BadSetting('AWS_REGION', 'is not set, and no region in a profile of AWS’s');
  });
  const at = (name: string) => ({ Bucket, Key: [...prefix, name].join('/') });
  return fileStore({
    place: `s3://${[Bucket, ...prefix].join('/')}`,
    // What is small goes in one request. Otherwise there is no object until the last of several has said so, and what
    // has come by then is removed if one fails.
    async write(name, content, ContentType) {
      const params = { ...at(name), Body: content, ContentType };
      await new Upload({ client: s3, params, queueSize: PARTS_AT_ONCE, partSize: PART_BYTES }).done();
    },
    async read(name) {
      const { Body } = await s3.send(new GetObjectCommand(at(name)));
      // In Node it is a stream of Node's; the SDK's type covers browsers as well.
      return Body as Awaited<ReturnType<Medium['read']>>;
    },
    judge,
  });
}

/** A profile takes precedence over keys, as in the SDK, which finds the profile itself. */
function settingsIn(env: NodeJS.ProcessEnv): Pick<S3ClientConfig, 'region' | 'credentials'> {
  const { AWS_REGION: region, AWS_PROFILE: profile, AWS_SESSION_TOKEN: sessionToken } = env;
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = env;
  const keys = accessKeyId && secretAccessKey && !profile ? { accessKeyId, secretAccessKey } : undefined;
  return {
    ...(region && { region }),
    ...(keys && { credentials: { ...keys, ...(sessionToken && { sessionToken }) } }),
  };
}

/** Messages of S3 name accounts and keys; its codes do not. */
function judge(error: unknown): ReturnType<Medium['judge']> {
  if (error instanceof S3ServiceException) {
    const { name, $metadata } = error;
    const status = $metadata.httpStatusCode ?? 0;
    const reason = `${name} (HTTP ${status})`;
    if (name === 'NoSuchKey') return { kind: 'missing', reason };
    const passes = status >= 500 || WORTH_ANOTHER_TRY.includes(status);
    return { kind: passes ? 'away' : 'refused', reason };
  }
  const { code, name } = error as NodeJS.ErrnoException;
  return { kind: name === 'CredentialsProviderError' ? 'refused' : 'away', reason: code ?? name };
}
