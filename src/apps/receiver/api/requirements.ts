import { z } from 'zod';
import { changeableInput } from '../../../activities/corrections.js';
import { isSamePerson, programActor, type Scope } from '../../../messages/actors.js';
import { addRemark, assignRequirement, proposeAnswer } from '../../../messages/claims.js';
import { isCustomer, partsOfId } from '../../../messages/ids.js';
import { omitUndefined } from '../../../messages/objects.js';
import {
  type Answer,
  type AnswerKind,
  type Resolution,
  resolveRequirement,
} from '../../../messages/requirements.js';
import { documentStore } from '../../../partners/documents/document-store.js';
import { StoreFailure } from '../../../platform/documents/file-store.js';
import { openStore } from '../../../platform/documents/open-store.js';
import { Deadline, untilAborted } from '../../../platform/http/deadline.js';
import { changesOf, inputFor, mayMoveMoney } from '../../../services/forms/corrections.js';
import { type WaitingPage, waitingPage } from '../../../services/inbox/inbox.js';
import { assignmentTo, type Colleague, remarkTo, seenWithin } from '../../../services/inbox/people.js';
import { viewOfRequirement } from '../../../services/inbox/requirement-view.js';
import {
  findReceipt,
  type IdempotentRequest,
  KeyReused,
  needsApproval,
  sendAssignment,
  sendConfirmation,
  sendProposal,
  sendRemark,
  sendResolution,
  sendWithdrawal,
  UpdateTimedOut,
} from '../../../services/inbox/send-answer.js';
import { cursorOf } from '../../../services/texts/cursors.js';
import { InvalidInput } from '../../../services/texts/invalid-input.js';
import { partIds, proposedAnswerOf, queryState } from '../../../temporal/find-onboarding.js';
import { OUTCOME_UNKNOWN_MESSAGE } from '../../../temporal/updates.js';
import { response } from '../openapi.js';
import { invalidRequest, later, Problem } from '../problems.js';
import {
  type ApiRoute,
  accountsOfClient,
  audit,
  type Call,
  defineRoute,
  forgetListsOfClient,
  onboardingOfClient,
  placeIn,
  READ_MS,
  requireScope,
  sharedList,
} from './calls.js';
import { requirePrivate, shownAs } from './onboardings.js';
import { firstIn, NOT_OPEN, problemOf } from './requirement-problems.js';
import * as shapes from './shapes.js';

/** Routes for open requirements, and for the actions on them. */

type Path = z.output<typeof shapes.requirementPath>;

const IDEMPOTENCY_KEY = 'idempotency-key';

/** The maximum size of an action, in bytes, because it stays in the history, and Temporal terminates a workflow with a huge one. */
const ACTION_BYTES = 64 * 1024;

/** Defines the route of an action on one requirement: key, lookup, errors and audit around the update that `send` sends. */
export function action<Body extends { readonly person?: string | undefined }>(
  name: string,
  scope: Scope,
  summary: string,
  [body, receipt]: readonly [body: z.ZodType<Body>, receipt: z.ZodType],
  send: (
    call: Call<Path, unknown, Body>,
    about: About,
    once: IdempotentRequest | undefined,
  ) => Promise<unknown>,
): ApiRoute {
  const line = `POST /v1/requirements/{onboarding}/{id}/${name}`;
  return defineRoute<Path, unknown, Body>(line, `${name}-requirement`, scope, summary, {
    params: shapes.requirementPath,
    headers: [IDEMPOTENCY_KEY],
    body,
    bodyLimit: ACTION_BYTES,
    responses: { 200: response('The workflow has accepted it', receipt) },
    reply: async (call) => {
      const { params, client, body: input } = call;
      const once = onceOf(call, name);
      const workflowId = await asking(call);
      const about = { workflowId, requirementId: params.id, actor: programActor(client.name, input.person) };
      const sent = send(call, about, once).catch(async (error: unknown) => {
        throw await problemOf(call, workflowId, error);
      });
      const record = () => audit(call, name, { workflowId, requirementId: params.id, person: input.person });
      const deadline = new Deadline({});
      deadline.endAfter(ACTION_MS, () => new UpdateTimedOut());
      try {
        const done = await untilAborted(sent, deadline.signal);
        forgetListsOfClient(call);
        record();
        return done;
      } catch (error) {
        if (!(error instanceof UpdateTimedOut)) throw error;
        // A worker may apply it later, even if the client never sends it again.
        record();
        throw later('not-applied', error, once ? WITH_KEY : WITHOUT_KEY);
      } finally {
        deadline.release();
      }
    },
  });
}

/** How long a client waits for a worker, in milliseconds. Proxies and clients seldom wait for longer than 15 s. */
const ACTION_MS = 10_000;

const WITH_KEY = `${OUTCOME_UNKNOWN_MESSAGE}: repeat it with the same Idempotency-Key, and it happens once`;
const WITHOUT_KEY =
  `${OUTCOME_UNKNOWN_MESSAGE}: read the requirement before you repeat it. ` +
  'With an Idempotency-Key you could repeat it at once';

/** Checks the colleague. If the file no longer lists them, the key of an accepted request still returns its receipt. */
async function toColleagues(
  { backend, params, people, client }: Call<Path>,
  update: { readonly name: string },
  once: IdempotentRequest | undefined,
  send: (people: readonly Colleague[]) => Promise<object>,
): Promise<object> {
  try {
    return await send(seenWithin(people(), client.accounts));
  } catch (error) {
    if (!once || !(error instanceof InvalidInput) || error instanceof KeyReused) throw error;
    const before = await findReceipt(backend.client, params.onboarding, update, params.id, once);
    if (before) return before;
    throw error;
  }
}

interface About {
  readonly workflowId: string;
  readonly requirementId: string;
  readonly actor: string;
}

/** Keys are scoped to the client. The workflow refuses a key that it knows with another body or action. */
function onceOf({ client, request, sent }: Call, action: string): IdempotentRequest | undefined {
  const key = request.headers[IDEMPOTENCY_KEY];
  if (key === undefined) return undefined;
  if (typeof key !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(key))
    throw invalidRequest([
      { field: 'Idempotency-Key', message: 'must be 1 to 255 visible ASCII characters' },
    ]);
  return { key: `${client.name}/${key}`, body: [action, sent] };
}

/** Returns the workflow that raised the requirement. For a customer, the part: claims, answers and keys must reach it. */
async function asking(call: Pick<Call<Path>, 'backend' | 'client' | 'params'>): Promise<string> {
  const { workflowId } = await onboardingOfClient(call, call.params.onboarding);
  if (!isCustomer(workflowId)) return workflowId;
  throw new Problem(
    'unknown-requirement',
    'the parts of a customer ask: use the workflowId of the requirement',
  );
}

/** Sends or proposes an answer. An irreversible answer needs the scope `approve`, like a person the approver role. */
function giving(update: typeof resolveRequirement | typeof proposeAnswer) {
  const send = update === resolveRequirement ? sendResolution : sendProposal;
  return async (
    call: Call<Path, unknown, z.output<typeof shapes.answerRequest>>,
    { workflowId, ...about }: About,
    once: IdempotentRequest | undefined,
  ) => {
    const { client } = call.backend;
    const { answer, reason } = call.body;
    const resolution = { ...about, answer, reason } as Resolution;
    const mayApprove = call.client.scopes.includes('approve');
    const isSendable = mayApprove || (await requireUndoable(call, workflowId, resolution));
    const missing = await missingDocument(call, answer);
    if (isSendable && !missing) return send(client, workflowId, resolution, once);
    // The requirement is not open now, but a take-back could reopen it at any time. Or the partner has the document, and the store
    // no longer does. So nothing is sent: only the receipt of the same key is returned.
    const before = once && (await findReceipt(client, workflowId, update, about.requirementId, once));
    if (before) return before;
    if (missing) throw missing;
    throw new InvalidInput(`requirementId: ${NOT_OPEN}`);
  };
}

/** Returns the problem of an answer with a document that is not stored. The workflow would accept it, and the upload would fail. */
async function missingDocument({ documentDir }: Pick<Call, 'documentDir'>, answer: Answer) {
  if (answer.kind !== 'documents') return undefined;
  const documents = documentStore(await openStore(documentDir));
  for (const [index, { key }] of answer.documents.entries())
    try {
      (await documents.open({ key })).destroy();
    } catch (error) {
      if (!(error instanceof StoreFailure) || error.kind !== 'missing') throw error;
      return invalidRequest([
        { field: `answer.documents.${index}.key`, message: 'no document has this key' },
      ]);
    }
  return undefined;
}

/** Answers that need an approver for some requirements. */
const PERHAPS_FINAL: readonly AnswerKind[] = ['confirm', 'retry', 'correction'];

/** @returns false if the requirement is not open and this kind of answer might need approval */
async function requireUndoable(call: Call, workflowId: string, { requirementId, answer }: Resolution) {
  const { backend, known: accounts, client } = call;
  const state = await queryState(backend.client, workflowId, READ_MS);
  const requirement = state.requirements.find(({ id }) => id === requirementId);
  if (needsApproval(requirement, answer.kind)) requireScope(client, 'approve');
  if (requirement && answer.kind === 'correction') {
    const correctable = await inputFor(backend.client, workflowId, state, requirementId);
    const { schema } = changeableInput(correctable, accounts);
    if (mayMoveMoney(changesOf(correctable, answer.patch), schema)) requireScope(client, 'approve');
  }
  return requirement !== undefined || !PERHAPS_FINAL.includes(answer.kind);
}

export function requirementRoutes(): ApiRoute[] {
  return [
    defineRoute(
      'GET /v1/requirements',
      'list-requirements',
      'read',
      'List open requirements, the first due first, in windows of the due date',
      {
        query: shapes.requirementQuery,
        responses: { 200: response('A page', shapes.requirementPage) },
        reply: listRequirements,
      },
    ),
    defineRoute(
      'GET /v1/requirements/{onboarding}/{id}',
      'get-requirement',
      'read',
      'Read a requirement: the question, and the answers that it takes',
      {
        params: shapes.requirementPath,
        query: shapes.readQuery,
        responses: { 200: response('The requirement', shapes.requirement) },
        reply: readRequirement,
      },
    ),
    action(
      'claim',
      'claim',
      'Claim a requirement, or extend the claim',
      [shapes.claimRequest, shapes.claimed],
      ({ backend, body: { hours, takeOver } }, { workflowId, ...about }, once) => {
        const until = new Date(Date.now() + hours * 3_600_000).toISOString();
        return sendAssignment(backend.client, workflowId, { ...about, until, override: takeOver }, once);
      },
    ),
    action(
      'assign',
      'claim',
      'Assign a requirement to a colleague',
      [shapes.assignRequest, shapes.claimed],
      async (call, { workflowId, ...about }, once) => {
        const { hours, takeOver, ...wanted } = call.body;
        const until = new Date(Date.now() + hours * 3_600_000).toISOString();
        return toColleagues(call, assignRequirement, once, (people) => {
          const to = assignmentTo(people, workflowId, wanted);
          const request = { ...about, ...to, until, override: takeOver };
          return sendAssignment(call.backend.client, workflowId, request, once);
        });
      },
    ),
    action(
      'release',
      'claim',
      'Release a claim',
      [shapes.releaseRequest, shapes.claimed],
      ({ backend }, { workflowId, ...about }, once) =>
        sendAssignment(backend.client, workflowId, about, once),
    ),
    action(
      'remark',
      'claim',
      'Add a remark for colleagues. No partner gets it',
      [shapes.remarkRequest, shapes.about],
      (call, { workflowId, ...about }, once) =>
        toColleagues(call, addRemark, once, (people) => {
          const remark = remarkTo(people, workflowId, call.body.text);
          return sendRemark(call.backend.client, workflowId, { ...about, ...remark }, once);
        }),
    ),
    action(
      'answer',
      'answer',
      'Answer a requirement',
      [shapes.answerRequest, shapes.answered],
      giving(resolveRequirement),
    ),
    action(
      'take-back',
      'answer',
      'Take back an answer that the partner does not have yet',
      [shapes.takeBackRequest, shapes.answered],
      ({ backend, body: { reason } }, { workflowId, ...about }, once) =>
        sendResolution(backend.client, workflowId, { ...about, answer: { kind: 'take-back' }, reason }, once),
    ),
    action(
      'propose',
      'answer',
      'Propose an answer, which a second person confirms',
      [shapes.answerRequest, shapes.proposed],
      giving(proposeAnswer),
    ),
    action(
      'confirm',
      'approve',
      'Confirm a proposed answer as a second person',
      [shapes.confirmRequest, shapes.answered],
      ({ backend, body: { proposedAt, reason } }, { workflowId, ...about }, once) =>
        sendConfirmation(
          backend.client,
          workflowId,
          { ...about, proposedAt, ...(reason && { reason }) },
          once,
        ),
    ),
    action(
      'withdraw',
      'answer',
      'Withdraw a proposed answer',
      [shapes.withdrawRequest, shapes.about],
      ({ backend, body: { proposedAt, reason } }, { workflowId, ...about }, once) =>
        sendWithdrawal(
          backend.client,
          workflowId,
          { ...about, ...omitUndefined({ proposedAt, reason }) },
          once,
        ),
    ),
  ];
}

const place = z.strictObject({
  after: z.iso.datetime().optional(),
  until: z.iso.datetime().optional(),
  token: z.string().optional(),
});

async function listRequirements(call: Call<unknown, z.output<typeof shapes.requirementQuery>>) {
  const { backend, client, query } = call;
  const { partner, account, onboarding, overdue, claimed, claimedBy, limit, cursor, kind } = query;
  const filter = {
    kind,
    system: partner,
    partnerAccounts: accountsOfClient(client, account),
    ...(onboarding !== undefined && {
      workflowIds: isCustomer(onboarding) ? Object.values(partIds(onboarding)) : [onboarding],
    }),
    ...(overdue && { dueUntil: new Date() }),
  };
  const at = placeIn(cursor, place) ?? {};
  const page = await sharedList<WaitingPage>(call, (before) =>
    waitingPage(backend.client, filter, limit, at, before),
  );
  const isMeant = (by: string | undefined) =>
    (claimed === undefined || claimed === (by !== undefined)) &&
    (claimedBy === undefined || (by !== undefined && isSamePerson(by, claimedBy)));
  return {
    requirements: page.items
      .filter((item) => isMeant(item.claimedBy))
      .map(
        ({
          claimedBy: actor,
          claimedUntil: until,
          assignedBy: by,
          mentioned: _,
          proposedBy,
          proposedAt,
          system,
          ...item
        }) => ({
          ...item,
          partner: system || undefined,
          account: partsOfId(item.workflowId)?.account,
          claim: actor && { actor, until, by },
          proposal: proposedBy && { actor: proposedBy, at: proposedAt },
        }),
      ),
    next: cursorOf(page.next),
  };
}

async function readRequirement(call: Call<Path, z.output<typeof shapes.readQuery>>) {
  const { backend, known: accounts, params, query } = call;
  const { client } = backend;
  const workflowId = await asking(call);
  requirePrivate(call, workflowId, params.id);
  const state = await queryState(client, workflowId, READ_MS);
  const requirement = state.requirements.find(({ id }) => id === params.id);
  if (!requirement) throw new Problem('unknown-requirement', NOT_OPEN, { more: firstIn(call, state) });
  const takesCorrection = requirement.answers.includes('correction');
  const correctable = takesCorrection ? await inputFor(client, workflowId, state, params.id) : undefined;
  const isProposed = requirement.proposal !== undefined && query.input === 'private';
  const proposed = isProposed ? await proposedAnswerOf(client, workflowId, params.id) : undefined;
  return {
    requirement: viewOfRequirement(workflowId, requirement, accounts, correctable),
    input: shownAs(query, correctable?.input),
    proposed: proposed?.answer,
  };
}
