import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import type { ComponentChildren } from 'preact';
import { currentClaim, isSamePerson, LONGEST_CLAIM_DAYS } from '../../messages/handling.js';
import { partsOfId } from '../../messages/ids.js';
import type { OnboardingState, TimelineEntry } from '../../messages/onboarding-state.js';
import {
  type Answer,
  type AnswerKind,
  detailBeside,
  type Requirement,
  TASKS,
} from '../../messages/requirements.js';
import {
  NotYetApplied,
  sendClaim,
  sendConfirmation,
  sendProposal,
  sendWithdrawal,
} from '../../operators/answering.js';
import { answeredBefore, closedBefore, saidOf } from '../../operators/answers.js';
import { type Change, changesOf, inputFor } from '../../operators/corrections.js';
import { InvalidInput } from '../../operators/invalid-input.js';
import { REQUIREMENT_TEXTS } from '../../operators/texts/requirement-texts.js';
import type { Times } from '../../operators/time.js';
import { proposedAnswerOf } from '../../temporal/onboardings.js';
import { TemporalProblem } from '../../temporal/unavailable.js';
import { UnreadableOnboarding } from '../../temporal/unreadable.js';
import {
  FORM_KINDS,
  isPreviewed,
  movesMoney,
  type ReadAnswer,
  readAnswer,
  reasonIn,
  roleFor,
  sendAnswer,
} from '../answer.js';
import { formFields } from '../correction-fields.js';
import { openOnboarding } from '../onboarding-access.js';
import { lastKnownRequirement, listedFacts, onboardingView } from '../onboarding-view.js';
import { Fields, pathOf } from '../query.js';
import { NotShown, type Route, type Shown, type Visit } from '../route.js';
import { discard, documentsOf, receiveDocuments } from '../uploads.js';
import { hasRole, type Visitor } from '../visitor.js';
import { forgetLists } from '../waiting-list.js';
import { AnswerForms, Carried, Changes, type Filled, labelOf } from './answer-forms.js';
import { fieldLabel } from './input-fields.js';
import { Csrf, Due, Problem, Prose, When } from './parts.js';

/** How often the page reads whether the requirement is still open, in seconds. */
const REFRESH_SECONDS = 5;

/** The requirement of a request, as its workflow has it. */
interface Found {
  readonly workflowId: string;
  readonly requirementId: string;
  readonly description: WorkflowExecutionDescription;
  /** undefined when it cannot be read now. */
  readonly state: OnboardingState | undefined;
  readonly obstacle: UnreadableOnboarding | undefined;
  /** The open one; as it was last known while it cannot be read. */
  readonly requirement: Requirement | undefined;
}

function namesIn({ params }: Visit['request']): { readonly id: string; readonly requirementId: string } {
  const { id = '', requirementId = '' } = params as { id?: string; requirementId?: string };
  return { id, requirementId };
}

/** @param fresh reads it now, because somebody answers */
async function find(visit: Visit, fresh: boolean): Promise<Found> {
  const { client, request } = visit;
  const { id: workflowId, requirementId } = namesIn(request);
  const description = await openOnboarding(visit, workflowId);
  const { state, obstacle } = await onboardingView(client, workflowId, fresh);
  const found = { workflowId, requirementId, description, obstacle };
  if (obstacle) {
    const requirement =
      (await lastKnownRequirement(client, workflowId, requirementId)) ?? listedRequirement(found);
    return { ...found, state: undefined, requirement };
  }
  return { ...found, state, requirement: state?.requirements.find(({ id }) => id === requirementId) };
}

/** As far as the list of workflows has it, which names no allowed answers. */
function listedRequirement({
  description,
  requirementId,
}: Pick<Found, 'description' | 'requirementId'>): Requirement | undefined {
  const listed = listedFacts(description).requirements.find(({ id }) => id === requirementId);
  if (!listed) return undefined;
  const { id, kind, raisedAt, dueAt } = listed;
  return { id, kind, raisedAt, dueAt, title: TASKS[kind], detail: '', answers: [] };
}

/** The page of one requirement, with a form for each answer that it allows. */
async function showRequirement(visit: Visit): Promise<Shown> {
  const found = await find(visit, false);
  const { workflowId, requirementId, state, obstacle } = found;
  // The part of a customer that asks takes the answer.
  const view = await onboardingView(visit.client, workflowId);
  const asked = view.asked.find(({ requirement }) => requirement.id === requirementId);
  if (asked && asked.workflowId !== workflowId)
    return { to: pathOf(asked.workflowId, 'requirements', requirementId) };
  if (state && !found.requirement) return goneShown(visit, found, state, undefined);
  return requirementShown(visit, found, { obstacle });
}

/** The part that the browser reads again and again. */
async function showState(visit: Visit): Promise<Shown> {
  const found = await find(visit, false);
  return { part: <LiveState found={found} visit={visit} proposed={await proposedIn(visit, found)} /> };
}

interface Extra {
  readonly status?: number;
  readonly filled?: Filled;
  readonly obstacle?: UnreadableOnboarding | undefined;
  readonly notice?: ComponentChildren;
  readonly preview?: ComponentChildren;
}

async function requirementShown(visit: Visit, found: Found, extra: Extra): Promise<Shown> {
  const { requirement, workflowId, requirementId } = found;
  if (!requirement) throw new NotShown(404, 'There is no such requirement.');
  const { status = 200, filled, obstacle, notice, preview } = extra;
  const correctable = await correctionForm(visit, found);
  const proposed = await proposedIn(visit, found);
  const page = (
    <>
      <Trail found={found} />
      <h1>{requirement.title}</h1>
      {obstacle && <ObstacleNote obstacle={obstacle} />}
      {notice}
      <div class="columns">
        <section class="main-column" aria-label="What is asked">
          <Asked requirement={requirement} times={visit.times} />
          <LiveState found={found} visit={visit} proposed={proposed} />
          {preview ?? (
            <AnswerForms
              workflowId={workflowId}
              requirement={obstacle && filled ? { ...requirement, answers: [filled.kind] } : requirement}
              visitor={visit.visitor}
              csrf={visit.csrf}
              page={pageIn(filled?.fields, workflowId)}
              filled={filled}
              correctable={correctable}
              isProposed={isFourEyes(visit, requirement)}
            />
          )}
        </section>
        <aside class="side-column">
          <Help requirement={requirement} />
        </aside>
      </div>
    </>
  );
  return { status, title: `Requirement ${requirementId}`, page };
}

/** The page to return to: of this workflow, or of the customer that it is a part of. */
function pageIn(fields: Fields | undefined, workflowId: string): string {
  return fields?.text('page') || workflowId;
}

function isFourEyes({ settings }: Visit, { kind }: Pick<Requirement, 'kind'>): boolean {
  return settings.fourEyes.includes(kind);
}

async function correctionForm(visit: Visit, { requirement, workflowId, state }: Found) {
  if (!state || !requirement?.answers.includes('correction')) return undefined;
  const correctable = await inputFor(visit.client, workflowId, state, requirement.id);
  return formFields(correctable, visit.settings, `${requirement.title}\n${requirement.detail}`);
}

function Trail({ found: { workflowId, description } }: { readonly found: Found }) {
  return (
    <nav class="trail" aria-label="Where you are">
      <a href="/">Inbox</a> <span aria-hidden="true">/</span>{' '}
      <a href={pathOf(workflowId)}>{listedFacts(description).dba ?? workflowId}</a>
    </nav>
  );
}

export function ObstacleNote({ obstacle }: { readonly obstacle: UnreadableOnboarding }) {
  return (
    <Problem>
      <p>
        <strong>This onboarding cannot be read now:</strong> {obstacle.detail}.
      </p>
      <p>It loses nothing meanwhile. Ask who runs Gangway to start a worker, and try again.</p>
    </Problem>
  );
}

/** What the partner asks, and since when. */
export function Asked({ requirement, times }: { readonly requirement: Requirement; readonly times: Times }) {
  const { raisedAt, dueAt, kind } = requirement;
  const detail = detailBeside(requirement);
  return (
    <div class="asked">
      <p class="facts-line">
        <span class="kind">{capital(TASKS[kind])}</span>
        <Due at={dueAt} times={times} />
        <span>
          asked <When time={raisedAt} times={times} />
        </span>
      </p>
      {detail !== '' && <blockquote class="detail">{detail}</blockquote>}
    </div>
  );
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** What the texts of the command call each answer. */
const OPTIONS: readonly (readonly [RegExp, string])[] = [
  [/\bThe detail\b/g, 'The text above'],
  [/\bthe detail\b/g, 'the text above'],
  [/`--text "\.\.\."`|`--text`/g, 'text'],
  [/`--document( FILE)?`/g, 'documents'],
  [/`--set [^`]*`|`--set`/g, 'a correction'],
  [/`--patch`/g, 'correct'],
  [/`--retry`/g, '“try again”'],
  [/`--adopt [^`]*`|`--adopt`/g, '“adopt”'],
  [/`--code CODE`|`--code`/g, 'the code'],
  [/`--abandon`/g, '“give up”'],
];

/** The runbook of the command line, in the words of this page. */
function inWordsOfPages(text: string): string {
  return OPTIONS.reduce((changed, [option, words]) => changed.replace(option, words), text);
}

export function Help({ requirement }: { readonly requirement: Requirement }) {
  const { meaning, see, next, never } = REQUIREMENT_TEXTS[requirement.kind];
  return (
    <section class="help" aria-label="Help">
      <h2>What this means</h2>
      <p>
        <Prose text={meaning} />
      </p>
      <p>
        <Prose text={inWordsOfPages(see)} />
      </p>
      <h3>What happens then</h3>
      <p>
        <Prose text={inWordsOfPages(next)} />
      </p>
      <p class="never">
        Do not <Prose text={inWordsOfPages(never)} />
      </p>
    </section>
  );
}

interface LiveProps {
  readonly found: Found;
  readonly visit: Visit;
  readonly proposed: ProposedShown | undefined;
}

/** The part of the page that changes while somebody types: who has it, what is proposed, and whether somebody answered. */
function LiveState({ found, visit, proposed }: LiveProps) {
  const { workflowId, requirementId, requirement, state } = found;
  const source = pathOf(workflowId, 'requirements', requirementId, 'part');
  return (
    <div
      id={`live-${requirementId}`}
      data-live={source}
      data-seconds={REFRESH_SECONDS}
      class="live"
      role="status"
    >
      {state && !requirement ? (
        <Problem>
          <p>
            <Ended state={state} requirementId={requirementId} times={visit.times} visitor={visit.visitor} />
          </p>
          <p>
            What you typed is still here. <a href={pathOf(workflowId)}>See the onboarding</a>
          </p>
        </Problem>
      ) : (
        requirement && (
          <Handling
            visit={visit}
            workflowId={workflowId}
            requirement={requirement}
            proposed={proposed}
            isPage
          />
        )
      )}
    </div>
  );
}

/** Who answered a requirement that is no longer open, or why it closed. */
export function Ended({
  state,
  requirementId,
  times,
  visitor,
}: {
  readonly state: OnboardingState;
  readonly requirementId: string;
  readonly times: Times;
  readonly visitor: Visitor;
}) {
  const answered = answeredBefore(state.timeline, requirementId);
  const closed = closedBefore(state.timeline, requirementId);
  const last = [answered, closed]
    .filter((entry): entry is TimelineEntry => entry !== undefined)
    .sort((one, other) => other.at.localeCompare(one.at))[0];
  if (!last) return <>This requirement is no longer open.</>;
  if (last !== answered) {
    return (
      <>
        This requirement closed <When time={last.at} times={times} />: {saidOf(last)}.
      </>
    );
  }
  const who =
    last.actor !== undefined && isSamePerson(last.actor, visitor.actor) ? 'You' : (last.actor ?? 'Somebody');
  return (
    <>
      <strong>{who} answered this first</strong>, <When time={last.at} times={times} />:{' '}
      {inShort(saidOf(last))}
    </>
  );
}

/** `text: One sale in ten.` */
export function inShort(answer: string): string {
  const [, kind, content] = /^([a-z-]+)(?:: (.*))?$/s.exec(answer) ?? [];
  const names: Readonly<Record<string, string>> = {
    text: 'the answer',
    documents: 'documents',
    correction: 'corrected',
    adopt: 'adopted',
    retry: 'try again',
    code: 'the one-time code',
    abandon: 'gave up',
    'take-back': 'took the answer back',
  };
  if (kind === undefined || !Object.hasOwn(names, kind)) return answer;
  const name = names[kind] ?? kind;
  return content === undefined ? name : kind === 'text' ? `“${content}”` : `${name} ${content}`;
}

/** Claims and proposals of a requirement, with their buttons. */
export function Handling({
  visit,
  workflowId,
  requirement,
  proposed,
  page = workflowId,
  isPage = false,
}: {
  readonly visit: Visit;
  readonly workflowId: string;
  readonly requirement: Requirement;
  readonly proposed?: ProposedShown | undefined;
  readonly page?: string;
  readonly isPage?: boolean;
}) {
  const { visitor, csrf, times } = visit;
  const claim = currentClaim(requirement);
  const isMine = claim !== undefined && isSamePerson(claim.actor, visitor.actor);
  const path = pathOf(workflowId, 'requirements', requirement.id);
  const mayAnswer = hasRole(visitor, 'operator');
  const button = (what: string, label: string) => (
    <form method="post" action={`${path}/claim`} class="inline">
      <Csrf csrf={csrf} />
      <input type="hidden" name="page" value={isPage ? '' : page} />
      <button type="submit" name="do" value={what} class="plain">
        {label}
      </button>
    </form>
  );
  return (
    <>
      <div class="claim">
        {claim ? (
          <span class={isMine ? 'holder mine' : 'holder'}>
            {isMine ? 'You are on it' : `${claim.actor} is on it`}, until{' '}
            <When time={claim.until} times={times} />
          </span>
        ) : (
          <span class="holder nobody">Nobody is on it</span>
        )}
        {mayAnswer && !claim && button('claim', 'I am on it')}
        {mayAnswer && isMine && button('claim', 'Longer')}
        {mayAnswer && isMine && button('release', 'Release')}
        {mayAnswer && claim && !isMine && button('take-over', 'Take over')}
      </div>
      {requirement.proposal && (
        <ProposalNote
          visit={visit}
          path={path}
          requirement={requirement}
          proposed={proposed}
          page={isPage ? '' : page}
        />
      )}
    </>
  );
}

/** A proposed answer as a second person reads it before confirming it. */
export interface ProposedShown {
  readonly answer: Answer;
  /** Of a correction. */
  readonly changes: readonly Change[] | undefined;
}

/** The whole proposed answer, for those who can confirm it. */
async function proposedIn(
  visit: Visit,
  { requirement, workflowId, state }: Found,
): Promise<ProposedShown | undefined> {
  if (!state || !requirement?.proposal || !hasRole(visit.visitor, 'operator')) return undefined;
  try {
    const proposed = await proposedAnswerOf(visit.client, workflowId, requirement.id);
    if (!proposed) return undefined;
    const { answer } = proposed;
    if (answer.kind !== 'correction') return { answer, changes: undefined };
    const correctable = await inputFor(visit.client, workflowId, state, requirement.id);
    return { answer, changes: changesOf(correctable, answer.patch) };
  } catch (error) {
    if (error instanceof UnreadableOnboarding) return undefined;
    throw error;
  }
}

function ProposalNote({
  visit: { visitor, csrf, times },
  path,
  requirement,
  proposed,
  page,
}: {
  readonly visit: Visit;
  readonly path: string;
  readonly requirement: Requirement;
  readonly proposed: ProposedShown | undefined;
  readonly page: string;
}) {
  const { proposal } = requirement;
  if (!proposal) return null;
  const isOwn = isSamePerson(proposal.actor, visitor.actor);
  return (
    <section class="proposal" aria-label="Proposed answer">
      <h3>{isOwn ? 'You proposed an answer' : `${proposal.actor} proposed an answer`}</h3>
      <p>
        <When time={proposal.at} times={times} />. Reason: {proposal.reason}
      </p>
      {proposed ? <ProposedContent proposed={proposed} /> : <p>{inShort(proposal.answer)}</p>}
      {isOwn && <p class="advice">A second person confirms it. You can withdraw it.</p>}
      {!isOwn && !hasRole(visitor, 'approver') && <p class="advice">An approver confirms it.</p>}
      {hasRole(visitor, 'operator') && (
        <form
          method="post"
          action={`${path}/proposal`}
          data-keep=""
          id={`form-${requirement.id}-proposal`}
          class="actions"
        >
          <Csrf csrf={csrf} />
          <input type="hidden" name="proposedAt" value={proposal.at} />
          <input type="hidden" name="page" value={page} />
          {!isOwn && hasRole(visitor, 'approver') && (
            <button type="submit" name="do" value="confirm" class="primary">
              Confirm and send
            </button>
          )}
          <button type="submit" name="do" value="withdraw">
            Withdraw
          </button>
        </form>
      )}
    </section>
  );
}

function ProposedContent({ proposed: { answer, changes } }: { readonly proposed: ProposedShown }) {
  if (changes) return <Changes changes={changes} />;
  switch (answer.kind) {
    case 'text':
      return <blockquote class="detail">{answer.text}</blockquote>;
    case 'documents':
      return (
        <ul>
          {answer.documents.map(({ key, fileName }) => (
            <li key={key}>{fileName}</li>
          ))}
        </ul>
      );
    case 'choice':
      return (
        <p>
          Choose <strong>{answer.choice}</strong>
        </p>
      );
    case 'adopt':
      return (
        <p>
          Adopt <strong>{answer.id}</strong>
        </p>
      );
    default:
      return <p>{inShort(answer.kind)}</p>;
  }
}

/** A form: checks, shows what the answer does, and sends it. In between nothing is stored. */
async function answerRequirement(visit: Visit): Promise<Shown> {
  const { visitor, request, client, settings } = visit;
  const fields = Fields.ofBody(request);
  const kind = fields.oneOf('kind', FORM_KINDS);
  if (!kind) throw new NotShown(400, 'This form is not from this console.');
  const found = await find(visit, true);
  const { workflowId, state, requirement: open } = found;
  const stopped = await checkOpen(visit, found, kind, fields);
  if (stopped) return stopped;
  if (!state) throw new NotShown(503, 'The onboarding cannot be read now.');
  const requirement = open ?? unsent(found);
  requireRole(visitor, requirement, kind);
  const correction = async () => ({
    correctable: await inputFor(client, workflowId, state, requirement.id),
    known: settings,
  });
  let read: ReadAnswer;
  try {
    read = await readAnswer(fields, kind, requirement, correction);
  } catch (error) {
    // An answer that is taken back has no open requirement, and so no page with its form.
    if (!(error instanceof InvalidInput) || !open) throw error;
    return requirementShown(visit, found, {
      status: 422,
      filled: { kind, fields, problems: problemsOf(error) },
    });
  }
  if (read.changes && movesMoney(read.changes) && !hasRole(visitor, 'approver')) {
    const message = `This changes fees, or an account at a bank, so an approver must send it. You are ${visitor.role}.`;
    return requirementShown(visit, found, {
      status: 403,
      filled: { kind, fields, problems: [{ field: '', message }] },
    });
  }
  const step = fields.text('step');
  if (step === 'edit') return requirementShown(visit, found, { filled: { kind, fields, problems: [] } });
  if (isPreviewed(requirement, kind) && step !== 'send')
    return requirementShown(visit, found, {
      preview: <Preview visit={visit} found={found} requirement={requirement} read={read} fields={fields} />,
    });
  return send(visit, { ...found, requirement }, read, fields);
}

/** Sends an answer, or proposes it where a second person confirms. */
async function send(
  visit: Visit,
  found: Found & { readonly requirement: Requirement },
  { answer, reason }: ReadAnswer,
  fields: Fields,
): Promise<Shown> {
  const { client, visitor, audit } = visit;
  const { workflowId, requirementId, requirement } = found;
  const resolution = { requirementId, answer, actor: visitor.actor, reason };
  const isProposed = answer.kind !== 'take-back' && isFourEyes(visit, requirement);
  const back = pathOf(pageIn(fields, workflowId));
  try {
    if (isProposed) {
      await sendProposal(client, workflowId, resolution);
      audit(visitor, {
        what: 'propose an answer',
        workflowId,
        requirementId,
        detail: answer.kind,
        result: 'proposed',
      });
      await refresh(client, workflowId);
      return { to: back, message: 'Your answer waits for a second person, who confirms it.' };
    }
    const { open } = await sendAnswer(client, workflowId, resolution);
    audit(visitor, { what: 'answer', workflowId, requirementId, detail: answer.kind, result: 'accepted' });
    await refresh(client, workflowId);
    const done = answer.kind === 'take-back' ? 'The answer is taken back.' : 'Your answer is accepted.';
    return { to: back, message: `${done} ${open === 0 ? 'Nothing else is open.' : `${open} still open.`}` };
  } catch (error) {
    return refused(visit, found, error, { kind: answer.kind, fields, problems: [] });
  }
}

/** Everybody sees what somebody has just changed. */
async function refresh(client: Client, workflowId: string): Promise<void> {
  forgetLists(client);
  await onboardingView(client, workflowId, true);
}

/** What the page shows when the workflow did not take the answer. Everything that was typed stays. */
async function refused(visit: Visit, found: Found, error: unknown, filled: Filled): Promise<Shown> {
  if (error instanceof NotYetApplied) {
    const notice = (
      <Problem>
        <p>
          <strong>No worker has applied your answer yet.</strong> Temporal may have it, and a worker applies
          it later.
        </p>
        <p>
          Look at the <a href={pathOf(found.workflowId)}>onboarding</a> before you answer again. What you
          typed is still here.
        </p>
      </Problem>
    );
    return requirementShown(visit, found, { status: 503, filled, notice });
  }
  const isRefusal = error instanceof InvalidInput;
  if (!isRefusal && !(error instanceof TemporalProblem)) throw error;
  const now = await find(visit, true);
  if (now.state && !now.requirement) return goneShown(visit, now, now.state, filled.fields);
  if (!isRefusal) throw error;
  const { workflowId, requirementId } = found;
  visit.audit(visit.visitor, {
    what: 'answer',
    workflowId,
    requirementId,
    detail: filled.kind,
    result: 'rejected',
  });
  return requirementShown(visit, now, { status: 422, filled: { ...filled, problems: problemsOf(error) } });
}

function problemsOf({ message, problems }: InvalidInput): Filled['problems'] {
  return problems.length > 0 ? problems : [{ field: '', message }];
}

/** An answer that can be taken back belongs to no open requirement. */
function unsent({ requirementId }: Found): Requirement {
  const at = new Date().toISOString();
  const nothing = { title: '', detail: '', raisedAt: at, dueAt: at };
  return { id: requirementId, kind: 'waiting', ...nothing, answers: ['take-back'] };
}

/** @returns the page instead, when the requirement cannot be answered now, or not so */
async function checkOpen(
  visit: Visit,
  found: Found,
  kind: AnswerKind,
  fields: Fields,
): Promise<Shown | undefined> {
  const { state, obstacle, requirement, requirementId } = found;
  const filled = { kind, fields, problems: [] };
  if (obstacle) {
    const known = requirement ?? { ...unsent(found), title: 'A requirement', answers: [kind] };
    const notice = (
      <Problem>
        <p>
          <strong>Nothing was sent.</strong> What you typed is still here.
        </p>
      </Problem>
    );
    return requirementShown(
      visit,
      { ...found, requirement: known },
      { status: 503, filled, obstacle, notice },
    );
  }
  if (!state) return undefined;
  if (kind === 'take-back') {
    if (state.unsent?.includes(requirementId)) return undefined;
    throw new NotShown(409, 'The partner has this answer already, or somebody took it back.');
  }
  if (!requirement) return goneShown(visit, found, state, fields);
  if (requirement.answers.includes(kind)) return undefined;
  throw new NotShown(422, `This requirement does not take this answer (${labelOf(requirement, kind)}).`);
}

function requireRole(visitor: Visitor, requirement: Requirement, kind: AnswerKind): void {
  const role = roleFor(requirement, kind);
  if (!hasRole(visitor, role))
    throw new NotShown(403, `This needs the role ${role}. You are ${visitor.role}.`);
}

/** Somebody else was first, or it closed by itself. */
function goneShown(visit: Visit, found: Found, state: OnboardingState, typed: Fields | undefined): Shown {
  const { workflowId, requirementId } = found;
  const page = (
    <>
      <Trail found={found} />
      <h1>No longer open</h1>
      <Problem>
        <p>
          <Ended state={state} requirementId={requirementId} times={visit.times} visitor={visit.visitor} />
        </p>
        {typed && <p>Your answer was not sent.</p>}
      </Problem>
      {typed && <Typed fields={typed} />}
      <p>
        <a class="button" href={pathOf(workflowId)}>
          See the onboarding
        </a>
      </p>
    </>
  );
  return { status: typed ? 409 : 200, title: 'No longer open', page };
}

/** What a person typed for nothing, to copy. */
function Typed({ fields }: { readonly fields: Fields }) {
  const shown = fields.names.flatMap((name) => {
    const label =
      /^set\.(.*)$/.exec(name)?.[1] ?? { text: 'answer', id: 'ID', code: 'code', reason: 'reason' }[name];
    const value = fields.text(name);
    return label === undefined || value === '' ? [] : [{ name, label, value }];
  });
  if (shown.length === 0) return null;
  return (
    <section aria-label="What you typed">
      <h2>What you typed</h2>
      <dl class="facts">
        {shown.map(({ name, label, value }) => (
          <div key={name}>
            <dt>{fieldLabel(label)}</dt>
            <dd class="typed">{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

interface PreviewProps {
  readonly visit: Visit;
  readonly found: Found;
  readonly requirement: Requirement;
  readonly read: ReadAnswer;
  readonly fields: Fields;
}

/** What an answer does, before it is sent. */
function Preview({ visit, found, requirement, read, fields }: PreviewProps) {
  const { answer, reason, changes } = read;
  const isProposed = isFourEyes(visit, requirement);
  return (
    <form
      method="post"
      action={pathOf(found.workflowId, 'requirements', requirement.id)}
      class="preview"
      aria-label="Check your answer"
    >
      <h2>{isProposed ? 'Check what you propose' : 'Check before it is sent'}</h2>
      {changes && <Changes changes={changes} />}
      {answer.kind === 'adopt' && <Adopted id={answer.id} found={found} requirement={requirement} />}
      {answer.kind === 'abandon' && <AbandonNote found={found} />}
      {answer.kind === 'retry' && (
        <p>
          Gangway <strong>sends the write again</strong>. If the first one took effect after all, it exists
          twice then. Look in the partner’s portal once more before you confirm.
        </p>
      )}
      <p>
        Reason: <strong>{reason}</strong>
      </p>
      <Csrf csrf={visit.csrf} />
      <Carried fields={fields} />
      <p class="actions">
        <button
          type="submit"
          name="step"
          value="send"
          class={answer.kind === 'abandon' ? 'danger' : 'primary'}
        >
          {isProposed ? 'Propose it' : 'Confirm and send'}
        </button>
        <button type="submit" name="step" value="edit">
          Change it
        </button>
      </p>
    </form>
  );
}

/** What is known of the thing that a person adopts: the console cannot read it at the partner. */
function Adopted({
  id,
  found,
  requirement,
}: {
  readonly id: string;
  readonly found: Found;
  readonly requirement: Requirement;
}) {
  const { state, workflowId } = found;
  const { key, account } = partsOfId(workflowId) ?? { key: workflowId, account: undefined };
  const facts = {
    'ID that you adopt': id,
    Business: state?.dba,
    guid: requirement.kind === 'uncertain-write' ? key : undefined,
    'Partner account': account,
    'Merchant at the partner': state?.merchantProfileId,
    'Profile at the bank': state?.profileId,
  };
  return (
    <>
      <p>
        Gangway continues with <strong>{id}</strong> and creates nothing. The console cannot read it at the
        partner. Compare the partner’s portal with what is known here:
      </p>
      <dl class="facts">
        {Object.entries(facts).map(([name, value]) =>
          value === undefined ? null : (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ),
        )}
      </dl>
    </>
  );
}

function AbandonNote({ found: { state } }: { readonly found: Found }) {
  const there = [
    state?.merchantProfileId !== undefined && `merchant ${state.merchantProfileId}`,
    state?.profileId !== undefined && `banking profile ${state.profileId}`,
    state?.paymentsAccountId !== undefined && `payments account ${state.paymentsAccountId}`,
  ].filter(Boolean);
  return (
    <p>
      <strong>The onboarding ends.</strong>{' '}
      {there.length > 0
        ? `What exists stays at the partners: ${there.join(', ')}.`
        : 'Nothing exists at the partners.'}{' '}
      This cannot be undone.
    </p>
  );
}

/** The documents of an answer, as multipart/form-data. */
async function uploadDocuments(visit: Visit): Promise<Shown> {
  const { settings, visitor, request, csrf } = visit;
  const store = await documentsOf(settings);
  let found: Found | undefined;
  let stopped: Shown | undefined;
  const mayStore = async (fields: Fields) => {
    found = await find(visit, true);
    stopped = await checkOpen(visit, found, 'documents', fields);
    if (stopped || !found.requirement) throw new Stopped();
    requireRole(visitor, found.requirement, 'documents');
  };
  try {
    const {
      documents,
      fields,
      refused: problem,
    } = await receiveDocuments(request, { csrf, store, mayStore });
    const now = found ?? (await find(visit, true));
    const { requirement } = now;
    if (!requirement) return goneShown(visit, now, now.state ?? EMPTY, fields);
    const reasons: { field: string; message: string }[] = [];
    const reason = reasonIn(fields, 'documents', reasons);
    const problems = [...reasons, ...(problem?.problems ?? [])];
    if (problems.length > 0) {
      await discard(store, documents);
      const filled = { kind: 'documents' as const, fields, problems: [...problems, ...CHOOSE_AGAIN] };
      return requirementShown(visit, now, { status: 422, filled });
    }
    const shown = await send(
      visit,
      { ...now, requirement },
      { answer: { kind: 'documents', documents }, reason },
      fields,
    );
    if (!('to' in (shown as object))) await discardUnlessApplied(shown, () => discard(store, documents));
    return shown;
  } catch (error) {
    if (error instanceof Stopped && stopped) return stopped;
    throw error;
  }
}

/** A browser does not keep the files of a form. */
const CHOOSE_AGAIN = [{ field: 'documents', message: 'choose the files again' }];

const EMPTY: OnboardingState = {
  stage: 'working',
  partnerStatus: null,
  requirements: [],
  timeline: [],
  polls: 0,
};

/** Ends an upload before its first byte is stored. */
class Stopped extends Error {
  override readonly name = 'Stopped';
}

/** An answer that no worker has applied yet may still name the documents. */
async function discardUnlessApplied(shown: Shown, remove: () => Promise<void>): Promise<void> {
  const status = typeof shown === 'object' && 'status' in shown ? shown.status : undefined;
  if (status !== 503) await remove();
}

/** "I am on it", release, take over. */
async function claimRequirement(visit: Visit): Promise<Shown> {
  const { client, visitor, request, settings, audit } = visit;
  const { id: workflowId, requirementId } = namesIn(request);
  await openOnboarding(visit, workflowId);
  const fields = Fields.ofBody(request);
  const what = fields.oneOf('do', ['claim', 'release', 'take-over'] as const);
  if (!what) throw new NotShown(400, 'This form is not from this console.');
  const claimMs = Math.min(settings.claimMs, LONGEST_CLAIM_DAYS * 24 * 3_600_000 - 60_000);
  const until = new Date(Date.now() + claimMs).toISOString();
  const request_ = { requirementId, actor: visitor.actor };
  const claim =
    what === 'release' ? request_ : { ...request_, until, ...(what === 'take-over' && { override: true }) };
  const to = backFrom(fields, workflowId, requirementId);
  try {
    await sendClaim(client, workflowId, claim);
  } catch (error) {
    if (error instanceof InvalidInput) return { to, message: error.message };
    throw error;
  }
  audit(visitor, { what, workflowId, requirementId });
  await refresh(client, workflowId);
  const done = {
    claim: 'You are on it. Others see that.',
    release: 'You released it.',
    'take-over': 'You took it over.',
  };
  return { to, message: done[what] };
}

/** Back to the page of the form: of the requirement, or of an onboarding. */
function backFrom(fields: Fields, workflowId: string, requirementId: string): string {
  const page = fields.text('page');
  return page === ''
    ? pathOf(workflowId, 'requirements', requirementId)
    : `${pathOf(page)}#r-${encodeURIComponent(requirementId)}`;
}

/** A second person confirms a proposed answer, or somebody withdraws it. */
async function decideProposal(visit: Visit): Promise<Shown> {
  const { client, visitor, request, audit } = visit;
  const { id: workflowId, requirementId } = namesIn(request);
  await openOnboarding(visit, workflowId);
  const fields = Fields.ofBody(request);
  const proposedAt = fields.text('proposedAt');
  const what = fields.oneOf('do', ['confirm', 'withdraw'] as const);
  if (!what) throw new NotShown(400, 'This form is not from this console.');
  if (what === 'confirm' && !hasRole(visitor, 'approver'))
    throw new NotShown(403, `This needs the role approver. You are ${visitor.role}.`);
  const decision = { requirementId, proposedAt, actor: visitor.actor };
  try {
    if (what === 'confirm') await sendConfirmation(client, workflowId, decision);
    else await sendWithdrawal(client, workflowId, decision);
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    await refresh(client, workflowId);
    return { to: backFrom(fields, workflowId, requirementId), message: error.message };
  }
  audit(visitor, { what: `${what} a proposed answer`, workflowId, requirementId });
  await refresh(client, workflowId);
  if (what === 'withdraw')
    return { to: backFrom(fields, workflowId, requirementId), message: 'The proposal is withdrawn.' };
  return { to: pathOf(pageIn(fields, workflowId)), message: 'You confirmed the answer, and it is sent.' };
}

const PATH = '/onboardings/:id/requirements/:requirementId';

export const REQUIREMENT_ROUTES: readonly Route[] = [
  { method: 'GET', path: PATH, role: 'viewer', show: showRequirement },
  { method: 'GET', path: `${PATH}/part`, role: 'viewer', part: true, show: showState },
  { method: 'POST', path: PATH, role: 'operator', show: answerRequirement },
  { method: 'POST', path: `${PATH}/documents`, role: 'operator', multipart: true, show: uploadDocuments },
  { method: 'POST', path: `${PATH}/claim`, role: 'operator', show: claimRequirement },
  { method: 'POST', path: `${PATH}/proposal`, role: 'operator', show: decideProposal },
];
