import pLimit from 'p-limit';
import { z } from 'zod';
import { programActor } from '../../../messages/actors.js';
import { isOnboarding, partsOfId, possibleWorkflowIds } from '../../../messages/ids.js';
import { accountProblem, type KnownAccounts, knownWithin } from '../../../messages/inputs.js';
import { omitUndefined } from '../../../messages/objects.js';
import { TASKS } from '../../../messages/requirements.js';
import { ONBOARDINGS } from '../../../messages/workflow-types.js';
import { Deadline } from '../../../platform/http/deadline.js';
import { withoutPrivate } from '../../../platform/privacy/private-fields.js';
import { isCorrectable } from '../../../services/forms/corrections.js';
import { isOverdue } from '../../../services/inbox/inbox.js';
import { askingWorkflow, readParts, readWaits, timelinesOf } from '../../../services/inbox/waiting-state.js';
import { reportOf } from '../../../services/reports/report.js';
import { cursorOf } from '../../../services/texts/cursors.js';
import {
  inputOf,
  isInSomeAccount,
  queryState,
  requestCancellation,
} from '../../../temporal/find-onboarding.js';
import type { AnyInput, Kind } from '../../../temporal/kinds/define-kind.js';
import { EACH_KIND } from '../../../temporal/kinds/kinds.js';
import { nudgeAll } from '../../../temporal/nudge.js';
import { parseBody, startOrAttach } from '../../../temporal/program-requests.js';
import { isNot } from '../../../temporal/query.js';
import { type Filter, type Listed, pageBy, toListed, typesOf } from '../../../temporal/search.js';
import { response } from '../openapi.js';
import { DEADLINE_MS, invalidRequest, Problem } from '../problems.js';
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
import * as shapes from './shapes.js';

/** Onboardings, the report, and documents. */

const KINDS = new Map(EACH_KIND.map((kind) => [ONBOARDINGS[kind.type].nouns[0] as string, kind] as const));

const typed = z.looseObject({
  type: z.enum(shapes.NOUNS).transform((type) => [type, KINDS.get(type) as Kind] as const),
  externalId: z.undefined('is in the path').optional(),
});

export type Bodies = Readonly<Record<string, z.ZodType>>;

export function bodySchemas(accounts: KnownAccounts): Bodies {
  return Object.fromEntries([...KINDS].map(([type, { schema }]) => [type, schema(accounts)]));
}

/** @param bodies describes the bodies of a start in the OpenAPI document */
export function onboardingRoutes(bodies: Bodies): ApiRoute[] {
  return [
    defineRoute('GET /v1/onboardings', 'list-onboardings', 'read', 'List onboardings, newest first', {
      query: shapes.onboardingQuery,
      responses: { 200: response('A page', shapes.onboardingPage) },
      reply: listOnboardings,
    }),
    defineRoute(
      'PUT /v1/onboardings/{onboarding}',
      'start-onboarding',
      'start',
      'Start an onboarding, or attach to the one that was started before with the same input',
      {
        params: shapes.externalIdPath,
        // The schema of the type checks the input, once the type is known.
        body: z.unknown(),
        shownBody: z.union(Object.values(bodies)),
        responses: {
          200: response('The onboarding was started before, with the same input', shapes.started),
          202: response('Temporal has the onboarding', shapes.started),
        },
        reply: startOnboarding,
      },
    ),
    defineRoute('GET /v1/onboardings/{onboarding}', 'get-onboarding', 'read', 'Read an onboarding', {
      params: shapes.onboardingPath,
      query: shapes.readQuery,
      responses: { 200: response('The onboarding', shapes.onboarding) },
      reply: readOnboarding,
    }),
    defineRoute(
      'GET /v1/onboardings/{onboarding}/timeline',
      'get-timeline',
      'read',
      'Read what has happened, oldest first; for a customer, also in its parts',
      {
        params: shapes.onboardingPath,
        query: shapes.timelineQuery,
        responses: { 200: response('A page', shapes.timelinePage) },
        reply: readTimeline,
      },
    ),
    defineRoute(
      'POST /v1/onboardings/{onboarding}/cancel',
      'cancel-onboarding',
      'approve',
      'Request a cancellation; of a customer, with all its parts. What exists at the partner stays there',
      {
        params: shapes.onboardingPath,
        body: shapes.cancelRequest,
        responses: { 202: response('The cancellation is requested', shapes.canceled) },
        reply: async (call) => {
          const { workflowId } = await onboardingOfClient(call, call.params.onboarding);
          // The workflows of an account hold decisions for all its onboardings.
          if (!isOnboarding(workflowId))
            throw new Problem('unknown-onboarding', 'only an onboarding can be canceled');
          const { reason, person } = call.body;
          if (!(await requestCancellation(call.backend.client, workflowId, reason)))
            throw new Problem('not-open', 'the onboarding has ended');
          forgetListsOfClient(call);
          audit(call, 'cancel', { workflowId, person });
          call.reply.code(202);
          return { workflowId, cancelRequested: true };
        },
      },
    ),
    defineRoute(
      'POST /v1/onboardings/{onboarding}/nudge',
      'nudge-onboarding',
      'answer',
      'Make it read its status at the partner now, and retry its other calls',
      {
        params: shapes.onboardingPath,
        responses: { 200: response('What was nudged', shapes.nudged) },
        reply: async (call) => {
          const execution = await onboardingOfClient(call, call.params.onboarding);
          const deadline = new Deadline({ ms: DEADLINE_MS });
          const nudged = await nudgeAll(call.backend.client, execution, deadline.signal);
          deadline.release();
          audit(call, 'nudge', { workflowId: execution.workflowId });
          return { workflowId: execution.workflowId, ...nudged };
        },
      },
    ),
    defineRoute('GET /v1/report', 'get-report', 'read', 'Read the figures of "gangway report"', {
      query: shapes.reportQuery,
      responses: { 200: response('The figures', shapes.reportShape) },
      deadlineMs: 60_000,
      reply: (call) => {
        const { account, partner, ...options } = call.query;
        const filter = omitUndefined({ ...options, system: partner });
        const partnerAccounts = accountsOfClient(call.client, account);
        if (oneReport.pendingCount > MAX_REPORTS)
          throw new Problem('too-many-requests', 'try again in a minute', {
            headers: { 'retry-after': '60' },
          });
        return oneReport(() => reportOf(call.backend.client, { ...filter, partnerAccounts }));
      },
    }),
  ];
}

/** A report lists all onboardings, so only one is made at a time. */
const oneReport = pLimit(1);
const MAX_REPORTS = 10;

async function listOnboardings(call: Call<unknown, z.output<typeof shapes.onboardingQuery>>) {
  const { backend, client, query } = call;
  const { type, account, state, waiting, find, externalId, limit, cursor, ...same } = query;
  const kind = type === undefined ? undefined : KINDS.get(type);
  const filter: Filter = {
    types: kind ? [kind.type] : typesOf(ONBOARDINGS),
    ...same,
    find,
    partnerAccounts: accountsOfClient(client, account),
    ...(externalId !== undefined && { workflowIds: possibleWorkflowIds(externalId, backend.accounts) }),
    running: state === 'running',
    actionRequired: waiting,
    query: isNot('ExecutionStatus', state === 'ended' ? 'Running' : 'ContinuedAsNew'),
  };
  const at = placeIn(cursor, z.string());
  const { found: onboardings, next } = await sharedList(call, () =>
    pageBy(backend.client, filter, limit, at),
  );
  return { onboardings: onboardings.map(rowOf), next: cursorOf(next) };
}

function rowOf(listed: Listed) {
  const { workflowId, dba, state, stage, partnerStatus, mid, startedAt, endedAt } = listed;
  const { type = '', key, account } = partsOfId(workflowId) ?? {};
  const idIn = (text: string | undefined) => (text === undefined ? undefined : Number(text));
  return {
    workflowId,
    type: shapes.nounOf(type),
    account,
    dba,
    state,
    stage,
    partnerStatus,
    mid,
    externalId: type in ONBOARDINGS ? key : undefined,
    merchantProfileId: idIn(listed.merchantProfileId),
    bankingProfileId: idIn(listed.bankingProfileId),
    waiting: state === 'running' && listed.requirements.length > 0,
    startedAt: startedAt.toISOString(),
    endedAt: endedAt?.toISOString(),
  };
}

async function startOnboarding(call: Call<z.output<typeof shapes.externalIdPath>>) {
  const { backend, known: accounts, client, sent, reply } = call;
  const externalId = call.params.onboarding;
  const {
    type: [, kind],
    ...fields
  } = parseBody(typed, sent);
  const input = parseBody(kind.schema(knownWithin(accounts, client.accounts)), { ...fields, externalId });
  const problem = accountProblem(client.accounts, input.account);
  if (problem) throw invalidRequest([problem]);
  const { workflowId, isUnchanged } = await startOrAttach(backend, kind, input as AnyInput, {
    actor: programActor(client.name),
  });
  forgetListsOfClient(call);
  if (!isUnchanged) audit(call, 'start', { workflowId });
  reply.code(isUnchanged ? 200 : 202).header('location', `/v1/onboardings/${encodeURIComponent(workflowId)}`);
  return { workflowId, ...(isUnchanged && { unchanged: true }) };
}

const read = (call: Pick<Call, 'backend'>) => (id: string) => queryState(call.backend.client, id, READ_MS);

type ReadQuery = z.output<typeof shapes.readQuery>;

async function readOnboarding(call: Call<z.output<typeof shapes.onboardingPath>, ReadQuery>) {
  const { backend, params, query } = call;
  const description = await onboardingOfClient(call, params.onboarding);
  const { workflowId } = description;
  requirePrivate(call, workflowId);
  const hasInput = query.input !== undefined && isCorrectable(workflowId);
  const row = rowOf(await toListed(backend.client, description));
  const { state, step, requirements, obstacles } = await readWaits(backend.client, workflowId, read(call));
  const { outcome, mid = row.mid, financialAccountId, unsent = [] } = state;
  return {
    ...row,
    mid,
    waiting: requirements.length > 0,
    step,
    outcome,
    financialAccountId,
    unsent,
    obstacles,
    requirements: requirements.flatMap(({ workflowId: of, requirement }) => {
      if (!isInSomeAccount(of, call.client.accounts)) return [];
      const id = of === workflowId ? askingWorkflow(of, state, requirement.id) : of;
      const { kind, dueAt } = requirement;
      return { ...requirement, workflowId: id, task: TASKS[kind], overdue: isOverdue(dueAt) };
    }),
    input: shownAs(query, hasInput ? (await inputOf(backend.client, workflowId)).input : undefined),
  };
}

/** Lets only clients with the scope read private values, and records that in the audit log. @throws {Problem} `forbidden` */
export function requirePrivate(call: Call<unknown, ReadQuery>, workflowId: string, requirementId?: string) {
  if (call.query.input !== 'private') return;
  requireScope(call.client, 'private');
  audit(call, 'read private values', { workflowId, ...omitUndefined({ requirementId }) });
}

/** Returns an input in the requested form: masked or not. */
export function shownAs({ input: form }: ReadQuery, input: object | undefined): unknown {
  if (form === undefined || input === undefined) return undefined;
  return form === 'private' ? input : withoutPrivate(input);
}

async function readTimeline(
  call: Call<z.output<typeof shapes.onboardingPath>, z.output<typeof shapes.timelineQuery>>,
) {
  const { backend, params, query } = call;
  const { workflowId } = await onboardingOfClient(call, params.onboarding);
  const from = placeIn(query.cursor, z.int()) ?? 0;
  const state = await read(call)(workflowId);
  const parts = await readParts(backend.client, workflowId, state, read(call));
  const all = timelinesOf(state, parts).toSorted((one, other) => one.at.localeCompare(other.at));
  const to = from + query.limit;
  return { entries: all.slice(from, to), next: cursorOf(to < all.length ? to : undefined) };
}
