import {
  DeleteObjectCommand,
  GetObjectCommand,
  S3Client,
  type S3ClientConfig,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { BadSetting } from '../settings/settings.js';
import { type BucketAddress, type FileStore, fileStore, type Medium } from './file-store.js';

/** The number of parts of an upload in memory, each of the smallest size that S3 accepts. */
const PARTS_AT_ONCE = 2;
const PART_BYTES = 5 * 1024 * 1024;

/** The maximum silence of the connection, in milliseconds. */
const SILENCE_TIMEOUT_MS = 30_000;

/** Suppresses the SDK's warning about the end of its support for this version of Node: it concerns developers, not operators. */
process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true';

/** Statuses below 500 after which a later attempt may succeed: request timeout and too many requests. */
const RETRYABLE = [408, 429];

/** Files under a prefix of a bucket. `env` comes before AWS's own files and roles. @throws {BadSetting} without a region */
export async function bucket(
  { bucket: Bucket, prefix }: BucketAddress,
  env: NodeJS.ProcessEnv = process.env,
): Promise<FileStore> {
  // The SDK reads this from the process's environment, and puts the bucket into the host name.
  const { AWS_ENDPOINT_URL_S3: endpoint } = env;
  const s3 = new S3Client({
    ...settingsIn(env),
    requestHandler: { connectionTimeout: 5_000, socketTimeout: SILENCE_TIMEOUT_MS },
    ...(endpoint && { endpoint, forcePathStyle: true }),
  });
  await s3.config.region().catch(() => {
    throw new BadSetting('AWS_REGION', 'is not set, and no AWS profile has a region');
  });
  const at = (name: string) => ({ Bucket, Key: [...prefix, name].join('/') });
  return fileStore({
    place: `s3://${[Bucket, ...prefix].join('/')}`,
    // A small file is one request. A larger one takes several, of which the last creates the object; if one fails, the upload
    // removes the others.
    async write(name, content, ContentType) {
      const params = { ...at(name), Body: content, ContentType };
      await new Upload({ client: s3, params, queueSize: PARTS_AT_ONCE, partSize: PART_BYTES }).done();
    },
    async read(name) {
      const { Body } = await s3.send(new GetObjectCommand(at(name)));
      // In Node this is a Node stream; the SDK's type also covers browsers.
      return Body as Awaited<ReturnType<Medium['read']>>;
    },
    async remove(name) {
      await s3.send(new DeleteObjectCommand(at(name)));
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

/** Uses S3's error codes, because its messages contain accounts and keys. */
function judge(error: unknown): ReturnType<Medium['judge']> {
  if (error instanceof S3ServiceException) {
    const { name, $metadata } = error;
    const status = $metadata.httpStatusCode ?? 0;
    const reason = `${name} (HTTP ${status})`;
    if (name === 'NoSuchKey') return { kind: 'missing', reason };
    const isTemporary = status >= 500 || RETRYABLE.includes(status);
    return { kind: isTemporary ? 'unavailable' : 'refused', reason };
  }
  const { code, name } = error as NodeJS.ErrnoException;
  return { kind: name === 'CredentialsProviderError' ? 'refused' : 'unavailable', reason: code ?? name };
}
