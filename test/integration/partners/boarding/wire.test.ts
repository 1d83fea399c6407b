import { describe, expect, it } from 'vitest';
import type { BoardingClient } from '../../../../src/partners/boarding/client.js';
import { type BoardingOperations, boardingOperations } from '../../../../src/partners/boarding/operations.js';
import type { ByHand } from '../../../../src/partners/by-hand.js';
import { clientOf, recordingServer, responding } from '../../../rigs/partners/servers.js';

interface Wire {
  readonly call: (client: ByHand<BoardingClient>) => Promise<unknown>;
  /** Method, path and query. */
  readonly line: string;
  readonly contentType?: string;
  /** The exact bytes; in multipart, the boundary is written as BOUNDARY. */
  readonly body?: string;
  /** The `data` of the response, as JSON. */
  readonly data?: string;
}

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
  listAgentProfiles: {
    call: (client) => client.listAgentProfiles({}),
    line: 'GET /api/v1/agentProfiles',
    data: '[{"id":101,"name":"Harbor Agents"}]',
  },
  listBoardingSettings: {
    call: (client) => client.listBoardingSettings({}),
    line: 'GET /api/v1/GetBoardingSettings',
    data: '[{"id":11,"name":"Standard"}]',
  },
  createMerchantV1: {
    call: (client) => client.createMerchantV1(basics),
    line: 'POST /api/v1/merchant/create',
    body: `{${basicsJson}}`,
    data: created,
  },
  createMerchant: {
    call: (client) =>
      client.createMerchant({ ...basics, email: 'ada@example.com', boardingSettingsId: 11, guid: 'order-1' }),
    line: 'POST /api/v2/merchant/create',
    body: `{${basicsJson},"email":"ada@example.com","boardingSettingsId":11,"guid":"order-1"}`,
    data: created,
  },
  getFees: {
    call: (client) => client.getFees({ id: 4711 }),
    line: 'GET /api/v2/merchant/fees?id=4711',
    data: '{"minimumDiscountAmount":25}',
  },
  updateFees: {
    call: (client) =>
      client.updateFees({
        id: 4711,
        minimumDiscountAmount: 25.5,
        minimumDiscountType: 'Monthly',
        amex: { interchangePlus: { qualified: { perItem: 0.1, percent: 0 } } },
        fieldsOfThePartner: 'kept',
      }),
    line: 'POST /api/v2/merchant/fees?id=4711',
    body:
      '{"minimumDiscountAmount":25.5,"minimumDiscountType":"Monthly",' +
      '"amex":{"interchangePlus":{"qualified":{"perItem":0.1,"percent":0}}},"fieldsOfThePartner":"kept"}',
  },
  submitMerchant: {
    call: (client) =>
      client.submitMerchant({ merchantProfileId: 4711, merchantProfile: { legalName: 'Ada Ltd' } }),
    line: 'POST /api/v2/merchant/submit',
    body: '{"merchantProfileId":4711,"merchantProfile":{"legalName":"Ada Ltd"}}',
  },
  submitMerchantV1: {
    call: (client) => client.submitMerchantV1({ id: 4711 }),
    line: 'POST /api/v1/merchant/submit?id=4711',
  },
  getStatus: {
    call: (client) => client.getStatus({ id: 4711 }),
    line: 'GET /api/v1/merchant/status?id=4711',
    data: status,
  },
  getStatus2: {
    call: (client) => client.getStatus2({ id: 4711 }),
    line: 'GET /api/v1/merchant/status2?id=4711',
    data: status,
  },
  updateStatus: {
    call: (client) => client.updateStatus({ id: 4711, status: 'Approved', comment: 'all fine' }),
    line: 'POST /api/v1/merchant/updateStatus?id=4711',
    body: '{"status":"Approved","comment":"all fine"}',
  },
  uploadAttachment: {
    call: (client) =>
      client.uploadAttachment({
        id: 4711,
        file: { fileName: 'check.pdf', contentType: 'application/pdf', content: Buffer.from('%PDF-1.7') },
        description: 'voided check',
      }),
    line: 'POST /api/v1/merchant/attachment?id=4711',
    contentType: 'multipart/form-data; boundary=BOUNDARY',
    body: [
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
  },
  getUnderwritingNotes: {
    call: (client) => client.getUnderwritingNotes({ id: 4711 }),
    line: 'GET /api/v1/merchant/underwritingNotes?id=4711',
    data: '[]',
  },
  requestUnderwritingReview: {
    call: (client) => client.requestUnderwritingReview({ id: 4711, comment: 'answered' }),
    line: 'POST /api/v1/merchant/underwritingReview?id=4711',
    body: '{"comment":"answered"}',
  },
  setUnderwritingPending: {
    call: (client) => client.setUnderwritingPending({ id: 4711 }),
    line: 'POST /api/v1/merchant/underwritingPending?id=4711',
  },
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

  it.each(Object.entries(WIRE))('%s', async (_, { call, line, contentType, body, data }) => {
    const partner = await recordingServer(responding(200, envelope(data ?? 'null')));
    await call(clientOf(partner.url));
    expect(partner.requests).toHaveLength(1);
    const [request] = partner.requests;
    expect(request?.line).toBe(line);
    expect(request?.headers.authorization).toBe('Basic c2FuZGJveDpzM2NyZXQ=');
    expect(request?.headers.accept).toBe('application/json');
    expect(withoutBoundary(request?.headers['content-type'], request?.body.toString('utf8') ?? '')).toEqual({
      contentType: contentType ?? (body === undefined ? undefined : 'application/json'),
      body: body ?? '',
    });
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
