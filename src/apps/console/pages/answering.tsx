import { partsOfId } from '../../../messages/ids.js';
import { type AnswerKind, needsConfirmation } from '../../../messages/requirements.js';
import type { FieldProblem } from '../../../partners/partner-error.js';
import { sendProposal, UpdateTimedOut } from '../../../services/inbox/send-answer.js';
import { Facts } from '../../../services/reports/page.js';
import { displayName } from '../../../services/texts/display-names.js';
import { InvalidInput } from '../../../services/texts/invalid-input.js';
import { TemporalProblem } from '../../../temporal/unavailable.js';
import { OUTCOME_UNKNOWN_MESSAGE } from '../../../temporal/updates.js';
import {
  type Filled,
  FORM_KINDS,
  givenReason,
  isPreviewed,
  type ReadAnswer,
  readAnswerForm,
  reasonIn,
  roleFor,
  sendAnswerForm,
  whatIsOpen,
} from '../answer.js';
import { type Fields, IS_NEXT, inboxOf, pathOf } from '../query.js';
import {
  hasRole,
  PageError,
  Redirect,
  type RequestContext,
  type RouteResponse,
  requireRole,
} from '../route.js';
import { discard, openDocumentStore, receiveDocuments } from '../uploads.js';
import { answerLabel, hiddenFields, takenBack } from './answer-forms.js';
import { INBOX, listIn, pageIn, refresh } from './handling.js';
import { nextIn } from './inbox-filter.js';
import { Changes } from './input-fields.js';
import { Form, Problem } from './parts.js';
import { findRequirement, type RequirementContext, renderGone, renderRequirement } from './requirement.js';

/**
 * Returns the requirement to answer, from a workflow that can accept an answer now.
 *
 * @throws {Redirect} with the requirement's page if it cannot be answered now, or not with this kind of answer
 */
async function answerable(requestContext: RequestContext, kind: AnswerKind) {
  const context = await findRequirement(requestContext, true);
  const { state, requirement, requirementId, fields, user } = context;
  if (!state) {
    const entry = requirement ?? { ...takenBack(requirementId), title: 'A requirement', answers: [kind] };
    const filled = { kind, fields, problems: [] };
    const notice = (
      <Problem>
        <strong>Nothing was sent.</strong> What you typed is still here.
      </Problem>
    );
    throw new Redirect(
      await renderRequirement({ ...context, requirement: entry }, { status: 503, filled, notice }),
    );
  }
  const isTakenBack = kind === 'take-back';
  if (isTakenBack && !state.unsent?.includes(requirementId))
    throw new PageError(409, 'The partner already has this answer, or someone took it back.');
  const question = requirement ?? (isTakenBack ? takenBack(requirementId) : undefined);
  if (!question) throw new Redirect(renderGone(context, state, fields));
  if (!isTakenBack && !question.answers.includes(kind))
    throw new PageError(
      422,
      `This requirement does not accept this answer (${answerLabel(question, kind)}).`,
    );
  requireRole(user, roleFor(question, kind));
  return { ...context, state, requirement: question };
}

type Answerable = Awaited<ReturnType<typeof answerable>>;

/** Handles an answer's form: checks it, shows the answer's effect, and sends it. Stores nothing between these steps. */
export async function answerRequirement(context: RequestContext): Promise<RouteResponse> {
  const { user, fields, settings: facts } = context;
  const kind = fields.oneOf('kind', FORM_KINDS);
  if (!kind) throw new PageError(400, 'This form is not from this console.');
  const open = await answerable(context, kind);
  const { requirement, correctable } = open;
  const again = (status: number, problems: Filled['problems']) =>
    renderRequirement(open, { status, filled: { kind, fields, problems } });
  let read: ReadAnswer;
  try {
    read = await readAnswerForm(fields, kind, requirement, async () => ({
      correctable: await correctable(),
      accounts: facts,
    }));
  } catch (error) {
    // The requirement of an answer that is taken back is not open, so it has no page with a form.
    if (!(error instanceof InvalidInput) || kind === 'take-back') throw error;
    return again(422, formProblems(error));
  }
  if (read.mayMoveMoney && !hasRole(user, 'approver')) {
    const message = `This changes fees, a bank account, or a field that may be either, so an approver must send it. Your role is ${user.role}.`;
    return again(403, [{ field: '', message }]);
  }
  const step = fields.text('step');
  if (step === 'edit') return again(200, []);
  if (isPreviewed(requirement, kind) && step !== 'send')
    return renderRequirement(open, { preview: <Preview target={open} {...read} /> });
  return send(open, read);
}

/**
 * Sends an answer, or proposes it if a second person must confirm it.
 *
 * @param onRefusal cleans up after the workflow has refused the answer
 */
async function send(target: Answerable, { answer, reason }: ReadAnswer, onRefusal?: () => Promise<void>) {
  const { client, user, audit, fields, workflowId, requirementId, requirement } = target;
  const { kind } = answer;
  const resolution = { requirementId, answer, actor: user.actor, reason };
  const isTakenBack = kind === 'take-back';
  const { list } = listIn(target);
  const page = pageIn(target, workflowId);
  const back = async () => {
    if (list === undefined) return pathOf(page);
    // The answer is sent already, even if the list cannot be read.
    if (page === INBOX) return inboxOf(list);
    const next = await nextIn(target, list).catch(() => '/');
    return next.startsWith('/onboardings/') ? `${next}&${IS_NEXT}=yes` : next;
  };
  const about = { workflowId, requirementId, detail: kind };
  try {
    if (needsConfirmation(requirement, kind)) {
      await sendProposal(client, workflowId, resolution);
      audit(user, { ...about, what: 'propose an answer', result: 'proposed' });
      refresh(client, workflowId, requirementId);
      return { to: await back(), message: 'Your answer is proposed. A second person must confirm it.' };
    }
    const { open } = await sendAnswerForm(client, workflowId, resolution);
    audit(user, { ...about, what: 'answer', result: 'accepted' });
    refresh(client, workflowId, isTakenBack ? undefined : requirementId);
    const done = isTakenBack ? 'The answer is taken back.' : 'Your answer is accepted.';
    const more = await whatIsOpen(target, kind, open);
    const of = list === undefined || more === '' ? more : `${displayName(target.listed)}: ${more}`;
    return { to: await back(), message: `${done} ${of}`.trimEnd() };
  } catch (error) {
    // After any other error, a worker may still apply the answer.
    if (isRefused(error)) await onRefusal?.();
    return refused(target, error, { kind, fields, problems: [] });
  }
}

/** Reports whether a workflow has refused an answer for good: the answer is invalid, or the workflow has ended. */
function isRefused(error: unknown): boolean {
  return error instanceof InvalidInput || (error instanceof TemporalProblem && !error.isUnavailable);
}

/** Returns the page for an answer that the workflow did not accept. It keeps everything that was typed. */
async function refused(context: RequirementContext, error: unknown, filled: Filled): Promise<RouteResponse> {
  const { workflowId, requirementId, audit, user } = context;
  if (error instanceof UpdateTimedOut) {
    const notice = (
      <Problem>
        <p>
          <strong>Your answer:</strong> {OUTCOME_UNKNOWN_MESSAGE}.
        </p>
        <p>
          Look at the <a href={pathOf(workflowId)}>onboarding</a> before you answer again. What you typed is
          still here.
        </p>
      </Problem>
    );
    return renderRequirement(context, { status: 503, filled, notice });
  }
  if (!isRefused(error)) throw error;
  const now = await findRequirement(context, true);
  if (now.state && !now.requirement) return renderGone(now, now.state, filled.fields);
  if (!(error instanceof InvalidInput)) throw error;
  const about = { workflowId, requirementId, detail: filled.kind };
  audit(user, { ...about, what: 'answer', result: 'rejected' });
  return renderRequirement(now, { status: 422, filled: { ...filled, problems: formProblems(error) } });
}

export function formProblems({ message, problems }: InvalidInput): Filled['problems'] {
  return problems.length > 0 ? problems : [{ field: '', message }];
}

type PreviewProps = Omit<ReadAnswer, 'mayMoveMoney'> & { readonly target: Answerable };

function Preview({ target, answer, reason, changes }: PreviewProps) {
  const { requirement, path, fields } = target;
  const isProposed = needsConfirmation(requirement, answer.kind);
  return (
    <Form
      // The same ID as the form before it, so that both share a draft.
      id={`form-${requirement.id}-${answer.kind}`}
      {...{ action: path, class: 'preview', hidden: hiddenFields(fields) }}
      aria-label="Check your answer"
    >
      <h2>{isProposed ? 'Check your proposal' : 'Check before it is sent'}</h2>
      {changes && <Changes changes={changes} typed={fields} />}
      {answer.kind === 'confirm' && <ConfirmedId id={answer.id} target={target} />}
      {answer.kind === 'abandon' && <AbandonNote target={target} />}
      {answer.kind === 'retry' && (
        <p>
          Gangway <strong>sends the write again</strong>. If the first one took effect after all, it exists
          twice then. Look in the partner’s portal once more before you confirm.
        </p>
      )}
      {givenReason(reason) && (
        <p>
          Reason: <strong>{reason}</strong>
        </p>
      )}
      <div class="actions">
        <button
          type="submit"
          name="step"
          value="send"
          class={answer.kind === 'abandon' ? 'danger' : undefined}
        >
          {isProposed ? 'Propose it' : 'Confirm and send'}
        </button>
        <button type="submit" name="step" value="edit" class="secondary">
          Change it
        </button>
      </div>
    </Form>
  );
}

/** Shows what is known about the ID that a person confirms. The console cannot look it up at the partner. */
function ConfirmedId({ id, target }: { readonly id: string; readonly target: Answerable }) {
  const { state, workflowId, requirement } = target;
  const { key, account } = partsOfId(workflowId) ?? { key: workflowId, account: undefined };
  const facts = {
    'ID that you confirm': id,
    Business: state.dba,
    'External ID': requirement.kind === 'uncertain-write' ? key : undefined,
    'Partner account': account,
    'Merchant at the partner': state.merchantProfileId,
    'Profile at the bank': state.profileId,
  };
  return (
    <>
      <p>
        Gangway continues with <strong>{id}</strong> and creates nothing. The console cannot read it at the
        partner. Compare the partner’s portal with what is known here:
      </p>
      <Facts facts={facts} />
    </>
  );
}

function AbandonNote({ target: { state } }: { readonly target: Answerable }) {
  const there = [
    state.merchantProfileId !== undefined && `merchant ${state.merchantProfileId}`,
    state.profileId !== undefined && `banking profile ${state.profileId}`,
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

export async function uploadDocuments(context: RequestContext): Promise<RouteResponse> {
  const store = await openDocumentStore(context.settings);
  let open: Answerable | undefined;
  const mayStore = async (fields: Fields) => {
    open = await answerable({ ...context, fields }, 'documents');
  };
  const { documents, fields, refused } = await receiveDocuments(context, store, mayStore);
  const target = { ...(open ?? (await answerable({ ...context, fields }, 'documents'))), fields };
  const reasons: FieldProblem[] = [];
  const reason = reasonIn(fields, 'documents', reasons);
  const problems = [...reasons, ...(refused?.problems ?? [])];
  const discarded = () => discard(store, documents);
  if (problems.length > 0) {
    await discarded();
    const filled = {
      kind: 'documents' as const,
      fields,
      problems: [...problems, ...(isByScript(context) ? [] : CHOOSE_AGAIN)],
    };
    return renderRequirement(target, { status: 422, filled });
  }
  return send(target, { answer: { kind: 'documents', documents }, reason }, discarded);
}

/** The problem for a form without scripts, because browsers do not keep its files. */
const CHOOSE_AGAIN = [{ field: 'documents', message: 'choose the files again' }];

const isByScript = ({ request }: RequestContext) => request.headers['sec-fetch-dest'] === 'empty';
