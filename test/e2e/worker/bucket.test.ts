import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { gangway } from '../../rigs/command.js';
import { countingProxy } from '../../rigs/counting-proxy.js';
import {
  BUCKET,
  S3_SERVER_TIMEOUT_MS,
  type S3Server,
  startS3Server,
} from '../../rigs/documents/s3-server.js';
import { merchant } from '../../rigs/inputs.js';
import { jsonLines, launch } from '../../rigs/processes.js';
import { createRig, type Rig } from '../../rigs/rig.js';

/** Below it each test has a place of its own, because a test may be run again. */
const PREFIX = 'gangway';

let s3: S3Server;
let rig: Rig;
let folder: string;
beforeAll(async () => {
  s3 = await startS3Server();
  rig = await createRig({ worker: false });
  folder = await mkdtemp(join(tmpdir(), 'gangway-bucket-'));
}, S3_SERVER_TIMEOUT_MS);
afterAll(async () => {
  await rig?.close();
  await s3?.stop();
  await rm(folder, { recursive: true, force: true });
});

function place() {
  const prefix = `${PREFIX}/${randomUUID()}`;
  const documents = `s3://${BUCKET}/${prefix}/documents`;
  const statements = `s3://${BUCKET}/${prefix}/statements`;
  const stores = { DOCUMENT_DIR: documents, STATEMENT_DIR: statements, AWS_ENDPOINT_URL_S3: s3.url };
  return { prefix, documents, statements, env: { ...rig.env, ...s3.env, ...stores } };
}

/** A worker that has a folder of its own to be in, and shares none. */
async function workerElsewhere(env: Readonly<Record<string, string>>): Promise<string> {
  const cwd = await mkdtemp(join(folder, 'worker-'));
  const { child, exit } = await launch('worker', env, 'worker is ready', { cwd });
  onTestFinished(async () => {
    child.kill('SIGTERM');
    await exit;
  });
  return cwd;
}

const TIMEOUT_MS = 120_000;

describe('with a bucket and no shared folder', () => {
  it('a document that answers a note reaches the partner byte for byte', {
    timeout: TIMEOUT_MS,
  }, async () => {
    const partner = await countingProxy(rig.sandbox.url);
    const { env, prefix } = place();
    const cwd = await workerElsewhere({ ...env, BOARDING_URL: partner.url });
    const boarding = await rig.board(merchant('uw-level-1'));
    const { id } = await boarding.requirement('underwriting-note');
    const document = join(folder, 'check.pdf');
    // More than goes in one part.
    const content = randomBytes(6 * 1024 * 1024);
    await writeFile(document, content);

    const resolved = await gangway(env, ['resolve', boarding.workflowId, id, '--document', document]);
    expect(resolved).toMatchObject({ code: 0, stderr: '' });
    expect(await boarding.outcome()).toMatchObject({ outcome: 'boarded' });

    const [upload, ...more] = partner.seen('POST /api/v1/merchant/attachment');
    expect(more).toEqual([]);
    expect(upload?.request.body().includes(content)).toBe(true);
    const [key = '', ...others] = await s3.keys(`${prefix}/documents/`);
    expect(others).toEqual([]);
    expect(key.slice(`${prefix}/documents/`.length)).toMatch(/^[0-9a-f-]{36}\.pdf$/);
    const stored = await s3.object(key);
    expect(stored.contentType).toBe('application/pdf');
    expect(stored.content.equals(content)).toBe(true);
    expect(await readdir(cwd)).toEqual([]);
  });

  it('a statement is saved there, and fetched by the command', { timeout: TIMEOUT_MS }, async () => {
    const { env, prefix, statements } = place();
    const cwd = await workerElsewhere(env);
    const asked = ['--account', 'fa-501-1', '--period', '2026-01', '--format', 'CSV'];
    const saved = await gangway(env, ['statement', 'now', ...asked, '--json']);
    const { content, contentType } = await s3.object(`${prefix}/statements/2026-01-fa-501-1.csv`);
    expect(jsonLines(saved).at(-1)).toMatchObject({
      outcome: 'done',
      fileName: '2026-01-fa-501-1.csv',
      bytes: content.length,
    });
    // As the partner gave it.
    expect(contentType).toBe('text/plain; charset=utf-8');
    expect(content.toString()).toMatch(/^account,date,description,amount\r\nfa-501-1,2026-01-03T10:00:00Z,/);

    const request = { period: '2026-01-01T00:00:00Z', financialAccountIds: ['fa-501-1'], fileFormat: 'CSV' };
    const call = ['call', 'banking', 'generate-full-statement', JSON.stringify(request), '--json'];
    const output = join(folder, `${randomUUID()}.csv`);
    const fetched = await gangway(env, [...call, '--output', output]);
    expect(fetched.code).toBe(0);
    expect((await readFile(output)).equals(content)).toBe(true);
    const left = await gangway(env, call);
    expect(JSON.parse(left.stdout)).toEqual({
      saved: expect.stringMatching(`^${statements}/generate-full-statement-[\\w-]+\\.csv$`),
      contentType: 'text/plain; charset=utf-8',
    });
    expect(await readdir(cwd)).toEqual([]);
  });
});

describe('gangway doctor', () => {
  const stores = async (env: Readonly<Record<string, string>>) => {
    const { stdout } = await gangway(env, ['doctor', '--json']);
    const findings = jsonLines({ code: 0, stdout, stderr: '' });
    return findings.filter(({ check }) => String(check).endsWith(' store') && check !== 'plant store');
  };

  it('writes and reads a bucket', { timeout: TIMEOUT_MS }, async () => {
    const { env, documents, statements } = place();
    expect(await stores(env)).toEqual([
      { check: 'document store', state: 'ok', detail: documents },
      { check: 'statement store', state: 'ok', detail: statements },
    ]);
  });
});
