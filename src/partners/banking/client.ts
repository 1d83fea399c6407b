import type { z } from 'zod';
import { type CallOptions, type Credentials, type PartnerClient, partnerClient } from '../client.js';
import { openPlain } from '../field-schemas.js';
import { PartnerHttp } from '../http.js';
import type { Connection } from '../partner.js';
import { type BankingOperations, bankingOperations } from './operations.js';
import type { paymentCard } from './responses.js';
import { BankingToken, type OneTimeCode, type TokenSettings } from './token.js';

const SYSTEM = 'banking';

export interface BankingSettings extends TokenSettings, Connection {
  /** Issued to partners at onboarding. Sent as the header `X-Partner-Id` (an assumption). */
  readonly partnerId?: string;
  readonly pathSegment?: string;
}

export type BankingClient = PartnerClient<BankingOperations> & {
  /**
   * Sets a person's one-time code for the next token, after a `PartnerError` with `needs: 'one-time-code'`. Default kind of code:
   * `ShortMessageCode`.
   */
  useCode(code: string, typeOperation?: OneTimeCode['typeOperation']): void;
  forget(): void;
  close(): Promise<void>;
};

/**
 * A client of the banking API (docs/partner-apis.md#banking). The client fetches its own tokens (`token.ts`), and repeats a call
 * that gets a 401 with a fresh token.
 *
 * @throws {TypeError} for an invalid URL, path segment or TOTP secret.
 */
export function bankingClient(settings: BankingSettings): BankingClient {
  const { url, limits, partnerId, pathSegment } = settings;
  const operations = bankingOperations(pathSegment);
  const http = new PartnerHttp(url, limits);
  const token = new BankingToken(SYSTEM, settings, http, partnerId ? { 'x-partner-id': partnerId } : {});
  const protocol = {
    system: SYSTEM,
    authorization: () => token.authorization(),
    reauthorize: (refused: Credentials, operation: string) => token.reauthorize(refused, operation),
    probe: 'listNewTickets',
    unwrap: openPlain,
    secrets: () => token.secrets(),
    observe: settings.observe,
    inspect: settings.inspect,
  };
  return {
    ...partnerClient(operations, protocol, http),
    useCode: (code, typeOperation) => token.useCode(code, typeOperation),
    forget: () => token.forget(),
    close: () => http.close(),
  };
}

export type PaymentCard = z.output<typeof paymentCard>;

const CARDS_AT_ONCE = 100;
const CLOSED = 3;

/**
 * Yields each visible card once, page by page. Stops at the first page without a new card, because a partner that returns a bare
 * list may ignore paging.
 */
export async function* eachPaymentCard(
  client: Pick<BankingClient, 'listPaymentCards'>,
  options?: CallOptions,
): AsyncGenerator<PaymentCard> {
  const seen = new Set<string>();
  for (let skip = 0; ; ) {
    const { records } = await client.listPaymentCards({ skip, count: CARDS_AT_ONCE }, options);
    const fresh = records.filter(({ paymentCardId }) => !seen.has(paymentCardId));
    if (fresh.length === 0) return;
    for (const { paymentCardId } of fresh) seen.add(paymentCardId);
    yield* fresh;
    skip += records.length;
  }
}

/**
 * Reports whether a card is closed. Its status is a number in its record, but can be a word in lists
 * (docs/partner-apis.md#banking-assumptions).
 */
export function isClosed({ status }: Pick<PaymentCard, 'status'>): boolean {
  return status === CLOSED || String(status).toUpperCase() === 'CLOSED';
}

export type StatementFormat = 'PDF' | 'CSV' | 'QBO' | 'OFX';

/** MIME types of statements. The contract lists none: it only says that CSV is plain text and the others are binary. */
export const STATEMENT_FORMATS: Readonly<Record<string, StatementFormat>> = {
  'application/pdf': 'PDF',
  'text/csv': 'CSV',
  'application/csv': 'CSV',
  'text/plain': 'CSV',
  'application/vnd.intu.qbo': 'QBO',
  'application/qbo': 'QBO',
  'application/x-qbo': 'QBO',
  'application/vnd.intu.ofx': 'OFX',
  'application/ofx': 'OFX',
  'application/x-ofx': 'OFX',
};

/** Returns the format of a statement from its `Content-Type` (E10); undefined if the type does not identify a format. */
export function statementFormat(contentType: string): StatementFormat | undefined {
  const [type = ''] = contentType.split(';');
  const name = type.trim().toLowerCase();
  return Object.hasOwn(STATEMENT_FORMATS, name) ? STATEMENT_FORMATS[name] : undefined;
}
