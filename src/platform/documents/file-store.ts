import { randomUUID } from 'node:crypto';
import { mkdir, open, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';

export type FileStore = ReturnType<typeof fileStore>;

/**
 * `missing`: the file does not exist. `refused`: a person must repair the store or the access to it. `unavailable`: a later attempt
 * may succeed.
 */
export type StoreFailureKind = 'missing' | 'refused' | 'unavailable';

/** Thrown if an operation of a store fails. The message names the place and a technical reason, but no credential. */
export class StoreFailure extends Error {
  override readonly name = 'StoreFailure';
  constructor(
    place: string,
    readonly kind: StoreFailureKind,
    readonly reason: string,
    options?: ErrorOptions,
  ) {
    super(`${place}: ${reason}`, options);
  }
}

/** The part of a store that differs between folders and buckets. */
export interface Medium {
  readonly place: string;
  /** Writes the complete file, or changes nothing. */
  write(name: string, content: Readable, contentType: string): Promise<void>;
  read(name: string): Promise<Readable>;
  remove(name: string): Promise<void>;
  /** Classifies an error of `write` or `read`. The reason is technical: `no space is left (ENOSPC)`. */
  judge(error: unknown): { readonly kind: StoreFailureKind; readonly reason: string };
}

/** A name that cannot lead out of a folder or a prefix. */
const NAME = /^\w[\w.-]{0,254}$/;

// Keeps B4.
/** Files by name, without folders: in a folder, or under a prefix of a bucket. Its methods throw a {@link StoreFailure}. */
export function fileStore(medium: Medium) {
  const { place } = medium;
  const failure = (error: unknown) => {
    const { kind, reason } = medium.judge(error);
    return new StoreFailure(place, kind, reason, { cause: error });
  };
  const checked = (name: string) => {
    if (!NAME.test(name)) throw new StoreFailure(place, 'refused', 'the file name is not allowed');
    return name;
  };
  const fail = (error: unknown) => {
    throw failure(error);
  };
  return {
    place,
    /**
     * Streams a file into the store. It replaces a file of the same name once it is complete.
     *
     * @returns the number of bytes, all of which are stored
     * @throws the error of `body`, or {@link StoreFailure}; no part of the file then remains
     */
    async save(name: string, body: Readable, contentType: string): Promise<number> {
      // The body may break off before the medium reads it.
      body.once('error', () => undefined);
      const counted = counting(body);
      try {
        await medium.write(checked(name), counted.content, contentType);
        return counted.bytes();
      } catch (error) {
        if (body.errored) throw body.errored;
        throw error instanceof StoreFailure ? error : failure(error);
      } finally {
        // If the store failed, end the partner's response.
        body.destroy();
      }
    },
    /** Opens a file. The caller must read or destroy the stream, which sets the pace. It may fail with a {@link StoreFailure}. */
    async open(name: string): Promise<Readable> {
      const content = await medium.read(checked(name)).catch(fail);
      const body = Readable.from(judged(content, failure), { objectMode: false });
      return body.once('close', () => content.destroy());
    },
    /** Removes a file. A missing file is not an error. */
    async remove(name: string): Promise<void> {
      await medium.remove(checked(name)).catch(fail);
    },
  };
}

function counting(body: Readable): { readonly content: Readable; readonly bytes: () => number } {
  let bytes = 0;
  async function* counted() {
    // By default the loop would destroy the body, which would look like a failure of the body instead of the store.
    for await (const chunk of body.iterator({ destroyOnReturn: false })) {
      const content = Buffer.from(chunk);
      bytes += content.length;
      yield content;
    }
  }
  return { content: Readable.from(counted(), { objectMode: false }), bytes: () => bytes };
}

async function* judged(content: Readable, failure: (error: unknown) => StoreFailure) {
  try {
    yield* content;
  } catch (error) {
    throw failure(error);
  }
}

export interface BucketAddress {
  readonly bucket: string;
  readonly prefix: readonly string[];
}

const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;

/** Characters that every S3-compatible server accepts. A segment is not `.` or `..`. */
const SEGMENT = /^(?!\.{1,2}$)[\w.=-]+$/;

/** Parses `s3://bucket/prefix`; returns undefined for a folder's path. */
export function bucketAddress(place: string): BucketAddress | undefined | 'malformed' {
  const [, path] = /^s3:\/*((?:[^/].*?)?)\/?$/is.exec(place) ?? [];
  if (path === undefined) return undefined;
  const [bucket = '', ...prefix] = path.split('/');
  const isValid = place.startsWith('s3://') && BUCKET.test(bucket) && prefix.every((s) => SEGMENT.test(s));
  return isValid ? { bucket, prefix } : 'malformed';
}

/** Files in a folder, readable only by their owner. Processes that share files share the folder. */
export function folder(path: string): FileStore {
  return fileStore({
    place: path,
    async write(name, content) {
      const unfinished = join(path, `.${randomUUID()}.part`);
      try {
        await mkdir(path, { recursive: true, mode: 0o700 });
        await writeAll(unfinished, content);
        await rename(unfinished, join(path, name));
      } catch (error) {
        // The caller needs the reason for the failed write, not for a failed removal.
        await rm(unfinished, { force: true }).catch(() => undefined);
        throw error;
      }
    },
    async read(name) {
      const file = await open(join(path, name));
      return file.createReadStream();
    },
    remove: (name) => rm(join(path, name), { force: true }),
    judge: judgeFile,
  });
}

/**
 * Classifies an error of the file system. Unless the file is absent, another attempt may succeed, for example once there is space.
 */
export function judgeFile(error: unknown): ReturnType<Medium['judge']> {
  const { code, name } = error as NodeJS.ErrnoException;
  return { kind: code === 'ENOENT' ? 'missing' : 'unavailable', reason: reasonOf(code) ?? name };
}

const CODES: Readonly<Record<string, string | undefined>> = {
  ENOENT: 'no such file',
  ENOTDIR: 'a part of the path is no folder',
  ENOSPC: 'no space is left',
  EDQUOT: 'the quota is used up',
  EROFS: 'it is mounted read-only',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EIO: 'the disk fails',
  ESTALE: 'the mount is stale',
  EMFILE: 'too many files are open',
  ENFILE: 'too many files are open',
};

function reasonOf(code: string | undefined): string | undefined {
  const words = code && CODES[code];
  return words ? `${words} (${code})` : code;
}

async function writeAll(path: string, content: Readable): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await writeFile(file, content);
    await file.sync();
  } finally {
    await file.close();
  }
}
