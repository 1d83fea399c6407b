import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { partnerClients, readAccounts } from '../../../src/partners/account-settings.js';
import { type Operation, operationName, pathParameters } from '../../../src/partners/catalogue.js';
import { catalogue, PARTNERS, SYSTEM_NAMES, settingsPrefix } from '../../../src/partners/descriptors.js';
import { encode } from '../../../src/partners/encoding.js';
import { schemaFields } from '../../../src/services/forms/schema-fields.js';
import { failureOf } from '../../rigs/partners/failure.js';

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

const all = catalogue();
const operations = SYSTEM_NAMES.flatMap((system) =>
  Object.entries(all[system]).map(([key, operation]) => ({ system, key, operation })),
);

describe('a POST is repeated because of a key', () => {
  it.each(operations)(
    '$system $key: only with the key of its partner in the request',
    ({ system, operation }) => {
      const field = PARTNERS[system].idempotencyKey;
      const names = schemaFields(operation.request).map(({ name }) => name);
      const hasKey = field !== undefined && names.includes(field);
      expect(operation.repeats === 'has a key' ? hasKey : !hasKey || operation.effect === 'once').toBe(true);
    },
  );
});

describe('the catalogue has what a probe sends', () => {
  it.each(operations.filter(({ operation }) => operation.effect === 'read'))(
    '$system $key: a source for each field that the request needs',
    ({ system, operation }) => {
      const required = schemaFields(operation.request).filter(
        ({ isRequired, name }) => isRequired && !name.includes('.'),
      );
      expect(Object.keys(operation.probe ?? {}).sort()).toEqual(required.map(({ name }) => name).sort());
      for (const source of Object.values(operation.probe ?? {}).flat())
        if (typeof source === 'object' && 'operation' in source)
          expect(all[system][source.operation]?.effect).toBe('read');
    },
  );

  it('has sources for reads only', () => {
    const writes = operations.filter(({ operation }) => operation.effect !== 'read' && operation.probe);
    expect(writes).toEqual([]);
  });
});

describe.each(SYSTEM_NAMES)('%s that is not set up', (system) => {
  const client: object = partnerClients(readAccounts({}))[system];
  const call = (method: string) =>
    (Reflect.get(client, method) as (...values: unknown[]) => Promise<unknown>)({});

  it.each(Object.keys(catalogue()[system]))(
    'refuses %s with its reason, before anything is sent',
    async (key) => {
      expect((await failureOf(call(key))).details).toEqual({
        system,
        operation: operationName(key),
        kind: 'NotSent',
        fields: [],
        reason: `${settingsPrefix(system)}URL is not set`,
      });
    },
  );

  it('can be signed in and closed like any other', async () => {
    await call('useCode');
    await call('forget');
    await expect(call('close')).resolves.toBeUndefined();
  });
});
