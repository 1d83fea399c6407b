import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { statementFormat } from '../../../../src/partners/banking/client.js';
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

  it('that is cut breaks off with a PartnerError', async () => {
    const { body } = await statement((response) => {
      response.writeHead(200, { 'content-length': '10' }).write('x', () => response.destroy());
    });
    expect((await failureOf(body.toArray())).details).toMatchObject({
      kind: 'Uncertain',
      operation: 'generate-full-statement',
      reason: 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH',
    });
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
