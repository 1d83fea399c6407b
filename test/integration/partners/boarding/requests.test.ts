import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { BoardingClient } from '../../../../src/partners/boarding/client.js';
import { refusedFields } from '../../../rigs/partners/failure.js';
import { clientOf, recordingServer, responding } from '../../../rigs/partners/servers.js';

const respond = responding(200, '{"data":{"merchantProfileId":1},"status":"OK","error":null,"requestId":1}');

const valid = {
  cashDiscount: 'No',
  firstName: 'Ada',
  lastName: 'Baker',
  dba: 'Corner Bakery',
  pos: 'None',
  agentProfileId: 101,
};

type Call = (client: BoardingClient, request: unknown) => Promise<unknown>;
const create: Call = (client, request) => client.createMerchant(request as never);
const createV1: Call = (client, request) => client.createMerchantV1(request as never);
const updateFees: Call = (client, request) => client.updateFees(request as never);
const getStatus: Call = (client, request) => client.getStatus(request as never);

/** A partner that accepts everything, so that only our rules can refuse. */
async function partner(posNames: readonly string[] = []) {
  const { url, requests, connections } = await recordingServer(respond);
  const client = clientOf(url, { posNames });
  return {
    requests,
    async accepts(call: Call, request: unknown) {
      const before = requests.length;
      await call(client, request);
      expect(requests).toHaveLength(before + 1);
      return requests[before]?.body.toString('utf8');
    },
    /** Expects a refusal before anything is sent. @returns the names of the fields */
    async refuses(call: Call, request: unknown) {
      const before = connections();
      const fields = await refusedFields(call(client, request));
      expect(connections()).toBe(before);
      return fields;
    },
  };
}

describe('a create is sent', () => {
  it.each([
    ['cashDiscount Yes', { cashDiscount: 'Yes' }],
    ['cashDiscount No', { cashDiscount: 'No' }],
    ['pos None', { pos: 'None' }],
    ['pos CustomPos', { pos: 'CustomPos' }],
    ['a pos that the settings name', { pos: 'TillMaster 3000' }],
    ['the largest int32', { agentProfileId: 2147483647, boardingSettingsId: 2147483647 }],
    ['an empty e-mail', { email: '' }],
  ])('with %s', async (_, change) => {
    const { accepts } = await partner(['TillMaster 3000']);
    const sent = await accepts(create, { ...valid, ...change });
    expect(JSON.parse(sent ?? '')).toEqual({ ...valid, ...change });
  });
});

describe('an id', () => {
  it('may be any int32', async () => {
    const { accepts, requests } = await partner();
    const asked = fc.integer({ min: -2147483648, max: 2147483647 });
    await fc.assert(
      fc.asyncProperty(asked, async (id) => {
        await accepts((client) => client.setUnderwritingPending({ id }), { id });
        expect(requests.at(-1)?.line).toBe(`POST /api/v1/merchant/underwritingPending?id=${id}`);
      }),
    );
  });
});

describe('fee limits', () => {
  it.each([
    ['minimumDiscountAmount', 0],
    ['minimumDiscountAmount', 500],
    ['earlyTerminationFeeAmount', 0],
    ['earlyTerminationFeeAmount', 999999],
    ['earlyTerminationFeeContractMonths', 0],
    ['earlyTerminationFeeContractMonths', 60],
    ['minimumDiscountType', 'Daily'],
    ['minimumDiscountType', 'Monthly'],
    ['minimumDiscountStartDate', '2026-01-01T00:00:00Z'],
    ['minimumDiscountStartDate', '2026-01-01T00:00:00'],
    ['cashDiscountRate', 0],
    // As read from a merchant without fees: an update sends back what was read.
    ['minimumDiscountAmount', null],
    ['amex', null],
    ['aFieldOfThePartner', { any: 'thing' }],
  ])('let %s be %j', async (field, value) => {
    const { accepts } = await partner();
    expect(await accepts(updateFees, { id: 1, [field]: value })).toBe(JSON.stringify({ [field]: value }));
  });
});

describe('a fee line', () => {
  it.each([
    ['zero', { chargeback: { perItem: 0, percent: 0 } }],
    ['beside flags and numbers', { isOn: true, count: 3, line: { perItem: 0.1, percent: 2.5 } }],
    ['with fields of the partner', { line: { perItem: 1, percent: 1, label: 'x' } }],
    ['deep down', { a: { b: [{ c: { perItem: 1, percent: 1 } }] } }],
    ['the group itself', { perItem: 1, percent: 1 }],
  ])('is sent as it is: %s', async (_, group) => {
    const { accepts } = await partner();
    expect(await accepts(updateFees, { id: 1, standard: group })).toBe(JSON.stringify({ standard: group }));
  });
});

/** The rules themselves: test/unit/partners/boarding/requests.test.ts. */
describe('a refusal costs no call', () => {
  const file = { fileName: '', contentType: 'application/pdf', content: Buffer.from('%PDF') };

  it.each<[string, Call, object, string]>([
    ['of a create', create, { ...valid, pos: 'none' }, 'pos'],
    ['of a v1 create', createV1, { ...valid, dba: '' }, 'dba'],
    ['of a read', getStatus, { id: 1.5 }, 'id'],
    ['of a fee', updateFees, { id: 1, minimumDiscountAmount: 500.01 }, 'minimumDiscountAmount'],
    ['of a fee line', updateFees, { id: 1, pos: { line: { percent: 1 } } }, 'pos.line.perItem'],
    [
      'of a file',
      (client, request) => client.uploadAttachment(request as never),
      { id: 1, file },
      'file.fileName',
    ],
  ])('%s', async (_, call, request, field) => {
    const { refuses } = await partner();
    expect(await refuses(call, request)).toEqual([field]);
  });
});
