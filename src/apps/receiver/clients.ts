import { hash, randomBytes } from 'node:crypto';
import { decodeJwt } from 'jose';
import { z } from 'zod';
import { CLIENT_NAME, SCOPES, type Scope } from '../../messages/actors.js';
import {
  bearerIn,
  type Caller,
  knownHashes,
  REQUESTS_PER_MINUTE,
  subjectCheck,
} from '../../platform/http/server.js';
import { followFile } from '../../platform/settings/followed-file.js';
import { secureUrl } from '../../platform/settings/settings.js';
import { UNNAMED } from '../../services/reports/report.js';
import { check } from '../../services/texts/invalid-input.js';
import { mapLines } from '../../services/texts/json-lines.js';
import { Problem } from './problems.js';

/**
 * The programs that may call the API, from `API_CLIENTS_FILE`: a JSON object on each line. The file has the SHA-256 of a token,
 * never the token. There are no passwords, so no slow hash is needed: nobody can guess 256 random bits.
 */

export interface ApiClient extends Caller {
  readonly scopes: readonly Scope[];
  /** The partner accounts that it may see, '' for the unnamed account; undefined for all. */
  readonly accounts: readonly string[] | undefined;
}

const PREFIX = 'sha256:';

export const clientLine = z
  .strictObject({
    name: z.string().regex(CLIENT_NAME, 'must be 1 to 40 of a-z, 0-9 and "-"'),
    tokens: z
      .array(z.string().regex(/^sha256:[0-9a-f]{64}$/, 'must be sha256:<64 hexadecimal digits>'))
      .min(1)
      .max(2)
      .optional(),
    jwt: z
      .strictObject({
        jwksUrl: secureUrl,
        issuer: z.string().min(1),
        audience: z.string().min(1),
        subject: z.string().min(1),
      })
      .optional(),
    scopes: z.array(z.enum(SCOPES)).min(1),
    accounts: z.array(z.string()).min(1).optional(),
    requestsPerMinute: z.int().min(1).max(60_000).default(REQUESTS_PER_MINUTE),
  })
  .refine(({ tokens, jwt }) => (tokens === undefined) !== (jwt === undefined), 'needs either tokens or jwt');

type ClientLine = z.output<typeof clientLine>;

const SETTING = 'API_CLIENTS_FILE';

/** Returns a client with a new token, which is not stored. @throws {InvalidInput} */
export function newClient(name: string, scopes: readonly string[], accounts: readonly string[] | undefined) {
  const token = `gangway_${randomBytes(32).toString('base64url')}`;
  const client = { name, tokens: [PREFIX + hash('sha256', token)], scopes, ...(accounts && { accounts }) };
  check(clientLine, client, 'the client', 'nothing was made');
  return { token, client };
}

/**
 * @param accounts the names of all partner accounts
 * @throws {BadSetting} that names the first invalid line, without quoting it
 */
export function clientsIn(text: string, accounts: readonly string[]): ClientLine[] {
  const taken = new Set<string>();
  return mapLines(SETTING, text, clientLine, (data, bad) => {
    const unknown = data.accounts?.find((name) => name !== UNNAMED && !accounts.includes(name));
    if (unknown !== undefined) throw bad(`accounts: must be ${UNNAMED} or one of GANGWAY_ACCOUNTS`);
    const { name, tokens = [], jwt } = data;
    const own = [name, ...tokens, ...(jwt ? [JSON.stringify([jwt.issuer, jwt.subject])] : [])];
    if (own.some((each) => taken.has(each))) throw bad('another line has this name, token or subject');
    for (const each of own) taken.add(each);
    return data;
  });
}

export type IdentifyClient = (authorization: string | undefined) => Promise<ApiClient | undefined>;

/** Returns a function that finds a client by the `Authorization` header. */
export function identifyAmong(lines: readonly ClientLine[]): IdentifyClient {
  const clients = lines.map(
    ({ name, scopes, accounts, requestsPerMinute }): ApiClient => ({
      name,
      scopes,
      requestsPerMinute,
      accounts: accounts?.map((account) => (account === UNNAMED ? '' : account)),
    }),
  );
  const hashes = lines.flatMap(({ tokens = [] }, at) => tokens.map((token) => ({ token, at })));
  const positionOf = knownHashes(hashes.map(({ token }) => Buffer.from(token.slice(PREFIX.length), 'hex')));
  const subjects = lines.flatMap(({ jwt }, at) =>
    jwt ? [{ ...jwt, at, check: subjectCheck(jwt, SETTING) }] : [],
  );
  return async (authorization) => {
    const token = bearerIn(authorization);
    if (token === undefined) return undefined;
    const facts = hashes[positionOf(token)];
    if (facts) return clients[facts.at];
    const claimed = claimsIn(token);
    const named = subjects.find(({ issuer, subject }) => issuer === claimed?.iss && subject === claimed?.sub);
    return named && (await named.check(token)) === named.subject ? clients[named.at] : undefined;
  };
}

/** Returns the unverified claims of a JWT. Use them only to choose the keys that verify it. */
function claimsIn(token: string) {
  try {
    return decodeJwt(token);
  } catch {
    return undefined;
  }
}

/** Reads the clients from a file, and again after each change, so a revocation needs no restart. */
export function clientList(file: string, accounts: readonly string[]) {
  return followFile(SETTING, file, (text) => identifyAmong(clientsIn(text, accounts)));
}

/** Like {@link clientList}, but accepts nobody while the file is invalid, because its last change may have revoked a client. */
export function followClients(file: string | undefined, accounts: readonly string[]): IdentifyClient {
  const clients = file === undefined ? undefined : clientList(file, accounts);
  return async (authorization) => {
    if (!clients || bearerIn(authorization) === undefined) return undefined;
    const cause = clients.problem();
    if (cause === undefined) return clients.lastGood()(authorization);
    const detail = 'the list of clients cannot be used now: the log of the receiver has the reason';
    throw new Problem('clients-unreadable', detail, { cause, headers: { 'retry-after': '5' } });
  };
}
