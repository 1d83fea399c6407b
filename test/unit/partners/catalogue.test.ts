import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Operation, operationName, pathParameters } from '../../../src/partners/catalogue.js';
import { encode } from '../../../src/partners/encoding.js';

describe('names', () => {
  it.each([
    ['getStatus', 'get-status'],
    ['createMerchantV1', 'create-merchant-v1'],
    ['getStatus2', 'get-status2'],
    ['ping', 'ping'],
  ])('of an operation: %s is spelled %s', (key, name) => {
    expect(operationName(key)).toBe(name);
  });

  it.each([
    ['/cards', []],
    ['/owners/{owner}/cards/{cardId}', ['owner', 'cardId']],
  ])('in a path: %s has %j', (path, names) => {
    expect(pathParameters({ path })).toEqual(names);
  });
});

describe('a request field goes where the catalogue puts it', () => {
  const renameCard = {
    summary: 'a field in the path, one in the query, the rest in the body',
    method: 'PUT',
    path: '/owners/{owner}/cards/{cardId}',
    query: ['notify'],
    effect: 'idempotent',
    request: z.object({}),
    response: z.unknown(),
  } as const satisfies Operation;

  it('into the path, the query or the body, each with its encoding', () => {
    const request = { owner: 'a/b?c=ä', cardId: 7, notify: 'a&b=c d', name: 'Ada & Co' };
    expect(encode(renameCard, request)).toEqual({
      path: '/owners/a%2Fb%3Fc%3D%C3%A4/cards/7?notify=a%26b%3Dc+d',
      headers: { 'content-type': 'application/json' },
      body: '{"name":"Ada & Co"}',
    });
  });

  it('and nowhere when it is absent', () => {
    expect(encode(renameCard, { owner: 'a', cardId: 7 })).toEqual({ path: '/owners/a/cards/7', headers: {} });
  });
});
