import { describe, expect, it } from 'vitest';
import { clientOf, recordingServer, responding } from '../../../rigs/partners/servers.js';

const basics = {
  cashDiscount: 'No',
  firstName: 'Ada',
  lastName: 'Baker',
  dba: 'Café "Ada"',
  pos: 'None',
  agentProfileId: 101,
} as const;

const basicsJson =
  '"cashDiscount":"No","firstName":"Ada","lastName":"Baker","dba":"Café \\"Ada\\"","pos":"None","agentProfileId":101';

describe('a request', () => {
  const respond = responding(200, '{"data":{"merchantProfileId":4711}}');

  it('gives the length of its body in bytes, not in characters', async () => {
    const partner = await recordingServer(respond);
    await clientOf(partner.url).createMerchant({ ...basics, dba: 'é€😀' });
    const [request] = partner.requests;
    expect(request?.headers['content-length']).toBe(String(request?.body.byteLength));
    expect(request?.body.toString('utf8')).toContain('"dba":"é€😀"');
  });

  it('leaves out optional fields that are absent or undefined', async () => {
    const partner = await recordingServer(respond);
    const client = clientOf(partner.url);
    await client.createMerchant({ ...basics, email: undefined, guid: undefined });
    await client.requestUnderwritingReview({ id: 4711, comment: undefined });
    expect(partner.requests.map(({ body }) => body.toString('utf8'))).toEqual([`{${basicsJson}}`, '']);
  });

  it('carries credentials in UTF-8', async () => {
    const partner = await recordingServer(respond);
    await clientOf(partner.url, { username: 'zoë', password: 'a:b' }).setUnderwritingPending({ id: 1 });
    expect(partner.requests[0]?.headers.authorization).toBe('Basic em/DqzphOmI=');
  });

  // Catches a read that a cache may answer, perhaps with another record.
  it('asks for no cached response, if it reads', async () => {
    const partner = await recordingServer(responding(200, '{"data":[]}'));
    await clientOf(partner.url).getUnderwritingNotes({ id: 4711 });
    expect(partner.requests[0]?.headers['cache-control']).toBe('no-cache');
  });

  it('carries a file byte by byte', async () => {
    const content = Uint8Array.from({ length: 256 }, (_, byte) => byte);
    const partner = await recordingServer(respond);
    const file = { fileName: 'scan.png', contentType: 'image/png', content };
    await clientOf(partner.url).uploadAttachment({ id: 4711, file });
    const [request] = partner.requests;
    const text = request?.body.toString('latin1') ?? '';
    expect(text.split('\r\n\r\n')[0]).toMatch(
      /name="file"; filename="scan\.png"\r\nContent-Type: image\/png$/,
    );
    expect(text).toContain(`\r\n\r\n${Buffer.from(content).toString('latin1')}\r\n--`);
    expect(text).not.toContain('name="description"');
  });
});
