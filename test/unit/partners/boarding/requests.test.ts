import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type BoardingClient, boardingClient } from '../../../../src/partners/boarding/client.js';
import { type BoardingOperations, boardingOperations } from '../../../../src/partners/boarding/operations.js';
import { feeChanges } from '../../../../src/partners/boarding/schemas.js';
import { type ByHand, byHand } from '../../../../src/partners/by-hand.js';
import { encode } from '../../../../src/partners/encoding.js';
import { eachValue, failureOf, NOWHERE, refusedFields } from '../../../rigs/partners/failure.js';

const valid = {
  cashDiscount: 'No',
  firstName: 'Ada',
  lastName: 'Baker',
  dba: 'Corner Bakery',
  pos: 'None',
  agentProfileId: 101,
};

type Call = (client: ByHand<BoardingClient>, request: unknown) => Promise<unknown>;
const create: Call = (client, request) => client.createMerchant(request as never);
const createV1: Call = (client, request) => client.createMerchantV1(request as never);
const updateFees: Call = (client, request) => client.updateFees(request as never);
const getStatus: Call = (client, request) => client.getStatus(request as never);

function client(settings = {}): ByHand<BoardingClient> {
  const account = { url: NOWHERE, username: 'sandbox', password: 's3cret' };
  const record = byHand(boardingClient({ ...account, posNames: ['TillMaster 3000'], ...settings }));
  onTestFinished(() => record.close());
  return record;
}

const refuses = (call: Call, request: unknown) => refusedFields(call(client(), request));

/** The path and the body of an operation. @throws {ZodError} when our rules refuse the request */
function sent(name: keyof BoardingOperations, request: object) {
  const operation = boardingOperations(['TillMaster 3000'])[name];
  return encode(operation, operation.request.parse(request)) as {
    readonly path: string;
    readonly body?: unknown;
  };
}

const SENT = {
  cashDiscount: ['Yes', 'No'],
  pos: ['None', 'CustomPos', 'TillMaster 3000'],
  agentProfileId: [2147483647],
  boardingSettingsId: [2147483647],
  email: [''],
};
it.each(eachValue(SENT))('a create is sent with %s %j', (field, value) => {
  const { body } = sent('createMerchant', { ...valid, [field]: value });
  expect(JSON.parse(String(body))).toEqual({ ...valid, [field]: value });
});

const REFUSED = {
  cashDiscount: ['yes', true, ''],
  pos: ['none', 'NONE', 'Custompos', 'tillmaster 3000', 'Register of a stranger', ''],
  firstName: ['', 7],
  lastName: [''],
  dba: ['', null],
  email: [5],
  guid: [5],
  agentProfileId: [2147483648, -2147483649, 1.5, '5', null],
  boardingSettingsId: [2147483648, '5'],
};
describe.each([
  ['v2', create],
  ['v1', createV1],
])('a %s create is refused before it is sent', (_, call) => {
  it.each(eachValue(REFUSED))('when %s is %j', async (field, value) => {
    expect(await refuses(call, { ...valid, [field]: value })).toEqual([field]);
  });

  it.each(Object.keys(valid))('without %s', async (field) => {
    const { [field as 'dba']: _left, ...rest } = valid;
    expect(await refuses(call, rest)).toEqual([field]);
  });
});

describe('a field that is not known', () => {
  const request = { ...valid, ssn: '078-05-1120', extra: 1 };

  it('of a v1 create, whose request the contract prints, is refused before it is sent', async () => {
    expect(await refuses(createV1, request)).toEqual(['ssn', 'extra']);
  });

  it('of a v2 create is sent, with a warning that names it', async () => {
    const warnings: string[] = [];
    const onWarning = (warning: string) => void warnings.push(warning);
    const error = await failureOf(client().createMerchant(request as never, { onWarning }));
    expect(error.details).toMatchObject({ kind: 'NotSent', reason: 'ECONNREFUSED' });
    expect(warnings).toEqual(['unknown fields are sent unchanged: ssn, extra']);
    await failureOf(client().createMerchant(valid as never, { onWarning }));
    expect(warnings).toHaveLength(1);
  });
});

it('a refusal names every field that is wrong, and rules, and never what was in them', async () => {
  const wrong = { firstName: '', pos: 'secret-till', agentProfileId: '123456789', dob: '1970-01-01' };
  const { dba: _, ...others } = valid;
  const refused = createV1(client({ posNames: [], password: 'hunter2' }), { ...others, ...wrong });
  const error = await failureOf(refused);
  expect(error.message).toBe(
    'boarding create-merchant-v1: Rejected, not sent: invalid request (firstName, dba, pos, agentProfileId, dob)',
  );
  expect(error.fields).toEqual([
    { field: 'firstName', message: 'must not be empty' },
    { field: 'dba', message: 'is required' },
    { field: 'pos', message: 'must be one of None, CustomPos' },
    { field: 'agentProfileId', message: 'must be a number, without quotes' },
    { field: 'dob', message: 'is not a known field' },
  ]);
  const text = JSON.stringify([error.message, error.details]);
  expect(text).not.toMatch(/secret-till|123456789|1970-01-01|Baker|hunter2/);
});

it('an id may be nothing but an int32', async () => {
  const question = fc.oneof(
    fc.maxSafeInteger().filter((value) => value > 2147483647 || value < -2147483648),
    fc.double().filter((value) => !Number.isInteger(value)),
    fc.integer().map(String),
    fc.constantFrom(null, undefined, true, [1], { id: 1 }, ''),
  );
  await fc.assert(
    fc.asyncProperty(question, async (id) => {
      expect(await refuses(getStatus, { id })).toEqual(['id']);
    }),
  );
});

it('an id may be any int32', () => {
  fc.assert(
    fc.property(fc.integer({ min: -2147483648, max: 2147483647 }), (id) => {
      expect(sent('getStatus', { id }).path).toBe(`/api/v1/merchant/status?id=${id}`);
    }),
  );
});

describe('fee limits', () => {
  const RIGHT = {
    // Null as read from a merchant without fees: an update sends back what was read.
    minimumDiscountAmount: [0, 500, null],
    earlyTerminationFeeAmount: [0, 999999],
    amex: [null],
    earlyTerminationFeeContractMonths: [0, 60],
    minimumDiscountType: ['Daily', 'Monthly'],
    minimumDiscountStartDate: ['2026-01-01T00:00:00Z', '2026-01-01T00:00:00'],
    cashDiscountRate: [0],
    aFieldOfThePartner: [{ any: 'thing' }],
  };
  it.each(eachValue(RIGHT))('let %s be %j', (field, value) => {
    expect(sent('updateFees', { id: 1, [field]: value }).body).toBe(JSON.stringify({ [field]: value }));
  });

  const WRONG = {
    minimumDiscountAmount: [500.01, -0.01, '25'],
    earlyTerminationFeeAmount: [999999.01, -0.01],
    earlyTerminationFeeContractMonths: [61, -1, 1.5],
    minimumDiscountType: ['Weekly', 'daily'],
    minimumDiscountStartDate: ['01/31/2026'],
    cashDiscountRate: ['3.5'],
    amex: ['free'],
    miscFees: [{}],
  };
  it.each(eachValue(WRONG))('do not let %s be %j', async (field, value) => {
    expect(await refuses(updateFees, { id: 1, [field]: value })).toEqual([field]);
  });
});

describe('a fee line', () => {
  it.each([
    ['zero', { chargeback: { perItem: 0, percent: 0 } }],
    ['next to flags and numbers', { isOn: true, count: 3, line: { perItem: 0.1, percent: 2.5 } }],
    ['with fields of the partner', { line: { perItem: 1, percent: 1, label: 'x' } }],
    ['deep down', { a: { b: [{ c: { perItem: 1, percent: 1 } }] } }],
    ['the group itself', { perItem: 1, percent: 1 }],
  ])('is sent as it is: %s', (_, group) => {
    expect(sent('updateFees', { id: 1, standard: group }).body).toBe(JSON.stringify({ standard: group }));
  });

  it.each([
    ['without percent', { standard: { line: { perItem: 1 } } }, ['standard.line.percent']],
    ['without perItem', { standard: { line: { percent: 1 } } }, ['standard.line.perItem']],
    ['in text', { pos: { line: { perItem: '1', percent: 1 } } }, ['pos.line.perItem']],
    ['with null', { pos: { line: { perItem: 1, percent: null } } }, ['pos.line.percent']],
    ['deep down', { amex: { a: { b: [{ perItem: 1 }] } } }, ['amex.a.b.0.percent']],
    ['in a list of fees', { miscFees: [{ perItem: 1, percent: 1 }, { perItem: 1 }] }, ['miscFees.1.percent']],
    ['as the group itself', { debitPinAndEBT: { percent: 1 } }, ['debitPinAndEBT.perItem']],
    ['twice', { amex: { a: { perItem: 1 }, b: { percent: 2 } } }, ['amex.a.percent', 'amex.b.perItem']],
  ])('needs both of its numbers: %s', async (_, fees, fields) => {
    expect(await refuses(updateFees, { id: 1, ...fees })).toEqual(fields);
  });
});

it('a fee line without one of its numbers is told so in words', () => {
  const { error } = feeChanges.safeParse({ amex: { line: { perItem: 1 } } });
  expect(error?.issues).toMatchObject([{ path: ['amex', 'line', 'percent'], message: 'is required' }]);
});

describe('a card brand fee flag', () => {
  it.each([
    ['text', { visa: 'yes' }, ['cardBrand.visa']],
    ['a number', { visa: 1 }, ['cardBrand.visa']],
    ['null', { visa: null }, ['cardBrand.visa']],
    ['a fee line', { a: { perItem: 1, percent: 0 } }, ['cardBrand.a.perItem', 'cardBrand.a.percent']],
    ['a list', { visa: [true] }, ['cardBrand.visa']],
    ['text deep down', { a: { b: { c: 'true' } } }, ['cardBrand.a.b.c']],
  ])('must not be %s', async (_, cardBrand, fields) => {
    expect(await refuses(updateFees, { id: 1, cardBrand })).toEqual(fields);
    const changes = feeChanges.safeParse({ cardBrand });
    expect(changes.error?.issues.map(({ path }) => path.join('.'))).toEqual(fields);
  });

  it('is true or false, at any depth', () => {
    const cardBrand = { visa: true, more: { discover: false, none: {} } };
    expect(boardingOperations().updateFees.request.safeParse({ id: 1, cardBrand }).success).toBe(true);
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
  ])('is refused with %s', async (_, input, field) => {
    expect(await refuses(upload, { id: 1, file: input })).toContain(field);
  });
});

describe('the URL of a partner', () => {
  const at = (url: string) => boardingClient({ url, username: 'u', password: 'p' });

  it.each([
    'https://partner.example.com',
    'https://10.0.0.7:8443/base',
    'http://127.0.0.1:4010',
    'http://127.200.3.4',
    'http://localhost:4010',
    'http://[::1]:4010',
  ])('may be %s', async (url) => {
    await expect(at(url).close()).resolves.toBeUndefined();
  });

  it.each([
    'http://partner.example.com',
    'http://10.0.0.7',
    'http://127.0.0.1.example.com',
    'http://localhost.example.com',
    'http://127.0.0.1@example.com',
    'http://not-localhost',
    'http://0.0.0.0',
    'http://[::2]',
    'ftp://127.0.0.1',
    'ws://127.0.0.1',
  ])('may not be %s: credentials would travel in the clear', (url) => {
    expect(() => at(url)).toThrow(new TypeError('a partner URL must be https (http only to loopback)'));
  });
});
