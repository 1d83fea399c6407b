import type { Client } from '@temporalio/client';
import { isSamePerson } from '../../../messages/actors.js';
import { type ConfirmationReceipt, currentClaim, LONGEST_REMARK } from '../../../messages/claims.js';
import { DEFAULT_ASSIGNED_HOURS, DEFAULT_CLAIM_HOURS } from '../../../messages/codes.js';
import { isMerchant } from '../../../messages/links.js';
import type { Answer, Requirement } from '../../../messages/requirements.js';
import { truncate } from '../../../partners/text-limits.js';
import type { Change } from '../../../services/forms/corrections.js';
import type { InboxItem } from '../../../services/inbox/inbox.js';
import {
  assignmentTo,
  type Colleague,
  colleagueOf,
  colleaguesFor,
  remarkTo,
  seenWithin,
} from '../../../services/inbox/people.js';
import {
  sendAssignment,
  sendConfirmation,
  sendRemark,
  sendWithdrawal,
} from '../../../services/inbox/send-answer.js';
import { needsNoApprover } from '../../../services/links/create-link.js';
import { displayName } from '../../../services/texts/display-names.js';
import { InvalidInput } from '../../../services/texts/invalid-input.js';
import { proposedAnswerOf, queryState } from '../../../temporal/find-onboarding.js';
import { toListed } from '../../../temporal/search.js';
import { TemporalProblem } from '../../../temporal/unavailable.js';
import { whatIsOpen } from '../answer.js';
import { openOnboarding, readState, refreshView } from '../onboarding-view.js';
import { type Fields, inboxOf, LIST, pathOf, withList } from '../query.js';
import {
  hasRole,
  PageError,
  Redirect,
  type RequestContext,
  type RouteResponse,
  requireRole,
  useRequest,
} from '../route.js';
import { forgetInboxLists, questionLabel, splitQuestion } from './inbox-filter.js';
import { Changes } from './input-fields.js';
import { Field, Form, Person, summarize, When } from './parts.js';
import { Avatar } from './pieces.js';

export const INBOX = 'inbox';

/** Returns the page to return to: the workflow's own, its customer's, or {@link INBOX}. */
export function pageIn({ fields }: Pick<RequestContext, 'fields'>, workflowId: string): string {
  return fields.text('page') || workflowId;
}

export function listIn({ fields }: Pick<RequestContext, 'fields'>): { readonly list?: string } {
  return fields.names.includes(LIST) ? { list: fields.text(LIST) } : {};
}

/** Makes a change visible to everybody at once. @param answered the requirement that was answered */
export function refresh(client: Client, workflowId: string, answered?: string): void {
  forgetInboxLists(client, workflowId, answered);
  refreshView(client, workflowId);
}

interface HandlingProps {
  readonly workflowId: string;
  readonly requirement: Requirement;
  readonly proposed?: ProposedShown | undefined;
  /** The workflow whose page shows the requirement. Default: the requirement's own page. */
  readonly page?: string;
}

export function Handling({ workflowId, requirement, proposed, page = '' }: HandlingProps) {
  const context = useRequest();
  const { user } = context;
  const claim = currentClaim(requirement);
  const isMine = claim !== undefined && isSamePerson(claim.actor, user.actor);
  const path = pathOf(workflowId, 'requirements', requirement.id, 'claim');
  const mayAnswer = hasRole(user, 'operator');
  const button = (what: string, label: string) => (
    <Form action={path} hidden={{ page, ...listIn(context) }}>
      <button type="submit" name="do" value={what} class="plain">
        {label}
      </button>
    </Form>
  );
  return (
    <>
      <div class="actions">
        {claim && <Avatar actor={claim.actor} />}
        {claim ? (
          <span class={isMine ? 'holder mine' : 'holder'}>
            Claimed by {isMine ? 'you' : <Person actor={claim.actor} />} until{' '}
            <When time={claim.until} isExact />
            {claim.by !== undefined && (
              <>
                , assigned by <Person actor={claim.by} />
              </>
            )}
          </span>
        ) : (
          <span class="holder nobody">Unclaimed</span>
        )}
        {mayAnswer && !claim && button('claim', 'Claim')}
        {mayAnswer && isMine && button('claim', 'Extend')}
        {mayAnswer && isMine && button('release', 'Release')}
        {mayAnswer && claim && !isMine && button('take-over', 'Take over')}
      </div>
      <ProposalNote {...{ workflowId, requirement, proposed, page }} />
    </>
  );
}

function peopleOf({ settings, user }: RequestContext): readonly Colleague[] {
  return seenWithin(settings.people(), user.accounts);
}

/** Returns the colleagues to whom this person can assign a requirement of a workflow, or of any workflow. */
export function colleaguesOf(context: RequestContext, workflowId?: string): readonly Colleague[] {
  const others = peopleOf(context).filter(({ actor }) => !isSamePerson(actor, context.user.actor));
  return colleaguesFor(others, workflowId);
}

/** The number of names that fit a page of 60 kB. People can type any other name. */
const MOST_OFFERED = 200;

/** The field for a colleague. The browser completes the name. The assignment checks it. */
export function ColleagueField({
  colleagues,
  ...field
}: {
  readonly colleagues: readonly Colleague[];
  readonly id: string;
  readonly value?: string;
  readonly problems?: readonly string[];
}) {
  const suggestions = colleagues.slice(0, MOST_OFFERED).map(({ name }) => name);
  const control = { label: 'Colleague', placeholder: 'Colleague', maxLength: LONGEST_NAME };
  return <Field {...{ ...field, ...control, suggestions, name: ASSIGNEE }} />;
}

export const ASSIGNEE = 'assignee';

export interface ProposedShown {
  readonly answer: Answer;
  readonly changes: readonly Change[] | undefined;
}

function ProposalNote({ workflowId, requirement, proposed, page = '' }: HandlingProps) {
  const context = useRequest();
  const { user } = context;
  const { id, proposal } = requirement;
  if (!proposal) return null;
  if (isMerchant(proposal.actor))
    return (
      <section class="proposal" aria-label="The merchant’s answer">
        <p>The merchant answered: {summarize(proposal.answer)}</p>
        <a href={withList(pathOf(workflowId, 'requirements', id), listIn(context).list)}>
          Read it, and confirm it or send it back
        </a>
      </section>
    );
  const isOwn = isSamePerson(proposal.actor, user.actor);
  const mayConfirm = !isOwn && hasRole(user, 'approver');
  return (
    <section class="proposal" aria-label="Proposed answer">
      <h3>{isOwn ? 'You' : <Person actor={proposal.actor} />} proposed an answer</h3>
      <p>
        <When time={proposal.at} isExact />. Reason: {proposal.reason}
      </p>
      {proposed ? <ProposedContent {...{ workflowId, proposed }} /> : <p>{summarize(proposal.answer)}</p>}
      {isOwn && <p class="advice">A second person confirms it. You can withdraw it.</p>}
      {!isOwn && !mayConfirm && <p class="advice">An approver confirms it.</p>}
      {hasRole(user, 'operator') && (
        <Form
          action={pathOf(workflowId, 'requirements', id, 'proposal')}
          {...{ class: 'actions', id: `form-${id}-proposal` }}
          hidden={{ proposedAt: proposal.at, page, ...listIn(context) }}
        >
          {mayConfirm && (
            <button type="submit" name="do" value="confirm">
              Confirm and send
            </button>
          )}
          <button type="submit" name="do" value="withdraw" class="secondary">
            Withdraw
          </button>
        </Form>
      )}
    </section>
  );
}

interface ProposedProps {
  readonly workflowId: string;
  readonly proposed: ProposedShown;
}

/** Shows a proposed answer: its text, its documents, or its changes. */
export function ProposedContent({ workflowId, proposed: { answer, changes } }: ProposedProps) {
  if (changes) return <Changes changes={changes} />;
  switch (answer.kind) {
    case 'text':
      return <blockquote class="detail">{answer.text}</blockquote>;
    case 'documents':
      return (
        <ul>
          {answer.documents.map(({ key, fileName }) => (
            <li key={key}>
              <a href={pathOf(workflowId, 'documents', key)}>{fileName}</a>
            </li>
          ))}
        </ul>
      );
    case 'choice':
    case 'confirm':
      return (
        <p>
          {answer.kind === 'choice' ? 'Choose' : 'Confirm'}{' '}
          <strong>{answer.kind === 'choice' ? answer.choice : answer.id}</strong>
        </p>
      );
    default:
      return <p>{summarize(answer.kind)}</p>;
  }
}

const CHOSEN = 'chosen';

/** Encodes a row of the inbox for a form or an address. No requirement ID contains a space. */
export function chosenAs({ workflowId, id = '' }: InboxItem): string {
  return `${id} ${workflowId}`;
}

export function ChooseCell({ item }: { readonly item: InboxItem }) {
  const { fields } = useRequest();
  return (
    <input
      type="checkbox"
      form={CHOSEN}
      name={CHOSEN}
      value={chosenAs(item)}
      checked={fields.all(CHOSEN).includes(chosenAs(item))}
      aria-label={`Select ${displayName(item)}, ${questionLabel(splitQuestion(item).sentence)}`}
    />
  );
}

export function ClaimChosen({ list }: { readonly list: string }) {
  const context = useRequest();
  const colleagues = colleaguesOf(context);
  return (
    <Form id={CHOSEN} class="card actions" action="/inbox/claims" hidden={{ [LIST]: list }}>
      {/* Enter in the field of a colleague presses the first button. */}
      {colleagues.length > 0 && <button type="submit" name="do" value="assign" hidden />}
      <button type="submit" name="do" value="claim-selected">
        Claim<span> selected</span>
      </button>
      {colleagues.length > 0 && (
        <>
          <ColleagueField {...{ colleagues, id: 'chosen-colleague', value: context.fields.text(ASSIGNEE) }} />
          <button type="submit" name="do" value="assign" class="secondary">
            Assign<span> selected</span>
          </button>
        </>
      )}
      <a href={inboxOf(list)}>Clear</a>
    </Form>
  );
}

interface Action {
  readonly done: string;
  /** @throws {InvalidInput} if the workflow refuses it */
  readonly send: (
    client: Client,
    workflowId: string,
    about: { readonly requirementId: string; readonly actor: string },
    fields: Fields,
    people: readonly Colleague[],
  ) => Promise<unknown>;
}

const until = (hours = DEFAULT_CLAIM_HOURS) => new Date(Date.now() + hours * 3_600_000).toISOString();
const proposedAt = (fields: Fields) => fields.text('proposedAt');

const ACTIONS = {
  claim: {
    done: 'You have claimed it. Other people can see this.',
    send: (client, id, about) => sendAssignment(client, id, { ...about, until: until() }),
  },
  assign: {
    done: 'They have it now.',
    send: (client, id, about, fields, people) => {
      const to = { assignee: fields.text(ASSIGNEE), text: fields.text('remark') };
      const override = fields.text('override') === 'true';
      const assigned = { ...about, until: until(DEFAULT_ASSIGNED_HOURS), override };
      return sendAssignment(client, id, { ...assigned, ...assignmentTo(people, id, to) });
    },
  },
  release: { done: 'You released it.', send: (client, id, about) => sendAssignment(client, id, about) },
  'take-over': {
    done: 'You took it over.',
    send: (client, id, about) => sendAssignment(client, id, { ...about, until: until(), override: true }),
  },
  confirm: {
    done: 'You confirmed the answer.',
    send: (client, id, about, fields) =>
      sendConfirmation(client, id, { ...about, proposedAt: proposedAt(fields) }),
  },
  withdraw: {
    done: 'The proposal is withdrawn.',
    send: (client, id, about, fields) =>
      sendWithdrawal(client, id, { ...about, proposedAt: proposedAt(fields) }),
  },
  remark: {
    done: 'Your colleagues see the remark.',
    send: (client, id, about, fields, people) =>
      sendRemark(client, id, { ...about, ...remarkTo(people, id, fields.text('remark')) }),
  },
} as const satisfies Readonly<Record<string, Action>>;

/** @param keepForm shows the form again, with the typed values and the problem; undefined if the page has no such form */
export async function runAction(
  context: RequestContext,
  actions: readonly (keyof typeof ACTIONS)[],
  keepForm?: (refusal: InvalidInput) => Promise<RouteResponse | undefined>,
): Promise<RouteResponse> {
  const { client, user, params, fields, audit } = context;
  const { requirementId = '' } = params;
  const { actor } = user;
  const description = await openOnboarding(context);
  const { workflowId } = description;
  const what = actions.length === 1 ? actions[0] : fields.oneOf('do', actions);
  if (!what) throw new PageError(400, 'This form is not from this console.');
  if (what === 'confirm') await requireConfirmer(context, workflowId, requirementId);
  const back = backFrom(context, workflowId, requirementId);
  const isProposal = what === 'confirm' || what === 'withdraw';
  const { done, send }: Action = ACTIONS[what];
  const { state } = what === 'confirm' ? await readState(client, workflowId) : {};
  let receipt: unknown;
  try {
    receipt = await send(client, workflowId, { requirementId, actor }, fields, peopleOf(context));
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    if (isProposal) refresh(client, workflowId);
    const form = await keepForm?.(error);
    if (form) return form;
    const wrote = fields.text('remark')
      ? `${error.message.endsWith('?') ? '' : '.'} You wrote: ${truncate(fields.text('remark'), LONGEST_REMARK)}`
      : '';
    throw new Redirect({ to: back, message: error.message + wrote });
  }
  audit(user, { what: isProposal ? `${what} a proposed answer` : what, workflowId, requirementId });
  refresh(client, workflowId);
  if (what === 'assign') return { to: back, message: `${colleagueIn(context).name} has it now.` };
  if (what !== 'confirm') return { to: back, message: done };
  const { open, resolution } = receipt as ConfirmationReceipt;
  const left = await whatIsOpen({ client, description, requirementId, state }, resolution.answer.kind, open);
  return { to: pathOf(pageIn(context, workflowId)), message: `${done} ${left}`.trimEnd() };
}

/** @throws {PageError} if an operator may not confirm the answer */
async function requireConfirmer({ user, client }: RequestContext, workflowId: string, requirementId: string) {
  if (hasRole(user, 'approver')) return;
  const { requirements } = await queryState(client, workflowId);
  const proposed = await proposedAnswerOf(client, workflowId, requirementId);
  const requirement = requirements.find(({ id }) => id === requirementId);
  if (!needsNoApprover(requirement, proposed)) requireRole(user, 'approver');
}

/** Decodes the result of {@link chosenAs}. */
function placeOf(chosen: string) {
  const [requirementId = '', ...workflowId] = chosen.split(' ');
  return { requirementId, workflowId: workflowId.join(' ') };
}

/** The maximum number of requirements to claim at once, more than a page of the inbox shows. */
const MOST_CHOSEN = 100;

/** The maximum length of a name in an address. */
const LONGEST_NAME = 170;

/** The maximum numbers of reasons and names in a message, because a cookie stores it. */
const MOST_REASONS = 2;
const MOST_NAMES = 3;
const LONGEST_REASON = 300;

/** @throws {InvalidInput} */
function colleagueIn(context: RequestContext): Colleague {
  return colleagueOf(peopleOf(context), context.fields.text(ASSIGNEE), ASSIGNEE);
}

/** Joins names: `Corner Bikes and Oak Press`. */
function listed(names: readonly string[]): string {
  const distinct = [...new Set(names)];
  const rest = distinct.length > MOST_NAMES ? [`${distinct.length - MOST_NAMES} more`] : [];
  return new Intl.ListFormat('en-US').format([...distinct.slice(0, MOST_NAMES), ...rest]);
}

function requirementsOf(number: number): string {
  return `${number} ${number === 1 ? 'requirement' : 'requirements'}`;
}

export async function claimChosen(context: RequestContext): Promise<RouteResponse> {
  const { client, user, fields, audit } = context;
  const { actor } = user;
  const list = inboxOf(fields.text(LIST));
  const chosen = [...new Set(fields.all(CHOSEN))];
  if (chosen.length > MOST_CHOSEN) throw new PageError(400, `Select at most ${MOST_CHOSEN}.`);
  if (chosen.length === 0) return { to: list, message: 'Select something first.' };
  const what = fields.oneOf('do', ['assign']) ?? 'claim';
  const did = what === 'assign' ? 'assigned' : 'claimed';
  // Keep the rows selected, so a person corrects only the mistake.
  const refuse = (places: readonly string[], message: string): never => {
    const left = new URLSearchParams(fields.text(LIST));
    for (const place of places) left.append(CHOSEN, place);
    if (what === 'assign') left.set(ASSIGNEE, fields.text(ASSIGNEE).slice(0, LONGEST_NAME));
    throw new Redirect({ to: inboxOf(String(left)), message });
  };
  let colleague: Colleague | undefined;
  try {
    colleague = what === 'assign' ? colleagueIn(context) : undefined;
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    refuse(chosen, `You assigned nothing: ${reasonOf(error)}`);
  }
  const { send }: Action = ACTIONS[what];
  const people = peopleOf(context);
  const refusals = await Promise.all(
    chosen.map(async (place) => {
      const { workflowId, requirementId } = placeOf(place);
      let name: string | undefined;
      try {
        const description = await openOnboarding(context, workflowId);
        name = displayName(await toListed(client, description));
        await send(client, workflowId, { requirementId, actor }, fields, people);
        audit(user, { what, workflowId, requirementId });
        refresh(client, workflowId);
        return [];
      } catch (error) {
        const isKnown = [InvalidInput, PageError, TemporalProblem].some((type) => error instanceof type);
        if (!isKnown) throw error;
        return [{ place, name, reason: reasonOf(error as Error) }];
      }
    }),
  );
  const refused = refusals.flat();
  const count = chosen.length - refused.length;
  const to = colleague ? ` to ${colleague.name}` : '';
  const seenBy = colleague ? `${colleague.name} finds them by “mine”.` : 'Other people can see this.';
  if (refused.length === 0)
    return { to: list, message: `You ${did} ${requirementsOf(count)}${to}. ${seenBy}` };
  const reasons = [...Map.groupBy(refused, ({ reason }) => reason)].map(([reason, those]) => {
    const names = those.flatMap(({ name }) => name ?? []);
    return names.length > 0 ? `${listed(names)}: ${reason}` : reason;
  });
  const rest = reasons.length > MOST_REASONS ? [`and ${reasons.length - MOST_REASONS} more reasons`] : [];
  const why = [...reasons.slice(0, MOST_REASONS), ...rest].join('; ');
  const places = refused.map(({ place }) => place);
  return refuse(places, `You ${did} ${count} of ${requirementsOf(chosen.length)}${to}. Not ${did}: ${why}`);
}

/** Returns an error's reason without the name of the field, which the form shows. */
function reasonOf({ message }: Error): string {
  return truncate(message.replace(/^(?:assignee|requirementId): /, ''), LONGEST_REASON);
}

/** Returns the address of the form's page: the requirement's or the onboarding's. */
function backFrom(context: RequestContext, workflowId: string, requirementId: string): string {
  const page = context.fields.text('page');
  if (page !== '') return `${pathOf(page)}#r-${encodeURIComponent(requirementId)}`;
  return withList(pathOf(workflowId, 'requirements', requirementId), listIn(context).list);
}
