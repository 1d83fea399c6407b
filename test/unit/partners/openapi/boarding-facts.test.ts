import { describe, expect, it } from 'vitest';
import { documentOf, INT32, json, names, responsesOf } from '../../../rigs/partners/openapi/documents.js';

/**
 * What the contract prints, copied from it by hand: client, sandbox and document are made from the same schemas, which must
 * not prove themselves.
 */
describe('apis/2, merchant boarding', () => {
  it('has four operations with these responses, of which we added 429, and eleven others', async () => {
    const all = await responsesOf('boarding');
    expect(all.filter((line) => line.startsWith('B'))).toEqual([
      'B1 POST /api/v1/merchant/create: 200 400 401 403 404 429 500',
      'B2 GET /api/v2/merchant/fees: 200 400 401 403 404 429 500',
      'B3 GET /api/v1/merchant/status: 200 400 401 403 404 429 500',
      'B4 GET /api/v1/merchant/underwritingNotes: 200 400 401 403 404 429 500',
    ]);
    const others = all.filter((line) => !line.startsWith('B')).map((line) => line.split(':')[0]);
    const contract = [
      'GET /api/v1/GetBoardingSettings',
      'GET /api/v1/agentProfiles',
      'GET /api/v1/merchant/status2',
      'POST /api/v1/merchant/attachment',
      'POST /api/v1/merchant/submit',
      'POST /api/v1/merchant/underwritingPending',
      'POST /api/v1/merchant/underwritingReview',
      'POST /api/v1/merchant/updateStatus',
      'POST /api/v2/merchant/create',
      'POST /api/v2/merchant/fees',
      'POST /api/v2/merchant/submit',
    ];
    expect(others.sort()).toEqual(contract.sort());
  });

  it('is called with Basic credentials', async () => {
    const { components } = await documentOf('boarding');
    expect(components.securitySchemes).toEqual({ credentials: { type: 'http', scheme: 'basic' } });
  });

  it('B1 is deprecated and takes these fields', async () => {
    const { paths } = await documentOf('boarding');
    const { deprecated, requestBody, ...operation } = paths['/api/v1/merchant/create'].post;
    expect(deprecated).toBe(true);
    expect(operation).toMatchObject({
      'x-effect': 'once',
      'x-provenance': 'documented',
      'x-reference': 'B1',
    });
    const { required, properties, additionalProperties } = json(requestBody) as Record<string, unknown>;
    expect(required).toEqual(['cashDiscount', 'firstName', 'lastName', 'dba', 'pos', 'agentProfileId']);
    expect(additionalProperties).toBe(false);
    expect(properties).toMatchObject({
      cashDiscount: { enum: ['Yes', 'No'] },
      pos: { enum: ['None', 'CustomPos'] },
      agentProfileId: INT32,
      boardingSettingsId: INT32,
    });
  });

  it('wraps responses in one of two envelopes', async () => {
    const { paths, components } = await documentOf('boarding');
    const { Envelope, FeesEnvelope, MerchantStatus, UnderwritingNote } = components.schemas;
    expect(names(Envelope)).toEqual(['data', 'status', 'error', 'warning', 'validationResults', 'requestId']);
    expect(names(Envelope.properties.validationResults.items)).toEqual(['memberNames', 'errorMessage']);
    expect(names(FeesEnvelope)).toEqual(['data', 'requestId', 'success', 'error', 'validationErrors']);
    expect(names(MerchantStatus)).toEqual(['status', 'statusDate', 'comment', 'mid']);
    expect(names(UnderwritingNote)).toEqual(['text', 'author', 'date']);
    expect(json(paths['/api/v1/merchant/status'].get.responses[200])).toEqual({
      allOf: [
        { $ref: '#/components/schemas/Envelope' },
        { properties: { data: { $ref: '#/components/schemas/MerchantStatus' } } },
      ],
    });
    expect(json(paths['/api/v2/merchant/fees'].get.responses[200])).toMatchObject({
      allOf: [{ $ref: '#/components/schemas/FeesEnvelope' }, {}],
    });
  });
});
