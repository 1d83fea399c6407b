import { describe, expect, it, onTestFinished } from 'vitest';
import { byHand } from '../../../../src/partners/by-hand.js';
import { plantStoreClient } from '../../../../src/partners/plant-store/operations.js';
import { failureOf } from '../../../rigs/partners/failure.js';
import { type Respond, recordingServer, responding } from '../../../rigs/partners/servers.js';

/** A plant store over HTTP and a client of it. */
async function plantStore(respond: Respond) {
  const server = await recordingServer(respond);
  const client = byHand(plantStoreClient({ url: server.url, token: 't0k3n' }));
  onTestFinished(() => client.close());
  return { ...server, client };
}

describe('every operation', () => {
  it.each([
    ['listPlants', {}, 200, '[{"name":"Fern","tag":"shade"}]', [{ name: 'Fern', tag: 'shade' }]],
    ['createPlant', { id: 7, name: 'Fern' }, 200, '{"name":"Fern"}', { name: 'Fern', tag: null }],
    ['deletePlant', { id: 7 }, 204, '', null],
  ] as const)('%s reads the response', async (key, request, status, response, read) => {
    const { client } = await plantStore(responding(status, response));
    expect(await client[key](request as never)).toEqual(read);
  });

  it.each([undefined, 2 ** 31 - 1, -(2 ** 31), 0])(
    'list has no stated bounds of a limit: %s',
    async (limit) => {
      const { client, requests } = await plantStore(responding(200, '[]'));
      expect(await client.listPlants({ limit })).toEqual([]);
      expect(requests[0]?.line).toBe(limit === undefined ? 'GET /plants' : `GET /plants?limit=${limit}`);
    },
  );
});

describe('an id', () => {
  it.each([
    [0, '0'],
    [-1, '-1'],
    [Number.MAX_SAFE_INTEGER, '9007199254740991'],
    ['9007199254740992', '9007199254740992'],
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
    ['7', '7'],
    ['9007199254740991', '9007199254740991'],
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

describe('a failure', () => {
  const fern = { id: 7, name: 'Fern' };
  it.each([
    ['listPlants', {}, 'list-plants'],
    ['createPlant', fern, 'create-plant'],
    ['deletePlant', { id: 7 }, 'delete-plant'],
  ] as const)('of %s is a 400 with an Error', async (key, request, operation) => {
    const { client, requests } = await plantStore(responding(400, '{"error":-17,"message":"no such plant"}'));
    const error = await failureOf(client[key](request as never));
    expect(error.details).toEqual({
      system: 'plant-store',
      operation,
      kind: 'Rejected',
      status: 400,
      reason: 'HTTP 400',
      fields: [{ field: '', message: 'no such plant (error -17)' }],
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
    expect(await failureOf(client.listPlants({}))).toMatchObject({ kind: 'Rejected', fields });
  });

  it.each([
    ['no JSON', 'plants'],
    ['a plant without a name', '[{"tag":"shade"}]'],
    ['no list', '{"name":"Fern"}'],
    ['nothing', ''],
  ])('is also a response of 200 with %s', async (_, body) => {
    const { client } = await plantStore(responding(200, body));
    expect((await failureOf(client.listPlants({}))).details).toMatchObject({
      kind: 'Uncertain',
      reason: 'unreadable response',
    });
  });
});
