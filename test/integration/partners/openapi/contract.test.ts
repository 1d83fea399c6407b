import { describe, expect, it } from 'vitest';
import type { Seen } from '../../../rigs/counting-proxy.js';
import { contractOf } from '../../../rigs/partners/openapi/documents.js';

interface Exchanged {
  readonly line: string;
  readonly sent?: string;
  readonly type?: string;
  readonly headers?: Record<string, string>;
  readonly status?: number;
  readonly sentBody?: string;
  readonly sentType?: string;
}

const JSON_TYPE = 'application/json; charset=utf-8';
const BASIC = 'Basic YTpi';

function seen({
  line,
  sent,
  type,
  headers,
  status = 200,
  sentBody = '',
  sentType = JSON_TYPE,
}: Exchanged): Seen {
  const [method, url = ''] = line.split(' ');
  const content = sent === undefined ? {} : { 'content-type': type ?? 'application/json' };
  return {
    line: `${method} ${url.split('?')[0]}`,
    url,
    request: { headers: { ...headers, ...content }, body: () => Buffer.from(sent ?? '') },
    response: { headers: { 'content-type': sentType }, body: () => Buffer.from(sentBody) },
    status,
    authorization: headers?.['authorization'],
    at: 0,
  };
}

async function problems(system: string, exchanged: Exchanged): Promise<readonly string[]> {
  const contract = await contractOf(system);
  return (await contract.exchange(seen(exchanged))).problems;
}

const status = '{"status":"Pending","statusDate":"2026-01-31T10:00:00Z","comment":null,"mid":null}';
const envelope = (data: string) =>
  `{"data":${data},"status":"OK","error":null,"warning":null,"validationResults":[],"requestId":1}`;
const STATUS = {
  line: 'GET /api/v1/merchant/status?id=7',
  headers: { authorization: BASIC },
  sentBody: envelope(status),
};
const ADDRESS = '"streetAddress":"1 Main Street","postalCode":"12207","city":"Albany","state":33';
const MOVE = {
  line: 'POST /changeAddress',
  headers: { authorization: 'Bearer t' },
  sent: `{${ADDRESS}}`,
  sentBody: '{}',
};
const STATEMENT = {
  line: 'POST /api/Statement/V2',
  headers: { authorization: 'Bearer t' },
  sent: '{"period":"2026-01-01T00:00:00Z","financialAccountId":"fa-1"}',
  sentBody: '%PDF',
  sentType: 'application/pdf',
};
const GONE = {
  line: 'DELETE /plants/9223372036854775807',
  headers: { authorization: 'Bearer t' },
  status: 204,
};
const BATCH = {
  line: 'POST /v1/batches/b%2F1/close',
  headers: { 'x-svc-api-key': 'k' },
  sentBody: '{"id":"b/1"}',
};

describe('an exchange that fits the document', () => {
  it.each<[string, string, Exchanged, string]>([
    [
      'another path',
      'boarding',
      { ...STATUS, line: 'GET /api/v1/merchant/statu?id=7' },
      'not in the document',
    ],
    [
      'a parameter of another type',
      'boarding',
      { ...STATUS, line: 'GET /api/v1/merchant/status?id=x' },
      'integer',
    ],
    ['a further parameter', 'boarding', { ...STATUS, line: 'GET /api/v1/merchant/status?id=1&x=2' }, '"x"'],
    ['no credentials', 'boarding', { ...STATUS, headers: {} }, 'no credentials'],
    [
      'credentials that nobody asked for',
      'banking',
      {
        line: 'POST /api/auth/v2',
        headers: { authorization: 'Bearer t' },
        sent: '{"nickName":"a","password":"b","tokenDevice":"c","nameDevice":"d"}',
        sentBody: '{"token":"t"}',
      },
      'credentials where none are asked for',
    ],
    ['no body', 'banking', { ...MOVE, sent: '' }, 'no body'],
    ['a body of another type', 'banking', { ...MOVE, type: 'text/plain' }, 'a body of type text/plain'],
    ['a body where there is none', 'payments', { ...BATCH, sent: '{}' }, 'a body of type'],
    ['another status', 'boarding', { ...STATUS, status: 201 }, 'a response with 201'],
    ['a response without its envelope', 'boarding', { ...STATUS, sentBody: status }, "'data'"],
    [
      'a payload that lacks a field',
      'boarding',
      { ...STATUS, sentBody: envelope('{"mid":null}') },
      "'status'",
    ],
    ['an empty file', 'banking', { ...STATEMENT, sentBody: '' }, 'an empty file'],
    ['a body where there is none', 'plant-store', { ...GONE, sentBody: '{}' }, 'a response with a body'],
  ])('and %s is a problem', async (_, system, exchanged, problem) => {
    const found = await problems(system, exchanged);
    expect(found.join('\n')).toContain(problem);
  });
});
