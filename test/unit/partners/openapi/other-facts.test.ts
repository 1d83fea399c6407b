import { describe, expect, it } from 'vitest';
import { documentOf, INT32, json, names, responsesOf } from '../../../rigs/partners/openapi/documents.js';

/**
 * What the contract prints, copied from it by hand: client, sandbox and document are made from the same schemas, which must
 * not prove themselves.
 */
describe('apis/3', () => {
  it('the plant store has three operations, every failure of which is a 400', async () => {
    expect(await responsesOf('plant-store')).toEqual([
      'GET /plants: 200 400',
      'POST /plants: 200 400',
      'DELETE /plants/{id}: 204 400',
    ]);
    const { paths, components } = await documentOf('plant-store');
    expect(components.securitySchemes).toEqual({ credentials: { type: 'http', scheme: 'bearer' } });
    const { Plant, NewPlant, Error: failure, Int64 } = components.schemas;
    expect(Int64).toEqual({ type: 'integer', format: 'int64' });
    expect(Plant.required).toEqual(['name']);
    expect(NewPlant.required).toEqual(['id', 'name']);
    expect(names(NewPlant)).toEqual(['id', 'name', 'tag']);
    expect(failure).toEqual({
      type: 'object',
      required: ['error', 'message'],
      properties: { error: INT32, message: { type: 'string' } },
    });
    expect(paths['/plants'].get.parameters).toEqual([
      { in: 'query', name: 'limit', required: false, schema: INT32 },
    ]);
    expect(paths['/plants/{id}'].delete.responses[204]).not.toHaveProperty('content');
    expect(json(paths['/plants'].post.responses[200])).toEqual({ $ref: '#/components/schemas/Plant' });
  });

  it('the payments platform has a version in each path, and a key in a header', async () => {
    const { paths, components } = await documentOf('payments');
    expect(components.securitySchemes).toEqual({
      credentials: { type: 'apiKey', in: 'header', name: 'x-svc-api-key' },
    });
    const prefixes = Object.keys(paths).map((path) => path.split('/').slice(0, 3).join('/'));
    expect([...new Set(prefixes)].sort()).toEqual([
      '/v1/accounts',
      '/v1/batches',
      '/v1/locations',
      '/v1/payments',
      '/v1/transactions',
      '/v2/accounts',
      '/v2/terminals',
      '/v3/payment',
      '/v3/payments',
      '/v3/preauth',
      '/v3/refund',
      '/v5/apikeys',
    ]);
    const all = await responsesOf('payments');
    expect(all.filter((line) => /capture|PUT.*transactions|GET.*accounts\//.test(line))).toEqual([
      'GET /v1/accounts/{account_id}: 200 400 401 403 404 429 500',
      'PUT /v1/transactions/{transaction_id}: 200 400 401 403 404 429 500',
      'POST /v3/payments/{transaction_id}/capture: 200 400 401 403 404 429 500',
      'POST /v1/payments/{transaction_id}/capture: 200 400 401 403 404 429 500',
    ]);
    const { 401: refused } = paths['/v1/transactions/{transaction_id}'].put.responses;
    expect(refused.description).toContain('only transactions of passthrough flows can be edited');
  });

  it('the processor has one operation, which is deprecated', async () => {
    expect(await responsesOf('processor')).toEqual(['POST /processor/api/v1/webhook: 200 401 422 429 500']);
    const { paths, components } = await documentOf('processor');
    const { deprecated, requestBody, responses } = paths['/processor/api/v1/webhook'].post;
    expect(responses[422]['x-provenance']).toBe('assumed');
    expect(responses[200]).not.toHaveProperty('x-provenance');
    expect(deprecated).toBe(true);
    expect(json(requestBody)).toMatchObject({
      required: ['event_names', 'webhook_url'],
      properties: { event_names: { type: 'array' }, webhook_url: { type: 'array' } },
    });
    const { Envelope } = components.schemas;
    expect(names(Envelope)).toEqual(['status', 'message', 'data', 'errors', 'error_code']);
    expect(Envelope.properties.status.type).toBe('boolean');
  });
});
