import { z } from 'zod';
import { CALL_FAULTS } from '../src/apps/sandbox/fault-kinds.js';
import { HABIT_OUTCOMES, type Outcome } from '../src/apps/sandbox/habits/habit.js';
import { FAMILIES, habitOutcome } from '../src/apps/sandbox/habits/habits.js';
import { type Operation, operationName, pathParameters } from '../src/partners/catalogue.js';
import { PARTNERS, SYSTEM_NAMES, type SystemName } from '../src/partners/descriptors.js';
import { isAny, type NamedSchemas, type Shape, shapeOf } from '../src/platform/schemas/shape.js';
import { markdownTable } from '../src/services/texts/docs.js';

/** The parts of docs/partner-apis.md that come from the catalogues. */
export function systemTables(): Readonly<Record<SystemName, string>> {
  return Object.fromEntries(SYSTEM_NAMES.map((system) => [system, section(system)])) as Record<
    SystemName,
    string
  >;
}

/** The habits of real services and what Gangway makes of them, a row for each family. */
export function habitsTable(): string {
  const outcomes = Object.keys(HABIT_OUTCOMES) as Outcome[];
  const rows = Object.entries(FAMILIES).map(([family, habits]) => [
    family,
    ...outcomes.map((outcome) =>
      Object.keys(habits)
        .filter((name) => habitOutcome(name) === outcome)
        .map((name) => `\`${name}\``)
        .join(', '),
    ),
  ]);
  const meanings = outcomes.map((outcome) => `- ${outcome}: ${HABIT_OUTCOMES[outcome]}`);
  return `${markdownTable(['family', ...outcomes], rows)}\n\n${meanings.join('\n')}`;
}

/** The faults of a single call at the sandbox, in the order of their list. */
export function faultsTable(): string {
  const rows = Object.entries(CALL_FAULTS).map(([fault, { does }]) => [`\`${fault}\``, does]);
  return markdownTable(['fault', 'effect'], rows);
}

type Entry = readonly [key: string, operation: Operation];

/** A shape with more words than these is shown once. */
const WORTH_A_NAME = 3;

function section(system: SystemName): string {
  const { title, contract, operations } = PARTNERS[system];
  const entries: Entry[] = Object.entries(operations({}));
  const requests = requestCells(entries);
  const rows = entries.flatMap(([key, operation], row) => {
    const versions = entries.filter(([, { summary }]) => summary === operation.summary);
    if (versions[0]?.[0] !== key) return [];
    const effect = [operation.effect, ...(operation.repeats ? [operation.repeats] : [])].join(': ');
    return [[operationCell(versions), effect, requests[row] ?? '', responseCell(operation)]];
  });
  const table = markdownTable(['operation', 'effect', 'request', 'response'], rows);
  const shapes = sharedShapes(table, contract.names);
  return [
    `## ${title}`,
    '',
    [...shapes].reduce((text, [shape, name]) => text.replaceAll(shape, `_${name}_`), table),
    '',
    ...[...shapes].map(([shape, name]) => `- _${name}_: ${shape}`),
  ]
    .join('\n')
    .trimEnd();
}

/** An operation, with its other versions. */
function operationCell(versions: readonly Entry[]): string {
  const names = versions.map(([key, { reference, provenance = 'assumed' }]) => {
    const mark = provenance === 'assumed' ? '†' : '';
    return `**${operationName(key)}**${mark}${reference ? ` (${reference})` : ''}`;
  });
  const addresses = versions.map(([, { method, path, query = [], encoding }]) => {
    const address = `${path}${query.length > 0 ? `?${query.join('&')}` : ''}`;
    return `\`${method} ${address}\`${encoding === 'multipart' ? ', multipart' : ''}`;
  });
  const deprecated = versions.flatMap(([, { deprecated: reason }]) =>
    reason ? [`Deprecated: ${reason}`] : [],
  );
  const summary = versions[0]?.[1].summary ?? '';
  return [names.join(', '), summary, addresses.join(', '), ...deprecated].join('<br>');
}

function responseCell({ returns = 'json', response, statusPayloads = {}, failures = {} }: Operation): string {
  const shape = () => rule(shapeOf(response));
  const text = { stream: () => 'a file', none: () => 'nothing (204)', json: shape }[returns]();
  const special = Object.entries(failures).filter(([, { kind }]) => kind !== undefined);
  return [
    text,
    ...Object.keys(statusPayloads).map((status) => `${status} is success as well`),
    ...special.map(([status, { message }]) => `${status}: ${message}`),
  ].join('<br>');
}

/** The request cells of a system. A request that takes the same fields as an earlier one refers to it. */
function requestCells(entries: readonly Entry[]): string[] {
  const output = new Map<
    string,
    { readonly name: string; readonly fields: string; readonly more: boolean }
  >();
  return entries.map(([key, operation]) => {
    const shape = shapeOf(operation.request);
    if (shape.forms.length > 0) {
      return shape.forms
        .map((form) => Object.values(fieldsOf(operation, form)).flat().join('<br>'))
        .join('<br>or<br>');
    }
    const { inPath, others, more } = fieldsOf(operation, shape);
    const fields = others.join('<br>');
    const value = fields.replaceAll('?`', '`');
    const same = output.get(value);
    if (!same) output.set(value, { name: operationName(key), fields, more: more.length > 0 });
    const isLong = fields.split(' ').length > WORTH_A_NAME;
    if (!same || !isLong) return [...inPath, ...others, ...more].join('<br>') || 'nothing';
    const reference = `as ${same.name}${same.fields === fields ? '' : ', all optional'}`;
    return [...inPath, reference, ...(same.more ? [] : more)].join('<br>');
  });
}

/** The fields of a request: those with the same rule are one line. */
function fieldsOf(operation: Operation, { fields, others }: Shape) {
  const parameters = pathParameters(operation);
  const linesOf = (isShown: (name: string) => boolean) => {
    const lines = [...fields].filter(([name]) => isShown(name));
    return [...Map.groupBy(lines, ([, field]) => rule(field))].map(([words, own]) => {
      const names = own.map(([name, { isRequired }]) => `\`${name}${isRequired ? '' : '?'}\``);
      return `${names.join(', ')}: ${words}`;
    });
  };
  return {
    inPath: linesOf((name) => parameters.includes(name)),
    others: linesOf((name) => !parameters.includes(name)),
    more: others ? ['…'] : [],
  };
}

/** The shapes that occur more than once in a table and have a name in our modules, by what the table has of each. */
function sharedShapes(table: string, names: NamedSchemas): Map<string, string> {
  const inOrder = Object.entries(names).sort(([one], [other]) => one.localeCompare(other));
  const shapes = inOrder.flatMap(([name, schema]) => {
    const text = schema instanceof z.ZodType ? rule(shapeOf(schema)) : '';
    const isShared = /^`{[^`]+}`$/.test(text) && table.split(text).length > 2;
    return isShared && text.split(' ').length > WORTH_A_NAME ? [[text, name] as const] : [];
  });
  return new Map(shapes);
}

const INT32 = { minimum: -(2 ** 31), maximum: 2 ** 31 - 1 };

/** A shape in words. */
function rule(shape: Shape): string {
  const { format, forms, values, types } = shape;
  if (isAny(shape)) return 'any JSON';
  if (format) return format;
  if (forms.length > 0) return [...new Set(forms.filter(isNoNull).map(rule))].join(' or ');
  if (values) return oneOf(values.map((value) => `\`${value}\``));
  return types
    .filter((type) => type !== 'null')
    .map((type) => ruleOfType(type, shape))
    .join(' or ');
}

const isNoNull = ({ types }: Shape) => types.join() !== 'null';

/** Names in a sentence: `a, b or c`. */
export function oneOf(values: readonly string[]): string {
  return [values.slice(0, -1).join(', '), values.at(-1) ?? ''].filter(Boolean).join(' or ');
}

function ruleOfType(type: string, shape: Shape): string {
  const { fields, others, items, minLength } = shape;
  switch (type) {
    case 'object': {
      const names = [...fields].map(([name, { isRequired }]) => (isRequired ? name : `${name}?`));
      return others && names.length === 0 ? 'object' : `\`{${names.join(', ') || '…'}}\``;
    }
    case 'array':
      return `list of ${items ? rule(items).replace(/^object$/, 'objects') : 'anything'}`;
    case 'integer':
    case 'number':
      return range(type, shape);
    case 'string':
      return minLength ? 'text' : 'string';
    case 'file':
      return 'a file';
    default:
      return type;
  }
}

function range(type: string, { minimum, maximum }: Shape): string {
  if (minimum === INT32.minimum && maximum === INT32.maximum) return 'int32';
  if (maximum === Number.MAX_SAFE_INTEGER && minimum !== undefined) return `${type} ≥ ${minimum}`;
  return minimum === undefined || maximum === undefined ? type : `${type} ${minimum}–${maximum}`;
}
