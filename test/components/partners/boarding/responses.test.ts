import { describe, expect, it } from 'vitest';
import type { BoardingClient } from '../../../../src/partners/boarding/client.js';
import type { ByHand } from '../../../../src/partners/by-hand.js';
import { failureOf } from '../../../rigs/partners/failure.js';
import { clientOf, recordingServer, responding } from '../../../rigs/partners/servers.js';

type Call = (client: ByHand<BoardingClient>) => Promise<unknown>;
const getStatus: Call = (client) => client.getStatus({ id: 1 });
const getFees: Call = (client) => client.getFees({ id: 1 });
const getNotes: Call = (client) => client.getUnderwritingNotes({ id: 1 });
const submit: Call = (client) => client.submitMerchant({ merchantProfileId: 1 });
const create: Call = (client) =>
  client.createMerchant({
    cashDiscount: 'No',
    firstName: 'Ada',
    lastName: 'Baker',
    dba: 'Corner Bakery',
    pos: 'None',
    agentProfileId: 101,
  });

/** What the client returns for a response with this body. */
async function read(call: Call, body: string, status = 200, headers: Record<string, string> = {}) {
  const { url } = await recordingServer(responding(status, body, headers));
  return call(clientOf(url));
}

async function failure(call: Call, body: string, status = 200) {
  return failureOf(read(call, body, status));
}

const inEnvelope = (data: string) =>
  `{"data":${data},"status":"OK","error":null,"warning":null,"validationResults":[],"requestId":70001}`;

const PENDING = { status: 'Pending', statusDate: '2026-01-31T10:00:00Z', comment: null, mid: null };
const pending = '{"status":"Pending","statusDate":"2026-01-31T10:00:00Z","comment":null,"mid":null}';

describe('an envelope is opened', () => {
  it.each([
    ['as documented', inEnvelope(pending)],
    ['with a number for its status', `{"data":${pending},"status":200,"error":null,"requestId":1}`],
    ['without a warning', `{"data":${pending},"error":null,"validationResults":[],"requestId":1}`],
    ['with a warning', `{"data":${pending},"status":"OK","error":null,"warning":"slow today","requestId":1}`],
    ['with null lists', `{"data":${pending},"error":null,"validationResults":null,"requestId":1}`],
    [
      'with a check that succeeded',
      `{"data":${pending},"error":null,"validationResults":[null],"requestId":1}`,
    ],
    [
      'with an empty check',
      `{"data":${pending},"error":null,"validationResults":[{"memberNames":null,"errorMessage":null}],"requestId":1}`,
    ],
    ['with an empty error', `{"data":${pending},"error":"","requestId":1}`],
    ['of fees', `{"data":${pending},"requestId":1,"success":true,"error":null,"validationErrors":[]}`],
    ['with unknown fields', `{"data":${pending},"requestId":1,"traceId":"x","links":[]}`],
    ['with a requestId of text', `{"data":${pending},"requestId":"r-1"}`],
    ['with nothing but data', `{"data":${pending}}`],
  ])('%s', async (_, body) => {
    expect(await read(getStatus, body)).toEqual(PENDING);
  });

  it('whatever the content type and the status of the 2xx are', async () => {
    expect(await read(getStatus, inEnvelope(pending), 201, { 'content-type': 'text/plain' })).toEqual(
      PENDING,
    );
  });
});

it.each<[string, Call, boolean]>([
  ['a submission, which has nothing to say', submit, true],
  ['a create, which has an id to say', create, false],
])('204 fulfills %s: %s', async (_, call, isDone) => {
  const ended = await read(call, '', 204).catch(({ kind }) => kind);
  expect(ended).toBe(isDone ? null : 'Uncertain');
});

describe('a warning of the envelope', () => {
  async function warned(body: string, status = 200): Promise<string[]> {
    const { url } = await recordingServer(responding(status, body));
    const warnings: string[] = [];
    const options = { onWarning: (warning: string) => void warnings.push(warning) };
    await clientOf(url)
      .getStatus({ id: 1 }, options)
      .catch(() => undefined);
    return warnings;
  }

  it.each([
    ['as documented', `{"data":${pending},"warning":"slow today"}`, ['slow today']],
    ['in another form', `{"data":${pending},"warning":["a"]}`, ['the partner warned in an unknown form']],
    ['null', `{"data":${pending},"warning":null}`, []],
    ['empty', `{"data":${pending},"warning":""}`, []],
    ['absent', `{"data":${pending}}`, []],
    ['with our password in it', `{"data":${pending},"warning":"s3cret is weak"}`, ['[Redacted] is weak']],
    ['with an SSN in it', `{"data":${pending},"warning":"078051120?"}`, ['[Redacted]?']],
  ])('is passed to the caller: %s', async (_, body, warnings) => {
    expect(await warned(body)).toEqual(warnings);
  });

  it('is also passed to the caller of a failing call', async () => {
    expect(await warned('{"data":null,"error":"No merchant","warning":"moved"}', 404)).toEqual(['moved']);
  });

  it('alone is no envelope', async () => {
    expect(await failure(submit, '{"warning":"slow today"}')).toMatchObject({ kind: 'Uncertain' });
  });
});

// Catches a create whose id stands only in a header: its question would not name the record.
describe('a create that responds with an address', () => {
  it.each([
    [201, '', '/api/v2/merchant/5001', '5001'],
    [303, '', 'https://boarding.example.com/merchants/5001', '5001'],
    [302, '<html>', '/Account/Login?ReturnUrl=%2Fmerchants%2F5001', undefined],
    [201, '', '/merchants/078051120', undefined],
    [201, '', '/merchants/0', undefined],
  ])('%i %s%s is uncertain, and names %s', async (status, body, location, saved) => {
    const { details } = await failureOf(read(create, body, status, { location }));
    expect(details).toMatchObject({ kind: 'Uncertain' });
    expect(details.saved).toBe(saved);
  });
});

describe('data is read', () => {
  it.each<[string, object]>([
    ['{"status":"CR:POS Equipment"}', { status: 'CR:POS Equipment' }],
    ['{"status":"Approved","mid":"0051800"}', { status: 'Approved', mid: '0051800' }],
    ['{"status":"Approved","mid":51800}', { status: 'Approved', mid: '51800' }],
    ['{"status":"Approved","mid":9223372036854775807}', { status: 'Approved', mid: '9223372036854775807' }],
    ['{"status":"Approved","mid":"5180 0000-0001"}', { status: 'Approved', mid: '518000000001' }],
    ['{"status":"Approved","mid":"51800\\u0000\\u0000"}', { status: 'Approved', mid: '51800' }],
    ['{"status":"Approved","mid":-1}', { status: 'Approved', mid: '-1' }],
    ['{"status":"Approved","mid":""}', { status: 'Approved' }],
    ['{"status":"Approved","mid":"  "}', { status: 'Approved' }],
    ['{"status":"Declined","comment":"no"}', { status: 'Declined', comment: 'no' }],
    ['{"status":"Pending"}', { status: 'Pending' }],
    ['{"status":"Pending","isFinal":false}', { status: 'Pending', isFinal: false }],
  ])('from a status: %s', async (data, expected) => {
    const absent = { statusDate: null, comment: null, mid: null };
    expect(await read(getStatus, inEnvelope(data))).toEqual({ ...absent, ...expected });
  });

  const note = { text: 'Why?', author: 'Uma', date: '2026-01-31T10:00:00Z', level: 1 };
  const profiles = '[{"id":11,"name":"Standard","bank":"0099"},{"id":12}]';
  const expectedProfiles = [
    { id: 11, name: 'Standard', bank: '0099' },
    { id: 12, name: null },
  ];
  it.each<[string, Call, string, unknown]>([
    ['no notes', getNotes, '[]', []],
    ['null for notes', getNotes, 'null', []],
    ['a note', getNotes, JSON.stringify([note]), [note]],
    ['a note without an author', getNotes, '[{"text":"Why?"}]', [{ text: 'Why?', author: null, date: null }]],
    ['null for fees', getFees, 'null', {}],
    ['fees', getFees, '{"miscFees":[],"new":{"a":1}}', { miscFees: [], new: { a: 1 } }],
    ['a merchant', create, '{"merchantProfileId":7,"link":"/m"}', { merchantProfileId: 7, link: '/m' }],
    ['a created merchant as its bare id', create, '4711', { merchantProfileId: 4711 }],
    ['a write whose response the contract does not print', submit, '{"any":["thing"]}', { any: ['thing'] }],
    ['null from such a write', submit, 'null', null],
    ['boarding settings', (client) => client.listBoardingSettings({}), profiles, expectedProfiles],
    ['agent profiles', (client) => client.listAgentProfiles({}), profiles, expectedProfiles],
  ])('(%s)', async (_, call, data, expected) => {
    expect(await read(call, inEnvelope(data))).toEqual(expected);
  });
});

describe('validation problems', () => {
  const at = (field: string, message: string) => ({ field, message });
  const UNKNOWN = at('', 'the partner reported a problem in an unknown form');
  it.each([
    ['validationResults', '{"memberNames":["pos"],"errorMessage":"unknown pos"}', [at('pos', 'unknown pos')]],
    ['validationResults', '{"field":"pos","error":"unknown pos"}', [at('pos', 'unknown pos')]],
    ['validationErrors', '{"memberNames":["pos"],"errorMessage":"unknown pos"}', [at('pos', 'unknown pos')]],
    ['validationErrors', '{"field":"pos","error":"unknown pos"}', [at('pos', 'unknown pos')]],
    [
      'validationResults',
      '{"memberNames":["a","b"],"errorMessage":"long"}',
      [at('a', 'long'), at('b', 'long')],
    ],
    ['validationResults', '{"memberNames":[],"errorMessage":"not now"}', [at('', 'not now')]],
    ['validationErrors', '{"pos":["unknown pos"]}', [UNKNOWN]],
  ])('in %s are read, with the partner’s own sentence: %s', async (list, item, expected) => {
    const body = `{"data":null,"error":"Validation failed","${list}":[${item}],"requestId":70002}`;
    for (const status of [400, 200]) {
      const error = await failure(create, body, status);
      expect(error).toMatchObject({ kind: 'Rejected', status, requestId: '70002' });
      expect(error.fields).toEqual([...expected, at('', 'Validation failed')]);
    }
  });

  it('name the fields in the message, and the reasons only in the details', async () => {
    const body = `{"data":null,"error":"Bad","requestId":3,"validationResults":[
      {"memberNames":["email"],"errorMessage":"ada@example.com is taken"}]}`;
    const { message } = await failure(create, body, 400);
    expect(message).toBe('boarding create-merchant: Rejected, HTTP 400 (email)');
  });
});

describe('a refusal without a list of problems', () => {
  it.each([
    [400, '{"data":null,"error":"Bad request","requestId":5}', 'Rejected', 'Bad request', '5'],
    [404, '{"data":null,"error":"No merchant","requestId":"r-5"}', 'Rejected', 'No merchant', 'r-5'],
    [401, '{"error":"Unauthorized","message":"Who?"}', 'Unauthorized', 'Unauthorized: Who?', undefined],
    [403, '{"error":"Forbidden","message":"Not yours"}', 'Forbidden', 'Forbidden: Not yours', undefined],
  ])('%i has the reason: %s', async (status, body, kind, message, requestId) => {
    const error = await failure(getStatus, body, status);
    expect(error).toMatchObject({ kind, status, requestId });
    expect(error.fields).toEqual([{ field: '', message }]);
  });
});

describe('200 with a failure in its body', () => {
  it.each([
    ['success: false', '{"data":null,"requestId":9,"success":false,"error":null}'],
    ['an error text', '{"data":null,"requestId":9,"error":"Merchant is locked"}'],
    ['an error in another form', '{"data":null,"requestId":9,"error":{"code":17}}'],
    ['validationResults', '{"requestId":9,"validationResults":[{"memberNames":["x"],"errorMessage":"y"}]}'],
    ['validationErrors', '{"requestId":9,"validationErrors":[{"field":"x","error":"y"}]}'],
    ['problems in another form', '{"requestId":9,"validationErrors":{"x":["y"]}}'],
  ])('is a rejection: %s', async (_, body) => {
    for (const call of [submit, getFees]) {
      expect(await failure(call, body)).toMatchObject({ kind: 'Rejected', status: 200, requestId: '9' });
    }
  });
});

describe('200 that cannot be read is uncertain', () => {
  it.each<[string, Call, string]>([
    ['HTML', submit, '<html><body>Sign in to the guest network</body></html>'],
    ['nothing', submit, ''],
    ['half of JSON', submit, '{"data":{"merchantProfileId":1'],
    ['a list', submit, '[]'],
    ['a bare number', create, '4711'],
    ['null', submit, 'null'],
    ['an empty object', submit, '{}'],
    ['an object in no envelope', submit, '{"message":"ok","version":"1.2"}'],
    ['an object in no envelope, read', getFees, '{"health":"green"}'],
    ['an envelope without the id of what was created', create, inEnvelope('{}')],
    ['an id that is no int32', create, inEnvelope('{"merchantProfileId":"abc"}')],
    ['an id as text', create, inEnvelope('{"merchantProfileId":"4711"}')],
    ['an id of 0', create, inEnvelope('{"merchantProfileId":0}')],
    ['a negative id', create, inEnvelope('{"merchantProfileId":-1}')],
    ['a fraction of an id', create, inEnvelope('{"merchantProfileId":4711.5}')],
    ['an id beyond 2^31', create, inEnvelope('{"merchantProfileId":2147483648}')],
    ['an id beyond 2^53', create, inEnvelope('9007199254740993')],
    ['no status in the status', getStatus, inEnvelope('{"mid":"1"}')],
    ['a status without data', getStatus, '{"status":"Pending","requestId":1}'],
    ['notes that are no list', getNotes, inEnvelope('{}')],
  ])('(%s)', async (_, call, body) => {
    const error = await failure(call, body);
    expect(error).toMatchObject({ kind: 'Uncertain', status: 200 });
    expect(error.details.reason).toBe('unreadable response');
  });

  const SIGN_IN = '<p>Ask ada@example.com, 123-45-6789</p>';
  it.each([
    [
      '{"data":{"merchantProfileId":NaN}}',
      'application/json',
      `application/json, 34 bytes: Unexpected token 'N' at rofileId":NaN`,
    ],
    ['{"data":sk_live_123}', 'text/json', `text/json, 20 bytes: Unexpected token 's' at data":sk`],
    [
      '{"data":{"apiKey":"abc"},}',
      'text/json',
      'text/json, 26 bytes: Expected double-quoted property name in JSON at position 25 (line 1 column 26)',
    ],
    [
      SIGN_IN,
      'text/html',
      'text/html, content-encoding rot13, 39 bytes: <p>Ask [Redacted]@example.com, [Redacted]</p>',
    ],
    ['sk_live_123', 'text/plain', 'text/plain, 11 bytes'],
  ])('and is said to be what it was: %s', async (body, type, message) => {
    const encoding = body === SIGN_IN ? { 'content-encoding': 'rot13' } : undefined;
    const call = read(create, body, 200, { 'content-type': type, ...encoding });
    expect((await failureOf(call)).fields).toEqual([{ field: '', message }]);
  });

  it.each([
    ['9007199254740993', 'must have 15 digits at most'],
    ['0', 'must be an id, from 1 on'],
    ['-5', 'must be an id, from 1 on'],
    ['"4711"', 'must be a number, without quotes'],
  ])('and says what is wrong with the id %s', async (id, message) => {
    const { fields } = await failure(create, inEnvelope(`{"merchantProfileId":${id}}`));
    expect(fields).toEqual([{ field: 'merchantProfileId', message }]);
  });

  it('and has the id of the request', async () => {
    const error = await failure(create, inEnvelope('{}'));
    expect(error.requestId).toBe('70001');
    expect(error.message).toContain('unreadable response');
  });
});
