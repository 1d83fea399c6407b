import { randomUUID } from 'node:crypto';
import { mkdir, open, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';

/** Files by name, all on one level: in a folder, or under a prefix of a bucket. */
export interface FileStore {
  /** Where it is, for people: a path, or `s3://bucket/prefix`. */
  readonly place: string;
  /**
   * Takes a file in while it comes, in place of one of the same name. Until it is whole, the old one stays; it is
   * never in memory as a whole.
   *
   * @returns how many bytes came; they are safe by then
   * @throws what `body` broke off with, or {@link StoreFailure}; nothing is left behind then
   */
  save(name: string, body: Readable, contentType: string): Promise<number>;
  /**
   * A file as it was saved, read as fast as it is taken. Whoever asked for it reads it, or destroys it. It breaks off
   * with a {@link StoreFailure}.
   *
   * @throws {StoreFailure}
   */
  open(name: string): Promise<Readable>;
}

/**
 * What to do about a failure: `missing`, the file is not there; `refused`, a person must mend the store or our access to
 * it; `away`, another try may do.
 */
export type StoreFailureKind = 'missing' | 'refused' | 'away';

/** A store did not do what was asked. The message names the place and a technical reason, and no credential. */
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

/** What holds the bytes: what is particular about folders, or about buckets. */
export interface Medium {
  readonly place: string;
  /** Writes all of it, or leaves all as it was. */
  write(name: string, content: Readable, contentType: string): Promise<void>;
  read(name: string): Promise<Readable>;
  /** What an error of the two means. The reason is technical: `ENOSPC`. */
  judge(error: unknown): { readonly kind: StoreFailureKind; readonly reason: string };
}

/** A name that leads nowhere else, in any folder and any bucket. */
const NAME = /^\w[\w.-]{0,254}$/;

export function fileStore(medium: Medium): FileStore {
  const { place } = medium;
  const failure = (error: unknown) => {
    const { kind, reason } = medium.judge(error);
    return new StoreFailure(place, kind, reason, { cause: error });
  };
  const checkName = (name: string) => {
    if (!NAME.test(name)) throw new StoreFailure(place, 'refused', 'a file cannot have this name there');
  };
  return {
    place,
    async save(name, body, contentType) {
      // It may break off before anyone reads it.
      body.once('error', () => undefined);
      const counted = counting(body);
      try {
        checkName(name);
        await medium.write(name, counted.content, contentType);
        return counted.bytes();
      } catch (error) {
        if (body.errored) throw body.errored;
        throw error instanceof StoreFailure ? error : failure(error);
      } finally {
        // Lets go of the partner when the store was the problem.
        body.destroy();
      }
    },
    async open(name) {
      checkName(name);
      const content = await medium.read(name).catch((error: unknown) => {
        throw failure(error);
      });
      const body = Readable.from(judged(content, failure), { objectMode: false });
      return body.once('close', () => content.destroy());
    },
  };
}

function counting(body: Readable): { readonly content: Readable; readonly bytes: () => number } {
  let bytes = 0;
  async function* counted() {
    // Left to itself the loop would make the body look as if it had broken off, when it was the store that did.
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

/** A bucket, and where in it: the segments of the prefix. */
export interface BucketAddress {
  readonly bucket: string;
  readonly prefix: readonly string[];
}

const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;

/** Letters that no S3-compatible server minds, and no segment that is `.` or `..`. */
const SEGMENT = /^(?!\.{1,2}$)[\w.=-]+$/;

/** `s3://bucket/prefix` in its parts; undefined for the path of a folder, `malformed` for neither. */
export function bucketAddress(place: string): BucketAddress | undefined | 'malformed' {
  const [, path] = /^s3:\/*(.*?)\/?$/i.exec(place) ?? [];
  if (path === undefined) return undefined;
  const [bucket = '', ...prefix] = path.split('/');
  const isRight = place.startsWith('s3://') && BUCKET.test(bucket) && prefix.every((s) => SEGMENT.test(s));
  return isRight ? { bucket, prefix } : 'malformed';
}

/** Files in a folder, readable by their owner only. Processes that share the files share the folder. */
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
        // The caller must hear why there is no file, not why the rest of one could not be removed.
        await rm(unfinished, { force: true }).catch(() => undefined);
        throw error;
      }
    },
    async read(name) {
      const file = await open(join(path, name));
      return file.createReadStream();
    },
    judge(error) {
      const { code, name } = error as NodeJS.ErrnoException;
      // Room is made on a disk, a mount comes back: all but an absent file may be there with another try.
      return { kind: code === 'ENOENT' ? 'missing' : 'away', reason: code ?? name };
    },
  });
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
