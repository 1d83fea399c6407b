import { readdirSync, readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { openSource } from '../../../../src/apps/command/batch/batch.js';
import { importRules } from '../../../../src/apps/command/batch/import-file.js';
import { MAGIC_SSNS } from '../../../../src/apps/sandbox/banking/scenarios.js';
import { feePlans } from '../../../../src/messages/fee-plans.js';
import { merchantBoardingInput, NO_ACCOUNTS } from '../../../../src/messages/inputs.js';
import { ONBOARDINGS } from '../../../../src/messages/workflow-types.js';
import { addressChange, webhook } from '../../../../src/partners/banking/requests.js';
import { type Format, rowReader } from '../../../../src/services/batches/format.js';
import { type Row, rowSchemas } from '../../../../src/services/batches/validation.js';
import { EACH_KIND } from '../../../../src/temporal/kinds/kinds.js';
import { NO_INPUT } from '../../../rigs/command.js';

const FOLDER = new URL('../../../../examples/', import.meta.url);
const read = (file: string) => JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8'));

/** Each row of a file, by its line. Default: of a file for `gangway batch`. */
async function rowsIn(
  name: string,
  options: Format = {},
  schemas = rowSchemas(NO_ACCOUNTS) as readonly z.ZodType[],
): Promise<[string, unknown][]> {
  const file = fileURLToPath(new URL(name, FOLDER));
  const source = await openSource(NO_INPUT, file);
  const rows = await Readable.from(rowReader(options, file, schemas)(source)).toArray();
  await source.close();
  return (rows as Row[]).map(({ line, value }) => [`${name}:${line}`, value]);
}

const { schemas: imported } = importRules(NO_ACCOUNTS);
const mapping = { name: 'mapping.json', value: read('mapping.json') };
const files = readdirSync(FOLDER).filter((file) => file.endsWith('.json') && file !== 'mapping.json');
// biome-ignore lint/suspicious/noExplicitAny: they are unchecked
const EXAMPLES: [string, any][] = [
  ...files.map((file): [string, unknown] => [file, read(file)]),
  ...(await rowsIn('merchants.csv')),
  ...(await rowsIn('merchants.ndjson')),
  ...(await rowsIn('crm-export.csv', { delimiter: ';', mapping })),
  ...(await rowsIn('import.csv', {}, imported)),
];

const SCHEMAS: Readonly<Record<string, z.ZodType>> = {
  import: imported[0] ?? z.never(),
  ...Object.fromEntries(
    EACH_KIND.map(({ type, schema }) => [ONBOARDINGS[type].nouns[0], schema(NO_ACCOUNTS)]),
  ),
  merchants: merchantBoardingInput(),
  crm: merchantBoardingInput(),
  address: z.preprocess((change: object) => ({ ...change, oneTimeCode: '000000' }), addressChange),
  webhooks: z.array(webhook),
  fee: feePlans,
};

it.each(EXAMPLES)('%s is valid', (name, content) => {
  const schema = SCHEMAS[/^[a-z]+/.exec(name)?.[0] ?? ''];
  expect(schema?.safeParse(content)).toMatchObject({ success: true });
});

/** Every text in a value, with the name of its field. */
function texts(value: unknown, name = ''): [string, string][] {
  if (typeof value === 'string') return [[name, value]];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([field, inner]) => texts(inner, field));
}

it.each(EXAMPLES)('%s holds only fictitious data', (_, content) => {
  for (const [name, value] of texts(content)) {
    if (/email/i.test(name)) expect(value).toMatch(/@example\.com$/);
    if (/phone/i.test(name)) expect(value).toMatch(/^51855501\d\d$/);
    if (name === 'url' || name === 'website') expect(value).toMatch(/^https:\/\/\w+\.example\.com/);
    // Numbers that are never assigned, without those that select a scenario of the sandbox.
    if (name === 'ssn') expect(value).toMatch(/^(123456789|(\d)\2{8})$/);
    if (name === 'ssn') expect(Object.keys(MAGIC_SSNS)).not.toContain(value);
  }
});

it('all have different keys and names', () => {
  const contents = EXAMPLES.map(([, content]) => content);
  const ids = contents.map(({ externalId }) => externalId).filter(Boolean);
  expect(new Set(ids).size).toBe(ids.length);
  const names = contents.map(
    ({ dba, merchant, boarding, holder }) =>
      dba ?? (merchant ?? boarding?.merchant)?.dba ?? holder?.doingBusinessAsName,
  );
  const plain = names.filter(Boolean).map((name: string) => name.replace(/ \[.*/, ''));
  expect(new Set(plain).size).toBe(plain.length);
});
