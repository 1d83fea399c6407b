import type { Client } from '@temporalio/client';
import proto from '@temporalio/proto';
import { SEARCH_ATTRIBUTES } from '../messages/search-attributes.js';
import { inQueries } from './query.js';
import { isDenied, isInvalidRequest, TemporalProblem } from './unavailable.js';

const { IndexedValueType } = proto.temporal.api.enums.v1;

type AttributeType = (typeof SEARCH_ATTRIBUTES)[keyof typeof SEARCH_ATTRIBUTES]['type'];

const wireType = (type: AttributeType) => IndexedValueType[`INDEXED_VALUE_TYPE_${type}`];

/** Names of Gangway's search attributes that the namespace does not have, or has with another type. */
export async function missingSearchAttributes(client: Client): Promise<string[]> {
  const { namespace } = client.options;
  try {
    const { customAttributes } = await client.connection.operatorService.listSearchAttributes({ namespace });
    return Object.values(SEARCH_ATTRIBUTES)
      .filter(({ name, type }) => customAttributes?.[name] !== wireType(type))
      .map(({ name }) => name);
  } catch (error) {
    if (isDenied(error)) return missingByQueries(client);
    throw error;
  }
}

/**
 * Temporal Cloud denies clients the operator service. It rejects a query by an attribute that the namespace does not
 * have, so a query finds missing attributes, but not those of another type.
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

/** Registers the missing search attributes and returns their names. A second call registers nothing. */
export async function registerSearchAttributes(client: Client): Promise<string[]> {
  const missing = await missingSearchAttributes(client);
  if (missing.length > 0) await addSearchAttributes(client, missing).catch(denied(missing));
  return missing;
}

/** Search attributes are missing, and the namespace lets this client register none. */
class RegistrationDenied extends TemporalProblem {
  override readonly name = 'RegistrationDenied';
}

/** On Temporal Cloud, only its own command and web page add search attributes. */
function denied(names: readonly string[]): (error: unknown) => never {
  return (error) => {
    if (!isDenied(error)) throw error;
    const wanted = Object.values(SEARCH_ATTRIBUTES).filter(({ name }) => names.includes(name));
    const lines = wanted.map(({ name, type }) => `  ${name} ${inQueries(type)}`);
    const what =
      'this client may not register search attributes in the namespace; add them where it is administered:';
    throw new RegistrationDenied([what, ...lines].join('\n'));
  };
}

export async function addSearchAttributes(client: Client, names: readonly string[]): Promise<void> {
  const wanted = Object.values(SEARCH_ATTRIBUTES).filter(({ name }) => names.includes(name));
  const searchAttributes = Object.fromEntries(wanted.map(({ name, type }) => [name, wireType(type)]));
  const { namespace } = client.options;
  await client.connection.operatorService.addSearchAttributes({ namespace, searchAttributes });
}
