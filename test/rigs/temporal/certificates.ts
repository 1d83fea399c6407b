import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generate } from 'selfsigned';

const DAY_MS = 86_400_000;

/** New certificates of one authority, as PEM files. */
export interface Certificates {
  readonly folder: string;
  readonly authority: string;
  readonly server: Pair;
  readonly client: Pair;
  readonly expired: Pair;
  /** Issued by another authority, which is not trusted. */
  readonly stranger: Pair;
  remove(): Promise<void>;
}

/** Files of a certificate and its key. */
export interface Pair {
  readonly cert: string;
  readonly key: string;
}

export async function makeCertificates(): Promise<Certificates> {
  const folder = await mkdtemp(join(tmpdir(), 'gangway-tls-'));
  const [authority, other] = await Promise.all([certificateAuthority(), certificateAuthority()]);
  const now = Date.now();
  const [server, client, expired, stranger] = await Promise.all([
    issue(folder, 'server', authority, now),
    issue(folder, 'client', authority, now),
    issue(folder, 'expired', authority, now - 3 * DAY_MS),
    issue(folder, 'stranger', other, now),
  ]);
  const file = join(folder, 'authority.pem');
  await writeFile(file, authority.cert);
  const remove = () => rm(folder, { recursive: true, force: true });
  return { folder, authority: file, server, client, expired, stranger, remove };
}

interface Authority {
  readonly cert: string;
  readonly key: string;
}

async function certificateAuthority(): Promise<Authority> {
  const { cert, private: key } = await generate([{ name: 'commonName', value: 'Test Authority' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, critical: true },
    ],
  });
  return { cert, key };
}

/** Valid from an hour before `fromMs`, in epoch milliseconds, for a day. */
async function issue(folder: string, name: string, ca: Authority, fromMs: number): Promise<Pair> {
  const pair = await generate([{ name: 'commonName', value: name }], {
    keyType: 'ec',
    algorithm: 'sha256',
    ca,
    notBeforeDate: new Date(fromMs - DAY_MS / 24),
    notAfterDate: new Date(fromMs + DAY_MS),
    extensions: [
      { name: 'extKeyUsage', serverAuth: true, clientAuth: true },
      {
        name: 'subjectAltName',
        altNames: [
          { type: 2, value: 'localhost' },
          { type: 7, ip: '127.0.0.1' },
        ],
      },
    ],
  });
  const files = { cert: join(folder, `${name}.pem`), key: join(folder, `${name}.key`) };
  await Promise.all([writeFile(files.cert, pair.cert), writeFile(files.key, pair.private, { mode: 0o600 })]);
  return files;
}
