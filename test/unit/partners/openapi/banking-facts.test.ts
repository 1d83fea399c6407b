import { describe, expect, it } from 'vitest';
import { documentOf, INT32, names, responsesOf } from '../../../rigs/partners/openapi/documents.js';

/**
 * What the contract prints, copied from it by hand: client, sandbox and document are made from the same schemas, which must
 * not prove themselves.
 */
describe('apis/1, banking', () => {
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

  it('the other requests need these fields', async () => {
    const { paths, components } = await documentOf('banking');
    const { CardNickname, FullStatementRequest, Webhook, AddressChange } = components.schemas;
    expect(CardNickname.required).toEqual(['paymentCardId']);
    expect(FullStatementRequest.required).toEqual(['period', 'financialAccountIds']);
    expect(FullStatementRequest.properties.financialAccountIds.minItems).toBe(1);
    expect(FullStatementRequest.properties.fileFormat.enum).toEqual(['PDF', 'CSV', 'QBO', 'OFX']);
    expect(Webhook.properties.url).toMatchObject({ type: 'string', format: 'uri' });
    expect(AddressChange.required).toEqual(['streetAddress', 'postalCode', 'city', 'state']);
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
    expect(names(BoardingResponse)).toEqual([
      'profileId',
      'success',
      'errors',
      'changeLog',
      'financialAccountId',
    ]);
    expect(names(Ticket).join(' ')).toBe(
      'ticketId createdDate status text topic topicId userProfileId parentTicketId updateFieldRequest',
    );
    expect(names(Notification).join(' ')).toBe('id createdDate subject body group level dateRead metaData');
    const file = paths['/api/Statement/V2/full'].post.responses[200].content;
    expect(Object.keys(file)).toEqual(expect.arrayContaining(['application/pdf', 'text/plain']));
  });
});
