import { isAny, type Json, type Shape } from '../../platform/schemas/shape.js';

/**
 * The JSON Schema of a correction: a merge patch of these fields of an input. Each may be left out, null removes it, and a list is
 * replaced as a whole.
 *
 * @param fields the fields that may change
 * @param added dotted names that no schema has, and that the partner asked for
 */
export function patchSchema(input: Shape, fields: readonly string[], added: readonly string[] = []): Json {
  const named = fields.flatMap((name) => {
    const shape = input.fields.get(name);
    const isOpen = added.some((field) => field.startsWith(`${name}.`));
    return shape ? [[name, patchOf(isOpen ? { ...shape, others: ANY } : shape)] as const] : [];
  });
  return {
    ...{ type: 'object', properties: Object.fromEntries(named) },
    ...{ additionalProperties: false, minProperties: 1 },
  };
}

const ANY = { types: [], forms: [], fields: new Map(), isRequired: false, mark: {} } as unknown as Shape;

/** An object is patched field by field. Everything else is replaced. */
function patchOf(shape: Shape): Json {
  if (shape.types.includes('object') && !isAny(shape))
    return objectOf(shape, patchOf, ['object', 'null'], []);
  return { anyOf: [wholeOf(shape), { type: 'null' }] };
}

function wholeOf(shape: Shape): Json {
  const { types, forms, items, fields, values, isRequired: _, others: __, mark: ___, ...rules } = shape;
  if (isAny(shape)) return {};
  if (forms.length > 0) return { anyOf: forms.map(wholeOf) };
  if (types.includes('object')) return objectOf(shape, wholeOf, 'object', requiredIn(fields));
  const { minimum, maximum, minLength, maxLength, maxItems, pattern, format, description } = rules;
  const type = types.length === 1 ? types[0] : types;
  return Object.fromEntries(
    Object.entries({
      ...{ type, enum: values, items: items && wholeOf(items) },
      ...{ minimum, maximum, minLength, maxLength, maxItems, pattern, format, description },
    }).filter(([, value]) => value !== undefined),
  );
}

function requiredIn(fields: Shape['fields']): readonly string[] {
  return [...fields].flatMap(([name, { isRequired }]) => (isRequired ? [name] : []));
}

/** Fields of type `never` must stay empty. */
function objectOf(
  { fields, others }: Shape,
  schemaOf: (shape: Shape) => Json,
  type: string | readonly string[],
  required: readonly string[],
): Json {
  const named = [...fields].filter(([, { types }]) => !types.includes('never'));
  return {
    ...{ type, properties: Object.fromEntries(named.map(([name, field]) => [name, schemaOf(field)])) },
    additionalProperties: others === undefined ? false : schemaOf(others),
    ...(required.length > 0 && { required }),
  };
}
