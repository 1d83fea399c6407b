import { describe, expect, it } from 'vitest';
import { documentOf, INT32, json, names, responsesOf } from '../../../rigs/partners/openapi/documents.js';

/**
 * What the contract prints, copied from it by hand: client, sandbox and document are made from the same schemas, which must
 * not prove themselves.
 */
describe('banking', () => {
  it('has fifteen operations with these responses, of which we added 429', async () => {
    const all = await responsesOf('banking');
    expect(all).toHaveLength(44);
    expect(all.filter((line) => line.startsWith('E')).sort()).toEqual([
      'E1 POST /api/auth/v2: 200 400 401 403 404 429 500',
      'E10 POST /api/Statement/V2/full: 200 400 401 403 404 429 500',
      'E11 GET /svc/externalAccountActivity/{profileId}: 200 400 401 403 404 429 500',
      'E12 GET /api/notifications: 200 400 401 403 404 429 500',
      'E13 POST /api/Partners/webhooks: 200 400 401 403 409 429 500',
      'E14 GET /api/teams/departments: 200 401 403 429 500',
      'E15 POST /api/subProfiles/restore: 200 400 401 403 404 429 500',
      'E2 POST /api/auth/refresh: 200 401 403 429 500',
      'E3 POST /changeAddress: 200 400 401 403 404 429 500',
      'E4 POST /api/paymentCards/nickName: 200 400 401 403 404 429 500',
      'E5 GET /svc/profile/byMerchant/{merchantProfileId}: 200 400 401 403 404 429 500',
      'E6 GET /api/tickets/new: 200 401 403 429 500',
      'E7 POST /svc/businessAccountHolder: 200 400 401 403 404 429 500',
      'E8 POST /svc/paymentCard/closePaymentCard: 200 400 401 403 404 429 500',
      'E9 POST /api/AccountsSearch/BusinesAccountHolder: 200 400 401 403 404 429 500',
    ]);
  });

  it('is called with a Bearer token, but for E1', async () => {
    const { paths, components, security } = await documentOf('banking');
    expect(components.securitySchemes).toEqual({ credentials: { type: 'http', scheme: 'bearer' } });
    expect(security).toEqual([{ credentials: [] }]);
    expect(paths['/api/auth/v2'].post.security).toEqual([]);
    expect(paths['/api/auth/refresh'].post).not.toHaveProperty('security');
  });

  it('the other requests have these forms', async () => {
    const { paths, components } = await documentOf('banking');
    const { Webhook, AddressChange } = components.schemas;
    expect(Webhook.properties.url).toMatchObject({ type: 'string', format: 'uri' });
    expect(AddressChange.dependentRequired.oneTimeCode).toEqual(['secureOperationType']);
    const { parameters, description } = paths['/api/subProfiles/restore'].post;
    expect(parameters[0]).toEqual({ in: 'query', name: 'id', required: true, schema: INT32 });
    expect(description).toContain('content-type: application/json');
    expect(paths['/svc/externalAccountActivity/{profileId}'].get.deprecated).toBe(true);
  });

  it('records have these fields', async () => {
    const { components, paths } = await documentOf('banking');
    const { PaymentCard, BankingProfile, BoardingResponse, Ticket, Notification } = components.schemas;
    expect(names(PaymentCard).join(' ')).toBe(
      'paymentCardId userProfileId paymentCardName maxTotalSpending maxTransactionsCount totalSpending ' +
        'totalTransactionsCount type expirationDate active last4 bin network formFactor status partnerId ' +
        'authorizationControls cardProfileSetId financialAccountId cardProfileSet syncSubDate reissuedCardId',
    );
    expect(names(BankingProfile).join(' ')).toBe(
      'id createdDate updatedDate userProfileId step accountHolderInformation businessAccountHolder isSubmitted ' +
        'accountHolderId nickName cardProductId openApplicationId financialAccountId applicationStatus bankingStatus ' +
        'applicationDate approvalDate isDeleted isLocked isAccessLocked isMfaEnabled isOtpEnabled ' +
        'agentPayoutProfileId salesRepresentativeId rewordType isNew isExceptional profileSettings ' +
        'applicationCreationType exceptionalTemplateId profileType accountType employer lockFinancialAccountId agreements',
    );
    expect(names(BoardingResponse).join(' ')).toBe('profileId success errors changeLog financialAccountId');
    expect(names(Ticket).join(' ')).toBe(
      'ticketId createdDate status text topic topicId userProfileId parentTicketId updateFieldRequest',
    );
    expect(names(Notification).join(' ')).toBe('id createdDate subject body group level dateRead metaData');
    const file = paths['/api/Statement/V2/full'].post.responses[200].content;
    expect(Object.keys(file)).toEqual(expect.arrayContaining(['application/pdf', 'text/plain']));
  });
});

describe('merchant boarding', () => {
  it('has four operations with these responses, of which we added 429, and eleven others', async () => {
    const all = await responsesOf('boarding');
    expect(all.filter((line) => line.startsWith('B'))).toEqual([
      'B1 POST /api/v1/merchant/create: 200 400 401 403 404 429 500',
      'B2 GET /api/v2/merchant/fees: 200 400 401 403 404 429 500',
      'B3 GET /api/v1/merchant/status: 200 400 401 403 404 429 500',
      'B4 GET /api/v1/merchant/underwritingNotes: 200 400 401 403 404 429 500',
    ]);
    const others = all.filter((line) => !line.startsWith('B')).map((line) => line.split(':')[0]);
    expect(others.sort()).toEqual([
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
    ]);
  });

  it('is called with Basic credentials, and B1 is deprecated', async () => {
    const { paths, components } = await documentOf('boarding');
    expect(components.securitySchemes).toEqual({ credentials: { type: 'http', scheme: 'basic' } });
    const { requestBody, ...operation } = paths['/api/v1/merchant/create'].post;
    const provenance = { 'x-provenance': 'documented', 'x-reference': 'B1' };
    expect(operation).toMatchObject({ deprecated: true, 'x-effect': 'once', ...provenance });
    expect(json(requestBody)).toMatchObject({
      required: ['cashDiscount', 'firstName', 'lastName', 'dba', 'pos', 'agentProfileId'],
      additionalProperties: false,
      properties: { agentProfileId: INT32, boardingSettingsId: INT32 },
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

describe('the other systems', () => {
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
    const properties = { error: INT32, message: { type: 'string' } };
    expect(failure).toEqual({ type: 'object', required: ['error', 'message'], properties });
    const limit = { in: 'query', name: 'limit', required: false, schema: INT32 };
    expect(paths['/plants'].get.parameters).toEqual([limit]);
    expect(paths['/plants/{id}'].delete.responses[204]).not.toHaveProperty('content');
    expect(json(paths['/plants'].post.responses[200])).toEqual({ $ref: '#/components/schemas/Plant' });
  });

  it('the payments platform has a version in each path, and a key in a header', async () => {
    const { paths, components } = await documentOf('payments');
    const credentials = { type: 'apiKey', in: 'header', name: 'x-svc-api-key' };
    expect(components.securitySchemes).toEqual({ credentials });
    const prefixes = Object.keys(paths).map((path) => path.split('/').slice(0, 3).join('/'));
    expect([...new Set(prefixes)].sort().join(' ')).toBe(
      '/v1/accounts /v1/batches /v1/locations /v1/payments /v1/transactions /v2/accounts /v2/terminals ' +
        '/v3/payment /v3/payments /v3/preauth /v3/refund /v5/apikeys',
    );
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
