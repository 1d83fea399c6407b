import type { FastifyInstance } from 'fastify';
import { openApiDocument } from '../partners/openapi/document.js';
import { catalogue, SYSTEMS, type SystemName } from '../partners/systems.js';

/** `GET /openapi` names the OpenAPI documents of the partner systems, `GET /openapi/<system>.json` tells each of them. */
export function openApiRoutes(server: FastifyInstance, posNames: readonly string[]): void {
  const systems = Object.keys(SYSTEMS) as SystemName[];
  server.get('/openapi', () => Object.fromEntries(systems.map((system) => [system, address(system)])));
  for (const system of systems) {
    // Made when it is asked for, which few sandboxes ever are.
    server.get(address(system), () => openApiDocument(system, catalogue({ posNames })[system]));
  }
}

function address(system: SystemName): string {
  return `/openapi/${system}.json`;
}
