import { fieldOf } from '../../messages/objects.js';
import { consequenceOf, kindsOf, rowsOf, UNCONFIRMED_ROWS } from '../../operators/batch/validation.js';
import { csvOf } from '../../operators/csv.js';
import { Facts, Notes, Table, Time } from '../../operators/report/page.js';
import {
  type Batch,
  batchesOf,
  type CheckedFile,
  checkedFile,
  DEFAULT_RATE,
  MAX_FILE_BYTES,
  type RowResult,
} from '../batches.js';
import { receivedForm } from '../held-files.js';
import { Fields } from '../query.js';
import { NotShown, type Route, type Shown, type Visit, ZONE_COOKIE } from '../route.js';
import { Csrf } from './parts.js';

const DELIMITERS: Readonly<Record<string, string>> = { comma: ',', semicolon: ';', tab: '\t', bar: '|' };

/** The form that checks a file. Nothing starts before a second form. */
export function BatchUpload({ csrf }: { readonly csrf: string }) {
  return (
    <>
      <h2>Many onboardings from a file</h2>
      <p>The console first checks the file and shows what would happen. Nothing starts before you confirm.</p>
      <form method="post" action="/batches" class="upload" enctype="multipart/form-data">
        <Csrf csrf={csrf} />
        <div class="field">
          <label for="delimiter">Between the cells of a CSV</label>
          <select id="delimiter" name="delimiter">
            {Object.keys(DELIMITERS).map((name) => (
              <option value={name}>{name}</option>
            ))}
          </select>
        </div>
        <div class="field">
          <label for="file">CSV or NDJSON file</label>
          <input
            id="file"
            name="file"
            type="file"
            accept=".csv,.ndjson,.jsonl"
            aria-describedby="file-rule"
          />
          <p class="advice" id="file-rule">
            Up to {MAX_FILE_BYTES / 1024 / 1024} MiB, as <code>gangway batch</code> takes it.
          </p>
        </div>
        <div class="field">
          <label for="mapping">Mapping of its columns (JSON, optional)</label>
          <input id="mapping" name="mapping" type="file" accept=".json" />
        </div>
        <button type="submit" class="primary">
          Check the file
        </button>
      </form>
    </>
  );
}

/** The batches that a person may open again. */
export function RunningBatches({ client, visitor, times }: Visit) {
  const batches = batchesOf(client).of(visitor);
  if (batches.length === 0) return null;
  const columns = [
    { title: 'File', cell: ({ id, file }: Batch) => <a href={`/batches/${id}`}>{file.name}</a> },
    { title: 'State', cell: ({ state }: Batch) => STATES[state] },
    { title: 'Rows', cell: ({ file }: Batch) => file.validation.rows, isNumber: true as const },
    { title: 'By', cell: ({ actor }: Batch) => actor },
    {
      title: 'Started',
      cell: ({ startedAt }: Batch) => <Time times={times} at={startedAt?.toISOString()} />,
    },
  ];
  return (
    <>
      <h2>Batches of this console</h2>
      <Table caption="Batches since the console started" rows={batches} columns={columns} isWide />
    </>
  );
}

async function checkFile(visit: Visit): Promise<Shown> {
  const { fields, files } = await receivedForm(visit, MAX_FILE_BYTES);
  const { file, mapping } = files;
  if (!file) throw new NotShown(422, 'Choose a file first. Nothing was started.');
  const named = fieldOf(DELIMITERS, fields['delimiter'] ?? '');
  // NDJSON takes none.
  const delimiter = /\.csv$/i.test(file.name) ? named : undefined;
  const checked = await checkedFile(visit, file, { delimiter, mapping });
  const { rows, problemCount } = checked.validation;
  if (rows === 0) throw new NotShown(422, 'The file has no rows. Nothing was started.');
  if (problemCount > 0)
    return { title: 'File is not valid', status: 422, page: <Problems {...checked} csrf={visit.csrf} /> };
  const { id } = batchesOf(visit.client).hold(visit.visitor, checked);
  return { to: `/batches/${id}` };
}

/** The problems of a file, by line and field. */
function Problems({ name, validation, csrf }: CheckedFile & { readonly csrf: string }) {
  const { rows, counts, problems, problemCount } = validation;
  type Problem = (typeof problems)[number];
  const valid = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const columns = [
    { title: 'Line', cell: ({ line }: Problem) => line, isNumber: true as const },
    { title: 'Field', cell: ({ field }: Problem) => (field ? <code>{field}</code> : '') },
    { title: 'Problem', cell: ({ message }: Problem) => message },
  ];
  return (
    <>
      <h1>{name} is not valid</h1>
      <Notes notes={['Nothing was started. Correct the file and check it again.']} />
      <Facts
        facts={{
          Rows: rows,
          'Valid rows': valid > 0 ? `${valid} (${kindsOf(counts)})` : 0,
          Problems: problemCount,
        }}
      />
      <Table
        caption={problemCount > problems.length ? `The first ${problems.length} problems` : 'All problems'}
        rows={problems}
        columns={columns}
      />
      <BatchUpload csrf={csrf} />
    </>
  );
}

const STATES: Readonly<Record<Batch['state'], string>> = {
  checked: 'checked, not started',
  running: 'running',
  stopping: 'stopping',
  stopped: 'stopped',
  done: 'done',
  failed: 'ended early',
};

function isUnderWay({ state }: Batch): boolean {
  return state === 'running' || state === 'stopping';
}

/** The refresh interval of a running batch's page, in seconds. */
const REFRESH_SECONDS = 2;

async function showBatch(visit: Visit): Promise<Shown> {
  const batch = batchIn(visit);
  const hasScripts = visit.request.cookies[ZONE_COOKIE] !== undefined;
  if (isUnderWay(batch) && !hasScripts) visit.reply.header('refresh', REFRESH_SECONDS);
  return { title: 'Batch', page: <BatchPage {...visit} batch={batch} /> };
}

/** The part of the page that the browser refreshes. */
async function showPart(visit: Visit): Promise<Shown> {
  return { part: <Progress {...visit} batch={batchIn(visit)} /> };
}

interface BatchPageProps extends Pick<Visit, 'csrf' | 'times'> {
  readonly batch: Batch;
  /** The reason why a confirmation did not start it. */
  readonly problem?: string | undefined;
}

function BatchPage({ batch, csrf, times, problem }: BatchPageProps) {
  return (
    <>
      <h1>{batch.file.name}</h1>
      {batch.state === 'checked' ? (
        <Confirmation {...{ batch, csrf, problem }} />
      ) : (
        <Progress {...{ batch, csrf, times }} />
      )}
    </>
  );
}

function Progress({ batch, csrf, times }: Omit<BatchPageProps, 'problem'>) {
  const { id, file, actor, state, startedAt, endedAt, counts, results, note } = batch;
  const { rows } = file.validation;
  const failures = results.filter(({ result }) => result === 'failed');
  const live = isUnderWay(batch) && { 'data-live': `/batches/${id}/part`, 'data-seconds': REFRESH_SECONDS };
  return (
    <div id="live" {...live}>
      <p role="status">
        {results.length} of {rowsOf(rows)}: {STATES[state]}
      </p>
      <progress max={rows} value={results.length} aria-label="Finished rows">
        {results.length} of {rows}
      </progress>
      <Notes notes={notesOf(batch)} />
      <Facts
        facts={{
          'Started now': counts.started,
          'There before': counts.attached,
          Failed: counts.failed,
          'Not started': rows - results.length,
          By: actor,
          Began: startedAt && <Time times={times} at={startedAt.toISOString()} />,
          Ended: endedAt && <Time times={times} at={endedAt.toISOString()} />,
          Now: note,
        }}
      />
      <div class="actions">
        {state === 'running' && (
          <form method="post" action={`/batches/${id}/stop`}>
            <Csrf csrf={csrf} />
            <button type="submit">Stop</button>
          </form>
        )}
        <a href={`/batches/${id}/results.csv`}>Results so far as CSV</a>
      </div>
      {failures.length > 0 && <Failures rows={failures} />}
    </div>
  );
}

function notesOf(batch: Batch): string[] {
  const again = 'upload the same file again: it starts the missing rows, and nothing twice.';
  if (isUnderWay(batch))
    return [`You can leave this page and open it again. If the console itself stops, ${again}`];
  return batch.state === 'done' ? [] : [`Started onboardings continue. To continue the batch, ${again}`];
}

const MOST_FAILURES = 100;

function Failures({ rows }: { readonly rows: readonly RowResult[] }) {
  const columns = [
    { title: 'Line', cell: ({ line }: RowResult) => line, isNumber: true as const },
    { title: 'Onboarding', cell: ({ workflowId }: RowResult) => <code>{workflowId}</code> },
    { title: 'Problem', cell: ({ error }: RowResult) => error },
  ];
  return <Table caption="Rows that failed" rows={rows.slice(0, MOST_FAILURES)} columns={columns} isWide />;
}

/** The effect of starting a checked file. For many rows, a person types their number. */
function Confirmation({ batch, csrf, problem }: Omit<BatchPageProps, 'times'>) {
  const { id, file } = batch;
  const { rows, counts } = file.validation;
  const isTyped = rows > UNCONFIRMED_ROWS;
  return (
    <>
      <Facts facts={{ Rows: rows, Kinds: kindsOf(counts), Problems: 'none' }} />
      <p>{consequenceOf(file.name, file.validation)}</p>
      <p>
        A row whose external ID was started earlier attaches to that onboarding and does not start a second
        one.
      </p>
      <form method="post" action={`/batches/${id}/start`} noValidate autocomplete="off">
        <Csrf csrf={csrf} />
        <div class="field">
          <label for="rate">Starts per second</label>
          <input id="rate" name="rate" class="short" type="text" inputMode="numeric" value={DEFAULT_RATE} />
        </div>
        {isTyped && (
          <div class="field">
            <label for="rows">To confirm, type the number of rows</label>
            <input
              {...{ id: 'rows', name: 'rows', class: 'short', type: 'text', inputMode: 'numeric' }}
              aria-invalid={problem ? 'true' : undefined}
              aria-describedby={problem ? 'rows-error' : undefined}
            />
          </div>
        )}
        {problem && (
          <p class="wrong-text" id="rows-error" role="alert">
            {problem}
          </p>
        )}
        <button type="submit" class="primary">
          Start {rowsOf(rows)}
        </button>
      </form>
    </>
  );
}

async function startBatch(visit: Visit): Promise<Shown> {
  const batch = batchIn(visit);
  const to = `/batches/${batch.id}`;
  // A second click shows the batch that the first one started.
  if (batch.state !== 'checked') return { to };
  const fields = Fields.ofBody(visit.request);
  const [rows, rate] = [fields.text('rows').trim(), fields.text('rate').trim()];
  const total = batch.file.validation.rows;
  const perSecond = /^[1-9]\d{0,3}$/.test(rate) ? Number(rate) : undefined;
  const problem =
    total > UNCONFIRMED_ROWS && rows !== String(total)
      ? 'The number does not match the number of rows. Nothing was started.'
      : perSecond === undefined
        ? 'Starts per second must be a whole number from 1 to 9999. Nothing was started.'
        : undefined;
  if (problem !== undefined || perSecond === undefined)
    return { title: 'Batch', status: 422, page: <BatchPage {...visit} {...{ batch, problem }} /> };
  batchesOf(visit.client).start(visit, batch.id, visit.visitor, perSecond);
  visit.audit(visit.visitor, { what: 'start a batch', detail: `${batch.id}, ${total} rows` });
  return { to };
}

async function stopBatch(visit: Visit): Promise<Shown> {
  const { id } = batchIn(visit);
  batchesOf(visit.client).stop(id, visit.visitor);
  visit.audit(visit.visitor, { what: 'stop a batch', detail: id });
  return { to: `/batches/${id}` };
}

const COLUMNS = ['line', 'externalId', 'workflowId', 'runId', 'result', 'error'];

async function results(visit: Visit): Promise<Shown> {
  const { id, results } = batchIn(visit);
  const inOrder = [...results].sort((one, other) => one.line - other.line);
  return {
    file: csvOf(inOrder, COLUMNS),
    fileName: `batch-${id}.csv`,
    contentType: 'text/csv; charset=utf-8',
  };
}

/** @throws {NotShown} */
function batchIn({ client, request, visitor }: Visit): Batch {
  const { id = '' } = request.params as { readonly id?: string };
  return batchesOf(client).find(id, visitor);
}

export const BATCH_ROUTES: readonly Route[] = [
  { method: 'POST', path: '/batches', role: 'admin', multipart: true, show: checkFile },
  { method: 'GET', path: '/batches/:id', role: 'admin', show: showBatch },
  { method: 'GET', path: '/batches/:id/part', role: 'admin', part: true, show: showPart },
  { method: 'POST', path: '/batches/:id/start', role: 'admin', show: startBatch },
  { method: 'POST', path: '/batches/:id/stop', role: 'admin', show: stopBatch },
  { method: 'GET', path: '/batches/:id/results.csv', role: 'admin', show: results },
];
