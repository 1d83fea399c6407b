import { startSandbox } from '../../../../src/sandbox/server.js';
import { runSandbox } from '../../sandbox/running-sandbox.js';
import { Contract } from './contract.js';

/** What sandboxes of these tests are told beside the names that the contract prints. */
export const POS_NAMES = ['Till'];

const contracts = new Map<string, Promise<Contract>>();

/** What every sandbox of these tests says of a system. It is asked once for all tests of a file, for Ajv takes its time. */
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

/** The OpenAPI document of a system, as the sandbox tells it. */
export async function documentOf(system: string) {
  const sandbox = await runSandbox();
  return JSON.parse((await sandbox.call(`GET /openapi/${system}.json`)).text);
}

/** `GET /plants: 200 400`, for each operation, with the contract's heading in front of it if it has one. */
export async function answersOf(system: string): Promise<string[]> {
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

/** The schema of what is JSON. */
export function json(holder: { content: Record<string, { schema: unknown }> }): unknown {
  return holder.content['application/json']?.schema;
}

/** The members that a schema names. */
export function names(schema: { properties: object }): string[] {
  return Object.keys(schema.properties);
}

export const INT32 = { type: 'integer', format: 'int32' };
