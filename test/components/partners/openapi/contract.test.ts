import { describe, expect, it } from 'vitest';
import type { Seen } from '../../../rigs/counting-proxy.js';
import { contractOf } from '../../../rigs/partners/openapi/documents.js';

const bearer = { authorization: 'Bearer t' };
const STATUS_DATA = '{"status":"Pending","statusDate":"2026-01-31T10:00:00Z","comment":null,"mid":null}';
const envelope = (data: string) =>
  `{"data":${data},"status":"OK","error":null,"warning":null,"validationResults":[],"requestId":1}`;

/** An exchange that fits the document of its system. */
const FITTING = {
  boarding: {
    line: 'GET /api/v1/merchant/status?id=7',
    headers: { authorization: 'Basic YTpi' },
    answer: envelope(STATUS_DATA),
  },
  banking: {
    line: 'POST /changeAddress',
    headers: bearer,
    sent: '{"streetAddress":"1 Main Street","postalCode":"12207","city":"Albany","state":33}',
    answer: '{}',
  },
  'plant-store': { line: 'DELETE /plants/9223372036854775807', headers: bearer, status: 204, answer: '' },
  payments: {
    line: 'POST /v1/batches/b%2F1/close',
    headers: { 'x-svc-api-key': 'k' },
    answer: '{"id":"b/1"}',
  },
};

interface Exchanged {
  readonly line: string;
  readonly headers: Record<string, string>;
  readonly sent?: string;
  readonly type?: string;
  readonly status?: number;
  readonly answer: string;
  readonly answerType?: string;
}

async function problems(system: keyof typeof FITTING, change: Partial<Exchanged>): Promise<string> {
  const exchanged: Exchanged = { ...FITTING[system], ...change };
  const { line, headers, sent = '', type = 'application/json', status = 200, answer } = exchanged;
  const { answerType = 'application/json; charset=utf-8' } = exchanged;
  const [method, url = ''] = line.split(' ');
  const seen: Seen = {
    line: `${method} ${url.split('?')[0]}`,
    url,
    request: { headers: { ...headers, 'content-type': type }, body: () => Buffer.from(sent) },
    response: { headers: { 'content-type': answerType }, body: () => Buffer.from(answer) },
    status,
    authorization: headers['authorization'],
    at: 0,
  };
  return (await (await contractOf(system)).exchange(seen)).problems.join('\n');
}

const SIGN_IN = '{"nickName":"a","password":"b","tokenDevice":"c","nameDevice":"d"}';
const ANONYMOUS = { line: 'POST /api/auth/v2', sent: SIGN_IN, answer: '{"token":"t"}' };
const STATEMENT = {
  line: 'POST /api/Statement/V2',
  sent: '{"period":"2026-01-01T00:00:00Z","financialAccountId":"fa-1"}',
  answerType: 'application/pdf',
};
const STATUS = 'GET /api/v1/merchant/status';

describe('an exchange that fits the document', () => {
  it.each<[string, keyof typeof FITTING, Partial<Exchanged>, string]>([
    ['another path', 'boarding', { line: `${STATUS}s?id=7` }, 'not in the document'],
    ['a parameter of another type', 'boarding', { line: `${STATUS}?id=x` }, 'integer'],
    ['a further parameter', 'boarding', { line: `${STATUS}?id=1&x=2` }, '"x"'],
    ['no credentials', 'boarding', { headers: {} }, 'no credentials'],
    ['credentials in vain', 'banking', ANONYMOUS, 'credentials where none are asked for'],
    ['no body', 'banking', { sent: '' }, 'no body'],
    ['a body of another type', 'banking', { type: 'text/plain' }, 'a body of type text/plain'],
    ['a body where there is none', 'payments', { sent: '{}' }, 'a body of type'],
    ['another status', 'boarding', { status: 201 }, 'a response with 201'],
    ['a response without its envelope', 'boarding', { answer: STATUS_DATA }, "'data'"],
    ['a payload that lacks a field', 'boarding', { answer: envelope('{"mid":null}') }, "'status'"],
    ['an empty file', 'banking', { ...STATEMENT, answer: '' }, 'an empty file'],
    ['a response where there is none', 'plant-store', { answer: '{}' }, 'a response with a body'],
  ])('and %s is a problem', async (_, system, change, problem) => {
    expect(await problems(system, {})).toBe('');
    expect(await problems(system, change)).toContain(problem);
  });
});
