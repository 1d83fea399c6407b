import { randomBytes, randomUUID } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { gangway } from '../../../rigs/command.js';
import { countingProxy } from '../../../rigs/counting-proxy.js';
import {
  BUCKET,
  S3_SERVER_TIMEOUT_MS,
  type S3Server,
  startS3Server,
} from '../../../rigs/documents/s3-server.js';
import { newFolder } from '../../../rigs/folders.js';
import { merchant } from '../../../rigs/inputs.js';
import { jsonLines, launch } from '../../../rigs/processes.js';
import { createRig } from '../../../rigs/rig.js';
import { shared } from '../../../rigs/shared.js';

const MIB = 1024 * 1024;

let s3: S3Server;
beforeAll(async () => {
  s3 = await startS3Server();
}, S3_SERVER_TIMEOUT_MS);
afterAll(() => s3?.stop());

describe('with a bucket and no shared folder', () => {
  const rig = shared(async (until) => {
    const record = await createRig({ worker: false });
    until(() => record.close());
    return record;
  });

  /** A worker that shares no folder, and a place in the bucket for the running test. */
  async function elsewhere(settings: Readonly<Record<string, string>> = {}) {
    const prefix = `gangway/${randomUUID()}`;
    const [documents, statements] = ['documents', 'statements'].map(
      (name) => `s3://${BUCKET}/${prefix}/${name}`,
    );
    const stores = {
      DOCUMENT_DIR: documents ?? '',
      STATEMENT_DIR: statements ?? '',
      AWS_ENDPOINT_URL_S3: s3.url,
    };
    const env = { ...rig().env, ...s3.env, ...stores };
    const cwd = await newFolder();
    const { stop } = await launch('worker', { ...env, ...settings }, 'worker is ready', { cwd });
    onTestFinished(async () => void (await stop()));
    return { prefix, documents, statements, env, cwd };
  }

  it('a document that answers a note reaches the partner byte for byte', async () => {
    const partner = await countingProxy(rig().sandbox.url);
    const { env, prefix, cwd } = await elsewhere({ BOARDING_URL: partner.url });
    const boarding = await rig().board(merchant('uw-level-1'));
    const { id } = await boarding.requirement('underwriting-note');
    const document = join(await newFolder(), 'check.pdf');
    // More than goes in one part.
    const content = Buffer.concat([Buffer.from('%PDF-1.7\n'), randomBytes(6 * MIB), Buffer.from('\n%%EOF')]);
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
    expect(await s3.object(key)).toEqual({ content, contentType: 'application/pdf' });
    expect(await readdir(cwd)).toEqual([]);
  });

  it('a statement is saved there, and fetched by the command; doctor writes and reads both', async () => {
    const { env, prefix, documents, statements, cwd } = await elsewhere();
    const questions = ['--account', 'fa-501-1', '--period', '2026-01', '--format', 'CSV'];
    const saved = await gangway(env, ['statement', 'now', ...questions, '--json']);
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
    const output = join(await newFolder(), 'fetched.csv');
    expect(await gangway(env, [...call, '--output', output])).toMatchObject({ code: 0 });
    expect((await readFile(output)).equals(content)).toBe(true);
    expect(JSON.parse((await gangway(env, call)).stdout)).toEqual({
      saved: expect.stringMatching(`^${statements}/generate-full-statement-[\\w-]+\\.csv$`),
      contentType: 'text/plain; charset=utf-8',
    });
    const { stdout } = await gangway(env, ['doctor', '--json']);
    const findings = jsonLines({ code: 0, stdout, stderr: '' });
    expect(findings.filter(({ check }) => /^(document|statement) store$/.test(`${check}`))).toEqual([
      { check: 'document store', state: 'ok', detail: documents },
      { check: 'statement store', state: 'ok', detail: statements },
    ]);
    expect(await readdir(cwd)).toEqual([]);
  });
});
