import { setImmediate as breathe } from 'node:timers/promises';
import type { FileWarnings } from '../../../messages/batches.js';
import { partsOfId } from '../../../messages/ids.js';
import { accountProblem, knownWithin } from '../../../messages/inputs.js';
import { fieldOf } from '../../../messages/objects.js';
import { BATCHES, EACH_ONBOARDING } from '../../../messages/workflow-types.js';
import { handOver } from '../../../services/batches/batches.js';
import { formatOf, heldSource, rowReader } from '../../../services/batches/format.js';
import {
  fileWarnings,
  type Invalid,
  kindsOf,
  type Ready,
  type RowProblem,
  rowCheck,
  rowSchemas,
  validate,
} from '../../../services/batches/validation.js';
import { type Column, Facts, Notes, Table } from '../../../services/reports/page.js';
import { parseJson, utf8 } from '../../../services/texts/text.js';
import { type Console, PageError, type RequestContext, type RouteResponse, type User } from '../route.js';
import { type HeldFile, type HeldForm, receivedForm } from '../uploads.js';
import { Drop } from './answer-forms.js';
import { Field, Form } from './parts.js';

/** The upload of a file of onboardings. The whole file is checked before any row can start. */

/** Enough for 5,000 customers of 3 KiB. The command line streams larger files. */
const MAX_FILE_BYTES = 16 * 1024 * 1024;

const DELIMITERS: Readonly<Record<string, string>> = { comma: ',', semicolon: ';', tab: '\t', bar: '|' };

/** The form that checks a file. A second form starts its rows. */
export function BatchUpload() {
  return (
    <section class="card">
      <h2>Many onboardings from a file</h2>
      <p>The console first checks the file and shows what would happen. Nothing starts before you confirm.</p>
      <Form action="/batches" enctype="multipart/form-data">
        <Drop>
          <Field
            {...{ name: 'file', label: 'CSV or NDJSON file', type: 'file', accept: '.csv,.ndjson,.jsonl' }}
            required
            advice={[
              `Up to ${MAX_FILE_BYTES / 1024 / 1024} MiB. Drop the file here, or choose it. CSV templates:`,
              ...EACH_ONBOARDING.map(([, { nouns }], index) => (
                <>
                  {index === 0 ? ' ' : ', '}
                  <a href={`/start/${nouns[0]}/template.csv`}>{nouns[1]}</a>
                </>
              )),
            ]}
          />
        </Drop>
        <details>
          <summary>Separator and columns</summary>
          <Field
            {...{ name: 'delimiter', label: 'Separator of a CSV' }}
            choices={[
              ['', 'as its first line has it'],
              ...Object.keys(DELIMITERS).map((name) => [name, name] as const),
            ]}
          />
          <Field name="mapping" label="Mapping of its columns (JSON, optional)" type="file" accept=".json" />
        </details>
        <button type="submit">Check the file</button>
      </Form>
    </section>
  );
}

/** The maximum length of a file's first line. */
const MOST_HEADER_BYTES = 64 * 1024;

/** Returns the separator that is most frequent in a table's first line, outside of quotes. */
function delimiterOf(bytes: Buffer): string {
  const text = bytes.toString('latin1', 0, MOST_HEADER_BYTES).replace(/"[^"]*"/g, '');
  const line = text.split(/[\r\n]/).find(Boolean) ?? '';
  const uses = (sign: string) => line.split(sign).length;
  return Object.values(DELIMITERS).reduce((best, sign) => (uses(sign) > uses(best) ? sign : best));
}

function separatorName(delimiter: string): string {
  return Object.keys(DELIMITERS).find((name) => DELIMITERS[name] === delimiter) ?? delimiter;
}

const PREFIX = `${BATCHES.onboardingBatch.idPrefix}-`;

export function pathOfBatch(id: string): string {
  return `/batches/${id.slice(PREFIX.length)}`;
}

export function batchIdOf(inPath: string): string {
  return PREFIX + inPath;
}

interface FileForm {
  readonly delimiter?: string | undefined;
  readonly mapping?: HeldFile | undefined;
}

type CheckedFile = Awaited<ReturnType<typeof readCheckedFile>>;

/** The number of rows to check before other requests get a turn. */
const ROWS_AT_ONCE = 50;

/**
 * Checks every row of a file like the command line, and whether this person may start it.
 *
 * @returns `rows` reads the file again. Call it only if every row is valid
 * @throws {InvalidInput} if the file or its mapping cannot be read
 */
export async function readCheckedFile(
  { settings, user }: Pick<Console, 'settings'> & { readonly user: User },
  { name, bytes }: HeldFile,
  { delimiter, mapping }: FileForm,
) {
  const accounts = knownWithin(settings, user.accounts);
  const mappingFile = mapping && {
    name: mapping.name,
    value: parseJson(utf8(mapping.bytes, mapping.name), mapping.name),
  };
  const readRows = rowReader({ delimiter, mapping: mappingFile }, name, rowSchemas(accounts));
  const check = rowCheck(accounts);
  const source = heldSource(name, bytes);
  async function* checkedRows(): AsyncGenerator<Ready | Invalid> {
    let count = 0;
    for await (const row of readRows(source)) {
      const checked = check(row);
      count += 1;
      if (count % ROWS_AT_ONCE === 0) await breathe();
      const problem =
        'problems' in checked
          ? undefined
          : accountProblem(user.accounts, partsOfId(checked.workflowId)?.account);
      yield problem ? { line: checked.line, unique: checked.unique, problems: [problem] } : checked;
    }
  }
  async function* readyRows() {
    // Checks the rows again, from the bytes in memory.
    for await (const row of checkedRows()) if ('input' in row) yield row;
  }
  return { name, validation: await validate(checkedRows()), rows: readyRows };
}

/** Starts a batch with a valid file. The batch holds the file until a second form confirms it. */
export function checkFile(context: RequestContext): Promise<RouteResponse> {
  return receivedForm(context, MAX_FILE_BYTES, (form) => checked(context, form));
}

async function checked(
  context: RequestContext,
  { fields, files: { file, mapping } }: HeldForm,
): Promise<RouteResponse> {
  const { client, settings, user } = context;
  if (!file) throw new PageError(422, 'Choose a file first. Nothing was started.');
  const named = fieldOf(DELIMITERS, fields['delimiter'] ?? '');
  if (!formatOf(file.name)) throw new PageError(422, NO_FORMAT);
  // NDJSON has no delimiter.
  const delimiter = /\.csv$/i.test(file.name) ? (named ?? delimiterOf(file.bytes)) : undefined;
  const { name, validation, rows } = await readCheckedFile(context, file, { delimiter, mapping });
  if (validation.rows === 0) throw new PageError(422, 'The file has no rows. Nothing was started.');
  const { warnings: all, ...check } = await fileWarnings(client, settings.taskQueue, validation, rows());
  const warnings = all.slice(0, MOST_WARNINGS);
  if (validation.problemCount > 0) {
    const page = <Problems {...{ name, validation, warnings, delimiter }} count={check.count} />;
    return { title: 'File is not valid', status: 422, page };
  }
  const id = await handOver(client, settings.taskQueue, rows(), {
    name,
    actor: user.actor,
    warnings: { ...check, warnings, businesses: validation.businesses },
  });
  const message = delimiter && `Read with the separator ${separatorName(delimiter)}.`;
  return { to: pathOfBatch(id), ...(message && { message }) };
}

const NO_FORMAT =
  'The name of the file must end in .csv, .ndjson or .jsonl. In Excel, choose Save As, then "CSV UTF-8". Nothing was started.';

const MOST_WARNINGS = 20;

type ProblemsProps = Pick<CheckedFile, 'name' | 'validation'> &
  Pick<FileWarnings, 'warnings' | 'count'> &
  FileForm;

function Problems({ name, validation, warnings, count, delimiter }: ProblemsProps) {
  const { rows, badRows, counts, problems, problemCount } = validation;
  const valid = rows - badRows;
  return (
    <>
      <h1>{name} is not valid</h1>
      <section class="card" aria-label="The file">
        <Notes
          notes={[
            'Nothing was started. Correct the file and check it again. Line 1 has the names of the columns.',
          ]}
        />
        <Facts
          facts={{
            Separator: delimiter && separatorName(delimiter),
            Rows: rows,
            'Valid rows': valid > 0 ? `${valid} (${kindsOf(counts)})` : 0,
            'Rows that are not valid': badRows,
            Problems: problemCount,
            Warnings: count || 'none',
          }}
        />
        <RowTable what="problems" problems={problems} count={problemCount} />
        {count > 0 && <RowTable what="warnings" problems={warnings} count={count} />}
      </section>
      <BatchUpload />
    </>
  );
}

interface RowTableProps {
  readonly what: 'problems' | 'warnings';
  readonly problems: readonly RowProblem[];
  readonly count: number;
}

export function RowTable({ what, problems, count }: RowTableProps) {
  const columns: Column<RowProblem>[] = [
    { title: 'Line', cell: ({ line }) => line, isNumber: true },
    ...(problems.some(({ business }) => business)
      ? [{ title: 'Business', cell: ({ business }: RowProblem) => business }]
      : []),
    { title: 'Field', cell: ({ field }) => (field ? <code>{field}</code> : '') },
    {
      title: 'Problem',
      cell: ({ message, value }) => (value ? `${message}; the file has: ${value}` : message),
    },
  ];
  const caption = count > problems.length ? `The first ${problems.length} ${what}` : `All ${what}`;
  return <Table caption={caption} rows={problems} columns={columns} />;
}
