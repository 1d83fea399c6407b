import { describe, expect, it } from 'vitest';
import { type Caller, runSandbox } from '../../../rigs/sandbox/running-sandbox.js';
import { shared } from '../../../rigs/shared.js';

const VALID =
  '{"cashDiscount":"No","firstName":"Ada","lastName":"Baker","dba":"Corner Bakery","pos":"None","agentProfileId":101}';

const B1 = 'POST /api/v1/merchant/create';
const B2 = 'GET /api/v2/merchant/fees';
const B3 = 'GET /api/v1/merchant/status';
const B4 = 'GET /api/v1/merchant/underwritingNotes';

describe('envelopes, byte by byte', () => {
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
