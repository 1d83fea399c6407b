import multipart from '@fastify/multipart';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { z } from 'zod';
import type { Scope } from '../../../messages/actors.js';
import type { KnownAccounts } from '../../../messages/inputs.js';
import { bearerChallenge, mayTakeLong, routeOf } from '../../../platform/http/server.js';
import type { ReadPeople } from '../../../services/inbox/people.js';
import { UNNAMED } from '../../../services/reports/report.js';
import { parseCursor } from '../../../services/texts/cursors.js';
import { describeWithin } from '../../../temporal/find-onboarding.js';
import { type Backend, parseBody, Refusal } from '../../../temporal/program-requests.js';
import { SharedReads } from '../../../temporal/shared-reads.js';
import type { ApiClient, IdentifyClient } from '../clients.js';
import { holdUntilClosed, parse, textBodies, textOf } from '../cloud-events.js';
import { type Documented, optionalHeaders, problems } from '../openapi.js';
import { callTemporal, type DEADLINE_MS, invalidRequest, Problem } from '../problems.js';

/** Shared by the API's routes: authenticates the client, checks its rights, and reads the request. */

export interface Api {
  readonly backend: Backend;
  readonly known: KnownAccounts;
  readonly documentDir: string;
  readonly people: ReadPeople;
  readonly logger: Logger;
  /** The client that sent the headers of a request. */
  readonly clientOf: (request: FastifyRequest) => ApiClient | undefined;
  readonly identify: IdentifyClient;
}

export interface Call<Params = unknown, Query = unknown, Body = unknown> extends Api {
  readonly client: ApiClient;
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  readonly sent: unknown;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

interface Spec<Params, Query, Body> {
  readonly params?: z.ZodType<Params>;
  readonly query?: z.ZodType<Query>;
  readonly body?: z.ZodType<Body>;
  /** The body in the OpenAPI document, for a route that checks its body itself. */
  readonly shownBody?: z.ZodType;
  readonly headers?: readonly string[];
  /** The body is a form with a file, which the route reads itself. */
  readonly takesFile?: true;
  readonly responses: Readonly<Record<number, Documented>>;
  /** The maximum size of the body, in bytes. Default: the server's limit. */
  readonly bodyLimit?: number;
  /** The time limit of Temporal for one request. Default: {@link DEADLINE_MS}. */
  readonly deadlineMs?: number;
  readonly reply: (call: Call<Params, Query, Body>) => Promise<unknown>;
}

export interface ApiRoute extends Spec<unknown, unknown, unknown> {
  /** The method and path: `GET /v1/onboardings/{onboarding}`. */
  readonly line: string;
  readonly name: string;
  readonly scope: Scope;
  readonly summary: string;
}

export function defineRoute<Params = unknown, Query = unknown, Body = unknown>(
  line: ApiRoute['line'],
  name: ApiRoute['name'],
  scope: Scope,
  summary: ApiRoute['summary'],
  spec: Spec<Params, Query, Body>,
): ApiRoute {
  return { ...(spec as unknown as Spec<unknown, unknown, unknown>), line, name, scope, summary };
}

/** How long a worker may take to respond to a query, in milliseconds. A second one may follow: both end within ten seconds. */
export const READ_MS = 4_000;

const MEDIA_TYPES = ['application/json'];

/** The schema of a query without parameters, and of a form with a file. */
const NOTHING = z.strictObject({});

const ALWAYS = [401, 403, 422, 429, 503];

function schemaOf({
  name,
  summary,
  params,
  query,
  body,
  shownBody = body,
  headers = [],
  ...route
}: ApiRoute) {
  return {
    operationId: name,
    summary,
    security: [{ bearer: [] }],
    ...(params && { params }),
    ...(query && { querystring: query }),
    ...(headers.length > 0 && { headers: optionalHeaders(headers) }),
    ...(body && {
      body: {
        content: { [route.takesFile ? 'multipart/form-data' : 'application/json']: { schema: shownBody } },
      },
    }),
    response: {
      ...route.responses,
      ...problems(...ALWAYS, ...(params ? [400, 404] : []), ...(body ? [400, 409, 413, 415] : [])),
    },
  };
}

/** Registers routes. Refuses a request before its body is read if its client may not make it. */
export function apiRoutes(api: Api, routes: readonly ApiRoute[]) {
  return async (server: FastifyInstance): Promise<void> => {
    const takesFile = routes.some((route) => route.takesFile);
    if (takesFile) await server.register(multipart, { throwFileSizeLimit: false });
    else textBodies(server, MEDIA_TYPES);
    for (const route of routes) {
      const [method = '', path = ''] = route.line.split(' ');
      server.route({
        method,
        url: path.replace(/\{(\w+)\}/g, ':$1'),
        schema: schemaOf(route),
        ...(route.bodyLimit && { bodyLimit: route.bodyLimit }),
        onRequest: async (request) => {
          requireScope(requireClient(api.clientOf(request), request), route.scope);
          if (takesFile) mayTakeLong(request);
        },
        handler: async (request, reply) => {
          // While a body arrives, which may take minutes, its client may be revoked or lose a scope.
          const client = requireClient(await api.identify(request.headers.authorization), request);
          requireScope(client, route.scope);
          const { params = NOTHING, query = NOTHING } = route;
          const hasJson = route.body !== undefined && !takesFile;
          const sent = hasJson ? holdUntilClosed(parse(textOf(request, MEDIA_TYPES)), reply) : undefined;
          const read = {
            params: parseBody(params, request.params),
            query: parseBody(query, request.query),
            body: hasJson ? parseBody(route.body as z.ZodType, sent) : undefined,
          };
          const call = { ...api, client, ...read, sent, request, reply };
          return reply.send(
            await callTemporal(api.backend.client, () => route.reply(call), route.deadlineMs),
          );
        },
      });
    }
  };
}

function requireClient(client: ApiClient | undefined, request: FastifyRequest): ApiClient {
  if (client) return client;
  const headers = bearerChallenge('gangway', request);
  throw new Problem('bad-token', 'send a token of API_CLIENTS_FILE as Authorization: Bearer', { headers });
}

/** @throws {Problem} `forbidden` */
export function requireScope({ scopes }: ApiClient, scope: Scope): void {
  if (!scopes.includes(scope)) throw new Problem('forbidden', `this needs the scope ${scope}`);
}

// Keeps D1.
/**
 * Opens the workflow of a request. Every route with a workflow ID uses this.
 *
 * @throws {Refusal} `unknown-onboarding` if there is none, with the same message if it is not in this client's accounts
 */
export async function onboardingOfClient({ backend, client }: Pick<Call, 'backend' | 'client'>, id: string) {
  const description = await describeWithin(backend.client, id, client.accounts);
  if (description) return description;
  throw new Refusal(
    'unknown-onboarding',
    'there is no onboarding with this ID, or this client may not see it',
  );
}

/** Returns the accounts that a client may list; undefined for all. Other accounts look empty, like unknown ones. */
export function accountsOfClient({ accounts }: ApiClient, chosen: string | undefined) {
  if (chosen === undefined) return accounts;
  const account = chosen === UNNAMED ? '' : chosen;
  return (accounts?.includes(account) ?? true) ? [account] : [];
}

/** How old a list may be, in milliseconds. */
const SHARED_MS = 1_000;

const lists = new SharedReads<unknown>(SHARED_MS);

// Keeps D1.
/** Reads a list once for all requests in the same second for the same accounts, because Temporal limits searches. */
export function sharedList<List>(
  { backend, client, query, request }: Call,
  read: (before: List | undefined) => Promise<List>,
): Promise<List> {
  const key = JSON.stringify([routeOf(request), client.accounts, query]);
  return lists.get(backend.client, key, (before) => read(before as List | undefined)) as Promise<List>;
}

/** Makes a client see its own changes at once. */
export function forgetListsOfClient({ backend }: Pick<Call, 'backend'>): void {
  lists.forget(backend.client);
}

/** @throws {Problem} `invalid` for an unknown cursor */
export function placeIn<Place>(cursor: string | undefined, schema: z.ZodType<Place>): Place | undefined {
  if (cursor === undefined) return undefined;
  const { success, data } = schema.safeParse(parseCursor(cursor));
  if (success) return data;
  throw invalidRequest([{ field: 'cursor', message: 'must be `next` of an earlier page' }]);
}

/** Writes the audit log: which client did what, for whom. Never contains a private value. */
export function audit(
  { logger, client }: Pick<Call, 'logger' | 'client'>,
  what: string,
  about: Readonly<
    Partial<Record<'workflowId' | 'requirementId' | 'person' | 'document', string | undefined>>
  >,
): void {
  logger.info({ audit: true, client: client.name, what, ...about }, what);
}
