import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { createServer } from 'node:net';
import { Readable } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { FileStore } from '../../../../src/platform/documents/file-store.js';
import { openStore } from '../../../../src/platform/documents/open-store.js';
import {
  BUCKET,
  S3_SERVER_TIMEOUT_MS,
  type S3Server,
  startS3Server,
} from '../../../rigs/documents/s3-server.js';
import { newFolder } from '../../../rigs/folders.js';
import { listening } from '../../../rigs/listening.js';
import { eventually } from '../../../rigs/waiting.js';

const MIB = 1024 * 1024;

let s3: S3Server;
beforeAll(async () => {
  s3 = await startS3Server();
}, S3_SERVER_TIMEOUT_MS);
afterAll(() => s3?.stop());

const at = (AWS_ENDPOINT_URL_S3: string) => ({ ...process.env, AWS_ENDPOINT_URL_S3 });

interface Place {
  readonly files: FileStore;
  /** All that is there, finished or not. */
  readonly names: () => Promise<string[]>;
}

/** A store of its own for the running test, with the rights that the documents recommend. */
const inBucket = async (): Promise<Place> => {
  settings(s3.env);
  const prefix = `gangway/${randomUUID()}`;
  const files = await openStore(`s3://${BUCKET}/${prefix}`, at(s3.url));
  return {
    files,
    async names() {
      const keys = await s3.keys(`${prefix}/`);
      const unfinished = Array.from({ length: await s3.unfinished() }, () => 'an unfinished upload');
      return [...keys.map((key) => key.slice(prefix.length + 1)), ...unfinished];
    },
  };
};

const inFolder = async (): Promise<Place> => {
  const folder = await newFolder();
  return { files: await openStore(folder), names: () => readdir(folder) };
};

/** AWS's own settings, for the running test. */
function settings(env: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
}

const put = (files: FileStore, name: string, ...chunks: (string | Buffer)[]) =>
  files.save(name, Readable.from(chunks), 'text/plain');

/** Different in each of its mebibytes, so that parts in a wrong order would show. */
function* mebibytes(count: number): Generator<Buffer> {
  for (let number = 0; number < count; number += 1) yield Buffer.alloc(MIB, number);
}

async function hashOf(content: AsyncIterable<Buffer>): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of content) hash.update(chunk);
  return hash.digest('hex');
}

describe.each([
  ['a folder', inFolder],
  ['a bucket', inBucket],
])('%s', (_, place) => {
  it.each([0, 1, 12.5])('returns the %d MiB that were saved', async (size) => {
    const { files, names } = await place();
    const chunks = [...mebibytes(Math.floor(size)), Buffer.alloc((size % 1) * MIB, 255)];
    expect(await files.save('a.bin', Readable.from(chunks), 'application/pdf')).toBe(size * MIB);
    expect(await hashOf(await files.open('a.bin'))).toBe(await hashOf(Readable.from(chunks)));
    expect(await names()).toEqual(['a.bin']);
  });

  it('keeps the latest of the same name, and one whole file of two that arrive at the same time', async () => {
    const { files, names } = await place();
    await put(files, 'a.txt', 'a longer one');
    await put(files, 'a.txt', 'short');
    expect(await text(await files.open('a.txt'))).toBe('short');
    const whole = ['aaaa', 'bbbb'];
    await Promise.all(whole.map((letters) => put(files, 'a.txt', ...letters)));
    expect(whole).toContain(await text(await files.open('a.txt')));
    expect(await names()).toEqual(['a.txt']);
  });

  it.each([
    ['early', 0],
    ['late', 12],
  ])('of a file that breaks off %s keeps nothing, and the one before it', async (_when, whole) => {
    const { files, names } = await place();
    await put(files, 'a.bin', 'the one before');
    const broken = new Error('the partner is gone');
    const body = Readable.from(
      (function* () {
        yield* mebibytes(whole);
        yield Buffer.from('half');
        throw broken;
      })(),
    );
    await expect(files.save('a.bin', body, 'text/plain')).rejects.toBe(broken);
    expect(await text(await files.open('a.bin'))).toBe('the one before');
    expect(await names()).toEqual(['a.bin']);
  });

  it.each(['../a', '/etc/passwd', 'a/b', 'a\\b', '..', '.', '', '.a.part', 'a\0', 'a'.repeat(256)])(
    'refuses the name %j and lets go of what was to have it',
    async (name) => {
      const { files, names } = await place();
      const body = Readable.from(['x']);
      const refused = { name: 'StoreFailure', kind: 'refused' };
      await expect(files.save(name, body, 'text/plain')).rejects.toMatchObject(refused);
      expect(body.destroyed).toBe(true);
      await expect(files.open(name)).rejects.toMatchObject(refused);
      expect(await names()).toEqual([]);
    },
  );

  it('removes a file, one that is not there without an error, and reports that it is missing', async () => {
    const { files, names } = await place();
    await put(files, 'a.txt', 'x');
    await put(files, 'b.txt', 'x');
    await files.remove('a.txt');
    await files.remove('a.txt');
    expect(await names()).toEqual(['b.txt']);
    await expect(files.remove('../b.txt')).rejects.toMatchObject({ kind: 'refused' });
    await expect(files.open('a.txt')).rejects.toMatchObject({ kind: 'missing' });
  });
});

describe('a bucket', () => {
  const other = { AWS_ACCESS_KEY_ID: 'AKIAEXAMPLE', AWS_SECRET_ACCESS_KEY: 'hunter2' };
  const none = { AWS_ACCESS_KEY_ID: '', AWS_SECRET_ACCESS_KEY: '', AWS_EC2_METADATA_DISABLED: 'true' };
  it.each([
    ['with another prefix', {}, `s3://${BUCKET}/elsewhere`, 'AccessDenied (HTTP 403)'],
    ['with credentials that nobody knows', other, `s3://${BUCKET}/gangway`, 'InvalidAccessKeyId (HTTP 403)'],
    [
      'with a wrong secret',
      { AWS_SECRET_ACCESS_KEY: 'hunter2' },
      `s3://${BUCKET}/gangway`,
      'SignatureDoesNotMatch (HTTP 403)',
    ],
    ['without credentials', none, `s3://${BUCKET}/gangway`, 'CredentialsProviderError'],
  ])('%s is rejected, without a secret in the message', async (_case, more, place, reason) => {
    settings({ ...s3.env, ...more });
    const files = await openStore(place, at(s3.url));
    const refused = { kind: 'refused', message: `${place}: ${reason}` };
    await expect(put(files, 'a.txt', 'x')).rejects.toMatchObject(refused);
    await expect(put(files, 'a.txt', ...mebibytes(6))).rejects.toMatchObject(refused);
    await expect(files.open('a.txt')).rejects.toMatchObject(refused);
    await expect(files.remove('a.txt')).rejects.toMatchObject(refused);
  });

  it('that does not exist is refused, and one whose server does not respond may be tried again', async () => {
    settings(s3.env);
    const missing = await openStore('s3://no-such-bucket', at(s3.url));
    const message = expect.stringMatching(/(NoSuchBucket|AccessDenied) \(HTTP 40[34]\)/);
    await expect(put(missing, 'a.txt', 'x')).rejects.toMatchObject({ kind: 'refused', message });
    const files = await openStore(`s3://${BUCKET}`, at('http://127.0.0.1:1'));
    const unavailable = { kind: 'unavailable', message: `s3://${BUCKET}: ECONNREFUSED` };
    await expect(put(files, 'a.txt', 'x')).rejects.toMatchObject(unavailable);
    await expect(files.open('a.txt')).rejects.toMatchObject(unavailable);
  });

  it('needs a region', async () => {
    settings({ ...s3.env, AWS_REGION: '' });
    await expect(openStore(`s3://${BUCKET}`, at(s3.url))).rejects.toThrow('AWS_REGION: is not set');
  });

  it('that accepts no bytes makes the file wait, so that it does not fill the memory', async () => {
    settings(s3.env);
    const silent = await answeringNothing();
    const files = await openStore(`s3://${BUCKET}`, at(silent.url));
    let taken = 0;
    const taking = function* () {
      for (const mebibyte of mebibytes(200)) {
        taken += 1;
        yield mebibyte;
      }
    };
    const body = Readable.from(taking());
    const saving = files.save('a.bin', body, 'text/plain').catch((error: unknown) => error);
    await silent.asked;
    let [before, unchanged] = [0, 0];
    const stable = async () => {
      unchanged = taken === before ? unchanged + 1 : 0;
      before = taken;
      return unchanged;
    };
    await eventually(stable, (times) => taken > 4 && times === 10, 'that no more is taken');
    expect(taken).toBeLessThan(32);
    silent.close();
    expect(await saving).toMatchObject({ kind: 'unavailable' });
  });

  it('that breaks off within a file may be tried again', async () => {
    settings(s3.env);
    const url = await answeringHalf();
    const files = await openStore(`s3://${BUCKET}`, at(url));
    const body = await files.open('a.txt');
    await expect(buffer(body)).rejects.toMatchObject({ name: 'StoreFailure', kind: 'unavailable' });
  });
});

/** A server that accepts connections, and neither reads nor responds. */
async function answeringNothing() {
  const server = createServer({ pauseOnConnect: true });
  const question = once(server, 'connection');
  const sockets: { destroy(): void }[] = [];
  server.on('connection', (socket) => sockets.push(socket));
  const url = `http://${await listening(server)}`;
  const close = () => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  return { url, asked: question, close };
}

/** A server that is gone in the middle of each object. */
async function answeringHalf(): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf', () => socket.destroy());
    });
  });
  return `http://${await listening(server)}`;
}
