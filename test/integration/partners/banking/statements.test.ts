import { createWriteStream } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { statementFormat } from '../../../../src/partners/banking/client.js';
import { PartnerError } from '../../../../src/partners/partner-error.js';
import { bankingPartner } from '../../../rigs/partners/banking/partner.js';
import { failureOf } from '../../../rigs/partners/failure.js';
import { type Respond, responding } from '../../../rigs/partners/servers.js';

describe('a statement', () => {
  const request = { period: '2026-01-01T00:00:00Z', financialAccountIds: ['fa-1'] };
  const bytes = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));

  async function statement(respond: Respond, limits = {}) {
    const { client } = await bankingPartner(respond, { limits });
    return client.generateFullStatement(request);
  }

  const sending =
    (contentType: string, body: Buffer | string): Respond =>
    (response) =>
      void response.writeHead(200, { 'content-type': contentType }).end(body);

  it.each([
    ['PDF', 'application/pdf', bytes],
    ['CSV', 'text/csv; charset=utf-8', Buffer.from('date,amount\n2026-01-01,€1\n')],
    ['CSV', 'text/plain', Buffer.from('date,amount\n')],
    ['QBO', 'application/vnd.intu.qbo', bytes],
    ['OFX', 'application/x-ofx', bytes],
    [undefined, 'application/octet-stream', bytes],
  ])('%s comes byte by byte as %s', async (format, contentType, content) => {
    const file = await statement(sending(contentType, content));
    expect(file.contentType).toBe(contentType);
    expect(statementFormat(file.contentType)).toBe(format);
    expect(Buffer.concat(await file.body.toArray()).equals(content)).toBe(true);
  });

  it('goes into a file while it arrives, also if it is larger than the limit of responses in memory', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'gangway-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const chunk = Buffer.alloc(64 * 1024, 'x');
    const respond: Respond = (response) => {
      response.writeHead(200, { 'content-type': 'application/pdf' });
      for (let sent = 0; sent < 32; sent += 1) response.write(chunk);
      response.end();
    };
    const { body } = await statement(respond, { maxBodyBytes: 1_000 });
    await pipeline(body, createWriteStream(join(folder, 'statement.pdf')));
    expect((await readFile(join(folder, 'statement.pdf'))).byteLength).toBe(32 * 64 * 1024);
  });

  it('is returned before it is complete', async () => {
    let finish = () => {};
    const { body } = await statement((response) => {
      response.writeHead(200, { 'content-type': 'text/csv' }).write('date,');
      finish = () => void response.end('amount');
    });
    const iterator = body[Symbol.asyncIterator]();
    expect(String((await iterator.next()).value)).toBe('date,');
    finish();
    expect(String((await iterator.next()).value)).toBe('amount');
    expect((await iterator.next()).done).toBe(true);
  });

  it.each<[string, Respond, object, string]>([
    [
      'is larger than allowed',
      sending('application/pdf', Buffer.alloc(100_000)),
      { maxDownloadBytes: 50_000 },
      'UND_ERR_RES_EXCEEDED_MAX_SIZE',
    ],
    [
      'stops coming',
      (response) => void response.writeHead(200, { 'content-length': '10' }).write('x'),
      { bodyTimeoutMs: 100 },
      'UND_ERR_BODY_TIMEOUT',
    ],
    [
      'takes too long',
      (response) => void response.writeHead(200, { 'content-length': '10' }).write('x'),
      { totalTimeoutMs: 300 },
      'TimeoutError',
    ],
    [
      'is cut',
      (response) => {
        response.writeHead(200, { 'content-length': '10' }).write('x', () => response.destroy());
      },
      {},
      'UND_ERR_RES_CONTENT_LENGTH_MISMATCH',
    ],
  ])('that %s breaks off with a PartnerError', async (_, respond, limits, reason) => {
    const failed = statement(respond, limits).then(({ body }) => body.toArray());
    const error = await failureOf(failed);
    expect(error).toBeInstanceOf(PartnerError);
    expect(error.details).toMatchObject({ kind: 'Uncertain', operation: 'generate-full-statement' });
    expect(error.details.reason).toBe(reason);
  });

  it('that nobody reads does no harm, and is closed together with its connection', async () => {
    let closed = false;
    const { body } = await statement((response) => {
      response.once('close', () => {
        closed = true;
      });
      response.writeHead(200, { 'content-length': '10' }).write('x');
    });
    body.destroy();
    await expect.poll(() => closed).toBe(true);
  });

  it('that breaks off before it is read fails when it is read, and does not end the process', async () => {
    let cut = () => {};
    const { body } = await statement((response) => {
      response.writeHead(200, { 'content-length': '10' }).write('x');
      cut = () => void response.destroy();
    });
    cut();
    // The end of a local connection arrives in the next turn of the event loop.
    for (let turn = 0; turn < 10; turn += 1) await setImmediate();
    expect(await failureOf(body.toArray())).toMatchObject({ kind: 'Uncertain' });
  });

  it('that is refused has the reason, within bounds', async () => {
    const body = '{"errors":{"Period":["is bad"]}}';
    expect(await failureOf(statement(responding(400, body)))).toMatchObject({
      kind: 'Rejected',
      fields: [{ field: 'Period', message: 'is bad' }],
    });
    const long = await failureOf(statement(responding(400, 'x'.repeat(2_000)), { maxBodyBytes: 1_000 }));
    expect(long.details).toMatchObject({ kind: 'Uncertain', reason: 'UND_ERR_RES_EXCEEDED_MAX_SIZE' });
  });
});
