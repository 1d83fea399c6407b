import { z } from 'zod';
import { type Operation, operationName, pathParameters } from '../src/partners/catalogue.js';
import { PARTNERS, SYSTEM_NAMES, type SystemName } from '../src/partners/systems.js';
import type { NamedSchemas } from '../src/schemas/shape.js';

const INTRODUCTION = `# Partner APIs

<!-- Made by "npm run docs" from the catalogue. Do not edit by hand. -->

One catalogue of operations, \`src/partners/<system>/operations.ts\`, generates the typed clients, the sandbox, its OpenAPI
3.1 documents (\`/openapi/<system>.json\`) and this page. [\`gangway call\`](commands.md#any-call) makes any of these calls.

Code and comments cite the contract, which is not in this repository:

| cited as | document |
| --- | --- |
| \`apis/1\` | the banking API, with endpoints \`E1\` to \`E15\` |
| \`apis/2\` | the merchant boarding API, with endpoints \`B1\` to \`B4\` |
| \`apis/3\` | the plant store, the payments platform and the processor webhook |
| \`apis/4\` | shapes that the others omit, from similar services |

† marks an operation whose shapes are assumed, from \`apis/4\` and similar operations. If the partner's reference
contradicts an assumption, correct the catalogue entry, set its \`provenance\` to \`documented\`, delete its assumption from
the partner's \`partner.ts\`, and run \`npm run docs\`. The compiler finds all code that uses the old shape.

The effect of a repeated call:

- \`read\`: changes nothing.
- \`idempotent\`: leaves the same state, or has an idempotency key (\`event_id\`).
- \`once\`: may [take effect again](architecture.md#what-a-write-promises).

Gangway checks each request before it sends it, and accepts unknown fields and status names in responses. In the tables:

- \`?\` marks an optional field; \`…\` marks a request with further fields, which Gangway passes on unchanged.
- A text is not empty; a string may be. The shape of \`any JSON\` is unknown.
- Shapes in italics are below the table.
- The body has the fields that are in neither path nor query.
`;

/** The text of docs/partner-apis.md. */
export function partnerApisMarkdown(): string {
  return [INTRODUCTION, ...SYSTEM_NAMES.map(section)].join('\n');
}

type Entry = readonly [key: string, operation: Operation];

/** A shape with more words than these is shown once. */
const WORTH_A_NAME = 3;

function section(system: SystemName): string {
  const { title, contract, documentation, operations } = PARTNERS[system];
  const { assumptions, alsoAssumed } = documentation;
  const entries: Entry[] = Object.entries(operations({}));
  const requests = requestCells(entries);
  const rows = entries.flatMap(([key, operation], row) => {
    const versions = entries.filter(([, { summary }]) => summary === operation.summary);
    if (versions[0]?.[0] !== key) return [];
    return [[operationCell(versions), operation.effect, requests[row] ?? '', responseCell(operation)]];
  });
  const head = ['operation', 'effect', 'request', 'response'];
  const table = [head, head.map(() => '---'), ...rows].map(tableRow).join('\n');
  const shapes = sharedShapes(table, contract.names);
  return [
    `## ${title}`,
    '',
    [...shapes].reduce((text, [shape, name]) => text.replaceAll(shape, `_${name}_`), table),
    '',
    ...[...shapes].map(([shape, name]) => `- _${name}_: ${shape}`),
    ...(shapes.size > 0 ? [''] : []),
    '### Assumptions',
    '',
    ...assumptionsOf(entries, assumptions),
    ...alsoAssumed.map((line) => `- ${line}`),
    '',
  ].join('\n');
}

/** What is assumed of operations besides the table; operations of which the same is assumed are one line. */
function assumptionsOf(entries: readonly Entry[], assumptions: Readonly<Record<string, string>>): string[] {
  const alike = new Map<string, string[]>();
  for (const [key] of entries) {
    const name = operationName(key);
    const assumption = assumptions[name];
    if (assumption === undefined) continue;
    alike.set(assumption, [...(alike.get(assumption) ?? []), `**${name}**`]);
  }
  return [...alike].map(([assumption, names]) => `- ${names.join(', ')}: ${assumption}`);
}

function tableRow(row: readonly string[]): string {
  return `| ${row.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
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
  const shape = () => rule(schemaOf(response)) || 'any JSON';
  const shown = { stream: () => 'a file', none: () => 'nothing (204)', json: shape }[returns]();
  const special = Object.entries(failures).filter(([, { kind }]) => kind !== undefined);
  return [
    shown,
    ...Object.keys(statusPayloads).map((status) => `${status} is success as well`),
    ...special.map(([status, { message }]) => `${status}: ${message}`),
  ].join('<br>');
}

/** The request cells of a system. A request that takes the same fields as an earlier one refers to it. */
function requestCells(entries: readonly Entry[]): string[] {
  const shown = new Map<string, { readonly name: string; readonly fields: string; readonly more: boolean }>();
  return entries.map(([key, operation]) => {
    const schema = schemaOf(operation.request);
    if (schema.anyOf) {
      return schema.anyOf
        .map((form) => Object.values(fieldsOf(operation, form)).flat().join('<br>'))
        .join('<br>or<br>');
    }
    const { inPath, others, more } = fieldsOf(operation, schema);
    const fields = others.join('<br>');
    const known = fields.replaceAll('?`', '`');
    const same = shown.get(known);
    if (!same) shown.set(known, { name: operationName(key), fields, more: more.length > 0 });
    const isLong = fields.split(' ').length > WORTH_A_NAME;
    if (!same || !isLong) return [...inPath, ...others, ...more].join('<br>') || 'nothing';
    const reference = `as ${same.name}${same.fields === fields ? '' : ', all optional'}`;
    return [...inPath, reference, ...(same.more ? [] : more)].join('<br>');
  });
}

/** The fields of a request: those with the same rule are one line. */
function fieldsOf(operation: Operation, { properties = {}, required = [], additionalProperties }: Schema) {
  const parameters = pathParameters(operation);
  const linesOf = (isShown: (name: string) => boolean) => {
    const byRule = new Map<string, string[]>();
    for (const [name, field] of Object.entries(properties).filter(([key]) => isShown(key))) {
      const words = rule(field);
      byRule.set(words, [...(byRule.get(words) ?? []), `\`${name}${required.includes(name) ? '' : '?'}\``]);
    }
    return [...byRule].map(([words, names]) => `${names.join(', ')}${words && `: ${words}`}`);
  };
  return {
    inPath: linesOf((name) => parameters.includes(name)),
    others: linesOf((name) => !parameters.includes(name)),
    more: additionalProperties === false ? [] : ['…'],
  };
}

/** The shapes that occur more than once in a table and have a name in our modules, by what the table has of each. */
function sharedShapes(table: string, names: NamedSchemas): Map<string, string> {
  const inOrder = Object.entries(names).sort(([one], [other]) => one.localeCompare(other));
  const shapes = inOrder.flatMap(([name, schema]) => {
    const text = schema instanceof z.ZodType ? rule(schemaOf(schema)) : '';
    const isShared = /^`{[^`]+}`$/.test(text) && table.split(text).length > 2;
    return isShared && text.split(' ').length > WORTH_A_NAME ? [[text, name] as const] : [];
  });
  return new Map(shapes);
}

/** The part of JSON Schema that our shapes use. */
interface Schema {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: unknown;
  readonly $ref?: string;
}

function schemaOf(schema: z.ZodType): Schema {
  return z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    override({ zodSchema, jsonSchema }) {
      const { def } = zodSchema._zod;
      if (def.type === 'custom') jsonSchema.format = 'bytes';
      if (def.type === 'string' && 'format' in def && def.format === 'datetime') {
        jsonSchema.format = 'date-time';
      }
    },
  }) as Schema;
}

const INT32 = { minimum: -(2 ** 31), maximum: 2 ** 31 - 1 };

/** A shape in words; '' for one that is empty. */
function rule(schema: Schema): string {
  if (schema.format) return schema.format;
  if (schema.anyOf) {
    const rules = schema.anyOf.filter(({ type }) => type !== 'null').map(rule);
    return [...new Set(rules)].join(' or ');
  }
  if (schema.$ref) return 'any JSON';
  if (schema.enum) return oneOf(schema.enum.map((value) => `\`${value}\``));
  const types = [schema.type ?? []].flat().filter((type) => type !== 'null');
  return types.map((type) => ruleOfType(type, schema)).join(' or ');
}

function oneOf(values: readonly string[]): string {
  return [values.slice(0, -1).join(', '), values.at(-1) ?? ''].filter(Boolean).join(' or ');
}

function ruleOfType(type: string, schema: Schema): string {
  switch (type) {
    case 'object':
      return schema.properties ? `\`${shape(schema)}\`` : 'object';
    case 'array':
      return `list of ${schema.items ? rule(schema.items).replace(/^object$/, 'objects') : 'anything'}`;
    case 'integer':
    case 'number':
      return range(type, schema);
    case 'string':
      return schema.minLength ? 'text' : 'string';
    default:
      return type;
  }
}

function shape({ properties = {}, required = [] }: Schema): string {
  const names = Object.keys(properties).map((name) => (required.includes(name) ? name : `${name}?`));
  return `{${names.join(', ') || '…'}}`;
}

function range(type: string, { minimum, maximum }: Schema): string {
  if (minimum === INT32.minimum && maximum === INT32.maximum) return 'int32';
  if (maximum === Number.MAX_SAFE_INTEGER && minimum !== undefined) return `${type} ≥ ${minimum}`;
  return minimum === undefined || maximum === undefined ? type : `${type} ${minimum}–${maximum}`;
}
