import { type Operation, pathParameters } from '../../../partners/catalogue.js';
import {
  type Field,
  schemaFields as fieldsOfSchema,
  takesMore,
} from '../../../services/forms/schema-fields.js';
import { tableOf } from '../cli/table.js';

export function fieldsHelp(operation: Operation): string {
  const fields = operationFields(operation);
  const more = takesMore(operation.request) ? '\nOther fields are sent unchanged.' : '';
  return fields.length === 0 ? `The request has no fields.${more}` : `${fieldTable(fields)}${more}`;
}

export function fieldTable(fields: readonly Field[]): string {
  const rows = fields.map(({ name, isRequired, type, rule }) => [name, isRequired ? 'yes' : '', type, rule]);
  return tableOf(['field', 'required', 'type', 'rule'], rows);
}

export function operationFields(operation: Operation): Field[] {
  return fieldsOfSchema(operation.request).map((field) => {
    const rule = [field.rule, where(field.name, operation)].filter(Boolean).join('; ');
    return { ...field, rule };
  });
}

/** Returns an example request with each required field, as JSON. A person replaces its values. */
export function exampleRequest(operation: Operation): string {
  const required = operationFields(operation).filter(
    ({ name, isRequired }) => isRequired && !name.includes('.'),
  );
  const value = ({ name, type, values: [first] = [] }: Field) => {
    if (first !== undefined) return first;
    if (type.startsWith('list of')) return [];
    if (/int|number/.test(type)) return 1001;
    return type === 'file' ? '@FILE' : type === 'object' ? {} : name;
  };
  return JSON.stringify(Object.fromEntries(required.map((field) => [field.name, value(field)])));
}

function where(name: string, operation: Operation): string {
  if (pathParameters(operation).includes(name)) return 'in the path';
  return operation.query?.includes(name) ? 'in the query' : '';
}
