import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { BoardingClient } from '../../../../src/partners/boarding/client.js';
import { failureOf } from '../../../rigs/partners/failure.js';
import { answering, clientOf, recordingServer } from '../../../rigs/partners/servers.js';

const answer = answering(200, '{"data":{"merchantProfileId":1},"status":"OK","error":null,"requestId":1}');

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

/** A partner that takes everything, so that only our own rules can refuse. */
async function partner(posNames: readonly string[] = []) {
  const { url, requests, connections } = await recordingServer(answer);
  const client = clientOf(url, { posNames });
  return {
    requests,
    async accepts(call: Call, request: unknown) {
      const before = requests.length;
      await call(client, request);
      expect(requests).toHaveLength(before + 1);
      return requests[before]?.body.toString('utf8');
    },
    /** Refused before anything is sent; answers the names of the fields. */
    async refuses(call: Call, request: unknown) {
      const before = connections();
      const error = await failureOf(call(client, request));
      expect(connections()).toBe(before);
      expect(error).toMatchObject({ kind: 'Rejected', status: undefined, requestId: undefined });
      expect(error.details.reason).toBe('not sent: invalid request');
      return error.fields.map(({ field }) => field);
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

describe.each([
  ['v2', create],
  ['v1', createV1],
])('a %s create is refused before it is sent', (_, call) => {
  it.each([
    ['cashDiscount', 'yes'],
    ['cashDiscount', true],
    ['cashDiscount', ''],
    ['pos', 'none'],
    ['pos', 'NONE'],
    ['pos', 'Custompos'],
    ['pos', 'tillmaster 3000'],
    ['pos', 'Register of a stranger'],
    ['pos', ''],
    ['firstName', ''],
    ['firstName', 7],
    ['lastName', ''],
    ['dba', ''],
    ['dba', null],
    ['agentProfileId', 2147483648],
    ['agentProfileId', -2147483649],
    ['agentProfileId', 1.5],
    ['agentProfileId', '5'],
    ['agentProfileId', null],
    ['boardingSettingsId', 2147483648],
    ['boardingSettingsId', '5'],
    ['email', 5],
    ['guid', 5],
    ['ssn', '078-05-1120'],
  ])('when %s is %j', async (field, value) => {
    const { refuses } = await partner(['TillMaster 3000']);
    expect(await refuses(call, { ...valid, [field]: value })).toEqual([field]);
  });

  it.each(Object.keys(valid))('without %s', async (field) => {
    const { [field as 'dba']: _left, ...rest } = valid;
    const { refuses } = await partner();
    expect(await refuses(call, rest)).toEqual([field]);
  });

  it('naming everything that is wrong at once', async () => {
    const { refuses } = await partner();
    const request = { cashDiscount: 'maybe', dba: '', pos: 'none', agentProfileId: 1.5, extra: 1 };
    expect((await refuses(call, request)).sort()).toEqual(
      ['agentProfileId', 'cashDiscount', 'dba', 'extra', 'firstName', 'lastName', 'pos'].sort(),
    );
  });
});

describe('a refusal', () => {
  it('names fields and rules, and never what was in them', async () => {
    const { url } = await recordingServer(answer);
    const client = clientOf(url, { password: 'hunter2' });
    const request = {
      ...valid,
      firstName: '',
      pos: 'secret-till',
      agentProfileId: '123456789',
      dob: '1970-01-01',
    };
    const error = await failureOf(create(client, request));
    expect(error.message).toBe(
      'boarding create-merchant: Rejected, not sent: invalid request (firstName, pos, agentProfileId, dob)',
    );
    expect(error.fields).toEqual([
      { field: 'firstName', message: 'must not be empty' },
      { field: 'pos', message: 'Invalid option: expected one of "None"|"CustomPos"' },
      { field: 'agentProfileId', message: 'Invalid input: expected number, received string' },
      { field: 'dob', message: 'is not a known field' },
    ]);
    const told = JSON.stringify([error.message, error.details]);
    for (const value of ['secret-till', '123456789', '1970-01-01', 'Baker', 'hunter2']) {
      expect(told).not.toContain(value);
    }
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

  it('may be nothing else', async () => {
    const { refuses } = await partner();
    const asked = fc.oneof(
      fc.maxSafeInteger().filter((value) => value > 2147483647 || value < -2147483648),
      fc.double().filter((value) => !Number.isInteger(value)),
      fc.integer().map(String),
      fc.constantFrom(null, undefined, true, [1], { id: 1 }, ''),
    );
    await fc.assert(
      fc.asyncProperty(asked, async (id) => {
        expect(await refuses(getStatus, { id })).toEqual(['id']);
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
    // As read from a merchant that has none of it yet: an update sends back what was read.
    ['minimumDiscountAmount', null],
    ['amex', null],
    ['aMemberOfThePartner', { any: 'thing' }],
  ])('let %s be %j', async (field, value) => {
    const { accepts } = await partner();
    expect(await accepts(updateFees, { id: 1, [field]: value })).toBe(JSON.stringify({ [field]: value }));
  });

  it.each([
    ['minimumDiscountAmount', 500.01],
    ['minimumDiscountAmount', -0.01],
    ['minimumDiscountAmount', '25'],
    ['earlyTerminationFeeAmount', 999999.01],
    ['earlyTerminationFeeAmount', -0.01],
    ['earlyTerminationFeeContractMonths', 61],
    ['earlyTerminationFeeContractMonths', -1],
    ['earlyTerminationFeeContractMonths', 1.5],
    ['minimumDiscountType', 'Weekly'],
    ['minimumDiscountType', 'daily'],
    ['minimumDiscountStartDate', '01/31/2026'],
    ['cashDiscountRate', '3.5'],
    ['amex', 'free'],
    ['miscFees', {}],
  ])('do not let %s be %j', async (field, value) => {
    const { refuses } = await partner();
    expect(await refuses(updateFees, { id: 1, [field]: value })).toEqual([field]);
  });

  it.each([
    ['minimumDiscountAmount', 500],
    ['earlyTerminationFeeAmount', 999_999],
  ])('hold for every amount of %s', async (field, max) => {
    const { accepts, refuses } = await partner();
    const amount = fc.double({ min: -2 * max, max: 3 * max, noNaN: true });
    await fc.assert(
      fc.asyncProperty(amount, async (value) => {
        if (value >= 0 && value <= max) await accepts(updateFees, { id: 1, [field]: value });
        else expect(await refuses(updateFees, { id: 1, [field]: value })).toEqual([field]);
      }),
    );
  });
});

describe('a fee line', () => {
  it.each([
    ['zero', { chargeback: { perItem: 0, percent: 0 } }],
    ['beside flags and numbers', { isOn: true, count: 3, line: { perItem: 0.1, percent: 2.5 } }],
    ['with members of the partner', { line: { perItem: 1, percent: 1, label: 'x' } }],
    ['deep down', { a: { b: [{ c: { perItem: 1, percent: 1 } }] } }],
    ['the group itself', { perItem: 1, percent: 1 }],
  ])('is sent as it is: %s', async (_, group) => {
    const { accepts } = await partner();
    expect(await accepts(updateFees, { id: 1, standard: group })).toBe(JSON.stringify({ standard: group }));
  });

  it.each([
    ['without percent', { standard: { line: { perItem: 1 } } }, ['standard.line.percent']],
    ['without perItem', { standard: { line: { percent: 1 } } }, ['standard.line.perItem']],
    ['in text', { pos: { line: { perItem: '1', percent: 1 } } }, ['pos.line.perItem']],
    ['with null', { pos: { line: { perItem: 1, percent: null } } }, ['pos.line.percent']],
    ['deep down', { amex: { a: { b: [{ perItem: 1 }] } } }, ['amex.a.b.0.percent']],
    ['in a list of fees', { miscFees: [{ perItem: 1, percent: 1 }, { perItem: 1 }] }, ['miscFees.1.percent']],
    ['as the group itself', { debitPinAndEBT: { percent: 1 } }, ['debitPinAndEBT.perItem']],
    [
      'twice',
      { visaMasterCardDiscover: { a: { perItem: 1 }, b: { percent: '2' } } },
      [
        'visaMasterCardDiscover.a.percent',
        'visaMasterCardDiscover.b.perItem',
        'visaMasterCardDiscover.b.percent',
      ],
    ],
  ])('needs both of its numbers: %s', async (_, fees, fields) => {
    const { refuses } = await partner();
    expect(await refuses(updateFees, { id: 1, ...fees })).toEqual(fields);
  });
});

describe('an attachment', () => {
  const file = { fileName: 'a.pdf', contentType: 'application/pdf', content: Buffer.from('%PDF') };
  const upload: Call = (client, request) => client.uploadAttachment(request as never);

  it.each([
    ['no file', undefined, 'file'],
    ['an empty file', { ...file, content: Buffer.alloc(0) }, 'file.content'],
    ['more than 25 MiB', { ...file, content: Buffer.alloc(25 * 1024 * 1024 + 1) }, 'file.content'],
    ['text instead of bytes', { ...file, content: '%PDF' }, 'file.content'],
    ['no name', { ...file, fileName: '' }, 'file.fileName'],
    ['no type', { ...file, contentType: '' }, 'file.contentType'],
  ])('is refused with %s', async (_, given, field) => {
    const { refuses } = await partner();
    expect(await refuses(upload, { id: 1, file: given })).toContain(field);
  });
});
