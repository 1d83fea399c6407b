import { describe, expect, it } from 'vitest';
import { operationName, pathParameters } from '../../../src/partners/catalogue.js';

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
