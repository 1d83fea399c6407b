import { type Client, isGrpcServiceError } from '@temporalio/client';
import proto, { type temporal } from '@temporalio/proto';
import { SEARCH_ATTRIBUTES } from '../messages/search-attributes.js';
import { isDenied } from './unavailable.js';

const { IndexedValueType } = proto.temporal.api.enums.v1;

const WIRE_TYPES: Readonly<Record<'KEYWORD' | 'BOOL' | 'DATETIME', temporal.api.enums.v1.IndexedValueType>> =
  {
    KEYWORD: IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD,
    BOOL: IndexedValueType.INDEXED_VALUE_TYPE_BOOL,
    DATETIME: IndexedValueType.INDEXED_VALUE_TYPE_DATETIME,
  };

/** gRPC's INVALID_ARGUMENT. */
const INVALID_ARGUMENT = 3;

const TYPE_NAMES = { KEYWORD: 'Keyword', BOOL: 'Bool', DATETIME: 'Datetime' } as const;

/** Names of our search attributes that the namespace does not have, or has with another type. */
export async function missingSearchAttributes(client: Client): Promise<string[]> {
  const { namespace } = client.options;
  try {
    const { customAttributes } = await client.connection.operatorService.listSearchAttributes({ namespace });
    return Object.values(SEARCH_ATTRIBUTES)
      .filter(({ name, type }) => customAttributes?.[name] !== WIRE_TYPES[type])
      .map(({ name }) => name);
  } catch (error) {
    if (isDenied(error)) return unknownToQueries(client);
    throw error;
  }
}

/**
 * Temporal Cloud has no operator service to ask, and refuses a query about an attribute that the namespace does not have.
 * Of the types it tells nothing.
 */
async function unknownToQueries(client: Client): Promise<string[]> {
  const { namespace } = client.options;
  const names = Object.values(SEARCH_ATTRIBUTES).map(({ name }) => name);
  const isKnown = (name: string) =>
    client.workflowService.countWorkflowExecutions({ namespace, query: `${name} IS NOT NULL` }).then(
      () => true,
      (error: unknown) => {
        if (isGrpcServiceError(error) && error.code === INVALID_ARGUMENT) return false;
        throw error;
      },
    );
  const known = await Promise.all(names.map(isKnown));
  return names.filter((_, index) => !known[index]);
}

/** Registers those that are missing. Answers their names; running it again registers nothing. */
export async function registerSearchAttributes(client: Client): Promise<string[]> {
  const missing = await missingSearchAttributes(client);
  if (missing.length > 0) await addSearchAttributes(client, missing).catch(refused(missing));
  return missing;
}

/** Our search attributes are missing, and the namespace lets us register none. The message says what to add. */
export class NotOursToRegister extends Error {
  override readonly name = 'NotOursToRegister';
}

/** Temporal Cloud has them added by its own command and page only. */
function refused(names: readonly string[]): (error: unknown) => never {
  return (error) => {
    if (!isDenied(error)) throw error;
    const wanted = Object.values(SEARCH_ATTRIBUTES).filter(({ name }) => names.includes(name));
    const lines = wanted.map(({ name, type }) => `  ${name} ${TYPE_NAMES[type]}`);
    const what = 'this namespace lets us register no search attributes; where it is administered, add:';
    throw new NotOursToRegister([what, ...lines].join('\n'));
  };
}

/** Registers our search attributes of these names, which must not be there yet. */
export async function addSearchAttributes(client: Client, names: readonly string[]): Promise<void> {
  const wanted = Object.values(SEARCH_ATTRIBUTES).filter(({ name }) => names.includes(name));
  const searchAttributes = Object.fromEntries(wanted.map(({ name, type }) => [name, WIRE_TYPES[type]]));
  const { namespace } = client.options;
  await client.connection.operatorService.addSearchAttributes({ namespace, searchAttributes });
}
