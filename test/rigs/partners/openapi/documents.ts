import { startSandbox } from '../../../../src/apps/sandbox/server.js';
import { runSandbox } from '../../sandbox/running-sandbox.js';
import { Contract } from './contract.js';

/** Point-of-sale names of these sandboxes, besides those that the contract prints. */
export const POS_NAMES = ['Till'];

const contracts = new Map<string, Promise<Contract>>();

/** The OpenAPI document of a system. All tests of a file share it, because Ajv is slow. */
export function contractOf(system: string): Promise<Contract> {
  const contract = contracts.get(system) ?? askedFor(system);
  contracts.set(system, contract);
  return contract;
}

async function askedFor(system: string): Promise<Contract> {
  const sandbox = await startSandbox({ posNames: POS_NAMES });
  const document = await fetch(`${sandbox.url}/openapi/${system}.json`);
  const contract = new Contract(await document.text());
  await sandbox.close();
  return contract;
}

/** The OpenAPI document of a system, as the sandbox serves it. */
export async function documentOf(system: string) {
  const sandbox = await runSandbox();
  return JSON.parse((await sandbox.call(`GET /openapi/${system}.json`)).text);
}

/** `GET /plants: 200 400` for each operation, after the contract's heading if there is one. */
export async function responsesOf(system: string): Promise<string[]> {
  const { paths } = await documentOf(system);
  return Object.entries<Record<string, Operation>>(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, { responses, 'x-reference': reference }]) =>
      [...(reference ? [reference] : []), method.toUpperCase(), `${path}:`, ...Object.keys(responses)].join(
        ' ',
      ),
    ),
  );
}

interface Operation {
  readonly responses: object;
  readonly 'x-reference'?: string;
}

/** The schema of the JSON content. */
export function json(holder: { content: Record<string, { schema: unknown }> }): unknown {
  return holder.content['application/json']?.schema;
}

/** The fields that a schema names. */
export function names(schema: { properties: object }): string[] {
  return Object.keys(schema.properties);
}

export const INT32 = { type: 'integer', format: 'int32' };
