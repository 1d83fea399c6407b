import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import {
  CreateBucketCommand,
  GetObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { freePort } from '../../../src/apps/demo/dev-server.js';
import { endWithUs } from '../../../src/platform/process/lifecycle.js';
import { PYTHON_PACKAGES_TIMEOUT_MS, pythonPackages } from '../python-packages.js';

/** moto and its dependencies, pinned by version and SHA-256. `uv pip compile --universal --generate-hashes` writes the file. */
const REQUIREMENTS = fileURLToPath(new URL('s3-server-requirements.txt', import.meta.url));

/** How long fetching and unpacking may take. */
export const S3_SERVER_TIMEOUT_MS = PYTHON_PACKAGES_TIMEOUT_MS;

export const BUCKET = 'example-bucket';

/** AWS's settings in the environment of a process. */
export type AwsSettings = Readonly<
  Record<'AWS_REGION' | 'AWS_ACCESS_KEY_ID' | 'AWS_SECRET_ACCESS_KEY', string>
>;

/** An S3 server over HTTP that checks signatures and policies, with one bucket. */
export interface S3Server {
  readonly url: string;
  /** Settings of a user with the policy that docs/security.md recommends. */
  readonly env: AwsSettings;
  /** The keys under a prefix, in order. */
  keys(prefix: string): Promise<string[]>;
  /** How many uploads have started and not ended. */
  unfinished(): Promise<number>;
  object(key: string): Promise<{ readonly content: Buffer; readonly contentType: string | undefined }>;
  /** Stores an object directly, past all rules of the document store. */
  put(key: string, content: string): Promise<void>;
  stop(): Promise<void>;
}

/** Starts one on a free port of this machine, for one test file. */
export async function startS3Server(): Promise<S3Server> {
  const packages = await pythonPackages('s3-server', REQUIREMENTS);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const server = spawn('python3', ['-m', 'moto.server', '-H', '127.0.0.1', '-p', `${port}`], {
    env: { PATH: process.env['PATH'], PYTHONPATH: packages },
    stdio: 'ignore',
    detached: true,
  });
  const exited = once(server, 'exit');
  endWithUs(server, 'group');
  await untilReady(url);
  const admin = await userOf(url, 'admin', {
    Version: '2012-10-17',
    Statement: [{ Effect: 'Allow', Action: 's3:*', Resource: '*' }],
  });
  const env = await userOf(url, 'gangway', await documentedPolicy());
  // From here on the server checks signatures.
  await fetch(`${url}/moto-api/reset-auth`, { method: 'POST', body: '0' });
  const s3 = clientOf(url, admin);
  await s3.send(new CreateBucketCommand({ Bucket: BUCKET }));
  return {
    url,
    env,
    async keys(Prefix) {
      const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket: BUCKET, Prefix }));
      return Contents.map(({ Key = '' }) => Key);
    },
    async unfinished() {
      const { Uploads = [] } = await s3.send(new ListMultipartUploadsCommand({ Bucket: BUCKET }));
      return Uploads.length;
    },
    async object(Key) {
      const { Body, ContentType } = await s3.send(new GetObjectCommand({ Bucket: BUCKET, Key }));
      const content = Buffer.from((await Body?.transformToByteArray()) ?? []);
      return { content, contentType: ContentType };
    },
    async put(Key, Body) {
      await s3.send(new PutObjectCommand({ Bucket: BUCKET, Key, Body }));
    },
    async stop() {
      server.kill('SIGTERM');
      await exited;
    },
  };
}

function clientOf(endpoint: string, settings: AwsSettings): S3Client {
  const {
    AWS_REGION: region,
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
  } = settings;
  return new S3Client({
    endpoint,
    forcePathStyle: true,
    region,
    credentials: { accessKeyId, secretAccessKey },
  });
}

/** The policy that docs/security.md recommends, which names this bucket. */
async function documentedPolicy(): Promise<object> {
  const page = await readFile(new URL('../../../docs/security.md', import.meta.url), 'utf8');
  const [, policy = ''] = /```json\n(\{\n {2}"Version": "2012-10-17"[\s\S]*?)```/.exec(page) ?? [];
  return JSON.parse(policy) as object;
}

/** Creates a user with a policy. The server does not check signatures yet. */
async function userOf(url: string, UserName: string, policy: object): Promise<AwsSettings> {
  await iam(url, { Action: 'CreateUser', UserName });
  const PolicyDocument = JSON.stringify(policy);
  await iam(url, { Action: 'PutUserPolicy', UserName, PolicyName: 'its', PolicyDocument });
  const created = await iam(url, { Action: 'CreateAccessKey', UserName });
  const [, id = ''] = /<AccessKeyId>(.+?)</.exec(created) ?? [];
  const [, secret = ''] = /<SecretAccessKey>(.+?)</.exec(created) ?? [];
  return { AWS_REGION: 'us-east-1', AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: secret };
}

async function iam(url: string, request: Record<string, string>): Promise<string> {
  const response = await fetch(url, {
    method: 'POST',
    body: new URLSearchParams({ ...request, Version: '2010-05-08' }),
    headers: { authorization: 'AWS4-HMAC-SHA256 Credential=none/20260101/us-east-1/iam/aws4_request' },
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${request['Action']}: ${response.status} ${text}`);
  return text;
}

async function untilReady(url: string): Promise<void> {
  for (const until = Date.now() + 60_000; ; await sleep(100)) {
    const response = await fetch(`${url}/moto-api/`).catch(() => undefined);
    if (response) return;
    if (Date.now() > until) throw new Error('the S3 server does not start');
  }
}
