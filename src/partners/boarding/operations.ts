import { z } from 'zod';
import { type Operations, RESPONSE_BYTES } from '../catalogue.js';
import { anyResponse } from '../fields.js';
import {
  agentProfile,
  boardingSettings,
  createdMerchant,
  createMerchantRequest,
  createMerchantV2Request,
  filePart,
  int32Id,
  merchantFees,
  merchantFeesRead,
  merchantStatus,
  submitMerchantRequest,
  underwritingNotes,
} from './schemas.js';

const byId = z.strictObject({ id: int32Id });

/** Responses of this path have an envelope of their own: `success` and `validationErrors` (apis/2, Response envelope). */
export const FEES_PATH = '/api/v2/merchant/fees';

/**
 * The merchant boarding API: all fifteen operations that apis/2 names. B1 to B4 are as printed there; the eleven others
 * have the shapes that apis/4 reports of similar services.
 *
 * @param posNames the point-of-sale systems that the partner accepts, beside the two names that the contract prints.
 */
export function boardingOperations(posNames: readonly string[] = []) {
  const createRequest = createMerchantRequest(posNames);
  return {
    listAgentProfiles: {
      maxBytes: RESPONSE_BYTES.list,
      summary: 'Agent profiles of the caller; `id` is the agentProfileId of a create',
      method: 'GET',
      path: '/api/v1/agentProfiles',
      effect: 'read',
      provenance: 'assumed',
      request: z.strictObject({}),
      response: z.array(agentProfile),
    },
    listBoardingSettings: {
      maxBytes: RESPONSE_BYTES.list,
      summary: 'Boarding settings (templates) of the caller; `id` is the boardingSettingsId of a create',
      method: 'GET',
      path: '/api/v1/GetBoardingSettings',
      effect: 'read',
      provenance: 'assumed',
      request: z.strictObject({}),
      response: z.array(boardingSettings),
    },
    createMerchantV1: {
      reference: 'B1',
      summary: 'Create a merchant application',
      method: 'POST',
      path: '/api/v1/merchant/create',
      effect: 'once',
      irreversible: true,
      provenance: 'documented',
      deprecated: 'use create-merchant (v2)',
      request: createRequest,
      response: createdMerchant,
    },
    createMerchant: {
      summary: 'Create a merchant application from basic data, to be completed by submit-merchant',
      method: 'POST',
      path: '/api/v2/merchant/create',
      effect: 'once',
      irreversible: true,
      provenance: 'assumed',
      knownFields: Object.keys(createRequest.shape),
      request: createMerchantV2Request(posNames),
      response: createdMerchant,
    },
    getFees: {
      reference: 'B2',
      summary: 'Read a merchant’s fees',
      method: 'GET',
      path: FEES_PATH,
      query: ['id'],
      effect: 'read',
      exactNumbers: true,
      provenance: 'documented',
      request: byId,
      response: merchantFeesRead,
    },
    updateFees: {
      summary: 'Set a merchant’s fees',
      method: 'POST',
      path: FEES_PATH,
      query: ['id'],
      effect: 'idempotent',
      provenance: 'assumed',
      request: merchantFees.safeExtend({ id: int32Id }),
      response: anyResponse,
    },
    submitMerchant: {
      summary: 'Enter all data of a merchant and submit it to underwriting',
      method: 'POST',
      path: '/api/v2/merchant/submit',
      effect: 'once',
      irreversible: true,
      provenance: 'assumed',
      request: submitMerchantRequest,
      response: anyResponse,
    },
    submitMerchantV1: {
      summary: 'Submit a merchant to underwriting as it is',
      method: 'POST',
      path: '/api/v1/merchant/submit',
      query: ['id'],
      effect: 'once',
      irreversible: true,
      provenance: 'assumed',
      request: byId,
      response: anyResponse,
    },
    getStatus: {
      maxBytes: RESPONSE_BYTES.status,
      reference: 'B3',
      summary: 'Current status of a merchant application, and its mid once boarded',
      method: 'GET',
      path: '/api/v1/merchant/status',
      query: ['id'],
      effect: 'read',
      provenance: 'documented',
      request: byId,
      response: merchantStatus,
    },
    getStatus2: {
      maxBytes: RESPONSE_BYTES.status,
      summary: 'Current status, with the broader status names',
      method: 'GET',
      path: '/api/v1/merchant/status2',
      query: ['id'],
      effect: 'read',
      provenance: 'assumed',
      request: byId,
      response: merchantStatus,
    },
    updateStatus: {
      summary: 'Set a merchant’s status (for administrators)',
      method: 'POST',
      path: '/api/v1/merchant/updateStatus',
      query: ['id'],
      effect: 'idempotent',
      provenance: 'assumed',
      request: z.strictObject({ id: int32Id, status: z.string().min(1), comment: z.string().optional() }),
      response: anyResponse,
    },
    uploadAttachment: {
      summary: 'Add a document to a merchant application',
      method: 'POST',
      path: '/api/v1/merchant/attachment',
      query: ['id'],
      encoding: 'multipart',
      effect: 'once',
      provenance: 'assumed',
      request: z.strictObject({ id: int32Id, file: filePart, description: z.string().optional() }),
      response: anyResponse,
    },
    getUnderwritingNotes: {
      maxBytes: RESPONSE_BYTES.list,
      reference: 'B4',
      summary: 'Notes that the underwriters want answered; none if the list is empty',
      method: 'GET',
      path: '/api/v1/merchant/underwritingNotes',
      query: ['id'],
      effect: 'read',
      provenance: 'documented',
      request: byId,
      response: underwritingNotes,
    },
    requestUnderwritingReview: {
      summary: 'Report to the underwriters that their notes are answered',
      method: 'POST',
      path: '/api/v1/merchant/underwritingReview',
      query: ['id'],
      effect: 'once',
      provenance: 'assumed',
      request: z.strictObject({ id: int32Id, comment: z.string().optional() }),
      response: anyResponse,
    },
    setUnderwritingPending: {
      summary: 'Put a merchant at UW Level 1: Pending',
      method: 'POST',
      path: '/api/v1/merchant/underwritingPending',
      query: ['id'],
      effect: 'idempotent',
      provenance: 'assumed',
      request: byId,
      response: anyResponse,
    },
  } as const satisfies Operations;
}

export type BoardingOperations = ReturnType<typeof boardingOperations>;
