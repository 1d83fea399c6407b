import { changed } from '../../sandbox/banking/running-banking.js';
import type { Refusal } from './known-partner.js';

const REFUSED =
  '{"cashDiscount":"No","firstName":"Ada","lastName":"Baker","dba":"Corner Bakery","pos":"None","agentProfileId":101}';
const B1 = 'POST /api/v1/merchant/create';
const B2 = 'GET /api/v2/merchant/fees';
const B3 = 'GET /api/v1/merchant/status';
const B4 = 'GET /api/v1/merchant/underwritingNotes';

export const BOARDING_REFUSALS: readonly Refusal[] = [
  [400, 'create-merchant-v1', B1, changed(REFUSED, 'dba')],
  [403, 'create-merchant-v1', B1, changed(REFUSED, 'agentProfileId', '201')],
  [403, 'create-merchant-v1', B1, REFUSED, 'read-only'],
  [404, 'create-merchant-v1', B1, changed(REFUSED, 'agentProfileId', '999')],
  [400, 'get-fees', B2],
  [403, 'get-fees', `${B2}?id=1001`, undefined, 'other-iso'],
  [404, 'get-fees', `${B2}?id=1`],
  [400, 'get-status', `${B3}?id=x`],
  [403, 'get-status', `${B3}?id=1001`, undefined, 'other-iso'],
  [404, 'get-status', `${B3}?id=1`],
  [400, 'get-underwriting-notes', `${B4}?id=1.5`],
  [403, 'get-underwriting-notes', `${B4}?id=1001`, undefined, 'other-iso'],
  [404, 'get-underwriting-notes', `${B4}?id=1`],
  [400, 'update-fees', 'POST /api/v2/merchant/fees?id=1001', '{"minimumDiscountAmount":501}'],
  [403, 'update-fees', 'POST /api/v2/merchant/fees?id=1001', '{}', 'read-only'],
  [404, 'submit-merchant', 'POST /api/v2/merchant/submit', '{"merchantProfileId":1}'],
  [400, 'upload-attachment', 'POST /api/v1/merchant/attachment?id=1001'],
  [404, 'create-merchant-v1', B1, changed(REFUSED, 'boardingSettingsId', '999')],
  [404, 'create-merchant-v1', B1, changed(REFUSED, 'boardingSettingsId', '21')],
  [403, 'submit-merchant-v1', 'POST /api/v1/merchant/submit?id=1001', undefined, 'read-only'],
  [403, 'submit-merchant-v1', 'POST /api/v1/merchant/submit?id=1001', undefined, 'other-iso'],
  [200, 'get-fees', `${B2}?id=1001`, undefined, 'read-only'],
  [200, 'get-status', `${B3}?id=1001`, undefined, 'read-only'],
  [200, 'get-underwriting-notes', `${B4}?id=1001`, undefined, 'read-only'],
];
