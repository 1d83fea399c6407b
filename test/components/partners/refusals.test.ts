import { describe, expect, it, onTestFinished } from 'vitest';
import { byHand } from '../../../src/partners/by-hand.js';
import { plantStoreClient } from '../../../src/partners/plant-store/operations.js';
import { processorClient } from '../../../src/partners/processor/operations.js';
import { clientAt, HOLDER } from '../../rigs/partners/banking/partner.js';
import { failureOf, NOWHERE, refusedFields } from '../../rigs/partners/failure.js';

const client = {
  banking: () => clientAt(NOWHERE),
  'plant-store': () => byHand(plantStoreClient({ url: NOWHERE, token: 't0k3n' })),
  processor: () => byHand(processorClient({ url: NOWHERE, apiKey: 'k3y' })),
};

/** The bank's rules themselves: test/unit/partners/banking/rules.test.ts. */
describe('a request is refused before it is sent:', () => {
  const USER = { nickName: 'bo', password: 'pw', tokenDevice: 'd', nameDevice: 'n' };
  const PARTNER = { NickName: 'bo', Password: 'pw', TokenDevice: 'd', NameDevice: 'n' };
  it.each<[object, string[]]>([
    [{ ...USER, password: undefined }, ['password']],
    [{ ...USER, tokenDevice: '' }, ['tokenDevice']],
    [{ ...USER, nameDevice: '' }, ['nameDevice']],
    [{ ...PARTNER, NickName: '' }, ['NickName']],
    [{ ...USER, smsCode: '123456' }, ['typeOperation']],
    [{ ...PARTNER, typeOperation: 'TimeBasedCode' }, ['smsCode']],
    [{ ...USER, smsCode: '1', typeOperation: 'Pigeon' }, ['typeOperation']],
    [{ ...USER, NickName: 'bo' }, ['NickName']],
  ])('issueToken with %j', async (request, fields) => {
    expect(await refusedFields(client.banking().issueToken(request as never))).toEqual(fields);
  });

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
    const plants = client['plant-store']();
    onTestFinished(() => plants.close());
    expect(await refusedFields(plants[operation](request as never))).toEqual(fields);
  });

  const ONE = { event_names: ['A'], webhook_url: ['https://example.com'] };
  it.each<[object, string[]]>([
    [{}, ['event_names', 'webhook_url']],
    [{ ...ONE, event_names: 'TransactionFailed' }, ['event_names']],
    [{ ...ONE, event_names: [] }, ['event_names']],
    [{ ...ONE, event_names: ['A', ''] }, ['event_names.1']],
    [{ ...ONE, event_names: [1] }, ['event_names.0']],
    [{ ...ONE, webhook_url: 'https://example.com' }, ['webhook_url']],
    [{ ...ONE, webhook_url: [] }, ['webhook_url']],
    [{ ...ONE, webhook_url: ['http://example.com'] }, ['webhook_url.0']],
    [{ ...ONE, webhook_url: ['http://127.0.0.1/'] }, ['webhook_url.0']],
    [{ ...ONE, webhook_url: ['https://example.com', 'https://'] }, ['webhook_url.1']],
    [{ ...ONE, webhook_url: ['/hooks'] }, ['webhook_url.0']],
    [{ ...ONE, secret: 'x' }, ['secret']],
  ])('registerWebhook with %j', async (request, fields) => {
    const processor = client.processor();
    onTestFinished(() => processor.close());
    expect(await refusedFields(processor.registerWebhook(request as never))).toEqual(fields);
  });

  it('a holder with everything wrong at once, whose problems contain no value', async () => {
    const wrong = { ...HOLDER, ssn: '666456789', phone: '5550', employerIdentificationNumber: '007777777' };
    const error = await failureOf(client.banking().submitBusinessAccountHolder(wrong));
    expect(error.fields).toEqual([
      { field: 'phone', message: 'must be 10 digits' },
      { field: 'ssn', message: 'must be 9 digits of a valid SSN, without dashes' },
      {
        field: 'employerIdentificationNumber',
        message: 'must be 9 digits of a valid EIN, without dashes',
      },
    ]);
    const thrown = JSON.stringify(error) + error.message;
    for (const value of ['666456789', '5550', '007777777']) expect(thrown).not.toContain(value);
  });
});

describe('an id of a plant', () => {
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
    const plants = client['plant-store']();
    onTestFinished(() => plants.close());
    const message = 'must be an int64; beyond 2^53 - 1 write its digits as text';
    for (const call of [plants.createPlant({ id, name: 'Fern' }), plants.deletePlant({ id })]) {
      const { kind, status, fields } = await failureOf(call);
      expect([kind, status, fields]).toEqual(['Rejected', undefined, [{ field: 'id', message }]]);
    }
  });
});
