import type { ComponentChildren } from 'preact';
import type { Correctable } from '../../../messages/activities.js';
import { asSubject, isSamePerson } from '../../../messages/actors.js';
import { currentClaim, LONGEST_REMARK } from '../../../messages/claims.js';
import { isMerchant } from '../../../messages/links.js';
import { fieldOf } from '../../../messages/objects.js';
import type { OnboardingState, TimelineEntry } from '../../../messages/onboarding-state.js';
import { detailBeside, type Requirement, TASKS } from '../../../messages/requirements.js';
import { capitalize } from '../../../partners/text-limits.js';
import { changesOf, inputFor } from '../../../services/forms/corrections.js';
import { Facts } from '../../../services/reports/page.js';
import { displayName } from '../../../services/texts/display-names.js';
import {
  answeredBefore,
  closedBefore,
  confirmationOf,
  remarksOn,
  saidOf,
} from '../../../services/texts/timeline-entries.js';
import { proposedAnswerOf } from '../../../temporal/find-onboarding.js';
import { type Listed, toListed } from '../../../temporal/search.js';
import { UnreadableOnboarding } from '../../../temporal/unreadable.js';
import type { Filled } from '../answer.js';
import { formFields } from '../correction-fields.js';
import { onboardingView, openOnboarding, readMaskedInput, readState, tabTitle } from '../onboarding-view.js';
import { type Fields, IS_NEXT, pathOf, withList } from '../query.js';
import { CurrentRequest, hasRole, PageError, type RequestContext, type RouteResponse } from '../route.js';
import { AboutBusiness, Help } from './about-requirement.js';
import { AnswerForms } from './answer-forms.js';
import { AskMerchant, type AskProps, MerchantStatus, templatesOf } from './ask-merchant.js';
import {
  ASSIGNEE,
  ColleagueField,
  colleaguesOf,
  Handling,
  listIn,
  type ProposedShown,
  pageIn,
  runAction,
} from './handling.js';
import { withLabels } from './input-fields.js';
import { Due, Field, Form, InZone, Person, Problem, summarize, Trail, When } from './parts.js';

/** A request for a requirement, with the requirement's state. `requirement` is undefined if it is not open. */
export type RequirementContext = Awaited<ReturnType<typeof findRequirement>>;

/** Finds the requirement of a request. @param fresh reads it from the worker, as required before an answer */
export async function findRequirement(context: RequestContext, fresh: boolean) {
  const { client, params } = context;
  const { requirementId = '' } = params;
  const description = await openOnboarding(context);
  const listed = await toListed(client, description);
  const { workflowId } = listed;
  const { state: last, obstacle } = await readState(client, workflowId, fresh);
  // If the state cannot be read, use the last known requirement, or that in the list of workflows.
  const state = obstacle ? undefined : last;
  const open = last?.requirements.find(({ id }) => id === requirementId);
  const requirement = open ?? (obstacle && listedRequirement(listed, requirementId));
  // Read the input that a correction changes only once.
  let reading: Promise<Correctable> | undefined;
  const correctable = async () => {
    if (!state) throw new PageError(503, 'The onboarding cannot be read now.');
    reading ??= inputFor(client, workflowId, state, requirementId);
    return reading;
  };
  const path = pathOf(workflowId, 'requirements', requirementId);
  const base = { path, description, listed, state, obstacle, requirement, correctable };
  return { ...context, workflowId, requirementId, ...base };
}

/** Returns the requirement from the list of workflows, which lacks the allowed answers. */
function listedRequirement({ requirements }: Listed, requirementId: string): Requirement | undefined {
  const context = requirements.find(({ id }) => id === requirementId);
  if (!context) return undefined;
  const { id, kind, raisedAt, dueAt } = context;
  return { id, kind, raisedAt, dueAt, title: TASKS[kind], detail: '', answers: [] };
}

export async function showRequirement(requestContext: RequestContext): Promise<RouteResponse> {
  const context = await findRequirement(requestContext, false);
  const { workflowId, requirementId, state } = context;
  // If a customer's part raised the requirement, people answer it on the part's page.
  const view = await onboardingView(requestContext.client, workflowId);
  const item = view.requirements.find(({ requirement }) => requirement.id === requirementId);
  if (item && item.workflowId !== workflowId)
    return {
      to: withList(pathOf(item.workflowId, 'requirements', requirementId), listIn(requestContext).list),
    };
  if (state && !context.requirement) return renderGone(context, state);
  return renderRequirement(context);
}

export async function showState(requestContext: RequestContext): Promise<RouteResponse> {
  const context = await findRequirement(requestContext, false);
  return { part: <LiveState context={context} proposed={await proposedIn(context)} /> };
}

/** Returns the proposed answer that a second person must confirm, if this person may see it. */
async function proposedIn(context: RequirementContext): Promise<ProposedShown | undefined> {
  const { client, user, workflowId, requirement, obstacle, correctable } = context;
  if (obstacle || !requirement?.proposal || !hasRole(user, 'operator')) return undefined;
  try {
    const proposed = await proposedAnswerOf(client, workflowId, requirement.id);
    if (!proposed) return undefined;
    const { answer } = proposed;
    const changes = answer.kind === 'correction' ? changesOf(await correctable(), answer.patch) : undefined;
    return { answer, changes };
  } catch (error) {
    if (error instanceof UnreadableOnboarding) return undefined;
    throw error;
  }
}

interface Extra {
  readonly status?: number;
  readonly asked?: AskProps['asked'];
  readonly filled?: Filled;
  readonly notice?: ComponentChildren;
  readonly preview?: ComponentChildren;
  /** The reason why the assignment or remark in this request was refused. */
  readonly refusal?: Refusal | undefined;
}

interface Refusal {
  readonly form: 'assign' | 'remark';
  readonly message: string;
}

/** Renders a requirement's page. @throws {PageError} if there is no such requirement */
export async function renderRequirement(
  context: RequirementContext,
  extra: Extra = {},
): Promise<RouteResponse> {
  const { requirement, workflowId, listed, obstacle, client } = context;
  if (!requirement) throw new PageError(404, 'There is no such requirement.');
  const { status = 200, filled, notice, preview, refusal } = extra;
  const takesCorrection = context.state && requirement.answers.includes('correction');
  const correctable = takesCorrection
    ? formFields(await context.correctable(), context.settings, requirement)
    : undefined;
  const proposed = await proposedIn(context);
  const answers = preview ? [] : obstacle && filled ? [filled.kind] : requirement.answers;
  const asks = extra.asked !== undefined || context.fields.text('template') !== '';
  // If the input cannot be read, show the question without the summary.
  const input = obstacle
    ? undefined
    : await readMaskedInput(client, context.description).catch(() => undefined);
  const page = (
    <CurrentRequest.Provider value={context}>
      <Trail to={pathOf(workflowId)} name={displayName(listed)} />
      {context.fields.text(IS_NEXT) !== '' && (
        <p class="notes">
          This is another question: the next one of your inbox, about <strong>{displayName(listed)}</strong>.
        </p>
      )}
      <h1>
        {requirement.title} <small>{displayName(listed)}</small>
      </h1>
      {obstacle && <ObstacleNote obstacle={obstacle} />}
      {notice}
      <div class="columns">
        <section class="card" aria-label="What is asked">
          <Asked requirement={requirement} />
          <LiveState context={context} proposed={proposed} />
          {preview}
          <AnswerForms
            {...{ workflowId, filled, correctable, ...listIn(context) }}
            requirement={{ ...requirement, answers }}
            page={filled ? pageIn(context, workflowId) : workflowId}
            isOpen={filled !== undefined || !(asks || requirement.proposal)}
          >
            <AskMerchant
              {...{ workflowId, requirement, asked: extra.asked }}
              {...{ templates: templatesOf(context, requirement), fields: correctable ?? [], isOpen: asks }}
            />
            <RemarkForm context={context} refusal={refusal} />
            <AssignForm context={context} refusal={refusal} />
          </AnswerForms>
        </section>
        <aside>
          <AboutBusiness listed={listed} state={context.state} input={input} />
          <Help requirement={requirement} />
        </aside>
      </div>
    </CurrentRequest.Provider>
  );
  const reference = requirement.id.split('-').at(-1)?.slice(0, 4);
  const task = `${capitalize(TASKS[requirement.kind])} ${reference}`;
  return { status, title: tabTitle(context, listed, task), page };
}

export function ObstacleNote({ obstacle }: { readonly obstacle: UnreadableOnboarding }) {
  return (
    <Problem>
      <p>
        <strong>This onboarding cannot be read now:</strong> {obstacle.detail}.
      </p>
      <p>It loses nothing meanwhile. Ask the team that runs Gangway to start a worker, then try again.</p>
    </Problem>
  );
}

export function Asked({ requirement }: { readonly requirement: Requirement }) {
  const { raisedAt, dueAt, kind } = requirement;
  return (
    <div>
      <p class="facts-line">
        <strong>{capitalize(TASKS[kind])}</strong>
        <Due at={dueAt} />
        <span>
          asked <When time={raisedAt} />
        </span>
      </p>
      <Detail requirement={requirement} />
    </div>
  );
}

export function Detail({ requirement }: { readonly requirement: Requirement }) {
  const detail = withLabels(requirement, detailBeside(requirement));
  return detail === '' ? null : <blockquote class="detail">{<InZone text={detail} />}</blockquote>;
}

type LiveProps = { readonly context: RequirementContext } & Pick<Parameters<typeof Handling>[0], 'proposed'>;

/** The part of the page that updates even while a person types: the claim, the proposal, and the last answer. */
function LiveState({ context, proposed }: LiveProps) {
  const { workflowId, requirementId, requirement, state, path } = context;
  return (
    <div
      {...{ id: `live-${requirementId}`, 'data-live': withList(`${path}/part`, listIn(context).list) }}
      {...{ 'data-seconds': 5, role: 'status' }}
    >
      {state && !requirement ? (
        <Problem>
          <p>
            <Ended context={context} state={state} />
          </p>
          <p>
            What you typed is still here. <a href={pathOf(workflowId)}>See the onboarding</a>
          </p>
        </Problem>
      ) : (
        requirement && (
          <>
            <Handling {...{ workflowId, proposed }} requirement={ofColleagues(requirement)} />
            <MerchantStatus {...{ workflowId, requirement, state, proposed }} />
          </>
        )
      )}
      {state && <Remarks state={state} requirementId={requirementId} />}
    </div>
  );
}

/** Returns the requirement without a merchant's answer, which the page shows with the link. */
function ofColleagues({ proposal, ...requirement }: Requirement): Requirement {
  return proposal && !isMerchant(proposal.actor) ? { ...requirement, proposal } : requirement;
}

interface EndedProps {
  readonly context: RequirementContext;
  readonly state: OnboardingState;
}

/** Returns the timeline entry with a requirement's last answer, or with the reason why it closed. */
function lastOn({ timeline }: OnboardingState, requirementId: string): TimelineEntry | undefined {
  return [answeredBefore(timeline, requirementId), closedBefore(timeline, requirementId)]
    .filter((entry) => entry !== undefined)
    .sort((one, other) => other.at.localeCompare(one.at))[0];
}

/** Shows who answered a closed requirement, or why it closed. */
function Ended({ state, context: { requirementId, user } }: EndedProps) {
  const last = lastOn(state, requirementId);
  if (!last) return <>This requirement is not open: it was closed long ago, or never existed.</>;
  if (last.event === 'requirement-closed') {
    return (
      <>
        This requirement closed <When time={last.at} isExact />: {saidOf(last)}.
      </>
    );
  }
  const { actor = 'Someone' } = last;
  return (
    <>
      <strong>
        {isSamePerson(actor, user.actor) ? (
          'You answered this'
        ) : isConfirmedBy(user.actor, last, state) ? (
          <>
            You confirmed the answer of <Person actor={actor} />
          </>
        ) : (
          `${asSubject(actor)} answered this first`
        )}
      </strong>
      , <When time={last.at} isExact />: {summarize(saidOf(last))}
    </>
  );
}

function isConfirmedBy(actor: string, answered: TimelineEntry, { timeline }: OnboardingState): boolean {
  const { actor: second } = confirmationOf(timeline, answered) ?? {};
  return second !== undefined && isSamePerson(second, actor);
}

interface RemarksProps {
  readonly state: OnboardingState;
  readonly requirementId: string;
}

export function Remarks({ state, requirementId }: RemarksProps) {
  const remarks = remarksOn(state.timeline, requirementId);
  if (remarks.length === 0) return null;
  return (
    <section aria-label="Remarks">
      {remarks.map((entry) => (
        <p class="notes calm">
          <strong>{entry.actor && <Person actor={entry.actor} />}</strong>, <When time={entry.at} isExact />:{' '}
          {saidOf(entry)}
        </p>
      ))}
    </section>
  );
}

type RefusableProps = Pick<EndedProps, 'context'> & Pick<Extra, 'refusal'>;

/** Returns the typed fields of a refused form. Shows a problem with a remark's text at its field. */
function typedIn(
  { fields }: Pick<RequirementContext, 'fields'>,
  refusal: Refusal | undefined,
  form: Refusal['form'],
) {
  if (refusal?.form !== form) return undefined;
  const { message } = refusal;
  const first = form === 'assign' ? ASSIGNEE : 'remark';
  const [, field, problem] = /^(text|assignee): (.*)$/s.exec(message) ?? ['', first, message];
  const wrong = field === 'text' ? 'remark' : field;
  return (name: string) => ({
    value: fields.text(name),
    problems: name === wrong && problem ? [problem] : [],
  });
}

function RemarkForm({ context, refusal }: RefusableProps) {
  const { requirementId, path, user } = context;
  if (!hasRole(user, 'operator')) return null;
  const typed = typedIn(context, refusal, 'remark');
  return (
    <details class="answer" open={typed !== undefined}>
      <summary>Remark for colleagues</summary>
      <Form action={`${path}/remarks`} id={`form-${requirementId}-remark`} hidden={listIn(context)}>
        <Field
          {...{ id: `${requirementId}-remark`, name: 'remark', label: 'Remark', required: true, rows: 2 }}
          {...typed?.('remark')}
          maxLength={LONGEST_REMARK}
          advice={`The partner does not get it. It stays in the timeline.${colleaguesOf(context).length > 0 ? ' @ and a name mentions a colleague.' : ''}`}
        />
        <button type="submit" class="secondary">
          Add the remark
        </button>
      </Form>
    </details>
  );
}

/** Handles the forms of a claim. If an assignment is refused, shows it again as it was typed. */
export function actOnClaim(context: RequestContext): Promise<RouteResponse> {
  const form = context.fields.text('do') === 'assign' ? 'assign' : undefined;
  return runAction(context, ['claim', 'release', 'take-over', 'assign'], keepForm(context, form));
}

/** Handles the form of a remark. If the remark is refused, shows it again as it was typed. */
export function postRemark(context: RequestContext): Promise<RouteResponse> {
  return runAction(context, ['remark'], keepForm(context, 'remark'));
}

function keepForm(context: RequestContext, form: Refusal['form'] | undefined) {
  return async ({ message }: Error) => {
    const target = form && (await findRequirement(context, false));
    if (!form || !target?.requirement) return undefined;
    return renderRequirement(target, { status: 422, refusal: { form, message } });
  };
}

/** The form that assigns a requirement. Absent if no file lists colleagues. */
function AssignForm({ context, refusal }: RefusableProps) {
  const { requirementId, requirement, workflowId, path, user } = context;
  const colleagues = colleaguesOf(context, workflowId);
  if (!hasRole(user, 'operator') || colleagues.length === 0) return null;
  const { actor } = (requirement && currentClaim(requirement)) ?? {};
  const isTheirs = actor !== undefined && !isSamePerson(actor, user.actor);
  const hidden = { do: 'assign', ...(isTheirs && { override: 'true' }), ...listIn(context) };
  const typed = typedIn(context, refusal, 'assign');
  return (
    <details class="answer" open={typed !== undefined}>
      <summary>Assign to a colleague</summary>
      <Form
        {...{ action: `${path}/claim`, id: `form-${requirementId}-assign`, hidden }}
        isTyped={refusal !== undefined}
      >
        {isTheirs && (
          <p class="advice">
            <Person actor={actor} /> has it now. An assignment takes it over.
          </p>
        )}
        <ColleagueField {...{ colleagues, id: `${requirementId}-colleague`, ...typed?.(ASSIGNEE) }} />
        <Field
          {...{ id: `${requirementId}-why`, name: 'remark', label: 'Remark (optional)', rows: 2 }}
          {...typed?.('remark')}
          maxLength={LONGEST_REMARK}
          advice="The partner does not get it."
        />
        <button type="submit" class="secondary">
          Assign
        </button>
      </Form>
    </details>
  );
}

/** Renders the page of a form that came too late, because somebody answered first or the requirement closed. It is not an error. */
export function renderGone(
  context: RequirementContext,
  state: OnboardingState,
  typed?: Fields,
): RouteResponse {
  const { workflowId, requirementId, listed, user } = context;
  const last = lastOn(state, requirementId);
  const isOwn =
    last !== undefined &&
    (isSamePerson(last.actor ?? '', user.actor) || isConfirmedBy(user.actor, last, state));
  const said = (
    <>
      <p>
        <Ended context={context} state={state} />
      </p>
      {typed && <p>{isOwn ? 'Nothing was sent a second time.' : 'Your answer was not sent.'}</p>}
    </>
  );
  const page = (
    <>
      <Trail to={pathOf(workflowId)} name={displayName(listed)} />
      <h1>No longer open</h1>
      {isOwn ? <div class="card">{said}</div> : <Problem>{said}</Problem>}
      {typed && <Typed fields={typed} />}
      <p>
        <a href={pathOf(workflowId)}>See the onboarding</a>
      </p>
    </>
  );
  return { status: typed ? 409 : 200, title: 'No longer open', page };
}

const TYPED: Readonly<Record<string, string>> = { text: 'Answer', id: 'ID', code: 'Code', reason: 'Reason' };

function Typed({ fields }: { readonly fields: Fields }) {
  const rows = fields.names.flatMap((name) => {
    const label = /^set\.(.*)$/.exec(name)?.[1] ?? fieldOf(TYPED, name);
    const value = fields.text(name);
    return label === undefined || value === '' ? [] : [[label, value]];
  });
  if (rows.length === 0) return null;
  return (
    <section aria-label="What you typed">
      <h2>What you typed</h2>
      <Facts facts={Object.fromEntries(rows)} />
    </section>
  );
}
