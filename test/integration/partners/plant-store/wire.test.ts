import { describe, expect, it, onTestFinished } from 'vitest';
import { type ByHand, byHand } from '../../../../src/partners/by-hand.js';
import { type PlantStoreClient, plantStoreClient } from '../../../../src/partners/plant-store/client.js';
import {
  PLANT_STORE_OPERATIONS,
  type PlantStoreOperations,
} from '../../../../src/partners/plant-store/operations.js';
import { failureOf } from '../../../rigs/partners/failure.js';
import { type Respond, recordingServer, responding } from '../../../rigs/partners/servers.js';

/** A plant store over HTTP and a client of it. */
async function plantStore(respond: Respond) {
  const server = await recordingServer(respond);
  const client = byHand(plantStoreClient({ url: server.url, token: 't0k3n' }));
  onTestFinished(() => client.close());
  return { ...server, client };
}

interface Wire {
  readonly call: (client: ByHand<PlantStoreClient>) => Promise<unknown>;
  /** Method, path and query. */
  readonly line: string;
  /** The exact bytes. */
  readonly body?: string;
  readonly status: number;
  readonly response: string;
  readonly read: unknown;
}

/** All as in apis/3. */
const WIRE: Record<keyof PlantStoreOperations, Wire> = {
  listPlants: {
    call: (client) => client.listPlants({ limit: 2 }),
    line: 'GET /plants?limit=2',
    status: 200,
    response: '[{"name":"Fern","tag":"shade"},{"name":"Cactus"}]',
    read: [
      { name: 'Fern', tag: 'shade' },
      { name: 'Cactus', tag: null },
    ],
  },
  createPlant: {
    call: (client) => client.createPlant({ id: 7, name: 'Fern', tag: 'shade' }),
    line: 'POST /plants',
    body: '{"id":7,"name":"Fern","tag":"shade"}',
    status: 200,
    response: '{"name":"Fern","tag":"shade"}',
    read: { name: 'Fern', tag: 'shade' },
  },
  deletePlant: {
    call: (client) => client.deletePlant({ id: 7 }),
    line: 'DELETE /plants/7',
    status: 204,
    response: '',
    read: null,
  },
};

describe('every operation of the contract', () => {
  it('is in the table', () => {
    expect(Object.keys(WIRE).sort()).toEqual(Object.keys(PLANT_STORE_OPERATIONS).sort());
  });

  it.each(Object.entries(WIRE))('%s', async (_, { call, line, body, status, response, read }) => {
    const { client, requests } = await plantStore(responding(status, response));
    expect(await call(client)).toEqual(read);
    expect(requests).toHaveLength(1);
    const [request] = requests;
    expect(request?.line).toBe(line);
    expect(request?.headers.authorization).toBe('Bearer t0k3n');
    expect(request?.headers['content-type']).toBe(body === undefined ? undefined : 'application/json');
    expect(request?.body.toString('utf8')).toBe(body ?? '');
  });

  it('list without a limit has no query', async () => {
    const { client, requests } = await plantStore(responding(200, '[]'));
    expect(await client.listPlants({})).toEqual([]);
    expect(requests[0]?.line).toBe('GET /plants');
  });
});

describe('an id', () => {
  it.each([
    [0, '0'],
    [-1, '-1'],
    [Number.MAX_SAFE_INTEGER, '9007199254740991'],
    ['9007199254740991', '9007199254740991'],
    ['9007199254740992', '9007199254740992'],
    ['9007199254740993', '9007199254740993'],
    [9007199254740993n, '9007199254740993'],
    ['-9007199254740993', '-9007199254740993'],
    ['9223372036854775807', '9223372036854775807'],
    ['-9223372036854775808', '-9223372036854775808'],
    ['007', '7'],
  ])('%s goes over the wire as the number %s, in a body and in a path', async (id, digits) => {
    const { client, requests } = await plantStore(responding(200, '{"name":"Fern"}'));
    await client.createPlant({ id, name: 'Fern' });
    await client.deletePlant({ id });
    const [created, deleted] = requests;
    expect(created?.body.toString('utf8')).toBe(`{"id":${digits},"name":"Fern"}`);
    expect(deleted?.line).toBe(`DELETE /plants/${digits}`);
  });

  it.each([
    ['2^63', '9223372036854775808'],
    ['2^63 as a bigint', 2n ** 63n],
    ['-2^63 - 1', '-9223372036854775809'],
    ['a number that is already rounded', 2 ** 53],
    ['a fraction', 1.5],
    ['a fraction as text', '1.5'],
    ['an exponent', '1e3'],
    ['hexadecimal', '0x10'],
    ['a word', 'fern'],
    ['nothing', ''],
    ['spaces', ' 7'],
    ['many digits', '9'.repeat(200)],
  ])('that is %s is refused before it is sent', async (_, id) => {
    const { client, connections } = await plantStore(responding(200, '{"name":"Fern"}'));
    const [created, deleted] = [client.createPlant({ id, name: 'Fern' }), client.deletePlant({ id })];
    for (const error of [await failureOf(created), await failureOf(deleted)]) {
      expect(error).toMatchObject({ kind: 'Rejected', status: undefined });
      expect(error.fields).toEqual([
        { field: 'id', message: 'must be an int64; beyond 2^53 - 1 write its digits as text' },
      ]);
    }
    expect(connections()).toBe(0);
  });

  it.each([
    ['7', '7'],
    ['9007199254740991', '9007199254740991'],
    ['9007199254740992', '9007199254740992'],
    ['9007199254740993', '9007199254740993'],
    ['-9007199254740993', '-9007199254740993'],
    ['9223372036854775807', '9223372036854775807'],
    ['"9007199254740993"', '9007199254740993'],
  ])('%s in a response keeps all its digits, as text', async (wire, id) => {
    const { client } = await plantStore(responding(200, `[{"id":${wire},"name":"Fern","height":1.25e1}]`));
    const plants = await client.listPlants({});
    expect(plants).toEqual([{ id, name: 'Fern', tag: null, height: 12.5 }]);
    expect(JSON.stringify(plants)).toContain(`"id":"${id}"`);
  });
});

describe('a request is refused before it is sent', () => {
  it.each([
    ['createPlant', {}, ['id', 'name']],
    ['createPlant', { id: 7 }, ['name']],
    ['createPlant', { name: 'Fern' }, ['id']],
    ['createPlant', { id: null, name: 'Fern' }, ['id']],
    ['createPlant', { id: Number.NaN, name: 'Fern' }, ['id']],
    ['createPlant', { id: true, name: 'Fern' }, ['id']],
    ['createPlant', { id: 7, name: 5 }, ['name']],
    ['createPlant', { id: 7, name: 'Fern', tag: 5 }, ['tag']],
    ['createPlant', { id: 7, name: 'Fern', color: 'green' }, ['color']],
    ['listPlants', { limit: 1.5 }, ['limit']],
    ['listPlants', { limit: '5' }, ['limit']],
    ['listPlants', { limit: 2 ** 31 }, ['limit']],
    ['listPlants', { limit: -(2 ** 31) - 1 }, ['limit']],
    ['deletePlant', {}, ['id']],
  ] as const)('%s with %o', async (operation, request, fields) => {
    const { client, connections } = await plantStore(responding(200, '[]'));
    const error = await failureOf(client[operation](request as never));
    expect(error.details.reason).toBe('not sent: invalid request');
    expect(error.fields.map(({ field }) => field)).toEqual(fields);
    expect(connections()).toBe(0);
  });

  it.each([2 ** 31 - 1, -(2 ** 31), 0])(
    'but not for a limit of %i, which has no stated bounds',
    async (limit) => {
      const { client, requests } = await plantStore(responding(200, '[]'));
      await client.listPlants({ limit });
      expect(requests[0]?.line).toBe(`GET /plants?limit=${limit}`);
    },
  );
});

describe('a failure', () => {
  const call = {
    listPlants: (client: ByHand<PlantStoreClient>) => client.listPlants({}),
    createPlant: (client: ByHand<PlantStoreClient>) => client.createPlant({ id: 7, name: 'Fern' }),
    deletePlant: (client: ByHand<PlantStoreClient>) => client.deletePlant({ id: 7 }),
  };

  it.each([
    ['listPlants', 'list-plants'],
    ['createPlant', 'create-plant'],
    ['deletePlant', 'delete-plant'],
  ] as const)('of %s is a 400 with an Error', async (key, operation) => {
    const { client, requests } = await plantStore(responding(400, '{"error":-17,"message":"no such plant"}'));
    const error = await failureOf(call[key](client));
    expect(error.details).toEqual({
      system: 'plant-store',
      operation,
      kind: 'Rejected',
      status: 400,
      fields: [{ field: '', message: 'no such plant (error -17)' }],
      reason: 'HTTP 400',
    });
    expect(error.message).toBe(`plant-store ${operation}: Rejected, HTTP 400`);
    expect(requests).toHaveLength(1);
  });

  it.each([
    ['an empty body', '', []],
    ['a page of some proxy', '<html>', []],
    ['a message without a number', '{"message":"no"}', [{ field: '', message: 'no' }]],
    ['a number beyond int32', '{"error":2147483648,"message":"no"}', [{ field: '', message: 'no' }]],
  ])('may have %s', async (_, body, fields) => {
    const { client } = await plantStore(responding(400, body));
    expect(await failureOf(call.listPlants(client))).toMatchObject({ kind: 'Rejected', fields });
  });

  it.each([
    ['no JSON', 'plants'],
    ['a plant without a name', '[{"tag":"shade"}]'],
    ['no list', '{"name":"Fern"}'],
    ['nothing', ''],
  ])('is also a response of 200 with %s', async (_, body) => {
    const { client } = await plantStore(responding(200, body));
    expect((await failureOf(call.listPlants(client))).details).toMatchObject({
      kind: 'Uncertain',
      reason: 'unreadable response',
    });
  });
});
