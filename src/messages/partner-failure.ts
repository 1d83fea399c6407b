/** The `type` of an `ApplicationFailure` whose only detail is `PartnerErrorDetails`. */
export const PARTNER_ERROR = 'PartnerError';

/** The heartbeat details of a write: whether its request may be on its way. */
export interface Mark {
  readonly sending: boolean;
  /** ISO 8601: when the request was about to be sent. */
  readonly sentAt: string;
  /** Ids that were at the partner just before, of the kind of thing that the request makes. */
  readonly baseline?: readonly number[];
}
