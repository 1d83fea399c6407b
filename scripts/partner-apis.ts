import { z } from 'zod';
import { bankingOperations } from '../src/partners/banking/operations.js';
import { boardingOperations } from '../src/partners/boarding/operations.js';
import { type Operation, type Operations, operationName, pathParameters } from '../src/partners/catalogue.js';
import { OTHER_SYSTEMS } from './other-systems.js';

/** A partner system: where its catalogue is, and what is assumed about the operations whose shapes its contract does not print. */
export interface System {
  readonly title: string;
  readonly catalogue: string;
  readonly schemas: string;
  readonly operations: Operations;
  /** By operation name: one line for each operation whose provenance is `assumed`. */
  readonly assumptions: Readonly<Record<string, string>>;
  /** What is assumed about more than one operation. */
  readonly alsoAssumed: readonly string[];
}

export const SYSTEMS: readonly System[] = [
  {
    title: 'Merchant boarding',
    catalogue: 'src/partners/boarding/operations.ts',
    schemas: 'src/partners/boarding/schemas.ts',
    operations: boardingOperations(),
    assumptions: {
      'list-agent-profiles':
        'Takes no query. `data` is a list whose items have `id`, which is the `agentProfileId` of a create, and `name`.',
      'list-boarding-settings':
        'Takes no query. `data` is a list whose items have `id`, which is the `boardingSettingsId` of a create, and `name`.',
      'create-merchant':
        'Takes the fields of v1 create and, because the contract calls its data model more complete, further fields as they are, with a warning that names them. Returns what v1 returns, with `merchantProfileId`; Gangway also reads a bare number.',
      'update-fees':
        '`id` is in the query as it is for reading. The body is the whole fees object, and it replaces what was there.',
      'submit-merchant':
        'With `merchantProfileId` in the body it completes and submits that merchant. The seven other fields are known by name only, and Gangway sends them as they are. The shape of the response is unknown; Gangway keeps it as it is.',
      'submit-merchant-v1':
        'Takes `id` in the query and no body, and submits what the partner has. The shape of the response is unknown; Gangway keeps it as it is.',
      'get-status2': 'Takes and returns what get-status does, with more status names.',
      'update-status':
        '`id` is in the query, `status` and an optional `comment` are in the body. The shape of the response is unknown; Gangway keeps it as it is.',
      'upload-attachment':
        '`id` is in the query. The body is multipart: a part `file`, and an optional part `description`. The limit of 25 MiB is Gangway’s own. The shape of the response is unknown; Gangway keeps it as it is.',
      'request-underwriting-review':
        '`id` is in the query, an optional `comment` is in the body: it contains the texts of people’s replies. The shape of the response is unknown; Gangway keeps it as it is.',
      'set-underwriting-pending':
        'Takes `id` in the query and no body. The shape of the response is unknown; Gangway keeps it as it is.',
    },
    alsoAssumed: [
      'The two card-brand groups of the fees, whose names the contract does not print, are `amex` and `visaMasterCardDiscover`. This concerns get-fees and update-fees.',
      'The status names `Not Submitted`, `Withdrawn`, `Closed` and `UW Level 1: Pending Review`, beside those that the contract prints (`src/partners/boarding/schemas.ts`). Gangway shows an unknown name, and waits for the next status.',
      'A temporary `mid` can exist before approval. A merchant is boarded when it is `Approved` and has a `mid`.',
      'A `mid` is 1 to 20 digits, not all 0, as text or as a number (`isMid` in `src/partners/boarding/schemas.ts`). Gangway asks a person about anything else.',
      'A 401 or 403 can have `{error, message}` without the envelope (`src/partners/boarding/client.ts`).',
    ],
  },
  {
    title: 'Banking',
    catalogue: 'src/partners/banking/operations.ts',
    schemas: 'src/partners/banking/requests.ts',
    operations: bankingOperations(),
    assumptions: {
      'confirm-second-factor':
        'Takes either form of issue-token with `smsCode` and `typeOperation`, which are required here, and returns what issue-token does. It needs no token. `token.ts` does not use it: it sends the code with issue-token.',
      'refresh-token':
        'Takes no body, is authorized by the token that is about to expire, and returns what issue-token does.',
      'get-profile': 'Returns the banking profile record, as find-profile-by-merchant does.',
      'find-profile-by-user': 'Returns the banking profile record, as find-profile-by-merchant does.',
      'submit-business-customer':
        'The fields are unknown, and Gangway sends them as they are. Returns the boarding response.',
      'submit-authorized-user':
        'The fields are unknown, and Gangway sends them as they are. Returns the boarding response.',
      'get-business-account-holder':
        'The address is that of the submission with the profile id at its end. Returns `businessAccountHolder` as it is in the banking profile record.',
      'update-business-account-holder':
        'The address is that of the submission with the profile id at its end. Takes the whole body of the submission, and replaces what was there. Returns the boarding response.',
      'search-personal-account-holders':
        'Takes what search-business-account-holders does, with `name` in place of `dba`, and returns `id` and `name`.',
      'create-card':
        'Takes the `financialAccountId`, an optional `paymentCardName`, and further fields as they are. Returns the payment card record.',
      'list-cards':
        'Takes `skip` and `count` in the query. Returns cards in a bare list, or in pages as `{totalCount, errorMessage, records}`; a status is a number or a name.',
      'set-card-status':
        'Takes the card’s id and the `status` as the number of the card record. The shape of the response is unknown; Gangway keeps it as it is.',
      'set-card-authorization-controls':
        'Takes the card’s id and the whole list, whose items the contract does not print. The shape of the response is unknown; Gangway keeps it as it is.',
      'suspend-card':
        'The address is made like that of close-card. Takes the card’s id and an optional `reason`; returns the boarding response.',
      'activate-card':
        'The address is made like that of close-card. Takes the card’s id and an optional `reason`; returns the boarding response.',
      'reissue-card':
        'The address is made like that of close-card. Takes the card’s id and an optional `reason`; returns the boarding response.',
      'list-payment-cards':
        'The last segment of the address is `list`. Takes an optional `userProfileId`, and returns what list-cards does.',
      'generate-statement':
        'Takes what generate-full-statement does, with one `financialAccountId` in place of the list, and returns a file.',
      'list-transactions':
        'Takes one `financialAccountId`, optional `dateFrom` and `dateTo`, `skip` and `take`. Returns transactions in a bare list or in pages, as list-cards does; their fields are unknown.',
      'list-financial-accounts': 'Takes no query. Returns a list whose items have `id`.',
      'list-tickets': 'Takes no query. Returns tickets as list-new-tickets does.',
      'create-ticket': 'Takes `text`, optionally `topic`, `topicId`, `parentTicketId`. Returns the ticket.',
      'get-ticket': 'Returns the ticket.',
      'update-ticket':
        'Takes the new `text`, the new `status`, or both. The shape of the response is unknown; Gangway keeps it as it is.',
      'get-notification': 'Returns the notification.',
      'mark-notification-read':
        'Takes no body. The shape of the response is unknown; Gangway keeps it as it is.',
      'delete-notification':
        'Takes no body. The shape of the response is unknown; Gangway keeps it as it is.',
      'list-webhooks':
        'Takes no query. Returns a list whose items have an int32 `id` and the fields submitted at creation.',
      'update-webhook':
        'Takes the whole body of create-webhook. The shape of the response is unknown; Gangway keeps it as it is.',
      'delete-webhook':
        '`webhookId` is the int32 `id` of the webhook. The shape of the response is unknown; Gangway keeps it as it is.',
    },
    alsoAssumed: [
      'The header `X-Partner-Id` has the partner ID on every call except issue-token (`src/partners/banking/client.ts`).',
      'Errors: problem details as ASP.NET writes them (`errors` by field, `title`, `detail`), `{message}`, `{error}`, a JSON string or a line of text. Gangway ignores other bodies (`src/partners/fields.ts`).',
      'A missing or wrong one-time code gets a 403 that does not mention a lock or suspension, or a 401 that mentions codes or factors (`src/partners/banking/holder.ts`). The partner form of issue-token takes `smsCode` and `typeOperation` in the same spelling as the user form.',
      'With `likev1`, issue-token returns the same fields. A token without `expiration` is valid for the documented ten minutes. An `expiration` without offset is UTC.',
      'A list in the query (`types` and `categories` of list-notifications) repeats its name.',
      'A provider of get-external-account-activity is any name in upper case, because the contract does not print the two names. Its 404 means that no external account is linked; Gangway reads it as an empty result.',
      'Statements come as `application/pdf`, `text/csv` or `text/plain`, and the usual types for QBO and OFX (`src/partners/banking/client.ts`).',
      'Gangway reads a 409 of create-webhook as success with `exists`. The shape of the response to a restored sub-user is unknown; Gangway keeps it as it is.',
    ],
  },
  ...OTHER_SYSTEMS,
];

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
3. Delete its assumption from \`scripts/partner-apis.ts\`, or from \`other-systems.ts\` beside it.
4. Run \`npm run docs\`.

The client and the sandbox's routes follow, and the compiler names every place that uses the old shape.

The column **effect** shows what a repeated call does:

- A \`read\` changes nothing.
- An \`idempotent\` write leaves the same state however often it runs, or has an idempotency key (\`event_id\`).
- A \`once\` write has no such key.

Gangway retries reads and idempotent writes freely. It repeats a \`once\` write only when it is certain that nothing happened.
If the outcome is unknown, the workflow searches for [evidence](onboardings.md#writes) or asks a person.

In the column **request**, \`?\` marks optional fields. Gangway checks requests before it sends them. It reads responses tolerantly: unknown
fields and status names do no harm.
`;

/** The text of docs/partner-apis.md. */
export function partnerApisMarkdown(): string {
  return [INTRODUCTION, ...SYSTEMS.map(section)].join('\n');
}

function section({ title, catalogue, schemas, operations, assumptions, alsoAssumed }: System): string {
  const entries = Object.entries(operations);
  const head = ['operation', 'ref.', 'address', 'effect', 'shapes', 'deprecated', 'request', 'response'];
  const assumed = entries
    .filter(([, { provenance }]) => provenance === 'assumed')
    .map(([key]) => `- **${operationName(key)}**: ${assumptions[operationName(key)] ?? 'not documented'}`);
  return [
    `## ${title}`,
    '',
    `Catalogue: [\`${catalogue}\`](../${catalogue}), shapes: [\`${schemas}\`](../${schemas}).`,
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
  const { answer = 'json', statusAnswers = {}, failures = {} } = operation;
  const shape = () => rule(schemaOf(operation.response)) || 'any JSON';
  const kinds = { stream: () => 'a file', none: () => 'nothing (204)', json: shape }[answer]();
  const statuses = Object.keys(statusAnswers);
  return [
    kinds,
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
    const shape = rule(field);
    return `\`${name}${mark}\`${shape ? ` ${shape}` : ''}${where}`;
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

/** A shape in words; '' for a shape without rules. */
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
