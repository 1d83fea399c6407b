import { type PartnerClient, partnerClient, partnerOff } from '../client.js';
import { type HttpLimits, PartnerHttp } from '../http.js';
import { openPlain } from '../plain-answers.js';
import type { OneTimeCode } from './one-time-code.js';
import { type BankingOperations, bankingOperations } from './operations.js';
import { BankingToken, type TokenSettings } from './token.js';

const SYSTEM = 'banking';

export interface BankingSettings extends TokenSettings {
  /** https, or http to loopback; a path below the origin is kept. */
  readonly url: string;
  /** Issued to partners at onboarding; travels as the header `X-Partner-Id`, which is assumed. */
  readonly partnerId?: string;
  /** Stands in paths for the contract's neutral segment `svc`. */
  readonly pathSegment?: string;
  readonly limits?: Partial<HttpLimits>;
}

export type BankingClient = PartnerClient<BankingOperations> & {
  /**
   * Takes a one-time code from a person, for the next token. It is asked for by a `PartnerError` whose details have
   * `needs: 'one-time-code'`. The kind of code is `ShortMessageCode` unless said otherwise.
   */
  useCode(code: string, typeOperation?: OneTimeCode['typeOperation']): void;
  /** Drops the token and what is remembered of refusals, so that the next call signs in anew. */
  forget(): void;
  close(): Promise<void>;
};

/**
 * A client of the banking API (apis/1). Tokens are its own affair: the first call fetches one, see `token.ts`. A call
 * answered with 401 is made once more with a fresh token.
 *
 * @throws {TypeError} for a URL, path segment or TOTP secret that cannot be.
 */
export function bankingClient(settings: BankingSettings): BankingClient {
  const { url, limits, partnerId, pathSegment } = settings;
  const operations = bankingOperations(pathSegment);
  const http = new PartnerHttp(url, limits);
  const token = new BankingToken(SYSTEM, settings, http, partnerId ? { 'x-partner-id': partnerId } : {});
  const protocol = {
    system: SYSTEM,
    authorization: () => token.authorization(),
    reauthorize: (refused: Readonly<Record<string, string>>) => token.reauthorize(refused),
    open: openPlain,
    secrets: () => token.secrets(),
    observe: settings.observe,
  };
  return {
    ...partnerClient(operations, protocol, http),
    useCode: (code, typeOperation) => token.useCode(code, typeOperation),
    forget: () => token.forget(),
    close: () => http.close(),
  };
}

/** The client of a banking partner that is not set up. */
export function bankingOff(reason: string): BankingClient {
  return {
    ...partnerOff(SYSTEM, bankingOperations(), reason),
    useCode: () => undefined,
    forget: () => undefined,
    close: async () => undefined,
  };
}
