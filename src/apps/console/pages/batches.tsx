import { isSamePerson } from '../../../messages/actors.js';
import { confirmBatch, type RowResult } from '../../../messages/batches.js';
import type { FieldProblem } from '../../../partners/partner-error.js';
import { type Batch, listBatches, readBatch, resultsOf } from '../../../services/batches/batches.js';
import {
  attachedSentence,
  consequenceOf,
  kindsOf,
  rowsOf,
  UNCONFIRMED_ROWS,
} from '../../../services/batches/validation.js';
import { NOT_READ } from '../../../services/batches/warnings.js';
import { Facts, Notes, Table, Time } from '../../../services/reports/page.js';
import { toneOf } from '../../../services/reports/report-page.js';
import { csvOf } from '../../../services/texts/csv.js';
import { callPromptly, isNotFound } from '../../../temporal/unavailable.js';
import { pathOf } from '../query.js';
import {
  maySee,
  PageError,
  type RequestContext,
  type RouteResponse,
  type User,
  ZONE_COOKIE,
} from '../route.js';
import { BatchUpload, batchIdOf, pathOfBatch, RowTable } from './batch-file.js';
import { Field, Form, Person, When } from './parts.js';
import { Chip } from './pieces.js';

/** The default number of starts per second. */
const DEFAULT_RATE = 20;

const MOST_LISTED = 50;

export async function renderBatches({ client, settings, user, times }: RequestContext) {
  const isListed = (batch: Batch) => isVisible(batch, user);
  const batches = await listBatches(client, settings.taskQueue, MOST_LISTED, isListed);
  if (batches.length === 0) return null;
  const columns = [
    { title: 'File', cell: (batch: Batch) => <a href={pathOfBatch(batch.id)}>{batch.state.name}</a> },
    {
      title: 'State',
      cell: (batch: Batch) => <Chip tone={toneOf(batch.state.stage)}>{stageOf(batch)}</Chip>,
    },
    { title: 'Rows', cell: ({ state }: Batch) => state.rows, isNumber: true as const },
    { title: 'By', cell: ({ state }: Batch) => <Person actor={state.actor} /> },
    { title: 'Checked', cell: ({ startedAt }: Batch) => <Time times={times} at={startedAt.toISOString()} /> },
  ];
  return (
    <>
      <h2>Batches</h2>
      <Table caption={`The last ${MOST_LISTED} batches`} rows={batches} columns={columns} isWide />
    </>
  );
}

/** Only its uploader sees an unconfirmed file. After that, a batch is visible to everyone who may see all of its accounts. */
export function isVisible({ state: { stage, actor, accounts } }: Batch, user: User): boolean {
  if (stage === 'checked' || stage === 'discarded') return isSamePerson(actor, user.actor);
  return accounts.every((account) => maySee(user, account || undefined));
}

const STAGES: Readonly<Record<Batch['state']['stage'], string>> = {
  checked: 'checked, not started',
  running: 'running',
  done: 'done',
  stopped: 'stopped',
  discarded: 'not confirmed, and discarded',
};

/** Returns the stage in words. The state of a terminated batch still says that it runs. */
function stageOf({ state: { stage }, hasEnded }: Batch): string {
  return hasEnded && (stage === 'running' || stage === 'checked') ? 'ended early' : STAGES[stage];
}

const REFRESH_SECONDS = 2;

export async function showBatch(context: RequestContext): Promise<RouteResponse> {
  const batch = await batchIn(context);
  const hasScripts = context.request.cookies[ZONE_COOKIE] !== undefined;
  if (isUnderWay(batch) && !hasScripts) context.reply.header('refresh', REFRESH_SECONDS);
  return { title: 'Batch', page: <BatchPage batch={batch} /> };
}

export async function batchProgress(context: RequestContext): Promise<RouteResponse> {
  return { part: <Progress batch={await batchIn(context)} /> };
}

function isUnderWay({ state, hasEnded }: Batch): boolean {
  return state.stage === 'running' && !hasEnded;
}

interface BatchPageProps {
  readonly batch: Batch;
  /** The reason why a confirmation was refused. */
  readonly problem?: FieldProblem | undefined;
}

function BatchPage({ batch, problem }: BatchPageProps) {
  return (
    <>
      <h1>{batch.state.name}</h1>
      {batch.state.stage === 'checked' && !batch.hasEnded ? (
        <>
          <Confirmation batch={batch} problem={problem} />
          {(startingIn(batch) === 0 || (batch.warnings?.count ?? 0) > 0) && <BatchUpload />}
        </>
      ) : (
        <Progress batch={batch} />
      )}
    </>
  );
}

function Progress({ batch }: Pick<BatchPageProps, 'batch'>) {
  const { rows, counts, failures, actor } = batch.state;
  const done = counts.started + counts.attached + counts.failed;
  const path = pathOfBatch(batch.id);
  const live = isUnderWay(batch) && { 'data-live': `${path}/part`, 'data-seconds': REFRESH_SECONDS };
  return (
    <div id="live" class="card" {...live}>
      <p role="status">
        {done} of {rowsOf(rows)}: {stageOf(batch)}
      </p>
      <progress max={rows} value={done} aria-label="Finished rows">
        {done} of {rows}
      </progress>
      <Notes notes={notesOf(batch)} isCalm={isUnderWay(batch)} />
      <Facts
        facts={{
          'Started now': counts.started,
          'There before': counts.attached,
          Failed: counts.failed,
          'Not started': rows - done,
          By: <Person actor={actor} />,
          'File checked': <When time={batch.startedAt} />,
          Ended: batch.endedAt && <When time={batch.endedAt} />,
          'Waits, because': batch.problem,
        }}
      />
      <div class="actions">
        {isUnderWay(batch) && (
          <Form action={`${path}/stop`}>
            <button type="submit" class="secondary">
              Stop
            </button>
          </Form>
        )}
        <a href={`${path}/results.csv`}>{isUnderWay(batch) ? 'Results so far' : 'Results'} as CSV</a>
        <a href="/onboardings">All onboardings</a>
      </div>
      {failures.length > 0 && <Failures rows={failures} />}
    </div>
  );
}

function notesOf(batch: Batch): string[] {
  if (isUnderWay(batch)) return ['You can leave this page and open it again. The batch runs without it.'];
  if (batch.state.stage === 'done') return [];
  const again = 'upload the same file again: it starts the missing rows, and nothing twice.';
  return [`Started onboardings continue. To continue the batch, ${again}`];
}

function Failures({ rows }: { readonly rows: readonly RowResult[] }) {
  const columns = [
    { title: 'Line', cell: ({ line }: RowResult) => line, isNumber: true as const },
    {
      title: 'Onboarding',
      cell: ({ workflowId }: RowResult) => <a href={pathOf(workflowId)}>{workflowId}</a>,
    },
    { title: 'Problem', cell: ({ error }: RowResult) => error },
  ];
  return <Table caption="The first rows that failed; the CSV has all" rows={rows} columns={columns} isWide />;
}

const NUMBER = { class: 'short', inputMode: 'numeric' } as const;
const RATE = {
  class: 'short',
  inputMode: 'numeric',
  name: 'rate',
  label: 'Starts per second',
  advice: 'Leave it, unless the team that runs Gangway names another number.',
} as const;

/** The form that starts a checked file. For more than a few rows, a person must type their number. */
function Confirmation({ batch, problem }: BatchPageProps) {
  const { rows, kinds, name } = batch.state;
  const { warnings = [], count = 0, isComplete = true, attached, businesses = [] } = batch.warnings ?? {};
  const notes = [attachedSentence(attached, rows), isComplete ? undefined : NOT_READ];
  const names = rows > businesses.length ? [...businesses, 'others'] : businesses;
  const starting = startingIn(batch);
  const rate = String(DEFAULT_RATE);
  const wrong = (field: string) => (problem?.field === field ? [problem.message] : []);
  return (
    <section class="card" aria-label="What would start">
      <Facts
        facts={{
          Rows: rows,
          Kinds: kindsOf(kinds),
          Businesses: names.join(', '),
          Problems: 'none',
          Warnings: count || 'none',
        }}
      />
      <Notes notes={notes.filter((note) => note !== undefined)} />
      {count > 0 && <RowTable what="warnings" problems={warnings} count={count} />}
      <p>{consequenceOf(name, { rows, counts: kinds }, attached)}</p>
      {starting > 0 && (
        <Form action={`${pathOfBatch(batch.id)}/start`} noValidate autocomplete="off">
          <Field {...RATE} value={rate} problems={wrong('rate')} />
          {starting > UNCONFIRMED_ROWS && (
            <Field
              {...{ ...NUMBER, name: 'rows', problems: wrong('rows') }}
              label="To confirm, type the number of rows that start"
            />
          )}
          {count > 0 && (
            <Field
              {...{ name: 'warnings', type: 'checkbox', problems: wrong('warnings') }}
              label="The values with warnings are correct"
            />
          )}
          <button type="submit">Start {rowsOf(starting)}</button>
        </Form>
      )}
    </section>
  );
}

/** Returns the number of rows that start onboardings. The others attach to existing ones. */
function startingIn({ state, warnings }: Batch): number {
  return state.rows - (warnings?.attached ?? 0);
}

export async function startBatch(context: RequestContext): Promise<RouteResponse> {
  const batch = await batchIn(context);
  const to = pathOfBatch(batch.id);
  // A second click shows the batch that the first one started.
  if (batch.state.stage !== 'checked' || batch.hasEnded) return { to };
  const { fields } = context;
  const [rows, rate] = [fields.text('rows').trim(), fields.text('rate').trim()];
  const total = startingIn(batch);
  const again = (field: string, what: string): RouteResponse => {
    const problem = { field, message: `${what} Nothing was started.` };
    return { title: 'Batch', status: 422, page: <BatchPage batch={batch} problem={problem} /> };
  };
  if (total > UNCONFIRMED_ROWS && rows !== String(total))
    return again('rows', 'The number does not match the number of rows.');
  if ((batch.warnings?.count ?? 0) > 0 && fields.text('warnings') !== 'true')
    return again('warnings', 'Confirm the warnings first.');
  if (!/^[1-9]\d{0,3}$/.test(rate)) return again('rate', 'must be a whole number from 1 to 9999.');
  const handle = context.client.workflow.getHandle(batch.id);
  try {
    await callPromptly(context.client, () =>
      handle.executeUpdate(confirmBatch, { args: [{ rate: Number(rate), concurrency: 8 }] }),
    );
  } catch (error) {
    if (!isNotFound(error)) throw error;
    return { to, message: 'The confirmation came too late. Nothing was started.' };
  }
  context.audit(context.user, { what: 'start a batch', workflowId: batch.id, detail: `${total} rows` });
  return { to };
}

export async function stopBatch(context: RequestContext): Promise<RouteResponse> {
  const batch = await batchIn(context);
  if (!batch.hasEnded) await context.client.workflow.getHandle(batch.id).cancel();
  context.audit(context.user, { what: 'stop a batch', workflowId: batch.id });
  return { to: pathOfBatch(batch.id) };
}

const COLUMNS = ['line', 'externalId', 'workflowId', 'runId', 'result', 'error'];

export async function results(context: RequestContext): Promise<RouteResponse> {
  const batch = await batchIn(context);
  return {
    file: csvOf(await resultsOf(context.client, context.settings.taskQueue, batch), COLUMNS),
    fileName: `${batch.id}.csv`,
    contentType: 'text/csv; charset=utf-8',
  };
}

/** @throws {PageError} */
async function batchIn({ client, params: { id = '' }, user }: RequestContext): Promise<Batch> {
  const batch = await readBatch(client, batchIdOf(id));
  if (!batch || !isVisible(batch, user)) throw new PageError(404, NO_BATCH);
  return batch;
}

const NO_BATCH =
  'There is no such batch. To start its rows, upload the file again: it starts what is missing, and nothing twice.';
