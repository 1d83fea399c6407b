import { tmpdir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { boardingActivities } from '../../../src/activities/boarding.js';
import type { AtMostOnce } from '../../../src/at-most-once/workflow.js';
import { merchantBoardingInput } from '../../../src/messages/inputs.js';
import { documentStore } from '../../../src/partners/documents/document-store.js';
import { folder } from '../../../src/platform/documents/file-store.js';
import { failed } from '../../rigs/activities/banking/running-activities.js';
import { environment } from '../../rigs/activities/environment.js';
import { clientOf, recordingServer, responding } from '../../rigs/partners/servers.js';

const CREATED = '{"data":{"merchantProfileId":4711},"status":"OK","error":null,"validationResults":[]}';

const BODY =
  '{"cashDiscount":"No","firstName":"Ada","lastName":"Baker","dba":"Corner Bakery","pos":"None",' +
  '"agentProfileId":101,"guid":"m-1"}';

const run = <Request, Response>(
  activity: (request: Request) => Promise<Response> | AtMostOnce<Response>,
  request: Request,
): Promise<Response> => environment().run(activity as (request: Request) => Promise<never>, request);

const activitiesAt = (url: string) =>
  boardingActivities({
    fourEyes: [],
    client: clientOf(url),
    documents: documentStore(folder(tmpdir())),
    poll: { minMs: 60_000, maxMs: 3_600_000 },
    meaningOf: async () => undefined,
  });

describe('fees that are read and sent with a change', () => {
  it('keep all digits of the partner’s numbers, and stay numbers', async () => {
    const fees =
      '"templateId":9007199254740993,"standard":{"portal":{"perItem":1.10,"percent":0},"ids":[9223372036854775807]}';
    const before = `{"data":{"cashDiscountRate":3.5,${fees}}}`;
    const after = `{"data":{"cashDiscountRate":3,${fees}}}`;
    const { url, requests } = await recordingServer((response, request) =>
      responding(200, requests.length < 2 ? before : after)(response, request),
    );
    const { changeFees } = activitiesAt(url);
    const changes = { cashDiscountRate: 3 };
    expect(await run(changeFees, { merchantProfileId: 7, changes })).toEqual({ changed: 1, differing: [] });
    expect(requests.map(({ line, body }) => `${line} ${body}`)).toEqual([
      'GET /api/v2/merchant/fees?id=7 ',
      'POST /api/v2/merchant/fees?id=7 {"cashDiscountRate":3,"templateId":9007199254740993,' +
        '"standard":{"portal":{"perItem":1.1,"percent":0},"ids":[9223372036854775807]}}',
      'GET /api/v2/merchant/fees?id=7 ',
    ]);
  });

  const OWN =
    '"cashDiscountRate":"3.5","earlyTerminationFeeAmount":1000000,"minimumDiscountStartDate":"2026-01-05",' +
    '"minimumDiscountType":"Weekly","amex":null,"standard":{"portal":{"perItem":null}},"miscFees":{}';
  const answering = (minimum: unknown) => `{"data":{"minimumDiscountAmount":${minimum},${OWN}}}`;

  it('stay as the partner has them, whatever they are', async () => {
    const { url, requests } = await recordingServer((response, request) =>
      responding(200, answering(requests.length < 2 ? 750 : '"20.00"'))(response, request),
    );
    const changes = { minimumDiscountAmount: 20 };
    const request = { merchantProfileId: 7, changes };
    expect(await run(activitiesAt(url).changeFees, request)).toEqual({ changed: 1, differing: [] });
    expect(String(requests[1]?.body)).toBe(`{"minimumDiscountAmount":20,${OWN}}`);
  });

  it('are numbers where they are text that its own write refuses, at any depth', async () => {
    const { url, requests } = await recordingServer((response, request) => {
      const isRefused = request.method === 'POST' && requests.length === 2;
      const refusal = '{"success":false,"error":"3.50 is not a number"}';
      const fees =
        '{"data":{"minimumDiscountAmount":"20.00","cashDiscountRate":"3.50","amex":{"portal":{"perItem":"0.10","percent":"0"}},"label":"1.0"}}';
      return responding(isRefused ? 400 : 200, isRefused ? refusal : fees)(response, request);
    });
    const changes = { minimumDiscountAmount: 25 };
    await run(activitiesAt(url).changeFees, { merchantProfileId: 7, changes });
    expect(requests.filter(({ line }) => line.startsWith('POST')).map(({ body }) => `${body}`)).toEqual([
      '{"minimumDiscountAmount":25,"cashDiscountRate":"3.50","amex":{"portal":{"perItem":"0.10","percent":"0"}},"label":"1.0"}',
      '{"minimumDiscountAmount":25,"cashDiscountRate":3.5,"amex":{"portal":{"perItem":0.1,"percent":0}},"label":"1.0"}',
    ]);
  });

  it('stay text under names that no document has, even if the write refuses them: their type is unknown, so a person is asked', async () => {
    const own = '"batchFee":"0.05","standard":{"batch":{"perItem":"0.05","percent":"0.00"}}';
    const { url, requests } = await recordingServer((response, { method }) =>
      method === 'POST'
        ? responding(400, '{"success":false,"error":"0.05 is not a number"}')(response, {} as never)
        : responding(200, `{"data":{"minimumDiscountAmount":"20.00",${own}}}`)(response, {} as never),
    );
    const changes = { minimumDiscountAmount: 25 };
    const { details } = await failed(run(activitiesAt(url).changeFees, { merchantProfileId: 7, changes }));
    expect(details).toMatchObject({ kind: 'Rejected', fields: [{ message: '0.05 is not a number' }] });
    expect(requests.filter(({ line }) => line.startsWith('POST')).map(({ body }) => `${body}`)).toEqual([
      `{"minimumDiscountAmount":25,${own}}`,
      '{"minimumDiscountAmount":25,"batchFee":"0.05","standard":{"batch":{"perItem":0.05,"percent":0}}}',
    ]);
  });

  it('are checked where a person changes them', async () => {
    const { url, requests } = await recordingServer(responding(200, answering(20)));
    const changes = { minimumDiscountAmount: 750, standard: { portal: { perItem: 1 } } };
    const { details } = await failed(run(activitiesAt(url).changeFees, { merchantProfileId: 7, changes }));
    expect(details).toMatchObject({
      kind: 'Rejected',
      fields: [
        { field: 'fees.minimumDiscountAmount', message: 'must be at most 500' },
        { field: 'fees.standard.portal.percent', message: 'is required' },
      ],
    });
    expect(requests).toHaveLength(1);
  });

  it('are read again where the partner does not find yet what it has just created', async () => {
    const { url } = await recordingServer(responding(404, '{}'));
    const request = { merchantProfileId: 7, changes: { cashDiscountRate: 3 } };
    const { details, isRetried } = await failed(run(activitiesAt(url).changeFees, request));
    expect([details.status, isRetried]).toEqual([404, true]);
  });

  it('are compared with all their digits', async () => {
    const fees = '{"data":{"cashDiscountRate":9007199254740993}}';
    const { url } = await recordingServer(responding(200, fees));
    const changes = { cashDiscountRate: 9007199254740992 };
    expect(await run(activitiesAt(url).changeFees, { merchantProfileId: 7, changes })).toMatchObject({
      differing: [
        {
          field: 'fees.cashDiscountRate',
          message: 'asked for 9007199254740992, the partner has 9007199254740993',
        },
      ],
    });
  });
});

describe('a status that is read', () => {
  const read = async (data: string) => {
    const { url } = await recordingServer((response, { url: path = '' }) =>
      responding(200, path.includes('/status') ? `{"data":${data}}` : '{"data":[]}')(response, {} as never),
    );
    return run(activitiesAt(url).readStatus, { merchantProfileId: 7, seen: { phase: null } });
  };

  it.each([
    ['"0051800"', '0051800', null],
    ['9007199254740993', '9007199254740993', null],
    ['51800000000000001234', '51800000000000001234', null],
    ['518000000000000000001234', null, '518000000000000000001234'],
    ['5.18e+23', null, '5.18e+23'],
    ['-1.5', null, '-1.5'],
    ['12345678901234567.5', null, '12345678901234567.5'],
    ['0', null, '0'],
    ['"9999"', null, '9999'],
    ['"999"', '999', null],
    ['"PENDING <b>"', null, 'PENDING <b>'],
    ['" 51800 "', '51800', null],
    ['""', null, null],
    ['null', null, null],
  ])('has a mid of 1 to 20 digits, or an unclear mid: %s', async (value, mid, unclearMid) => {
    expect(await read(`{"status":"Approved","mid":${value}}`)).toMatchObject({ mid, unclearMid });
  });
});

const request = {
  version: 'v2',
  merchant: { dba: 'Corner Bakery', firstName: 'Ada', lastName: 'Baker', cashDiscount: 'No', pos: 'None' },
  guid: 'm-1',
  references: { agentProfileId: 101, boardingSettingsId: 11 },
  since: '2026-01-31T10:00:00Z',
  saved: [],
} as const;

describe('an input with boardingSettings: false', () => {
  it.each([
    ['v1', 'POST /api/v1/merchant/create'],
    ['v2', 'POST /api/v2/merchant/create'],
  ] as const)('creates a %s merchant without boarding settings, and looks up none', async (version, line) => {
    const { url, requests } = await recordingServer(responding(200, CREATED));
    const { createMerchant } = activitiesAt(url);
    const { externalId, merchant, agentProfileId, boardingSettings } = merchantBoardingInput().parse({
      externalId: 'm-1',
      merchant: request.merchant,
      agentProfileId: 101,
      boardingSettings: false,
    });
    const references = { agentProfileId, boardingSettings };
    await run(createMerchant, { ...request, version, merchant, guid: externalId, references });
    expect(requests.map((request) => [request.line, String(request.body)])).toEqual([
      [line, BODY],
      ['GET /api/v1/merchant/status?id=4711', ''],
    ]);
  });
});

describe('a create', () => {
  it.each([
    ['the warning of the envelope', '"warning":"The agent is new."', 'The agent is new.'],
    [
      'problems, which must not be repeated',
      '"validationResults":[{"memberNames":["email"],"errorMessage":"looks unusual"}]',
      'email: looks unusual',
    ],
  ])('returns the merchant with %s', async (_, more, warning) => {
    const { url } = await recordingServer(
      responding(200, `{"data":{"merchantProfileId":4711},"error":null,${more}}`),
    );
    const created = { merchantProfileId: 4711, agentProfileId: 101, warnings: [warning] };
    expect(await run(activitiesAt(url).createMerchant, request)).toEqual({
      ...created,
      since: '1970-01-01T00:00:00.001Z',
      respondedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}\.000Z$/),
    });
  });
});
