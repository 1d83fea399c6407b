import { describe, expect, it } from 'vitest';
import { type Keyed, runKeyed } from '../../../../rigs/sandbox/keyed.js';
import { shared, type Until } from '../../../../rigs/shared.js';

const BEARER = { authorization: 'Bearer sandbox' };
const runPlants = (until?: Until) => runKeyed(BEARER, {}, until);
const plant = (plants: Keyed, id: string, more = '') =>
  plants.call('POST /plants', `{"id":${id},"name":"Fern"${more}}`);

describe('the plant store', () => {
  const three = shared(async (until) => {
    const plants = await runPlants(until);
    for (const id of ['1', '2', '3']) await plant(plants, id);
    return plants;
  });

  it('keeps plants: adds, lists, deletes', async () => {
    const plants = await runPlants();
    const added = await plant(plants, '7', ',"tag":"shade"');
    expect([added.status, added.text]).toEqual([200, '{"name":"Fern","tag":"shade"}']);
    expect(added.headers.get('content-type')).toMatch(/^application\/json/);
    await plant(plants, '8');
    const listed = await plants.call('GET /plants');
    expect([listed.status, listed.text]).toEqual([200, '[{"name":"Fern","tag":"shade"},{"name":"Fern"}]']);
    const deleted = await plants.call('DELETE /plants/7');
    expect([deleted.status, deleted.text]).toEqual([204, '']);
    expect((await plants.call('GET /plants')).text).toBe('[{"name":"Fern"}]');
    expect(await plants.effects()).toEqual(['create-plant 7', 'create-plant 8', 'delete-plant 7']);
  });

  it.each([
    ['0', 0],
    ['1', 1],
    ['3', 3],
    ['2147483647', 3],
    ['-1', 0],
  ])('lists with a limit of %s', async (limit, count) => {
    const { status, json } = await three().call(`GET /plants?limit=${limit}`);
    expect([status, json<unknown[]>()]).toEqual([200, expect.objectContaining({ length: count })]);
  });

  it.each([
    '9007199254740991',
    '9007199254740992',
    '9007199254740993',
    '9223372036854775807',
    '-9223372036854775808',
  ])('stores the id %s to the last digit', async (id) => {
    const plants = await runPlants();
    const neighbor = String(BigInt(id) + (id.startsWith('-') ? 1n : -1n));
    expect((await plant(plants, id)).status).toBe(200);
    expect((await plants.call(`DELETE /plants/${neighbor}`)).status).toBe(400);
    expect((await plants.call(`DELETE /plants/${id}`)).status).toBe(204);
    expect(await plants.effects()).toEqual([`create-plant ${id}`, `delete-plant ${id}`]);
  });
});

describe('every failure is a 400 with an Error:', () => {
  const running = shared(async (until) => {
    const plants = await runPlants(until);
    await plant(plants, '7');
    return plants;
  });

  it.each([
    ['an id that is taken', 'POST /plants', '{"id":7,"name":"Moss"}', 'id is taken'],
    ['no id', 'POST /plants', '{"name":"Moss"}', 'id is required'],
    ['no name', 'POST /plants', '{"id":1}', 'name is required'],
    ['a numeric name', 'POST /plants', '{"id":1,"name":5}', 'name'],
    ['an id as text', 'POST /plants', '{"id":"1","name":"Moss"}', 'id must be a number'],
    ['an id of 2^63', 'POST /plants', '{"id":9223372036854775808,"name":"Moss"}', 'id must be an int64'],
    ['half an id', 'POST /plants', '{"id":1.5,"name":"Moss"}', 'id must be an int64'],
    ['no JSON', 'POST /plants', '{"id":', 'id is required'],
    ['no body', 'POST /plants', undefined, 'id is required'],
    ['half a limit', 'GET /plants?limit=1.5', undefined, 'limit'],
    ['a limit beyond int32', 'GET /plants?limit=2147483648', undefined, 'limit'],
    ['a limit that is a word', 'GET /plants?limit=all', undefined, 'limit'],
    ['an unknown plant', 'DELETE /plants/8', undefined, 'id is unknown'],
    ['a plant that is a word', 'DELETE /plants/fern', undefined, 'id must be an int64'],
    ['a plant beyond int64', 'DELETE /plants/9223372036854775808', undefined, 'id must be an int64'],
  ])('%s', async (_, line, body, message) => {
    const plants = running();
    const { status, json } = await plants.call(line, body);
    expect([status, json()]).toEqual([400, { error: 400, message: expect.stringContaining(message) }]);
    expect(await plants.effects()).toEqual(['create-plant 7']);
  });

  it.each([
    ['GET /plants', undefined],
    ['POST /plants', '{"id":1,"name":"Moss"}'],
    ['DELETE /plants/7', undefined],
  ])('no token, or a wrong one, at %s', async (line, body) => {
    const plants = running();
    for (const output of [{}, { authorization: 'Bearer guess' }, { authorization: 'Basic sandbox' }]) {
      const { status, text } = await plants.call(line, body, output as Record<string, string>);
      expect([status, text]).toEqual([400, '{"error":401,"message":"The token is missing or invalid"}']);
    }
    expect(await plants.effects()).toEqual(['create-plant 7']);
  });
});
