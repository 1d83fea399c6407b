import type { BoardingClient } from '../../../../src/partners/boarding/client.js';
import type { BoardingOperations } from '../../../../src/partners/boarding/operations.js';
import type { ByHand } from '../../../../src/partners/by-hand.js';
import { BOARDING_REFUSALS } from './boarding-refusals.js';
import { BOARDING_WIRE } from './boarding-wire.js';
import type { KnownPartner } from './known-partner.js';

const basics = {
  cashDiscount: 'No',
  firstName: 'Ada',
  lastName: 'Baker',
  dba: 'Café "Ada"',
  pos: 'Till',
  agentProfileId: 101,
} as const;

const created = async (client: ByHand<BoardingClient>, dba = 'Corner Bakery'): Promise<number> => {
  const { merchantProfileId } = await client.createMerchant({ ...basics, dba, boardingSettingsId: 11 });
  return merchantProfileId;
};

/** Creates a merchant with underwriting notes. @returns its ID */
async function noted(client: ByHand<BoardingClient>): Promise<number> {
  const id = await created(client, 'Harbor Books [notes]');
  await client.submitMerchant({ merchantProfileId: id });
  await client.getStatus({ id });
  return id;
}

/** Valid calls for each operation: the last one is the operation, those before it prepare it. The compiler asks for all of them. */
const BOARDING_CALLS: Record<keyof BoardingOperations, (client: ByHand<BoardingClient>) => Promise<unknown>> =
  {
    listAgentProfiles: (client) => client.listAgentProfiles({}),
    listBoardingSettings: (client) => client.listBoardingSettings({}),
    createMerchantV1: (client) => client.createMerchantV1(basics),
    createMerchant: (client) =>
      client.createMerchant({ ...basics, email: 'ada@example.com', boardingSettingsId: 11, guid: 'order-1' }),
    getFees: async (client) => client.getFees({ id: await created(client) }),
    updateFees: async (client) =>
      client.updateFees({
        id: await created(client),
        minimumDiscountAmount: 25.5,
        minimumDiscountStartDate: '2026-01-01T00:00:00Z',
        minimumDiscountType: 'Monthly',
        amex: { interchangePlus: { qualified: { perItem: 0.1, percent: 0 } } },
        miscFees: [{ name: 'Paper', perItem: 1, percent: 0 }],
        standard: null,
        fieldsOfThePartner: 'kept',
      }),
    submitMerchant: async (client) =>
      client.submitMerchant({
        merchantProfileId: await created(client),
        merchantProfile: { legalName: 'Ada Ltd', owners: [{ share: 100, nested: null }] },
        equipment: ['till', 2, true],
      }),
    submitMerchantV1: async (client) => client.submitMerchantV1({ id: await created(client) }),
    getStatus: async (client) => client.getStatus({ id: await noted(client) }),
    getStatus2: async (client) => client.getStatus2({ id: await noted(client) }),
    updateStatus: async (client) =>
      client.updateStatus({ id: await created(client), status: 'Approved', comment: 'all fine' }),
    uploadAttachment: async (client) =>
      client.uploadAttachment({
        id: await created(client),
        file: {
          fileName: 'check.pdf',
          contentType: 'application/pdf',
          content: Buffer.from('%PDF-1.7\r\n%%EOF'),
        },
        description: 'voided check',
      }),
    getUnderwritingNotes: async (client) => client.getUnderwritingNotes({ id: await noted(client) }),
    requestUnderwritingReview: async (client) =>
      client.requestUnderwritingReview({ id: await noted(client), comment: 'answered' }),
    setUnderwritingPending: async (client) => client.setUnderwritingPending({ id: await created(client) }),
  };

export const BOARDING: KnownPartner<'boarding'> = {
  calls: BOARDING_CALLS,
  wire: BOARDING_WIRE,
  refusals: BOARDING_REFUSALS,
  headers: { authorization: 'Basic c2FuZGJveDpzYW5kYm94', accept: 'application/json' },
  credentialsOf: (caller) => ({
    authorization: `Basic ${Buffer.from(`${caller}:${caller}`).toString('base64')}`,
  }),
};
