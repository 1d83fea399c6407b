import type { Client } from '@temporalio/client';
import proto from '@temporalio/proto';
import { SEARCH_ATTRIBUTES } from '../messages/search-attributes.js';
import { inQueries } from './query.js';
import { isDenied, isInvalidRequest, TemporalProblem } from './unavailable.js';

const { IndexedValueType } = proto.temporal.api.enums.v1;

type AttributeType = (typeof SEARCH_ATTRIBUTES)[keyof typeof SEARCH_ATTRIBUTES]['type'];

const wireType = (type: AttributeType) => IndexedValueType[`INDEXED_VALUE_TYPE_${type}`];

/** Returns the names of Gangway's search attributes that the namespace lacks, or has with another type. */
export async function missingSearchAttributes(client: Client): Promise<string[]> {
  return (await missingIn(client)).map(({ name }) => name);
}

/** @returns `isTaken` if the namespace has the name with another type */
async function missingIn(client: Client) {
  const { namespace } = client.options;
  const all = Object.values(SEARCH_ATTRIBUTES);
  try {
    const { customAttributes } = await client.connection.operatorService.listSearchAttributes({ namespace });
    const missing = all.filter(({ name, type }) => customAttributes?.[name] !== wireType(type));
    return missing.map(({ name, type }) => ({ name, type, isTaken: customAttributes?.[name] !== undefined }));
  } catch (error) {
    if (!isDenied(error)) throw error;
    const names = await missingByQueries(client);
    return all.flatMap(({ name, type }) => (names.includes(name) ? [{ name, type, isTaken: false }] : []));
  }
}

/**
 * Finds missing attributes by queries, because Temporal Cloud denies clients the operator service. The server rejects a query by an
 * unregistered attribute. This does not find attributes of a wrong type.
 */
async function missingByQueries(client: Client): Promise<string[]> {
  const names = Object.values(SEARCH_ATTRIBUTES).map(({ name }) => name);
  const isRegistered = (name: string) =>
    client.workflow.count(`${name} IS NOT NULL`).then(
      () => true,
      (error: unknown) => {
        if (isInvalidRequest(error)) return false;
        throw error;
      },
    );
  const registered = await Promise.all(names.map(isRegistered));
  return names.filter((_, index) => !registered[index]);
}

/** Registers the missing search attributes, one by one, because the server accepts all of a request or none. Idempotent. */
export async function registerSearchAttributes(client: Client): Promise<string[]> {
  const missing = await missingIn(client);
  const unfit: string[] = [];
  for (const { name, type, isTaken } of missing) {
    const adding = isTaken ? Promise.resolve(false) : addSearchAttributes(client, [name]).then(() => true);
    const isAdded = await adding.catch((error: unknown) => {
      // On Temporal Cloud, only its own command and web page can add search attributes.
      if (isDenied(error)) throw new NotRegistered([MAY_NOT, ...missing.map(lineOf)].join('\n'));
      if (!isInvalidRequest(error)) throw error;
      return false;
    });
    if (!isAdded) unfit.push(lineOf({ name, type }));
  }
  if (unfit.length > 0) throw new NotRegistered([NO_ROOM, ...unfit, WAY_OUT].join('\n'));
  return missing.map(({ name }) => name);
}

/** Thrown if search attributes are missing and this client may not register them. */
class NotRegistered extends TemporalProblem {
  override readonly name = 'NotRegistered';
}

const lineOf = ({ name, type }: { readonly name: string; readonly type: AttributeType }) =>
  `  ${name} ${inQueries(type)}`;

const MAY_NOT =
  'this client may not register search attributes in the namespace; add them where it is administered:';
const NO_ROOM =
  'the namespace has one of the same name with another type, or as many of the same type as it may have; not registered:';
const WAY_OUT =
  'remove one that nobody uses with "temporal operator search-attribute remove --name NAME", or use another namespace; ' +
  'then run "gangway setup" again';

export async function addSearchAttributes(client: Client, names: readonly string[]): Promise<void> {
  const wanted = Object.values(SEARCH_ATTRIBUTES).filter(({ name }) => names.includes(name));
  const searchAttributes = Object.fromEntries(wanted.map(({ name, type }) => [name, wireType(type)]));
  const { namespace } = client.options;
  await client.connection.operatorService.addSearchAttributes({ namespace, searchAttributes });
}
