import { setTimeout as sleep } from 'node:timers/promises';
import pThrottle from 'p-throttle';
import { type Account, closeAll, partnerClients } from '../../../partners/account-settings.js';
import {
  type Download,
  isDownload,
  type Operation,
  type Operations,
  operationName,
  type ProbeSource,
} from '../../../partners/catalogue.js';
import { type InspectedResponse, type PartnerClient, repeatableMethods } from '../../../partners/client.js';
import { PARTNERS, type SystemName } from '../../../partners/descriptors.js';
import {
  type Difference,
  describeValue,
  differencesIn,
  hasShape,
  shownName,
} from '../../../partners/differences.js';
import { traceExchanges } from '../../../partners/exchange-observers.js';
import {
  isUnauthenticated,
  PartnerError,
  type PartnerErrorDetails,
} from '../../../partners/partner-error.js';
import { describeReason } from '../../../partners/text-limits.js';

/**
 * - `conforms`: the response agrees with the catalogue
 * - `differs`: it does not, or the partner rejects a valid request
 * - `reachable`: the partner responds, but there is nothing to compare
 * - `not-permitted`: 401 or 403
 * - `unreachable`: no response, a 429 that stays, or a 5xx
 * - `not-tried`: nothing was sent
 */
type ProbeResult = 'conforms' | 'differs' | 'reachable' | 'not-permitted' | 'unreachable' | 'not-tried';

/** A probe's result for an operation. It holds no value of a request or response. */
export interface Probed {
  readonly system: SystemName;
  /** The name in the catalogue: `get-status`. */
  readonly operation: string;
  readonly method: Operation['method'];
  /** The path, with the names of its parameters: `/v2/terminals/{terminal_id}`. */
  readonly path: string;
  readonly provenance: NonNullable<Operation['provenance']>;
  readonly isNeeded: boolean;
  readonly result: ProbeResult;
  readonly status?: number;
  readonly why?: string;
  readonly differences: readonly Difference[];
}

type GivenIds = Readonly<Record<'merchant' | 'profile', number | undefined>>;

interface ProbeContext {
  readonly ids: GivenIds;
  readonly signal: AbortSignal;
  readonly onCall: (name: string) => void;
}

/** The number of 429 responses to wait out, and the longest wait, in milliseconds. */
const WAITS = 2;
const LONGEST_WAIT_MS = 60_000;

/**
 * Calls each operation of a system that only reads, one after the other, as often as the account's rate limit allows. An
 * operation whose request needs an ID of another response comes after that. Assumed shapes come first in the result, and
 * among them what workflows need.
 */
export async function probeSystem(system: SystemName, account: Account, around: ProbeContext) {
  let received: InspectedResponse | undefined;
  const { signal } = around;
  const { operations, call, close } = callerOf(system, account, signal, (latest) => {
    received = latest;
  });
  const reads = Object.entries(operations).filter(([, { effect }]) => effect === 'read');
  const responses = new Map<string, unknown>();
  let obstacle: string | undefined;

  const probeOne = async (key: string, operation: Operation, request: object): Promise<Judgement> => {
    const name = operationName(key);
    around.onCall(`${system} ${name}`);
    try {
      const response = await waitingOut429(() => {
        received = undefined;
        return call(key, request);
      }, signal);
      responses.set(key, response);
      const all = received ? differencesIn(received) : [];
      return { ...statusOf(received), ...judged(system, operation, response, all) };
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof PartnerError)) throw error;
      obstacle = obstacleIn(error.details);
      // A failed sign-in has a separate response.
      const own = received?.name === name ? received : undefined;
      return { ...statusOf(own), ...failed(operation, error.details, own) };
    }
  };

  const judgements = new Map<string, Judgement>();
  /** The next read whose fields are known. */
  const next = () =>
    reads
      .filter(([key]) => !judgements.has(key) && obstacle === undefined)
      .map(([key, operation]) => ({ key, operation, ...requestOf(operation, around.ids, responses) }))
      .find((request) => 'fields' in request);
  try {
    for (let read = next(); read; read = next())
      judgements.set(read.key, await probeOne(read.key, read.operation, read.fields));
  } finally {
    await close();
  }
  const all = reads.map(([key, operation]): Probed => {
    const request = requestOf(operation, around.ids, responses);
    const why = obstacle ?? ('missing' in request ? request.missing : '');
    const untried = { result: 'not-tried', why, differences: [] } as const;
    return { ...aboutOf(system, key, operation), ...(judgements.get(key) ?? untried) };
  });
  return all.sort((one, other) => rankOf(one) - rankOf(other));
}

const statusOf = (received: InspectedResponse | undefined) => received && { status: received.status };

/** Calls reads as often as the rate limit of the account allows. */
function callerOf(
  system: SystemName,
  account: Account,
  signal: AbortSignal,
  inspect: (received: InspectedResponse) => void,
) {
  const clients = partnerClients(account, traceExchanges, {}, inspect);
  const operations = PARTNERS[system].operations(account);
  const client = repeatableMethods(operations, clients[system] as unknown as PartnerClient<Operations>);
  const perSecond = account.activitiesPerSecond[system];
  const interval = perSecond === undefined ? 0 : 1_000 / perSecond;
  const call = pThrottle({ limit: 1, interval, signal })(async (key: string, request: object) =>
    client[key]?.(request, { signal, knowsDeprecated: true }),
  );
  return { operations, call, close: () => closeAll(clients) };
}

function rankOf({ provenance, isNeeded }: Probed): number {
  return (provenance === 'assumed' ? 0 : 2) + (isNeeded ? 0 : 1);
}

/** Returns the reason why no other call can succeed either. */
function obstacleIn(details: PartnerErrorDetails): string | undefined {
  if (isUnauthenticated(details)) return 'the partner rejects our credentials';
  if (details.kind !== 'NotSent') return undefined;
  return details.atSignIn ? 'the sign-in failed' : 'the partner cannot be reached';
}

function aboutOf(
  system: SystemName,
  key: string,
  { method, path, provenance = 'assumed', inWorkflows }: Operation,
) {
  return { system, operation: operationName(key), method, path, provenance, isNeeded: inWorkflows === true };
}

async function waitingOut429(call: () => Promise<unknown>, signal: AbortSignal): Promise<unknown> {
  for (let waits = 0; ; waits += 1) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof PartnerError) || error.kind !== 'RateLimited' || waits === WAITS) throw error;
      await sleep(Math.min(error.details.retryAfterMs ?? 1_000, LONGEST_WAIT_MS), undefined, { signal });
    }
  }
}

/** Returns the request of a read, from the first source of each field, or the reason why there is none. */
function requestOf(
  { probe = {} }: Operation,
  ids: GivenIds,
  responses: ReadonlyMap<string, unknown>,
): { readonly fields: object } | { readonly missing: string } {
  const values = Object.entries(probe).map(([field, sources]) => {
    const value = sources
      .map((source) => valueFrom(source, ids, responses))
      .find((each) => each !== undefined);
    return { field, value, sources };
  });
  const missing = values.flatMap(({ field, value, sources }) =>
    value === undefined ? lacks(field, sources) : [],
  );
  if (missing.length > 0) return { missing: missing.join('; ') };
  return { fields: Object.fromEntries(values.map(({ field, value }) => [field, value])) };
}

function valueFrom(source: ProbeSource, ids: GivenIds, responses: ReadonlyMap<string, unknown>): unknown {
  if (typeof source === 'string') return ids[source];
  if ('value' in source) return source.value();
  const value = firstAt(responses.get(source.operation), source.field.split('.'));
  return value !== undefined && source.isList ? [value] : value;
}

function firstAt(from: unknown, [name, ...rest]: readonly string[]): unknown {
  if (Array.isArray(from)) {
    const path = name === undefined ? [] : [name, ...rest];
    return from.map((item) => firstAt(item, path)).find((value) => value !== undefined);
  }
  if (name === undefined) return from ?? undefined;
  return typeof from === 'object' && from !== null
    ? firstAt((from as Record<string, unknown>)[name], rest)
    : undefined;
}

function lacks(field: string, sources: readonly ProbeSource[]): string {
  const from = sources.flatMap((source) => {
    if (typeof source === 'string') return `--${source}`;
    return 'operation' in source ? `a record of ${operationName(source.operation)}` : [];
  });
  return `needs ${field}, from ${from.join(' or ')}`;
}

type Judgement = Pick<Probed, 'result' | 'status' | 'why' | 'differences'>;

function judged(
  system: SystemName,
  operation: Operation,
  response: unknown,
  differences: readonly Difference[],
): Judgement {
  const ofFile = isDownload(response) ? fileDifferences(system, operation, response) : [];
  const all = [...differences, ...ofFile];
  const is = (result: ProbeResult, why: string): Judgement => ({ result, why, differences: all });
  if (all.length > 0) return { result: 'differs', differences: all };
  if (isDownload(response)) return is('conforms', 'a file, which was not read');
  const isEmpty = response === null || (Array.isArray(response) && response.length === 0);
  if (isEmpty) return is('reachable', 'the response is empty');
  if (!hasShape(operation)) return is('reachable', 'the catalogue has no shape');
  const empty = emptyListsIn(response);
  if (empty.length > 0) return is('conforms', `without records in ${empty.join(', ')}`);
  return { result: 'conforms', differences: all };
}

/** Compares a file's type, without reading the file. */
function fileDifferences(
  system: SystemName,
  operation: Operation,
  { contentType, body }: Download,
): Difference[] {
  body.destroy();
  const types = Object.keys(PARTNERS[system].contract.fileTypes ?? {});
  const [type = ''] = contentType.split(';');
  if (types.includes(type.trim().toLowerCase())) return [];
  const [field, expected, got] = ['Content-Type', `one of ${types.join(', ')}`, describeValue(contentType)];
  return [{ kind: 'other-form', field, expected, got, isNeeded: operation.inWorkflows === true }];
}

function emptyListsIn(response: unknown): string[] {
  if (typeof response !== 'object' || response === null || Array.isArray(response)) return [];
  return Object.entries(response).flatMap(([name, value]) =>
    Array.isArray(value) && value.length === 0 ? shownName(name) : [],
  );
}

function failed(
  operation: Operation,
  { kind, status, reason, atSignIn, needs, fields }: PartnerErrorDetails,
  received: InspectedResponse | undefined,
): Judgement {
  const differences = received ? differencesIn(received) : [];
  const is = (result: ProbeResult, why: string): Judgement => ({ result, why, differences });
  if (differences.length > 0) return { result: 'differs', differences };
  if (needs !== undefined) return is('not-permitted', 'the sign-in needs a one-time code');
  switch (kind) {
    case 'Unauthorized':
      return is('not-permitted', 'the partner rejects our credentials (401)');
    case 'Forbidden':
      if (atSignIn) return is('not-permitted', 'the partner denies the sign-in (403)');
      return is('not-permitted', 'the account lacks the permission (403)');
    case 'RateLimited':
      return is('unreachable', 'the partner limits our calls (429)');
    case 'NotSent':
    case 'Uncertain':
      return is('unreachable', describeReason(reason));
    case 'Rejected': {
      if (status === 404 && operation.mayFindNothing)
        return is('reachable', 'the partner has no such record (404)');
      const names = [...new Set(fields.map(({ field }) => field).filter(Boolean))].map(shownName);
      const rejected = {
        kind: 'http-status',
        field: names.join(', '),
        expected: 'a success',
        got: status === undefined ? reason : `HTTP ${status}`,
        isNeeded: operation.inWorkflows === true,
      } as const;
      return { result: 'differs', why: 'the partner rejects the request', differences: [rejected] };
    }
  }
}
