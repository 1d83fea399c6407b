import { describe, expect, it } from 'vitest';
import { type Caller, runSandbox } from '../../rigs/sandbox/running-sandbox.js';
import { shared } from '../../rigs/shared.js';

const VALID =
  '{"cashDiscount":"No","firstName":"Ada","lastName":"Baker","dba":"Corner Bakery","pos":"None","agentProfileId":101}';

/** A create with one field left out or set to other JSON. */
function create(field: string, json?: string): string {
  const { [field]: _, ...rest } = JSON.parse(VALID);
  const text = JSON.stringify(rest);
  return json === undefined ? text : `${text.slice(0, -1)},"${field}":${json}}`;
}

const B1 = 'POST /api/v1/merchant/create';
const B2 = 'GET /api/v2/merchant/fees';
const B3 = 'GET /api/v1/merchant/status';
const B4 = 'GET /api/v1/merchant/underwritingNotes';

describe('status codes of apis/2', () => {
  // The calls do not depend on the effects of each other.
  const running = shared(async (until) => {
    const sandbox = await runSandbox({ posNames: ['TillMaster 3000'] }, until);
    await sandbox.create();
    return sandbox;
  });

  /** Status, case, line, body and caller; merchant 1001 exists. */
  it.each<[number, string, string, (string | undefined)?, Caller?]>([
    [200, 'a merchant', B1, VALID],
    [200, 'a merchant with settings', B1, create('boardingSettingsId', '11')],
    [200, 'a merchant of the other ISO', B1, create('agentProfileId', '201'), 'other-iso'],
    [200, 'a configured pos', B1, create('pos', '"TillMaster 3000"')],
    [400, 'half of a body', B1, '{"dba":'],
    [401, 'a wrong password', B1, VALID, 'wrong password'],
    [403, 'an agent of another ISO', B1, create('agentProfileId', '201')],
    [403, 'a user who may only read', B1, VALID, 'read-only'],
    [404, 'unknown boardingSettingsId', B1, create('boardingSettingsId', '999')],
    [404, 'boarding settings of another ISO', B1, create('boardingSettingsId', '21')],

    [200, 'fees', `${B2}?id=1001`],
    [200, 'fees, the other spelling', `${B2}?ID=1001`],
    [200, 'fees, by one who may only read', `${B2}?id=1001`, undefined, 'read-only'],
    [400, 'fees of no id', B2],
    [400, 'fees of an empty id', `${B2}?id=`],

    [200, 'status', `${B3}?id=1001`],
    [200, 'status, the other spelling', `${B3}?ID=1001`],
    [200, 'status, by one who may only read', `${B3}?id=1001`, undefined, 'read-only'],
    [400, 'status of a word', `${B3}?id=abc`],

    [200, 'notes', `${B4}?id=1001`],
    [200, 'notes, the other spelling', `${B4}?ID=1001`],
    [200, 'notes, by one who may only read', `${B4}?id=1001`, undefined, 'read-only'],
    [400, 'notes of a fraction', `${B4}?id=1.5`],

    [403, 'new fees by one who may only read', 'POST /api/v2/merchant/fees?id=1001', '{}', 'read-only'],
    [
      403,
      'submission by one who may only read',
      'POST /api/v1/merchant/submit?id=1001',
      undefined,
      'read-only',
    ],
    [403, 'submission by another ISO', 'POST /api/v1/merchant/submit?id=1001', undefined, 'other-iso'],
    [
      400,
      'fees beyond their limits',
      'POST /api/v2/merchant/fees?id=1001',
      '{"minimumDiscountAmount":500.01}',
    ],
    [404, 'an operation that does not exist', 'GET /api/v1/merchant/horoscope?id=1001'],
  ])('%i for %s', async (expected, _, line, body, caller) => {
    const sandbox = running();
    const before = await sandbox.effects();
    const { status, text } = await sandbox.call(line, body, caller);
    expect(status, text).toBe(expected);
    const took =
      expected === 200 && line === B1 ? [expect.stringMatching(/^create-merchant-v1 10\d\d$/)] : [];
    expect(await sandbox.effects()).toEqual([...before, ...took]);
  });
});

describe('envelopes, byte by byte', () => {
  it.each([
    [B3, 'get-status', '"status":"InternalServerError"'],
    [B2, 'get-fees', '"success":false'],
  ])('of a 500 for %s that is planned', async (line, operation, sign) => {
    const sandbox = await runSandbox();
    await sandbox.control('POST /sandbox/faults', `{"fault":"500-before-commit","operation":"${operation}"}`);
    const { status, text } = await sandbox.call(`${line}?id=1001`);
    expect([status, text]).toEqual([500, expect.stringContaining(sign)]);
    expect(text).toContain('"error":"InternalServerError"');
  });

  it('the common one', async () => {
    const sandbox = await runSandbox();
    const responses = [
      await sandbox.call(B1, VALID),
      await sandbox.call(`${B4}?id=1001`),
      await sandbox.call(`${B3}?id=7`),
      await sandbox.call(B3),
      await sandbox.call(`${B3}?id=1001`, undefined, 'other-iso'),
    ];
    expect(responses.map(({ text }) => text)).toEqual([
      '{"data":{"merchantProfileId":1001},"status":"OK","error":null,"warning":null,"validationResults":[],"requestId":70001}',
      '{"data":[],"status":"OK","error":null,"warning":null,"validationResults":[],"requestId":70002}',
      '{"data":null,"status":"NotFound","error":"merchant 7 not found","warning":null,"validationResults":[],"requestId":70003}',
      '{"data":null,"status":"BadRequest","error":"Validation failed","warning":null,"validationResults":[' +
        '{"memberNames":["id"],"errorMessage":"is required"}],"requestId":70004}',
      '{"data":null,"status":"Forbidden","error":"The merchant belongs to another ISO","warning":null,"validationResults":[],"requestId":70005}',
    ]);
    expect(responses[0]?.headers.get('content-type')).toBe('application/json; charset=utf-8');
  });

  it('that of fees', async () => {
    const sandbox = await runSandbox();
    await sandbox.call(B1, VALID);
    const responses = [await sandbox.call(`${B2}?id=1001`), await sandbox.call(`${B2}?id=x`)];
    expect(responses.map(({ text }) => text)).toEqual([
      '{"data":{},"requestId":70002,"success":true,"error":null,"validationErrors":[]}',
      '{"data":null,"requestId":70003,"success":false,"error":"Validation failed","validationErrors":[' +
        '{"field":"id","error":"must be a whole number such as 12"}]}',
    ]);
  });

  it('none around a 401, or around a 403 of a user without permission', async () => {
    const sandbox = await runSandbox();
    const responses = [
      await sandbox.call(B3, undefined, 'nobody'),
      await sandbox.call(B1, VALID, 'read-only'),
    ];
    expect(responses.map(({ text }) => text)).toEqual([
      '{"error":"Unauthorized","message":"Invalid credentials"}',
      '{"error":"Forbidden","message":"No permission for this operation"}',
    ]);
  });
});

describe('reference data', () => {
  const running = shared((until) => runSandbox({}, until));

  it.each<[string, Caller, number[]]>([
    ['GET /api/v1/agentProfiles', 'sandbox', [101, 102]],
    ['GET /api/v1/agentProfiles', 'other-iso', [201]],
    ['GET /api/v1/GetBoardingSettings', 'sandbox', [11, 12]],
    ['GET /api/v1/GetBoardingSettings', 'other-iso', [21]],
  ])('%s shows %s its own', async (line, caller, ids) => {
    const sandbox = running();
    const { data } = (await sandbox.call(line, undefined, caller)).json<{ data: { id: number }[] }>();
    expect(data.map(({ id }) => id)).toEqual(ids);
  });

  it('fills in the fees of a merchant with boarding settings, and an update replaces them', async () => {
    const sandbox = await runSandbox();
    const id = await sandbox.create();
    const fees = async () => (await sandbox.call(`${B2}?id=${id}`)).json<{ data: object }>().data;
    expect(await fees()).toMatchObject({ minimumDiscountAmount: 25, minimumDiscountType: 'Monthly' });
    const change = '{"minimumDiscountAmount":30,"standard":{"onlinePortal":{"perItem":5,"percent":0}}}';
    expect((await sandbox.call(`POST /api/v2/merchant/fees?id=${id}`, change)).status).toBe(200);
    expect(await fees()).toEqual(JSON.parse(change));
  });
});
