import { createHash } from 'node:crypto';
import { workflowId } from '../../../messages/ids.js';
import { accountProblem, knownWithin } from '../../../messages/inputs.js';
import { EACH_ONBOARDING, ONBOARDINGS, type OnboardingType } from '../../../messages/kinds.js';
import { capitalize } from '../../../partners/bounds.js';
import type { FieldProblem } from '../../../partners/partner-error.js';
import { columnsOf } from '../../../services/batches/columns.js';
import { kindOf } from '../../../services/batches/validation.js';
import { inputWarnings, type References, referencesAt } from '../../../services/batches/warnings.js';
import { inputForm, type Typed } from '../../../services/forms/typed-input.js';
import { Notes } from '../../../services/reports/page.js';
import { csvOf } from '../../../services/texts/csv.js';
import { check, InvalidInput } from '../../../services/texts/invalid-input.js';
import { parseJson, utf8 } from '../../../services/texts/text.js';
import type { AnyInput, Kind } from '../../../temporal/kinds/kind.js';
import { EACH_KIND } from '../../../temporal/kinds/kinds.js';
import { SharedReads } from '../../../temporal/sharing.js';
import { differenceFromStart } from '../../../temporal/start.js';
import { callPromptly, isUnavailable, rejectionOf, sentenceOf } from '../../../temporal/unavailable.js';
import { pathOf } from '../query.js';
import { maySee, PageError, type RequestContext, type RouteResponse, useRequest } from '../route.js';
import { type HeldForm, receivedForm } from '../uploads.js';
import { BatchUpload } from './batch-file.js';
import { renderBatches } from './batches.js';
import { InputFields, ProblemList } from './input-fields.js';
import { type Choices, Field, Form, fieldLabel, Problem } from './parts.js';

type Startable = ReturnType<typeof startable>;

const STARTABLES: ReadonlyMap<string, Startable> = new Map(
  EACH_KIND.map((kind) => [ONBOARDINGS[kind.type].nouns[0], startable(kind)]),
);

export async function showChoice(context: RequestContext): Promise<RouteResponse> {
  const page = (
    <>
      <h1>Start</h1>
      <h2>One onboarding</h2>
      <ul>
        {[...STARTABLES].map(([name, { type }]) => (
          <li>
            <a href={`/start/${name}`}>Start a {name}</a>{' '}
            <span class="faint">{capitalize(ONBOARDINGS[type].task)}.</span>
          </li>
        ))}
      </ul>
      <h2>One onboarding from a file</h2>
      <Form action="/start/file" enctype="multipart/form-data">
        <Field name="warnings" label="Start it even with warnings" type="checkbox" />
        <Field
          {...{ name: 'input', label: 'JSON file', type: 'file', accept: '.json' }}
          advice={[
            ...[
              'As the commands take it: ',
              EACH_ONBOARDING.map(([, { command }]) => command).join(', '),
              '.',
            ],
          ]}
        />
        <button type="submit">Check and start</button>
      </Form>
      <BatchUpload />
      {await renderBatches(context)}
    </>
  );
  return { title: 'Start', page };
}

/** The time for which forms and checks share the partner's lists, or its failure to respond, in milliseconds. */
const SHARED_MS = 5_000;

const lists = new SharedReads<References | undefined>(SHARED_MS);

const sharedLists: typeof referencesAt = (client, taskQueue, account) =>
  lists.get(client, `${taskQueue} ${account ?? ''}`, () => referencesAt(client, taskQueue, account));

const REFERENCES = /\b(?:agentProfileId|boardingSettingsId)\b/g;

/** Warnings about an input that would be started, in the words of the form. */
async function warningsOf(
  { client, settings }: RequestContext,
  { type }: Kind,
  input: AnyInput,
): Promise<readonly FieldProblem[]> {
  const id = workflowId(type, input.externalId, input.account);
  const { warnings } = await inputWarnings(client, settings.taskQueue, input, id, sharedLists);
  return warnings.map(({ field, message }) => ({ field, message: message.replace(REFERENCES, fieldLabel) }));
}

function startable(kind: Kind) {
  const [name] = ONBOARDINGS[kind.type].nouns;
  const formFor = ({ settings, user }: RequestContext) =>
    inputForm(kind.schema(knownWithin(settings, user.accounts)));
  const show = async (context: RequestContext, values: Given): Promise<RouteResponse> => {
    const choices = await partnerChoices(context, kind.type);
    const page = <StartPage {...{ path: name, choices, ...values }} parts={formFor(context).parts} />;
    return { title: `Start a ${name}`, status: values.status, page };
  };
  return {
    type: kind.type,
    template: ({ settings, user }: RequestContext): RouteResponse => ({
      file: csvOf([], columnsOf([kind.schema(knownWithin(settings, user.accounts))]).names),
      ...{ fileName: `${name}.csv`, contentType: 'text/csv; charset=utf-8' },
    }),
    form: (context: RequestContext) => show(context, { status: 200, typed: new Map(), problems: [] }),
    async start(context: RequestContext) {
      const form = formFor(context);
      const typed = form.typedIn(context.request.body as Readonly<Record<string, unknown>>);
      const read = form.read(typed);
      const account = accountProblem(context.user.accounts, typed.get('account'));
      const problems = [...(account ? [account] : []), ...('problems' in read ? read.problems : [])];
      if ('problems' in read || account) return show(context, { status: 422, typed, problems });
      try {
        const confirmed = context.fields.text('confirmed');
        const digest = createHash('sha256').update(JSON.stringify(read.input)).digest('hex');
        const warnings = confirmed === digest ? [] : await warningsOf(context, kind, read.input);
        if (warnings.length > 0) return show(context, { status: 422, typed, problems: warnings, digest });
        return await started(context, kind, read.input);
      } catch (error) {
        // The typed values must survive while Temporal does not respond.
        const failure = rejectionOf(error) ?? sentenceOf(error);
        if (failure === undefined) throw error;
        return show(context, { status: isUnavailable(error) ? 503 : 409, typed, problems: [], failure });
      }
    },
    async fromFile(context: RequestContext, value: unknown, file: string, isConfirmed: boolean) {
      const input = check(kind.schema(knownWithin(context.settings, context.user.accounts)), value, file);
      const problem = accountProblem(context.user.accounts, input.account);
      if (problem) throw new InvalidInput(`${file}: is not valid; nothing was started`, [problem]);
      const warnings = isConfirmed ? [] : await warningsOf(context, kind, input);
      const labelled = warnings.map(({ field, message }) => ({ field: fieldLabel(field), message }));
      if (warnings.length > 0)
        throw new InvalidInput(`${file}: may have mistakes; nothing was started`, labelled);
      return started(context, kind, input);
    },
  };
}

interface Given {
  readonly status: number;
  readonly typed: Typed;
  readonly problems: readonly FieldProblem[];
  /** Of an input whose problems are only warnings: a person confirms exactly this one. */
  readonly digest?: string;
  /** The reason why a valid input was not started. */
  readonly failure?: string;
}

interface StartPageProps extends Given {
  readonly path: string;
  readonly parts: ReturnType<typeof inputForm>['parts'];
  /** From the partner's lists, by field; undefined when they could not be read. */
  readonly choices: Readonly<Record<string, Choices>> | undefined;
}

/** Where an input names an agent and boarding settings. */
const AGENTS_IN: Readonly<Partial<Record<OnboardingType, string>>> = {
  merchantBoarding: '',
  customerOnboarding: 'boarding.',
};

/**
 * Reads the boarding partner's lists for a person with one account, because the lists of two accounts differ.
 *
 * @returns undefined when it cannot be read now
 */
async function partnerChoices({ client, settings, user }: RequestContext, type: OnboardingType) {
  const { accounts } = knownWithin(settings, user.accounts);
  const own = [...(maySee(user, undefined) ? [undefined] : []), ...Object.keys(accounts)];
  const prefix = AGENTS_IN[type];
  if (prefix === undefined || own.length !== 1) return {};
  const listed = await sharedLists(client, settings.taskQueue, own[0]);
  if (!listed) return undefined;
  return Object.fromEntries(
    Object.entries(listed).map(([field, all]) => [
      prefix + field,
      all.map(({ id, name }) => [String(id), `${name ?? 'no name'} (${id})`] as const),
    ]),
  );
}

const UNREAD =
  'No worker read the partner’s lists of agents and boarding settings in time. Type an ID or a name, or reload this page later.';

function StartPage({ path, parts, choices, typed, problems, digest, failure }: StartPageProps) {
  const { settings, user } = useRequest();
  const names = Object.keys(knownWithin(settings, user.accounts).accounts);
  const account = [
    ...(maySee(user, undefined) ? [['', 'the account without a name'] as const] : []),
    ...names.map((name) => [name, name] as const),
  ];
  const visibleParts = names.length > 0 ? parts : parts.filter(({ name }) => name !== 'account');
  return (
    <>
      <h1>Start a {path}</h1>
      {failure && (
        <Problem>
          <p>{failure}</p>
          <p>What you typed is still here. The same external ID never starts a second one.</p>
        </Problem>
      )}
      {problems.length > 0 && (
        <ProblemList isWarning={digest !== undefined} problems={problems} parts={visibleParts} />
      )}
      {!choices && <Notes notes={[UNREAD]} />}
      <Form
        {...{ action: `/start/${path}`, noValidate: true, autocomplete: 'off' }}
        hidden={digest === undefined ? {} : { confirmed: digest }}
      >
        <InputFields parts={visibleParts} {...{ typed, problems }} choices={{ ...choices, account }} />
        <button type="submit">Start the {path}</button>
      </Form>
    </>
  );
}

/** Starts an onboarding, or shows the one of the same `externalId` that was there before. */
async function started(context: RequestContext, kind: Kind, input: AnyInput): Promise<RouteResponse> {
  const { client, settings, user, audit } = context;
  const { taskQueue, dbaForm, fourEyes } = settings;
  const { workflowId, started: isNew } = await callPromptly(client, () =>
    kind.start(client, input, { taskQueue, dbaForm, fourEyes }),
  );
  const to = pathOf(workflowId);
  audit(user, { what: 'start', workflowId, detail: isNew ? 'started' : 'was there before' });
  if (isNew) return { to, message: 'Started.' };
  const fields = await differenceFromStart(client, workflowId, input);
  const page = (
    <>
      <h1>It already exists</h1>
      <p>
        <a href={to}>{workflowId}</a> was started before with this external ID, so nothing was started now.
      </p>
      {fields === undefined ? (
        <p>Its input can no longer be read, so it was not compared with yours.</p>
      ) : fields.length === 0 ? (
        <p>Its input is the same.</p>
      ) : (
        <>
          <p>Your input differs from the first one in these fields, which were not changed:</p>
          <ul>
            {fields.map((field) => (
              <li>{field === '' ? 'the whole input' : <code>{field}</code>}</li>
            ))}
          </ul>
          <p>For another onboarding, use another external ID.</p>
        </>
      )}
    </>
  );
  return { title: 'It already exists', page };
}

/** Larger than any input that Temporal takes. */
const MAX_INPUT_BYTES = 2 * 1024 * 1024;

export function startFromFile(context: RequestContext): Promise<RouteResponse> {
  return receivedForm(context, MAX_INPUT_BYTES, (form) => startHeld(context, form));
}

async function startHeld(
  context: RequestContext,
  { fields, files: { input: file } }: HeldForm,
): Promise<RouteResponse> {
  if (!file) throw new PageError(422, 'Choose a file first. Nothing was started.');
  const value = parseJson(utf8(file.bytes, file.name), file.name);
  const result = kindOf(value);
  if ('problem' in result) throw new InvalidInput(`${file.name}: ${result.problem}; nothing was started`);
  return startable(result.kind).fromFile(context, value, file.name, fields['warnings'] === 'true');
}

const NO_KIND = 'There is no such kind of onboarding.';

/** @throws {PageError} */
export function kindIn({ params: { kind = '' } }: RequestContext): Startable {
  const match = STARTABLES.get(kind);
  if (!match) throw new PageError(404, NO_KIND);
  return match;
}
