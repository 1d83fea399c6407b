import type { PartnerErrorDetails } from '../partners/partner-error.js';
import type { SystemName } from '../partners/systems.js';
import type { DocumentRef } from './requirements.js';

/** One call of one operation of a partner, as a person or a script asks for it. */
export interface PartnerCall {
  readonly system: SystemName;
  /** As in the catalogue: `close-card`. */
  readonly operation: string;
  /** The request's fields, as JSON; in place of a file a {@link FileToSend}, of a `bigint` an {@link IntegerToSend}. */
  readonly request: Readonly<Record<string, unknown>>;
  /** A write to a partner's production is wanted. */
  readonly toProduction?: true;
}

/**
 * What became of a call: the response, or where the file is that was the response. Beside a response may be the warnings of
 * the call, and why the partner refused it although its HTTP status is a success.
 */
export type PartnerAnswer =
  | {
      readonly answer: unknown;
      readonly warnings?: readonly string[];
      readonly refusal?: PartnerErrorDetails;
    }
  | { readonly file: { readonly fileName: string; readonly contentType: string; readonly bytes: number } };

/** A file of a request, on its way to the worker. */
export interface FileToSend {
  readonly document: DocumentRef;
}

/** A whole number beyond 2^53 of a request, on its way to the worker. It is sent as a plain number. */
export interface IntegerToSend {
  readonly exactInteger: string;
}

export interface PartnerCallActivities {
  /**
   * Makes one call of a partner.
   *
   * @throws ApplicationFailure `PartnerError` with its details; it is tried again only when that does no harm
   */
  callPartner(call: PartnerCall): Promise<PartnerAnswer>;
}
