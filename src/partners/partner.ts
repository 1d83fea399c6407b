import { z } from 'zod';
import { withAdvice } from '../platform/settings/settings.js';
import type { Operations } from './catalogue.js';
import {
  type CallOptions,
  type Inspector,
  type PartnerClient,
  type PartnerProtocol,
  partnerClient,
} from './client.js';
import type { PartnerObserver } from './exchange-observers.js';
import { type HttpLimits, PartnerHttp } from './http.js';
import type { Contract } from './openapi/contract.js';

export interface PartnerSettings extends Pick<Connection, 'url' | 'limits'> {
  /** The environment of the URL, if the partner has several. A write to production must be requested explicitly. */
  readonly environment?: 'uat' | 'production';
}

const MIN_PASSWORD = 12;

export function password(system: 'BOARDING' | 'BANKING') {
  const schema = z.string('is not set').meta({ description: 'Password.', secret: true });
  return withAdvice(schema, (value, name, set) => {
    const isRemote = String(set[`${system}_URL`]).startsWith('https:');
    const isWeak = value.length < MIN_PASSWORD || value === set[`${system}_USERNAME`];
    return (
      isRemote &&
      isWeak && {
        why: `is shorter than ${MIN_PASSWORD} characters, or equals the user name`,
        fix: `choose another password at the partner, and set ${name} to it`,
      }
    );
  });
}

export interface Connection {
  /** https, or http to loopback. May have a path. */
  readonly url: string;
  readonly limits?: Partial<HttpLimits>;
  readonly observe?: PartnerObserver | undefined;
  readonly inspect?: Inspector | undefined;
}

export interface Closable {
  close(): Promise<void>;
}

/** The members of every partner's client, besides a method for each operation. */
export interface AnyClient extends Closable {
  /** Forgets rejected credentials, so the next call signs in again. */
  forget?(): void;
  useCode?(code: string): void;
}

export interface IdField {
  /** `profileId`, or `data.profileId`: the last names of the path, in any case. */
  readonly path: string;
  /** A search attribute, or `externalId`. */
  readonly kind: 'MerchantProfileId' | 'BankingProfileId' | 'Mid' | 'externalId';
}

/** The words in the catalogues that differ between accounts. */
export interface Wording {
  /** Point-of-sale names that the boarding partner accepts besides `None` and `CustomPos`. */
  readonly posNames: readonly string[];
  /** The path segment that the bank's contract writes as `svc`. */
  readonly pathSegment: string;
}

/**
 * Describes a partner system, except its activities (src/activities/partner-activities.ts) and its sandbox
 * (src/apps/sandbox/systems.ts). descriptors.ts lists all descriptors. Settings, clients, task queues, `gangway call`, `gangway
 * doctor`, webhooks, OpenAPI documents and docs/partner-apis.md derive from them.
 */
export interface Partner<
  Shape extends z.ZodRawShape = z.ZodRawShape,
  Settings extends PartnerSettings = PartnerSettings,
  Ops extends Operations = Operations,
  Client extends AnyClient = AnyClient,
> {
  /** A heading: `Plant store`. */
  readonly title: string;
  /** In a sentence, after "the": `plant store`. */
  readonly name: string;
  /**
   * The settings of an account, by their full names, besides those of every system (account-settings.ts). A setting that has no
   * default and is not optional is required if the URL is set. A secret has `secret: true` in its meta.
   */
  readonly settings: z.ZodObject<Shape>;
  /**
   * @param prefix the prefix of the account's settings: `ACME_`, or nothing
   * @throws {BadSetting} for settings that contradict each other
   */
  clientSettings(url: string, set: z.output<z.ZodObject<Shape>>, prefix: string): Settings;
  /** True if the partner has a portal with pages for merchants or profiles. */
  readonly hasPortal?: true;
  operations(wording: Partial<Wording>): Ops;
  client(settings: Settings & Connection, wording: Wording): Client;
  /** The check of credentials; absent if no operation is a read. */
  readonly credentialsCheck?: {
    /**
     * Makes the cheapest read.
     *
     * @returns the result for people: `3 agent profiles`; '' for nothing worth showing
     */
    read(client: Client, options: CallOptions): Promise<string>;
  };
  /** The report of `gangway doctor` while the system is off: a failure, or a text. Default: nothing. */
  readonly whenOff?: 'failure' | string;
  readonly hasEnvironments?: true;
  /** The field of a request by which the partner recognizes a repeated call. */
  readonly idempotencyKey?: string;
  readonly webhooks?: {
    readonly status: 200 | 202;
    readonly idFields: readonly IdField[];
  };
  readonly contract: Contract;
}

/** Lets the compiler infer the types of a descriptor. */
export function definePartner<
  Shape extends z.ZodRawShape,
  Settings extends PartnerSettings,
  Ops extends Operations,
  Client extends AnyClient,
>(partner: Partner<Shape, Settings, Ops, Client>): typeof partner {
  return partner;
}

export function connectClient<Ops extends Operations>(
  operations: Ops,
  protocol: Omit<PartnerProtocol, 'observe' | 'inspect'>,
  { url, limits, observe, inspect }: Connection,
): PartnerClient<Ops> & Closable {
  const http = new PartnerHttp(url, limits);
  return {
    ...partnerClient(operations, { ...protocol, observe, inspect }, http),
    close: () => http.close(),
  };
}

export function bearer(token: string): Pick<PartnerProtocol, 'authorization' | 'secrets'> {
  return { authorization: async () => ({ authorization: `Bearer ${token}` }), secrets: () => [token] };
}
