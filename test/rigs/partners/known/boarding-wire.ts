const MERCHANT =
  '"cashDiscount":"No","firstName":"Ada","lastName":"Baker","dba":"Café \\"Ada\\"","pos":"Till","agentProfileId":101';

/** As the contract prints it, or as docs/partner-apis.md assumes it. */
export const BOARDING_WIRE = {
  listAgentProfiles: 'GET /api/v1/agentProfiles',
  listBoardingSettings: 'GET /api/v1/GetBoardingSettings',
  createMerchantV1: `POST /api/v1/merchant/create {${MERCHANT}}`,
  createMerchant:
    `POST /api/v2/merchant/create {${MERCHANT},"email":"ada@example.com",` +
    '"boardingSettingsId":11,"guid":"order-1"}',
  getFees: 'GET /api/v2/merchant/fees?id=1001',
  updateFees:
    'POST /api/v2/merchant/fees?id=1001 {"minimumDiscountAmount":25.5,' +
    '"minimumDiscountStartDate":"2026-01-01T00:00:00Z","minimumDiscountType":"Monthly",' +
    '"amex":{"interchangePlus":{"qualified":{"perItem":0.1,"percent":0}}},"standard":null,' +
    '"miscFees":[{"name":"Paper","perItem":1,"percent":0}],"fieldsOfThePartner":"kept"}',
  submitMerchant:
    'POST /api/v2/merchant/submit {"merchantProfileId":1001,"merchantProfile":{"legalName":"Ada Ltd",' +
    '"owners":[{"share":100,"nested":null}]},"equipment":["till",2,true]}',
  submitMerchantV1: 'POST /api/v1/merchant/submit?id=1001',
  getStatus: 'GET /api/v1/merchant/status?id=1001',
  getStatus2: 'GET /api/v1/merchant/status2?id=1001',
  updateStatus: 'POST /api/v1/merchant/updateStatus?id=1001 {"status":"Approved","comment":"all fine"}',
  uploadAttachment: [
    'POST /api/v1/merchant/attachment?id=1001 --BOUNDARY',
    'Content-Disposition: form-data; name="file"; filename="check.pdf"',
    'Content-Type: application/pdf',
    '',
    '%PDF-1.7',
    '%%EOF',
    '--BOUNDARY',
    'Content-Disposition: form-data; name="description"',
    '',
    'voided check',
    '--BOUNDARY--',
    '',
  ].join('\r\n'),
  getUnderwritingNotes: 'GET /api/v1/merchant/underwritingNotes?id=1001',
  requestUnderwritingReview: 'POST /api/v1/merchant/underwritingReview?id=1001 {"comment":"answered"}',
  setUnderwritingPending: 'POST /api/v1/merchant/underwritingPending?id=1001',
} as const;
