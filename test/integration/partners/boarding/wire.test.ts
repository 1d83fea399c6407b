import { describe, expect, it } from 'vitest';
import { type BoardingOperations, boardingOperations } from '../../../../src/partners/boarding/operations.js';
import { clientOf, recordingServer, responding } from '../../../rigs/partners/servers.js';

/** The request, then method, path and query, the exact bytes of the body, and the `data` of the response, as JSON. */
type Wire = readonly [request: object, line: string, body?: string | undefined, data?: string];

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

const created = '{"merchantProfileId":4711}';
const status = '{"status":"Pending","statusDate":"2026-01-31T10:00:00Z","comment":null,"mid":null}';

/** Paths and methods as in apis/2. Bodies without a shape there are as docs/partner-apis.md assumes them. */
const WIRE: Record<keyof BoardingOperations, Wire> = {
  listAgentProfiles: [{}, 'GET /api/v1/agentProfiles', undefined, '[{"id":101,"name":"Harbor Agents"}]'],
  listBoardingSettings: [{}, 'GET /api/v1/GetBoardingSettings', undefined, '[{"id":11,"name":"Standard"}]'],
  createMerchantV1: [basics, 'POST /api/v1/merchant/create', `{${basicsJson}}`, created],
  createMerchant: [
    { ...basics, email: 'ada@example.com', boardingSettingsId: 11, guid: 'order-1' },
    'POST /api/v2/merchant/create',
    `{${basicsJson},"email":"ada@example.com","boardingSettingsId":11,"guid":"order-1"}`,
    created,
  ],
  getFees: [{ id: 4711 }, 'GET /api/v2/merchant/fees?id=4711', undefined, '{"minimumDiscountAmount":25}'],
  updateFees: [
    {
      id: 4711,
      minimumDiscountAmount: 25.5,
      minimumDiscountType: 'Monthly',
      amex: { interchangePlus: { qualified: { perItem: 0.1, percent: 0 } } },
      fieldsOfThePartner: 'kept',
    },
    'POST /api/v2/merchant/fees?id=4711',
    '{"minimumDiscountAmount":25.5,"minimumDiscountType":"Monthly",' +
      '"amex":{"interchangePlus":{"qualified":{"perItem":0.1,"percent":0}}},"fieldsOfThePartner":"kept"}',
  ],
  submitMerchant: [
    { merchantProfileId: 4711, merchantProfile: { legalName: 'Ada Ltd' } },
    'POST /api/v2/merchant/submit',
    '{"merchantProfileId":4711,"merchantProfile":{"legalName":"Ada Ltd"}}',
  ],
  submitMerchantV1: [{ id: 4711 }, 'POST /api/v1/merchant/submit?id=4711'],
  getStatus: [{ id: 4711 }, 'GET /api/v1/merchant/status?id=4711', undefined, status],
  getStatus2: [{ id: 4711 }, 'GET /api/v1/merchant/status2?id=4711', undefined, status],
  updateStatus: [
    { id: 4711, status: 'Approved', comment: 'all fine' },
    'POST /api/v1/merchant/updateStatus?id=4711',
    '{"status":"Approved","comment":"all fine"}',
  ],
  uploadAttachment: [
    {
      id: 4711,
      file: { fileName: 'check.pdf', contentType: 'application/pdf', content: Buffer.from('%PDF-1.7') },
      description: 'voided check',
    },
    'POST /api/v1/merchant/attachment?id=4711',
    [
      '--BOUNDARY',
      'Content-Disposition: form-data; name="file"; filename="check.pdf"',
      'Content-Type: application/pdf',
      '',
      '%PDF-1.7',
      '--BOUNDARY',
      'Content-Disposition: form-data; name="description"',
      '',
      'voided check',
      '--BOUNDARY--',
      '',
    ].join('\r\n'),
  ],
  getUnderwritingNotes: [{ id: 4711 }, 'GET /api/v1/merchant/underwritingNotes?id=4711', undefined, '[]'],
  requestUnderwritingReview: [
    { id: 4711, comment: 'answered' },
    'POST /api/v1/merchant/underwritingReview?id=4711',
    '{"comment":"answered"}',
  ],
  setUnderwritingPending: [{ id: 4711 }, 'POST /api/v1/merchant/underwritingPending?id=4711'],
};

const envelope = (data: string) =>
  `{"data":${data},"status":"OK","error":null,"warning":null,"validationResults":[],"requestId":1}`;

/** Body and content type. The boundary, which differs for every request, is written as BOUNDARY. */
function withoutBoundary(contentType: string | undefined, body: string) {
  const boundary = /boundary=(\S+)/.exec(contentType ?? '')?.[1];
  if (boundary === undefined) return { contentType, body };
  return {
    contentType: contentType?.replace(boundary, 'BOUNDARY'),
    body: body.replaceAll(boundary, 'BOUNDARY'),
  };
}

describe('every operation of the contract', () => {
  it('is in the table', () => {
    expect(Object.keys(WIRE)).toHaveLength(15);
    expect(Object.keys(WIRE).sort()).toEqual(Object.keys(boardingOperations()).sort());
  });

  it.each(Object.entries(WIRE))('%s', async (key, [given, line, body, data = 'null']) => {
    const partner = await recordingServer(responding(200, envelope(data)));
    await clientOf(partner.url)[key as keyof typeof WIRE](given as never);
    expect(partner.requests).toHaveLength(1);
    const [request] = partner.requests;
    expect(request?.line).toBe(line);
    expect(request?.headers.authorization).toBe('Basic c2FuZGJveDpzM2NyZXQ=');
    expect(request?.headers.accept).toBe('application/json');
    const json = body === undefined ? undefined : 'application/json';
    const contentType = key === 'uploadAttachment' ? 'multipart/form-data; boundary=BOUNDARY' : json;
    const sent = withoutBoundary(request?.headers['content-type'], request?.body.toString('utf8') ?? '');
    expect(sent).toEqual({ contentType, body: body ?? '' });
  });
});

describe('a request', () => {
  const respond = responding(200, envelope(created));

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
