import { expect, it } from 'vitest';
import { address, Fields, inboxOf, pathOf } from '../../../../src/apps/console/query.js';

it('a field is text, the last one of several, and nothing that it inherits', () => {
  const fields = new Fields({ a: 'x', b: ['x', 'y'], c: 7, d: [], e: ['x', 7] });
  expect(['a', 'b', 'c', 'd', 'e', 'toString', 'none'].map((name) => fields.text(name))).toEqual([
    'x',
    'y',
    '',
    '',
    '',
    '',
    '',
  ]);
  expect(fields.names).toEqual(['a', 'b', 'c', 'd', 'e']);
  expect([new Fields(null).text('a'), new Fields('a').names, new Fields(undefined).names]).toEqual([
    '',
    [],
    [],
  ]);
  expect([fields.oneOf('a', ['w', 'x']), fields.oneOf('a', ['w']), fields.oneOf('none', ['w'])]).toEqual([
    'x',
    undefined,
    undefined,
  ]);
});

it.each([
  ['1', 1],
  ['9999', 9_999],
  ['10000', 1],
  ['0', 1],
  ['01', 1],
  ['-1', 1],
  ['1.5', 1],
  ['x2', 1],
  [undefined, 1],
])('page %j is page %i', (value, page) => {
  expect(new Fields({ page: value }).page('page')).toBe(page);
});

it('an address has the fields that are given, in their encoding', () => {
  expect(address('/report', { since: '', account: undefined })).toBe('/report');
  expect(address('/', { page: 0, name: 'a&b', none: '' })).toBe('/?page=0&name=a%26b');
  expect(pathOf('merchant-boarding-m/1@north', 'requirements', 'a b')).toBe(
    '/onboardings/merchant-boarding-m%2F1%40north/requirements/a%20b',
  );
});

// Alone catches a page that jumps to its top after an answer, and a name of a row that leads to another page.
it.each([
  ['', '/'],
  ['kind=ticket&page=2', '/?kind=ticket&page=2'],
  ['page=2&row=r-a%40b-note-1', '/?page=2#r-a%40b-note-1'],
  ['row=%0D%0Ax', '/#%0D%0Ax'],
])('the list %j is the inbox %j', (list, path) => {
  expect(inboxOf(list)).toBe(path);
});

it('a field that is given several times has all its texts', () => {
  const fields = new Fields({ a: 'x', b: ['x', 'y'], c: 7, e: ['x', 7] });
  const all = ['a', 'b', 'c', 'e', 'toString', 'none'].map((name) => fields.all(name));
  expect(all).toEqual([['x'], ['x', 'y'], [], ['x'], [], []]);
});
