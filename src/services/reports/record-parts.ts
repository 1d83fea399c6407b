import type { TimelineEvent } from '../../messages/codes.js';
import { fieldOf, isObject, mergePatch, omitUndefined } from '../../messages/objects.js';
import type { DocumentRef, Requirement } from '../../messages/requirements.js';
import type { DocumentStore } from '../../partners/documents/document-store.js';
import type { PartnerErrorKind } from '../../partners/partner-error.js';
import { StoreFailure } from '../../platform/documents/file-store.js';
import { REDACTED } from '../../platform/privacy/masked.js';
import { withoutPrivate } from '../../platform/privacy/private-fields.js';
import type { AcceptedAnswer, PartnerActivity } from '../../temporal/history.js';
import { explainPartnerFailure, partnerErrorOfFailure } from '../texts/partner-failures.js';
import type { CallResult, ExportedCall, ExportedDocument, ExportedRequirement } from './exported-record.js';

export interface Mask {
  /** Masks Gangway's own texts, such as timeline and outcome, in which numbers are IDs. */
  readonly ours: <Value>(value: Value) => Value;
  /** Masks others' texts, such as an input, an answer, a reason or a request, which may quote anything. */
  readonly theirs: <Value>(value: Value) => Value;
}

export const SHOWN: Mask = { ours: (value) => value, theirs: (value) => value };

export const MASKED: Mask = {
  ours: <Value>(value: Value) => withoutPrivate(value, 'log') as Value,
  theirs: <Value>(value: Value) => withoutPrivate(withoutCode(value), 'failure') as Value,
};

function withoutCode(value: unknown): unknown {
  const isCode = typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'code';
  return isCode ? { ...value, code: REDACTED } : value;
}

/** An event in a record: from a workflow's timeline, or only from its history. */
export interface RecordedEvent {
  /** ISO 8601. */
  readonly at: string;
  readonly event: TimelineEvent | 'stage-changed' | 'cancel-requested' | 'terminated' | 'reset';
  readonly detail?: string;
  readonly actor?: string;
  readonly reason?: string;
}

/** An open requirement. Without a worker, only its kind and dates are known. */
export type OpenRequirement = Pick<Requirement, 'id' | 'kind' | 'raisedAt' | 'dueAt'> &
  Partial<Pick<Requirement, 'title' | 'detail'>>;

/** The detail of a timeline entry about a requirement: `note-1a2b: Answer the underwriters`. */
const ABOUT = /^(\S+?)(?:: (.*))?$/s;

/** Returns every requirement in the timeline, and open ones. @param titles the partners' questions, by requirement ID */
export function recordedRequirements(
  timeline: readonly RecordedEvent[],
  open: readonly OpenRequirement[],
  titles: ReadonlyMap<string, string>,
  mask: Mask,
): ExportedRequirement[] {
  const all = new Map<string, ExportedRequirement>();
  for (const entry of timeline) {
    const change = changeBy(entry);
    if (!change) continue;
    const { endedAt, ...before } = all.get(change.id) ?? { status: 'open' as const };
    const isOver = (change.status ?? before.status) !== 'open';
    all.set(change.id, { ...before, ...(isOver && endedAt !== undefined && { endedAt }), ...change });
  }
  for (const { id, kind, title, detail, raisedAt, dueAt } of open) {
    const texts = mask.ours(omitUndefined({ title, detail }));
    all.set(id, { ...all.get(id), id, status: 'open', kind, raisedAt, dueAt, ...texts });
  }
  return [...all.values()].map((requirement) => {
    // If the partner asks again, the requirement's ID ends with a number.
    const text = titles.get(requirement.id) ?? titles.get(requirement.id.replace(/-\d+$/, ''));
    return text === undefined ? requirement : { detail: mask.theirs(text), ...requirement };
  });
}

/** Returns the notes and tickets in a partner's response, by the ID of their requirement. */
export function askedIn(response: unknown): [id: string, text: string][] {
  if (typeof response !== 'object' || response === null) return [];
  const { id, ticketId, text } = response as Readonly<Record<'id' | 'ticketId' | 'text', unknown>>;
  const about = typeof ticketId === 'number' ? `ticket-${ticketId}` : id;
  const own: [string, string][] =
    typeof about === 'string' && typeof text === 'string' ? [[about, text]] : [];
  return [...own, ...Object.values(response).flatMap(askedIn)];
}

function changeBy({
  at,
  event,
  detail = '',
}: RecordedEvent): (Partial<ExportedRequirement> & { id: string }) | undefined {
  const [, id, what] = ABOUT.exec(detail) ?? [];
  if (id === undefined) return undefined;
  switch (event) {
    case 'requirement-raised':
      return { id, raisedAt: at, status: 'open', ...(what !== undefined && { title: what }) };
    case 'requirement-overdue':
      return { id, overdueAt: at };
    case 'requirement-unclaimed':
      return { id, unclaimedAt: at };
    case 'requirement-resolved':
      return { id, endedAt: at, status: 'answered' };
    case 'answer-taken-back':
      return { id, status: 'open' };
    case 'requirement-closed':
      return { id, endedAt: at, status: 'closed', ...(what !== undefined && { closedBecause: what }) };
    default:
      return undefined;
  }
}

/** Returns the fields that corrections changed, with old and new values. @param input the input before the first answer */
export function correctionsOf(input: object, answers: readonly AcceptedAnswer[], mask: Mask) {
  let current = input;
  return answers.flatMap(({ at, requirementId, actor, reason, answer }, index) => {
    if (answer.kind !== 'correction') return [];
    const after = mergePatch(current, answer.patch);
    const changed = changesBetween(current, after);
    const next = answers.slice(index + 1).find((each) => each.requirementId === requirementId);
    const takenBack = next?.answer.kind === 'take-back';
    if (!takenBack) current = after;
    return changed.map(({ field, old, now }) => {
      const display = (value: unknown) => maskedAt(field.split('.'), value, mask);
      return {
        at,
        requirementId,
        actor,
        reason: mask.theirs(reason),
        field,
        takenBack,
        ...(old !== undefined && { old: display(old) }),
        ...(now !== undefined && { new: display(now) }),
      };
    });
  });
}

/** Masks a value. Whether it is private depends on its field name and the names of the objects around it. */
function maskedAt(path: readonly string[], value: unknown, mask: Mask): unknown {
  const whole = path.reduceRight<unknown>((inside, name) => ({ [name]: inside }), value);
  return path.reduce((inside, name) => (isObject(inside) ? inside[name] : inside), mask.theirs(whole));
}

function changesBetween(
  old: unknown,
  now: unknown,
  field = '',
): { readonly field: string; readonly old: unknown; readonly now: unknown }[] {
  if (JSON.stringify(old) === JSON.stringify(now)) return [];
  if (!isObject(old) || !isObject(now)) return [{ field, old, now }];
  const names = new Set([...Object.keys(old), ...Object.keys(now)]);
  return [...names].flatMap((name) =>
    changesBetween(fieldOf(old, name), fieldOf(now, name), field === '' ? name : `${field}.${name}`),
  );
}

export function callsOf(activities: readonly PartnerActivity[], mask: Mask): ExportedCall[] {
  return activities.map((call, index) => {
    const { activity, summary, system, scheduledAt, startedAt, closedAt, attempts, request, response } = call;
    const failure = partnerErrorOfFailure(call.failure);
    const problem = failure ? explainPartnerFailure(failure).replaceAll('\n', ';') : call.failure?.message;
    return {
      number: index + 1,
      operation: activity,
      system,
      scheduledAt,
      attempts,
      result: resultOf(call),
      ...(omitUndefined({
        summary: summary && mask.ours(summary),
        startedAt,
        endedAt: closedAt,
        problem: problem && mask.theirs(problem),
        httpStatus: failure?.status,
        requestId: failure?.requestId,
        request: mask.theirs(request),
        response: mask.theirs(response),
      }) as Partial<ExportedCall>),
    };
  });
}

const RESULTS: Readonly<Record<PartnerErrorKind, CallResult>> = {
  NotSent: 'not-sent',
  RateLimited: 'rate-limited',
  Rejected: 'rejected',
  Unauthorized: 'unauthorized',
  Forbidden: 'forbidden',
  Uncertain: 'uncertain',
};

function resultOf({ end, response, failure }: PartnerActivity): CallResult {
  switch (end) {
    case 'completed':
      return hasProblems(response) ? 'rejected' : 'done';
    case 'failed': {
      const kind = partnerErrorOfFailure(failure)?.kind;
      return kind === undefined ? 'failed' : RESULTS[kind];
    }
    case 'unfinished':
      return 'not-recorded';
    default:
      return end;
  }
}

/** A partner may reject a request with a successful HTTP status. */
function hasProblems(response: unknown): boolean {
  if (typeof response !== 'object' || response === null) return false;
  const { problems, refusal } = response as { problems?: unknown; refusal?: unknown };
  return refusal !== undefined || (Array.isArray(problems) && problems.length > 0);
}

/** Returns every document in an answer or a call, with the hash of the stored file. */
export async function recordedDocuments(
  store: DocumentStore,
  answers: readonly AcceptedAnswer[],
  activities: readonly PartnerActivity[],
  mask: Mask,
): Promise<ExportedDocument[]> {
  const answered = answers.flatMap(({ requirementId, answer }) =>
    answer.kind === 'documents' ? answer.documents.map((document) => ({ document, requirementId })) : [],
  );
  const sent = activities.flatMap(({ request }, index) => {
    const document = documentIn(request);
    return document ? [{ document, number: index + 1 }] : [];
  });
  const all = new Map([...answered, ...sent].map(({ document }) => [document.key, document]));
  const documents: ExportedDocument[] = [];
  for (const [key, { fileName, contentType }] of all) {
    const isIt = ({ document }: { readonly document: DocumentRef }) => document.key === key;
    documents.push({
      key,
      fileName: mask.theirs(fileName),
      contentType,
      answered: [...new Set(answered.filter(isIt).map(({ requirementId }) => requirementId))],
      sentBy: sent.filter(isIt).map(({ number }) => number),
      ...(await store.hash({ key }).catch((error: unknown): Pick<ExportedDocument, 'problem'> => {
        if (error instanceof StoreFailure) return { problem: error.message };
        throw error;
      })),
    });
  }
  return documents;
}

function documentIn(request: unknown): DocumentRef | undefined {
  if (typeof request !== 'object' || request === null || !('document' in request)) return undefined;
  const { document } = request as { document?: Partial<DocumentRef> };
  return typeof document?.key === 'string' ? (document as DocumentRef) : undefined;
}
