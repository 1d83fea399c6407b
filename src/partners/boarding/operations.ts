import { z } from 'zod';
import { idempotent, madeOnce, type Operations, once, RESPONSE_BYTES, read } from '../catalogue.js';
import { int32 } from '../field-schemas.js';
import * as schemas from './schemas.js';

const byId = z.strictObject({ id: int32 });

/** Responses of this path have their own envelope (docs/partner-apis.md#merchant-boarding-rules). */
export const FEES_PATH = '/api/v2/merchant/fees';

/**
 * The merchant boarding API (docs/partner-apis.md#merchant-boarding): all fifteen operations that the contract names. B1 to B4
 * match the contract; the shapes of the other eleven are assumed.
 */
function operationsWith(posNames: readonly string[] = []) {
  const createRequest = schemas.createMerchantRequest(posNames);
  return {
    listAgentProfiles: read('GET /api/v1/agentProfiles', {
      maxBytes: RESPONSE_BYTES.list,
      summary: 'Agent profiles of the caller; `id` is the agentProfileId of a create',
      inWorkflows: true,
      response: z.array(schemas.agentProfile),
      openFields: ['name'],
    }),
    listBoardingSettings: read('GET /api/v1/GetBoardingSettings', {
      maxBytes: RESPONSE_BYTES.list,
      summary: 'Boarding settings (templates) of the caller; `id` is the boardingSettingsId of a create',
      inWorkflows: true,
      response: z.array(schemas.boardingSettings),
      openFields: ['name'],
    }),
    createMerchantV1: once('POST /api/v1/merchant/create', {
      reference: 'B1',
      summary: 'Create a merchant application',
      irreversible: true,
      inWorkflows: true,
      deprecated: 'use create-merchant (v2)',
      request: createRequest,
      makes: 'merchantProfileId',
      response: schemas.createdMerchant,
    }),
    createMerchant: once('POST /api/v2/merchant/create', {
      summary: 'Create a merchant application from basic data; submit-merchant completes it',
      irreversible: true,
      inWorkflows: true,
      knownFields: Object.keys(createRequest.shape),
      request: schemas.createMerchantV2Request(posNames),
      makes: 'merchantProfileId',
      response: schemas.createdMerchant,
    }),
    getFees: read(`GET ${FEES_PATH}`, {
      reference: 'B2',
      summary: 'Read a merchant’s fees',
      query: ['id'],
      idInResponse: 'merchantProfileId',
      probe: { id: ['merchant'] },
      exactNumbers: true,
      inWorkflows: true,
      request: byId,
      response: schemas.merchantFeesRead,
    }),
    updateFees: idempotent(`POST ${FEES_PATH}`, {
      repeats: 'sets a value',
      summary: 'Set a merchant’s fees',
      query: ['id'],
      inWorkflows: true,
      request: schemas.merchantFees.safeExtend({ id: int32 }),
    }),
    submitMerchant: once('POST /api/v2/merchant/submit', {
      summary: 'Enter all data of a merchant and submit it to underwriting',
      irreversible: true,
      inWorkflows: true,
      request: schemas.submitMerchantRequest,
    }),
    submitMerchantV1: once('POST /api/v1/merchant/submit', {
      summary: 'Submit a merchant to underwriting as it is',
      query: ['id'],
      irreversible: true,
      request: byId,
    }),
    getStatus: read('GET /api/v1/merchant/status', {
      maxBytes: RESPONSE_BYTES.status,
      reference: 'B3',
      summary: 'Status of a merchant application, and its mid once boarded',
      query: ['id'],
      idInResponse: 'merchantProfileId',
      probe: { id: ['merchant'] },
      inWorkflows: true,
      request: byId,
      response: schemas.merchantStatus,
    }),
    getStatus2: read('GET /api/v1/merchant/status2', {
      maxBytes: RESPONSE_BYTES.status,
      summary: 'Status, with more status names',
      query: ['id'],
      idInResponse: 'merchantProfileId',
      probe: { id: ['merchant'] },
      request: byId,
      response: schemas.merchantStatus2,
    }),
    updateStatus: idempotent('POST /api/v1/merchant/updateStatus', {
      repeats: 'sets a value',
      summary: 'Set a merchant’s status (for administrators)',
      query: ['id'],
      request: z.strictObject({ id: int32, status: z.string().min(1), comment: z.string().optional() }),
    }),
    uploadAttachment: once('POST /api/v1/merchant/attachment', {
      summary: 'Add a document to a merchant application',
      query: ['id'],
      encoding: 'multipart',
      inWorkflows: true,
      request: z.strictObject({ id: int32, file: schemas.filePart, description: z.string().optional() }),
    }),
    getUnderwritingNotes: read('GET /api/v1/merchant/underwritingNotes', {
      maxBytes: RESPONSE_BYTES.list,
      reference: 'B4',
      summary: 'Notes that the underwriters want answered',
      query: ['id'],
      probe: { id: ['merchant'] },
      inWorkflows: true,
      request: byId,
      response: schemas.underwritingNotes,
    }),
    requestUnderwritingReview: once('POST /api/v1/merchant/underwritingReview', {
      summary: 'Tell the underwriters that their notes are answered',
      query: ['id'],
      inWorkflows: true,
      request: z.strictObject({ id: int32, comment: z.string().optional() }),
    }),
    setUnderwritingPending: idempotent('POST /api/v1/merchant/underwritingPending', {
      repeats: 'sets a value',
      summary: 'Set a merchant to UW Level 1: Pending',
      query: ['id'],
      request: byId,
    }),
  } satisfies Operations;
}

export const boardingOperations = madeOnce(operationsWith);

export type BoardingOperations = ReturnType<typeof boardingOperations>;
