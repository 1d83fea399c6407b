import { createHash } from 'node:crypto';
import type { JSX } from 'preact';
import { lineOf } from '../../../messages/fee-plans.js';
import { workflowId } from '../../../messages/ids.js';
import { accountProblem, knownWithin } from '../../../messages/inputs.js';
import { isFieldWithin, leavesOf } from '../../../messages/objects.js';
import { ONBOARDINGS, type OnboardingType } from '../../../messages/workflow-types.js';
import type { ReferenceField } from '../../../partners/boarding/references.js';
import type { FieldProblem } from '../../../partners/partner-error.js';
import { capitalize } from '../../../partners/text-limits.js';
import { cellAdvice, columnsOf } from '../../../services/batches/columns.js';
import { inputKind } from '../../../services/batches/validation.js';
import { formatWarnings, IN_FUTURE, inputWarnings } from '../../../services/batches/warnings.js';
import { proposedId } from '../../../services/forms/proposed-id.js';
import { inputForm, type Typed } from '../../../services/forms/typed-input.js';
import { Notes } from '../../../services/reports/page.js';
import { csvOf } from '../../../services/texts/csv.js';
import { check, InvalidInput } from '../../../services/texts/invalid-input.js';
import { parseJson, utf8 } from '../../../services/texts/text.js';
import type { AnyInput, Kind } from '../../../temporal/kinds/define-kind.js';
import { EACH_KIND } from '../../../temporal/kinds/kinds.js';
import { callPromptly, isUnavailable, rejectionOf, sentenceOf } from '../../../temporal/unavailable.js';
import { pathOf } from '../query.js';
import { maySee, PageError, type RequestContext, type RouteResponse, useRequest } from '../route.js';
import { type HeldForm, receivedForm } from '../uploads.js';
import { Drop } from './answer-forms.js';
import { BatchUpload } from './batch-file.js';
import { renderBatches } from './batches.js';
import { ANYWAY, ProblemList, pathLabel } from './input-fields.js';
import { type Choices, Field, Form, fieldLabel, Problem } from './parts.js';
import { Icon } from './pieces.js';
import {
  inForm,
  inputDifferences,
  lastName,
  NAME_FIELDS,
  REFERENCES,
  sharedLists,
  withNameFields,
  withNumbers,
} from './start-choices.js';
import { inOrder, Sections } from './start-sections.js';

/** The path of the merchant in an input, by type. */
const MERCHANT_IN: Readonly<Partial<Record<OnboardingType, string>>> = {
  merchantBoarding: '',
  customerOnboarding: 'boarding.',
};

type Startable = ReturnType<typeof startable>;

const STARTABLES: ReadonlyMap<string, Startable> = new Map(
  EACH_KIND.map((kind) => [ONBOARDINGS[kind.type].nouns[0], startable(kind)]),
);

export async function showChoice(context: RequestContext): Promise<RouteResponse> {
  const page = (
    <>
      <h1>Start</h1>
      <div class="cards">
        {[...STARTABLES].map(([name, { type }]) => (
          <section class="card choice">
            <h2>
              <Icon name="plus-circle" /> <a href={`/start/${name}`}>Start a {name}</a>
            </h2>
            <p class="advice">{capitalize(ONBOARDINGS[type].task)}.</p>
          </section>
        ))}
      </div>
      <div class="cards">
        <section class="card">
          <h2>One onboarding from a file</h2>
          <Form action="/start/file" enctype="multipart/form-data">
            <Drop>
              <Field
                {...{ name: 'input', label: 'JSON file', type: 'file', accept: '.json' }}
                advice="The input of a merchant, a business or a customer. Drop the file here, or choose it."
              />
            </Drop>
            <Field name="warnings" label="Start it even with warnings" type="checkbox" />
            <button type="submit">Check and start</button>
          </Form>
        </section>
        <BatchUpload />
      </div>
      {await renderBatches(context)}
    </>
  );
  return { title: 'Start', page };
}

/** Returns warnings about a valid input, in the form's words. */
async function warningsOf(
  { client, settings }: RequestContext,
  { type }: Kind,
  input: AnyInput,
): Promise<readonly FieldProblem[]> {
  const id = workflowId(type, input.externalId, input.account);
  const { warnings } = await inputWarnings(client, settings.taskQueue, input, id, sharedLists);
  return warnings
    .map(({ field, message }) => ({ field, message: message.replace(REFERENCES, fieldLabel) }))
    .map(withNameFields);
}

function startable(kind: Kind) {
  const [name] = ONBOARDINGS[kind.type].nouns;
  const formFor = ({ settings, user }: RequestContext) =>
    inputForm(kind.schema(knownWithin(settings, user.accounts)));
  const prefix = MERCHANT_IN[kind.type];
  const show = async (context: RequestContext, values: Given): Promise<RouteResponse> => {
    const choices = await partnerChoices(context, prefix);
    const { parts } = formFor(context);
    const page = <StartPage {...{ path: name, prefix, choices, ...values, parts }} />;
    const title = values.existing ? EXISTS : `Start a ${name}`;
    return { title, status: values.status, page };
  };
  return {
    type: kind.type,
    template({ settings, user }: RequestContext): RouteResponse {
      const { names, find } = columnsOf([kind.schema(knownWithin(settings, user.accounts))]);
      const advice = names.flatMap((column) => {
        const match = find(column);
        return match ? [[column, cellAdvice(match)]] : [];
      });
      const file = csvOf([Object.fromEntries(advice)], names);
      return { file, fileName: `${name}.csv`, contentType: 'text/csv; charset=utf-8' };
    },
    form: (context: RequestContext) => show(context, { status: 200, typed: new Map(), problems: [] }),
    async start(context: RequestContext) {
      const form = formFor(context);
      const { fields } = context;
      const typed = new Map(form.typedIn(context.request.body as Readonly<Record<string, unknown>>));
      const { names, isOther } = withFees(context, prefix, typed);
      const proposal = typed.has('externalId') ? '' : proposedId(nameIn(typed));
      if (proposal !== '') typed.set('externalId', proposal);
      if (fields.text('show') !== '') return show(context, { status: 200, typed, problems: [], names });
      if (isOther) return show(context, { status: 422, typed, problems: [], failure: OTHER_PLAN });
      const read = form.read(withNumbers(typed));
      const account = accountProblem(context.user.accounts, typed.get('account'));
      const problems = [
        ...(account ? [account] : []),
        ...('problems' in read ? read.problems.map(withNameFields) : []),
        ...(proposal === '' ? [] : [{ field: 'externalId', message: PROPOSED }]),
        // A birth in the future is a problem, not a warning that a person can confirm.
        ...formatWarnings(Object.fromEntries(typed)).filter(({ message }) => message === IN_FUTURE),
      ];
      if ('problems' in read || problems.length > 0)
        return show(context, { status: 422, typed, problems, names });
      try {
        const hasPlan = typed.has(`${prefix}feePlan`);
        const confirmed = context.fields.text('confirmed');
        const digest = createHash('sha256').update(JSON.stringify(read.input)).digest('hex');
        const warnings = confirmed === digest ? [] : await warningsOf(context, kind, read.input);
        if (warnings.length > 0)
          return show(context, {
            status: 422,
            typed,
            names,
            problems: warnings.map(inForm(hasPlan)),
            digest,
          });
        const outcome = await started(context, kind, read.input);
        if (!('existing' in outcome)) return outcome;
        return await show(context, { status: 200, typed, names, problems: [], ...outcome });
      } catch (error) {
        // The typed values must survive while Temporal does not respond.
        const failure = rejectionOf(error) ?? sentenceOf(error);
        if (failure === undefined) throw error;
        return show(context, {
          status: isUnavailable(error) ? 503 : 409,
          typed,
          names,
          problems: [],
          failure,
        });
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
      const outcome = await started(context, kind, input);
      return 'existing' in outcome ? { title: EXISTS, page: outcome.existing } : outcome;
    },
  };
}

const EXISTS = 'It already exists';

const OTHER_PLAN =
  'Nothing was started, because you chose another fee plan than the one you saw. Check its fees, and press the button again.';

const PROPOSED = 'is proposed from the name: check it, and press the button again';

function nameIn(typed: Typed): string {
  const [, name = ''] =
    [...typed].find(([field]) => /^(?:dba|doingBusinessAsName)$/.test(lastName(field))) ?? [];
  return name;
}

/** Returns the current fee plans, or the reason why they cannot be used. */
function plansNow({ settings }: RequestContext) {
  try {
    return { plans: settings.feePlans(), problem: undefined };
  } catch (error) {
    return { plans: [], problem: `No fee plan can be used now: ${(error as Error).message}` };
  }
}

/**
 * Adds the typed numbers of the fee plan that the form showed.
 *
 * @returns the names of their fields. `isOther` if the person typed numbers for another plan and has not seen this plan's numbers
 */
function withFees(context: RequestContext, prefix: string | undefined, typed: Map<string, string>) {
  const { fields } = context;
  const before = fields.text('shown');
  const plan = plansNow(context).plans.find(({ name }) => name === typed.get(`${prefix}feePlan`));
  if (before === '' || !plan) return { names: [], isOther: false };
  if (before !== plan.name) return { names: [], isOther: true };
  const leaves = leavesOf(plan.fees).map((leaf) => ({ ...leaf, name: `${prefix}fees.${leaf.field}` }));
  // A group that is typed as JSON replaces its numbers in the table.
  const open = leaves.filter(({ name }) => ![...typed.keys()].some((field) => name.startsWith(`${field}.`)));
  const posted = open.filter(
    ({ field, name }) => isFieldWithin(field, plan.mayChange) && fields.names.includes(name),
  );
  const lines = new Set(posted.map(({ field }) => lineOf(field)));
  // An input has whole lines. A cleared number is a problem, because it may or may not mean zero.
  const own = open.filter(({ field }) => lines.has(lineOf(field)));
  for (const { name, value } of own)
    typed.set(name, posted.some((each) => each.name === name) ? fields.text(name).trim() : String(value));
  const names = own.map(({ name }) => name);
  return { names, isOther: false };
}

interface Given {
  readonly status: number;
  readonly typed: Typed;
  /** The names of the fee plan's typed fields. */
  readonly names?: readonly string[];
  readonly problems: readonly FieldProblem[];
  /** Identifies an input that has only warnings, so a person confirms exactly this input. */
  readonly digest?: string;
  /** The reason why a valid input was not started. */
  readonly failure?: string;
  /** An earlier onboarding with the same external ID. */
  readonly existing?: JSX.Element;
}

interface StartPageProps extends Given {
  readonly path: string;
  /** The prefix of the merchant's fields: '' or `boarding.`; undefined if the input has no merchant. */
  readonly prefix: string | undefined;
  readonly parts: ReturnType<typeof inputForm>['parts'];
  /** The choices from the partner's lists, by field; undefined if the lists cannot be read. */
  readonly choices: Readonly<Record<string, Choices>> | undefined;
}

const NO_PROGRAM = ['false', 'none: without a fee plan, the merchant has no fees at first'] as const;

/**
 * Reads the boarding partner's lists. Only for people with one account, because lists differ by account.
 *
 * @returns undefined if the lists cannot be read now
 */
async function partnerChoices({ client, settings, user }: RequestContext, prefix: string | undefined) {
  const { accounts } = knownWithin(settings, user.accounts);
  const own = [...(maySee(user, undefined) ? [undefined] : []), ...Object.keys(accounts)];
  if (prefix === undefined || own.length !== 1) return {};
  const listed = await sharedLists(client, settings.taskQueue, own[0]);
  if (!listed) return undefined;
  return Object.fromEntries(
    NAME_FIELDS.map(([field, name]) => [
      prefix + name,
      [
        ...listed[field as ReferenceField].map(
          (each) => [String(each.id), `${each.name ?? 'no name'} (${each.id})`] as const,
        ),
        ...(name === 'boardingSettings' ? [NO_PROGRAM] : []),
      ],
    ]),
  );
}

const UNREAD =
  'No worker read the partner’s lists of agents and programs in time. Type a number or a name, or reload this page later.';

function StartPage({
  path,
  prefix,
  parts,
  choices,
  typed,
  names = [],
  problems,
  digest,
  failure,
  existing,
}: StartPageProps) {
  const context = useRequest();
  const { settings, user } = context;
  const accounts = Object.keys(knownWithin(settings, user.accounts).accounts);
  const { plans, problem } = plansNow(context);
  const hasPlans = prefix !== undefined && plans.length > 0;
  const own = {
    account: [
      ...(maySee(user, undefined) ? [['', 'the account without a name'] as const] : []),
      ...accounts.map((name) => [name, name] as const),
    ],
    [`${prefix}feePlan`]: [
      ['', 'none: the fees of the program'] as const,
      ...plans.map(
        ({ name, description = '' }) => [name, description ? `${name}: ${description}` : name] as const,
      ),
    ],
  };
  const hidden = [
    ...(accounts.length > 0 ? [] : ['account']),
    ...(hasPlans ? [] : [`${prefix}feePlan`]),
    ...NAME_FIELDS.map(([id]) => prefix + id),
  ];
  const plan = plans.find(({ name }) => name === typed.get(`${prefix}feePlan`));
  const address = `/start/${path}`;
  return (
    <>
      {existing ?? <h1>Start a {path}</h1>}
      {failure && (
        <Problem>
          <p>{failure}</p>
          <p>What you typed is still here. The same external ID never starts a second one.</p>
        </Problem>
      )}
      {problems.length > 0 && (
        <ProblemList
          isWarning={digest !== undefined}
          problems={inOrder(problems, parts)}
          parts={parts}
          more={names}
        />
      )}
      {!choices && <Notes notes={[UNREAD]} />}
      {problem && prefix !== undefined && <Notes notes={[problem]} />}
      <Form
        {...{ action: address, noValidate: true, autocomplete: 'off', spellcheck: false }}
        isTyped={context.request.method === 'POST'}
        hidden={digest === undefined ? {} : { confirmed: digest }}
      >
        {/* Enter presses the first button. */}
        <button type="submit" hidden />
        <Sections
          {...{ parts, hidden, typed, problems, choices: { ...choices, ...own } }}
          pricing={{ path: address, prefix: `${prefix}fees.`, hasPlans, plan, typed, problems }}
        />
        {digest === undefined ? (
          <button type="submit">Start the {path}</button>
        ) : (
          <button type="submit" data-changed={`Start the ${path}`}>
            {ANYWAY}
          </button>
        )}
      </Form>
    </>
  );
}

/** Starts an onboarding, or shows an earlier one with the same `externalId`. */
async function started(
  context: RequestContext,
  kind: Kind,
  input: AnyInput,
): Promise<RouteResponse | { readonly existing: JSX.Element }> {
  const { client, settings, user, audit } = context;
  const { taskQueue, dbaForm, fourEyes } = settings;
  const { workflowId, started: isNew } = await callPromptly(client, () =>
    kind.start(client, input, { taskQueue, dbaForm, fourEyes, actor: user.actor }),
  );
  const to = pathOf(workflowId);
  audit(user, { what: 'start', workflowId, detail: isNew ? 'started' : 'was there before' });
  if (isNew) return { to, message: 'Started.' };
  const fields = await inputDifferences(context, workflowId, input);
  const existing = (
    <>
      <h1>{EXISTS}</h1>
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
              <li>{field === '' ? 'The whole input' : pathLabel(field)}</li>
            ))}
          </ul>
          <p>For another onboarding, use another external ID.</p>
        </>
      )}
    </>
  );
  return { existing };
}

/** Larger than any input that Temporal accepts. */
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
  const result = inputKind(value);
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
