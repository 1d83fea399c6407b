import type { Client } from '@temporalio/client';
import proto, { type temporal } from '@temporalio/proto';
import { SEARCH_ATTRIBUTES } from '../messages/search-attributes.js';

const { IndexedValueType } = proto.temporal.api.enums.v1;

const WIRE_TYPES: Readonly<Record<'KEYWORD' | 'BOOL' | 'DATETIME', temporal.api.enums.v1.IndexedValueType>> =
  {
    KEYWORD: IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD,
    BOOL: IndexedValueType.INDEXED_VALUE_TYPE_BOOL,
    DATETIME: IndexedValueType.INDEXED_VALUE_TYPE_DATETIME,
  };

/** Names of our search attributes that the namespace does not have, or has with another type. */
export async function missingSearchAttributes(client: Client): Promise<string[]> {
  const { namespace } = client.options;
  const { customAttributes } = await client.connection.operatorService.listSearchAttributes({ namespace });
  return Object.values(SEARCH_ATTRIBUTES)
    .filter(({ name, type }) => customAttributes?.[name] !== WIRE_TYPES[type])
    .map(({ name }) => name);
}

/** Registers those that are missing. Answers their names; running it again registers nothing. */
export async function registerSearchAttributes(client: Client): Promise<string[]> {
  const missing = await missingSearchAttributes(client);
  if (missing.length > 0) await addSearchAttributes(client, missing);
  return missing;
}

/** Registers our search attributes of these names, which must not be there yet. */
export async function addSearchAttributes(client: Client, names: readonly string[]): Promise<void> {
  const wanted = Object.values(SEARCH_ATTRIBUTES).filter(({ name }) => names.includes(name));
  const searchAttributes = Object.fromEntries(wanted.map(({ name, type }) => [name, WIRE_TYPES[type]]));
  const { namespace } = client.options;
  await client.connection.operatorService.addSearchAttributes({ namespace, searchAttributes });
}
