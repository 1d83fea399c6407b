/** The `type` of an `ApplicationFailure` whose only detail is `PartnerErrorDetails`. */
export const PARTNER_ERROR = 'PartnerError';
