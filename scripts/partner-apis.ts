import { z } from 'zod';
import { type Operation, operationName, pathParameters } from '../src/partners/catalogue.js';
import { PARTNERS, SYSTEM_NAMES, type SystemName } from '../src/partners/systems.js';

const INTRODUCTION = `# Partner APIs

<!-- Made by "npm run docs" from the catalogue. Do not edit by hand. -->

Every operation of a partner's API is one entry in a catalogue. The typed client, the sandbox, this page and the sandbox's
OpenAPI 3.1 documents (\`/openapi/<system>.json\`) come from it. \`gangway call\` makes any of these operations: see
[commands](commands.md#any-call).

The column **shapes** shows where the shapes of request and response come from:

- **documented**: the partner's contract prints them. The catalogue has them as printed.
- **assumed**: the contract only names the operation. The shapes are those of similar services. The assumptions are listed
  below each table.

If the partner's reference shows that an assumed shape is wrong, correct it:

1. Correct the operation's entry in the catalogue: address, query, body or response.
2. Set its \`provenance\` to \`documented\`.
3. Delete its assumption from \`partner.ts\` of the partner.
4. Run \`npm run docs\`.

The client and the sandbox's routes follow, and the compiler names every place that uses the old shape.

The column **effect** shows what a repeated call does:

- A \`read\` changes nothing.
- An \`idempotent\` write leaves the same state however often it runs, or has an idempotency key (\`event_id\`).
- A \`once\` write has no such key.

Gangway retries reads and idempotent writes freely. It sends a \`once\` write
[once](architecture.md#what-a-write-promises).
If the outcome is unknown, the workflow searches for [evidence](onboardings.md#writes) or asks a person.

In the column **request**, \`?\` marks optional fields. Gangway checks requests before it sends them. It reads responses tolerantly: unknown
fields and status names do no harm.
`;

/** The text of docs/partner-apis.md. */
export function partnerApisMarkdown(): string {
  return [INTRODUCTION, ...SYSTEM_NAMES.map(section)].join('\n');
}

function section(system: SystemName): string {
  const { title, documentation, operations } = PARTNERS[system];
  const { schemas, assumptions, alsoAssumed } = documentation;
  const folder = `src/partners/${system}`;
  const entries = Object.entries(operations({}));
  const head = ['operation', 'ref.', 'address', 'effect', 'shapes', 'deprecated', 'request', 'response'];
  const assumed = entries
    .filter(([, { provenance }]) => provenance === 'assumed')
    .map(([key]) => `- **${operationName(key)}**: ${assumptions[operationName(key)]}`);
  return [
    `## ${title}`,
    '',
    `Catalogue: ${linkTo(`${folder}/operations.ts`)}, shapes: ${linkTo(`${folder}/${schemas}`)}.`,
    '',
    tableRow(head),
    tableRow(head.map(() => '---')),
    ...entries.map(([key, operation]) => tableRow(cells(operationName(key), operation))),
    '',
    '### Assumptions',
    '',
    ...(assumed.length > 0
      ? [...assumed, '', 'About more than one operation:']
      : ['About the operations as a whole:']),
    '',
    ...alsoAssumed.map((line) => `- ${line}`),
    '',
  ].join('\n');
}

function linkTo(path: string): string {
  return `[\`${path}\`](../${path})`;
}

function cells(name: string, operation: Operation): string[] {
  const { reference = '', method, path, effect, provenance, deprecated = '', summary } = operation;
  return [
    `**${name}**<br>${summary}`,
    reference,
    `\`${method} ${path}\``,
    effect,
    provenance,
    deprecated,
    requestOf(operation),
    responseOf(operation),
  ];
}

function responseOf(operation: Operation): string {
  const { returns = 'json', statusPayloads = {}, failures = {} } = operation;
  const shape = () => rule(schemaOf(operation.response)) || 'any JSON';
  const shown = { stream: () => 'a file', none: () => 'nothing (204)', json: shape }[returns]();
  const statuses = Object.keys(statusPayloads);
  return [
    shown,
    ...(statuses.length > 0 ? [`${statuses.join(', ')} is success, too`] : []),
    ...Object.entries(failures).map(([status, { message }]) => `${status}: ${message}`),
  ].join('<br>');
}

function tableRow(row: readonly string[]): string {
  return `| ${row.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

function requestOf(operation: Operation): string {
  const schema = schemaOf(operation.request);
  return (schema.anyOf ?? [schema]).map((form) => formOf(operation, form)).join('<br>or<br>') || 'nothing';
}

function formOf(operation: Operation, schema: Schema): string {
  const { properties = {}, required = [], additionalProperties } = schema;
  const inPath = new Set(pathParameters(operation));
  const inQuery = new Set(operation.query ?? []);
  const lines = Object.entries(properties).map(([name, field]) => {
    const where = inPath.has(name) ? ', in the path' : inQuery.has(name) ? ', in the query' : '';
    const mark = required.includes(name) ? '' : '?';
    const words = rule(field);
    return `\`${name}${mark}\`${words ? ` ${words}` : ''}${where}`;
  });
  if (additionalProperties !== false) lines.push('further fields, as they are');
  if (operation.encoding === 'multipart') lines.push('the body as multipart');
  return lines.join('<br>');
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
        jsonSchema.format = 'date and time';
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
  if (schema.enum) return schema.enum.map((value) => `\`${value}\``).join(' or ');
  const types = [schema.type ?? []].flat().filter((type) => type !== 'null');
  return types.map((type) => ruleOfType(type, schema)).join(' or ');
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
      return schema.minLength ? 'text, not empty' : 'text';
    default:
      return type;
  }
}

function shape({ properties = {}, required = [], additionalProperties }: Schema): string {
  const names = Object.keys(properties).map((name) => (required.includes(name) ? name : `${name}?`));
  const open = additionalProperties !== undefined && additionalProperties !== false;
  return `{${[...names, ...(open ? ['…'] : [])].join(', ')}}`;
}

function range(type: string, { minimum, maximum }: Schema): string {
  if (minimum === INT32.minimum && maximum === INT32.maximum) return 'int32';
  if (maximum === Number.MAX_SAFE_INTEGER && minimum !== undefined) return `${type}, ${minimum} or more`;
  return minimum === undefined || maximum === undefined ? type : `${type}, ${minimum} to ${maximum}`;
}
