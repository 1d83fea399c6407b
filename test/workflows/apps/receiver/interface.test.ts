import { describe, expect, it } from 'vitest';
import { lint } from '../../../rigs/partners/openapi/linter.js';
import { runReceiver } from '../../../rigs/receiver/running-receiver.js';
import { sharedRig } from '../../../rigs/shared-rig.js';

const rig = await sharedRig();

describe('the OpenAPI document', () => {
  it('describes every path', async () => {
    const { call } = await runReceiver(rig, { posNames: ['Till'] });
    const { status, headers, text } = await call('GET /openapi.json');
    expect([status, headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
    const document = JSON.parse(text);
    expect(document.openapi).toBe('3.1.0');
    expect(Object.entries<object>(document.paths).map(([path, item]) => [path, Object.keys(item)])).toEqual([
      ['/events', ['post', 'options']],
      ['/v1/onboardings', ['get']],
      ['/v1/onboardings/{onboarding}', ['put', 'get']],
      ['/v1/onboardings/{onboarding}/timeline', ['get']],
      ['/v1/onboardings/{onboarding}/cancel', ['post']],
      ['/v1/onboardings/{onboarding}/nudge', ['post']],
      ['/v1/report', ['get']],
      ['/v1/requirements', ['get']],
      ['/v1/requirements/{onboarding}/{id}', ['get']],
      ...[
        'claim',
        'assign',
        'release',
        'remark',
        'answer',
        'take-back',
        'propose',
        'confirm',
        'withdraw',
        'ask',
        'revoke-link',
        'send-back',
      ].map((action) => [`/v1/requirements/{onboarding}/{id}/${action}`, ['post']]),
      ...['read', 'enter', 'begin', 'propose'].map((action) => [`/v1/links/{link}/${action}`, ['post']]),
      ['/v1/documents', ['post']],
      ['/v1/links/{link}/documents', ['post']],
      ...['boarding', 'banking', 'processor'].flatMap((partner) => [
        [`/webhooks/${partner}`, ['post', 'get']],
        [`/webhooks/${partner}/{secret}`, ['post', 'get']],
      ]),
      ['/healthz', ['get']],
      ['/readyz', ['get']],
    ]);
  });

  it('is accepted by the linter of Redocly, and has the schemas of the bodies', async () => {
    const { call } = await runReceiver(rig, { posNames: ['Till'] });
    const { text } = await call('GET /openapi.json');
    // Health checks are never rejected, so they have no 4xx.
    expect(await lint(text, ['operation-4xx-response'])).toEqual([]);
    const { schemas } = JSON.parse(text).components;
    expect(schemas.MerchantBoardingRequestedV1Event).toMatchObject({
      type: 'object',
      required: ['specversion', 'id', 'source', 'type', 'data'],
      properties: {
        type: { const: 'merchant.boarding.requested.v1' },
        data: { $ref: '#/components/schemas/MerchantBoardingRequestedV1Data' },
      },
    });
    expect(schemas.MerchantBoardingRequestedV1Data).toMatchObject({
      required: ['externalId', 'merchant'],
      additionalProperties: false,
      properties: { merchant: { $ref: '#/components/schemas/MerchantBoardingRequestedV1DataMerchant' } },
    });
    expect(schemas.MerchantBoardingRequestedV1DataMerchant.properties.pos).toEqual({
      type: 'string',
      enum: ['None', 'CustomPos', 'Till'],
    });
    const { properties, required } = schemas.StartMerchant;
    expect(properties.type).toEqual({ const: 'merchant' });
    expect(properties).not.toHaveProperty('externalId');
    expect(required).toEqual(['type', 'merchant']);
  });
});

it('the receiver is alive and ready', async () => {
  const { call } = await runReceiver(rig);
  expect(await call('GET /healthz')).toMatchObject({ status: 200, text: '{"status":"ok"}' });
  expect(await call('GET /readyz')).toMatchObject({ status: 200, text: '{"temporal":"ready"}' });
});
