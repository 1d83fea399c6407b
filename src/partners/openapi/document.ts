import type { Json } from '../../http/openapi.js';
import { type Operation, type Operations, operationName } from '../catalogue.js';
import { SYSTEMS, type SystemName } from '../systems.js';
import { type Components, componentsOf } from './components.js';
import { CONTRACTS, type Contract } from './contracts.js';
import { parameters, requestBody } from './request-body.js';
import { responses } from './responses.js';

const CREDENTIALS = 'credentials';

/**
 * The OpenAPI 3.1 document of a partner system, made from its catalogue: what our client sends and understands. What the
 * partner's contract leaves out has `x-provenance: assumed`: an operation's shapes, a status, the body of a failure.
 *
 * @param operations the catalogue of the system, in the wording of one customer
 */
export function openApiDocument(system: SystemName, operations: Operations): Json {
  const contract = CONTRACTS[system];
  const entries = Object.entries(operations);
  const components = componentsOf(
    contract.names,
    entries.flatMap(([key, { request, response }]) => [
      [`${key}Request`, request] as const,
      [`${key}Answer`, response] as const,
    ]),
  );
  const paths: Record<string, Json> = {};
  for (const [key, operation] of entries) {
    const described = describe(operationName(key), operation, contract, components);
    paths[operation.path] = { ...paths[operation.path], [operation.method.toLowerCase()]: described };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: SYSTEMS[system],
      version: '1',
      description: `What Gangway sends and understands, after ${contract.reference}. What has x-provenance: assumed is not shown there, see docs/partner-apis.md.`,
    },
    servers: [{ url: '/', description: 'The sandbox that tells this document' }],
    security: [{ [CREDENTIALS]: [] }],
    paths,
    components: {
      securitySchemes: { [CREDENTIALS]: contract.security },
      schemas: reachable({ ...components.named, ...contract.answers }, paths),
    },
  };
}

function describe(name: string, operation: Operation, contract: Contract, components: Components): Json {
  const { anonymous, deprecated, effect, path, provenance, reference, summary } = operation;
  const request = components.whole(operation.request);
  const body = requestBody(operation, request, components.of(operation.request));
  const headers = anonymous ? [] : (contract.headers ?? []);
  return {
    operationId: name,
    summary,
    tags: [resource(path)],
    ...notes(operation),
    ...(deprecated !== undefined && { deprecated: true }),
    ...(anonymous && { security: [] }),
    parameters: [...parameters(operation, request), ...headers],
    ...(body && { requestBody: body }),
    responses: responses(operation, contract, components.of(operation.response)),
    'x-effect': effect,
    'x-provenance': provenance,
    ...(reference !== undefined && { 'x-reference': reference }),
  };
}

/** OpenAPI has no parameters for headers such as `Content-Type`, so those that a contract prints are told in words. */
function notes({ deprecated, headers = {} }: Operation): Json {
  const lines = [
    ...(deprecated === undefined ? [] : [`Deprecated: ${deprecated}.`]),
    ...Object.entries(headers).map(([name, value]) => `Travels with the header ${name}: ${value}.`),
  ];
  return lines.length > 0 ? { description: lines.join(' ') } : {};
}

/** The first segment of a path that names something, behind versions and what a partner puts before all. */
function resource(path: string): string {
  const segments = path.split('/').filter(Boolean);
  return segments.find((segment) => !/^(api|svc|processor|v\d+)$/i.test(segment)) ?? path;
}

/** The schemas that something leads to, from the paths or from one another. */
function reachable(schemas: Json, from: Json): Json {
  const found = new Set<string>();
  const follow = (part: unknown): void => {
    for (const [, name = ''] of JSON.stringify(part).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
      if (found.has(name)) continue;
      found.add(name);
      follow(schemas[name]);
    }
  };
  follow(from);
  return Object.fromEntries(Object.entries(schemas).filter(([name]) => found.has(name)));
}
