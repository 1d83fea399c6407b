import { expect, it } from 'vitest';
import { BATCHED, BINARY, parseCloudEvents, STRUCTURED } from '../../../../src/apps/receiver/cloud-events.js';

const SIGNED = '{"a":1}';
const ATTRIBUTES = { specversion: '1.0', type: 'x.v1', source: '/crm', id: 'msg-1' };
const HEADERS = Object.fromEntries(Object.entries(ATTRIBUTES).map(([name, value]) => [`ce-${name}`, value]));

/** The data of the only event of a request. */
const dataOf = (headers: object, body: string) => {
  const { events } = parseCloudEvents({ ...headers } as Parameters<typeof parseCloudEvents>[0], body);
  return events.map(({ data }) => data);
};

it.each([
  { 'ce-data': '{"b":2}' },
  { 'ce-database64': 'eyJiIjoyfQ==' },
  { 'ce-constructor': 'x' },
  { 'ce-hasownproperty': 'x' },
  { 'ce-datacontenttype': 'text/xml' },
  { 'ce-dataschema': 'javascript:x' },
  { 'ce-id': '%6dsg-1' },
  { 'ce-subject': '%00%0d%0aset-cookie:a=b' },
  { 'content-type': 'application/json; x=application/cloudevents+json' },
])('no header replaces the data, which is signed: %j', (header) => {
  expect(dataOf({ 'content-type': BINARY, ...HEADERS, ...header }, SIGNED)).toEqual([{ a: 1 }]);
});

it.each([
  ['"__proto__":{"data":{"b":2}}', undefined],
  ['"constructor":{"data":{"b":2}}', undefined],
  ['"data":{"a":1},"toString":"x","hasOwnProperty":"x"', { a: 1 }],
  ['"data":{"a":1},"data":{"b":2}', { b: 2 }],
])('a field with the name of a property is only a field: %s', (fields, data) => {
  const body = `${JSON.stringify(ATTRIBUTES).slice(0, -1)},${fields}}`;
  expect(dataOf({ 'content-type': STRUCTURED }, body)).toEqual([data]);
  expect(dataOf({ 'content-type': BATCHED }, `[${body}]`)).toEqual([data]);
  expect({}).not.toHaveProperty('data');
});

it.each([
  ...['[]', 'null', '"x"', '7', 'true', '{"data":'.repeat(20_000)].map((body) => [STRUCTURED, body] as const),
  ...['{}', 'null', '{"0":{}}', '[null]', '[[]]', '["x"]', '['.repeat(100_000)].map(
    (body) => [BATCHED, body] as const,
  ),
])('what is no event is no error of the receiver: %s %.20s', (type, body) => {
  expect(() => parseCloudEvents({ 'content-type': type }, body)).toThrow(
    expect.objectContaining({ name: 'Problem', kind: 'unreadable' }),
  );
});
