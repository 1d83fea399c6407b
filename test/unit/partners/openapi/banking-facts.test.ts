import { describe, expect, it } from 'vitest';
import { documentOf, INT32, json, names, responsesOf } from '../../../rigs/partners/openapi/documents.js';

const TEXT = { type: 'string', minLength: 1 };
const DATE = { type: 'string', format: 'date-time' };

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

  it('E1 takes the two forms of a token request', async () => {
    const { paths, components } = await documentOf('banking');
    const { parameters, requestBody } = paths['/api/auth/v2'].post;
    expect(parameters).toEqual([
      { in: 'query', name: 'likev1', required: false, schema: { type: 'boolean' } },
    ]);
    const [user, partner] = (json(requestBody) as { anyOf: { required: string[]; properties: object }[] })
      .anyOf;
    expect(user?.required).toEqual(['nickName', 'password', 'tokenDevice', 'nameDevice']);
    expect(partner?.required).toEqual(['NickName', 'Password', 'TokenDevice', 'NameDevice']);
    expect(user?.properties).toMatchObject({
      nickName: TEXT,
      reCaptchaResponse: { type: ['string', 'null'] },
      typeOperation: {
        anyOf: [{ enum: ['ShortMessageCode', 'TimeBasedCode', 'LegacyTimeBasedCode'] }, { type: 'null' }],
      },
      captcha: { type: 'object', properties: { token: { type: 'string' } } },
    });
    expect(components.schemas.TokenResponse.properties).toHaveProperty('expiration');
  });

  it('E7 takes a business, with these rules', async () => {
    const { components } = await documentOf('banking');
    const { BusinessAccountHolder: holder, BeneficialOwner: owner } = components.schemas;
    expect(holder.required.toSorted()).toEqual([
      'authorizingPersonTitle',
      'businessPhone',
      'city',
      'dateOfBirth',
      'doingBusinessAsName',
      'email',
      'employerIdentificationNumber',
      'familyName',
      'givenName',
      'legalBusinessName',
      'percentageOwnership',
      'phone',
      'postalCode',
      'primaryAuthorizedLocality',
      'primaryAuthorizedPostalCode',
      'primaryAuthorizedState',
      'primaryAuthorizedStreetAddress',
      'ssn',
      'state',
      'streetAddress',
    ]);
    // Values and limits: test/unit/partners/banking/rules.test.ts. Here, one of each form that a schema can have.
    expect(holder.properties).toMatchObject({
      email: { type: 'string', format: 'email' },
      phone: { type: 'string', pattern: '^(\\d|\\*){10}$' },
      dateOfBirth: DATE,
      state: { type: 'integer', minimum: 1, maximum: 53 },
      annualBusinessRevenue: {
        anyOf: [{ type: 'integer', format: 'int64', minimum: 0 }, { type: 'null' }],
      },
      owner4: { $ref: '#/components/schemas/BeneficialOwner' },
    });
    expect(holder.properties).not.toHaveProperty('owner5');
    expect(owner.required).toHaveLength(11);
    expect(owner.properties).toMatchObject({
      firstName: { type: 'string', maxLength: 255 },
      homePhone: { pattern: '^\\d{10}$' },
      zipCode: { pattern: '^\\d{5}$' },
      dob: DATE,
      percentageOwnership: { type: 'integer', minimum: 25, maximum: 100 },
    });
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

  it('E12 takes nine parameters', async () => {
    const { paths } = await documentOf('banking');
    const parameters: { in: string; name: string; required: boolean; schema: unknown }[] =
      paths['/api/notifications'].get.parameters;
    const query = parameters.filter((one) => one.in === 'query');
    expect(query.map(({ name }) => name).join(' ')).toBe(
      'fromDate toDate level group types categories searchTerm skip take',
    );
    expect(query.every(({ required }) => !required)).toBe(true);
    expect(query[2]?.schema).toEqual({ type: 'string', enum: ['Info', 'Warning'] });
    expect(query[4]?.schema).toEqual({ type: 'array', items: { type: 'string' } });
    expect(query[8]?.schema).toEqual(INT32);
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
