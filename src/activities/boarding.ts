import { createHash } from 'node:crypto';
import { cancellationSignal, getClient } from '@temporalio/activity';
import type { DocumentStore } from '../documents/document-store.js';
import type {
  BoardingActivities,
  Note,
  ReferenceRequest,
  Seen,
  StatusSnapshot,
  Warned,
} from '../messages/boarding-activities.js';
import { fieldOf, mergePatch } from '../messages/objects.js';
import type { BoardingClient } from '../partners/boarding/client.js';
import { EXPLAINED, isSubmittable, isUnderReview, mayTakeAnswers } from '../partners/boarding/phases.js';
import {
  createdMerchant,
  isKnownStatus,
  isMid,
  phaseOf,
  type UnderwritingNote,
} from '../partners/boarding/schemas.js';
import { problemText } from '../partners/bounds.js';
import type { CallOptions } from '../partners/client.js';
import { writeExactly } from '../partners/json.js';
import { type FieldProblem, PartnerError } from '../partners/partner-error.js';
import { type MeaningOf, statusShown } from '../partners/phases.js';
import { masked } from '../privacy/masked.js';
import { ownersOf, stillRunning } from '../temporal/onboardings.js';
import { naming, repeatable } from './failures.js';
import { awaitChange, nudgeOwnPoll, type PollBounds } from './poll.js';
import { documentFor } from './stores.js';
import { writeOnce, writeOnceThenRead } from './write.js';

const UPLOAD = { system: 'boarding', operation: 'upload-attachment' };

export interface BoardingDependencies {
  readonly client: BoardingClient;
  readonly documents: DocumentStore;
  /** Name of the account at the partners; undefined for the one without a name. */
  readonly partnerAccount?: string | undefined;
  readonly poll: PollBounds;
  readonly meaningOf: MeaningOf;
}

/** The activities of `merchantBoarding` at the boarding partner. Each makes a call or two, and translates their failures. */
export function boardingActivities({
  client,
  documents,
  partnerAccount,
  poll,
  meaningOf,
}: BoardingDependencies): BoardingActivities {
  const signal = () => ({ signal: cancellationSignal() });

  /** A status, and what its name means: by the documents, or by the decision of a person. */
  async function named(given: string): Promise<Pick<StatusSnapshot, 'status' | 'phase'>> {
    const status = statusShown(given);
    const meaning = isKnownStatus(status) ? undefined : await meaningOf(status);
    return { status, phase: meaning === undefined ? phaseOf(status) : EXPLAINED[meaning] };
  }

  async function snapshot(id: number, options: CallOptions = signal()): Promise<StatusSnapshot> {
    const { status: name, statusDate, comment, mid: given } = await client.getStatus({ id }, options);
    const { status, phase } = await named(name);
    const notes = isUnderReview(phase) ? await client.getUnderwritingNotes({ id }, options) : [];
    const isClear = given !== null && isMid(given);
    const mids = { mid: isClear ? given : null, unclearMid: isClear ? null : given && masked(given) };
    return { status, phase, statusDate, comment, ...mids, notes: identified(notes) };
  }

  /** The status without notes, just before a write. */
  async function statusNow(
    id: number,
    options: CallOptions,
  ): Promise<Pick<StatusSnapshot, 'status' | 'phase'>> {
    const { status } = await client.getStatus({ id }, options);
    return named(status);
  }

  async function chooseReferences(request: ReferenceRequest, options: CallOptions): Promise<References> {
    const profile = await chosen(request, 'agentProfileId', 'agent', () =>
      client.listAgentProfiles({}, options),
    );
    const settings = await chosen(request, 'boardingSettingsId', 'boardingSettings', () =>
      client.listBoardingSettings({}, options),
    );
    return toReferences(profile, settings);
  }

  return {
    createMerchant: ({ version, merchant, guid, references }) =>
      writeOnce(async (options) => {
        const chosen = await chooseReferences(references, { signal: options.signal });
        if ('problems' in chosen) return chosen;
        const { agentProfileId } = chosen;
        return warned(options, async (warning) => {
          const create = version === 'v1' ? client.createMerchantV1 : client.createMerchant;
          const { merchantProfileId } = await naming(of('merchant'), () =>
            create({ ...merchant, ...chosen, guid }, warning).catch((error: unknown) =>
              createdDespite(error, warning.onWarning),
            ),
          );
          return { merchantProfileId, agentProfileId };
        });
      }),

    changeFees: ({ merchantProfileId: id, changes }) =>
      repeatable(
        async () => {
          const before = await client.getFees({ id }, signal());
          const changed = differences(changes, before).length;
          if (changed === 0) return { changed, differing: [] };
          return await warned({}, async (options) => {
            const fees = { ...withChanges(before, changes), id };
            await naming(of('fees'), () => client.updateFees(fees, options));
            const after = await client.getFees({ id }, signal());
            const differing = differences(changes, after, ['fees']);
            return { changed, differing };
          });
        },
        { mayBeNew: true },
      ),

    submitMerchant: ({ merchantProfileId, application }) =>
      writeOnceThenRead(
        async (options) => {
          const before = await statusNow(merchantProfileId, { signal: options.signal });
          if (!isSubmittable(before.phase)) return { submitted: false, ...before };
          return warned(options, async (warning) => {
            await naming(of('application'), () =>
              client.submitMerchant({ ...application, merchantProfileId }, warning),
            );
            return { submitted: true, ...before };
          });
        },
        (_, options) => snapshot(merchantProfileId, options),
      ),

    readStatus: ({ merchantProfileId }) =>
      repeatable(
        async () => {
          const now = await snapshot(merchantProfileId);
          nudgeOwnPoll();
          return now;
        },
        { mayBeNew: true },
      ),

    inspectMerchant: ({ merchantProfileId, taskQueue, workflowId }) =>
      repeatable(async () => {
        const now = await snapshot(merchantProfileId);
        const owners = await ownersOf(getClient(), {
          workflowType: 'merchantBoarding',
          attribute: 'merchantProfileId',
          ids: [merchantProfileId],
          ...{ taskQueue, partnerAccount, except: workflowId },
        });
        const running = await stillRunning(getClient(), owners);
        const owner = running ?? owners[0];
        if (!owner) return { now };
        const { workflowId: ownerId, dba } = owner;
        return { now, owner: { workflowId: ownerId, dba, isRunning: running !== undefined } };
      }),

    awaitStatusChange: ({ merchantProfileId, seen, pace }) =>
      awaitChange(
        poll,
        pace,
        () => snapshot(merchantProfileId),
        (now) => hasChanged(seen, now),
      ),

    attachDocument: ({ merchantProfileId, document, description }) =>
      writeOnce(async (options) => {
        const file = await documentFor(UPLOAD, documents, document);
        const upload = { id: merchantProfileId, file, description };
        return warned(options, async (warning) => {
          await client.uploadAttachment(upload, warning);
          return {};
        });
      }),

    requestUnderwritingReview: ({ merchantProfileId, comment, noteIds }) =>
      writeOnce(async (options) => {
        const before = await snapshot(merchantProfileId, { signal: options.signal });
        const isAsked = before.notes.some(({ id }) => noteIds.includes(id));
        if (!isAsked || !mayTakeAnswers(before.phase)) return { delivered: false, before };
        const request = { id: merchantProfileId, ...(comment !== undefined && { comment }) };
        return await warned(options, async (warning) => {
          await client.requestUnderwritingReview(request, warning);
          nudgeOwnPoll();
          return { delivered: true, before };
        });
      }),
  };
}

/** Fields of the requests that the input does not have, or has at its top. */
const ADDED = ['', 'id', 'guid', 'merchantProfileId', 'agentProfileId', 'boardingSettingsId'];

const of = (part: 'merchant' | 'fees' | 'application') => (field: string) =>
  ADDED.includes(field) ? field : `${part}.${field}`;

/** Makes a call, and returns the partner's warnings with its result. */
async function warned<Options extends CallOptions, Result>(
  options: Options,
  call: (options: Options & Required<Pick<CallOptions, 'onWarning'>>) => Promise<Result>,
): Promise<Result & Warned> {
  const warnings: string[] = [];
  const result = await call({ ...options, onWarning: (warning) => void warnings.push(warning) });
  return { ...result, ...(warnings.length > 0 && { warnings }) };
}

/**
 * A create whose response contains problems and a merchant has created that merchant: a corrected repetition would create a second
 * one. So the problems become warnings, and the submission that follows may fail on its own.
 */
function createdDespite(
  error: unknown,
  onWarning: (warning: string) => void,
): { readonly merchantProfileId: number } {
  const created = error instanceof PartnerError && createdMerchant.safeParse(error.refusedWith);
  if (!created || created.error) throw error;
  for (const problem of error.fields) onWarning(problemText(problem));
  return created.data;
}

/** Beyond this number, a person is not asked about each note. */
const MOST_NOTES = 200;

/**
 * A note is identified by its text, its author, and its place among equal notes; the partner may change its date. Of too many notes,
 * those with the lowest ids are kept, independent of the partner's order, and one more note states how many others there are.
 */
function identified(notes: readonly UnderwritingNote[]): Note[] {
  const all = eachIdentified(notes);
  const more = all.length - MOST_NOTES;
  if (more <= 0) return all;
  const kept = all.sort((one, other) => (one.id < other.id ? -1 : 1)).slice(0, MOST_NOTES);
  const text = `The partner lists ${all.length} notes. Gangway asks about ${MOST_NOTES} of them; ${more} more are in the partner’s portal.`;
  return [...kept, { id: 'note-more', text, author: null, date: null, more }];
}

function eachIdentified(notes: readonly UnderwritingNote[]): Note[] {
  const places = new Map<string, number>();
  return notes.map(({ text, author, date }) => {
    const content = JSON.stringify([text, author]);
    const place = (places.get(content) ?? 0) + 1;
    places.set(content, place);
    const hash = createHash('sha256').update(`${content}${place}`).digest('hex');
    return { id: `note-${hash.slice(0, 12)}`, text, author, date };
  });
}

export function hasChanged(seen: Seen, { notes, ...now }: StatusSnapshot): boolean {
  const { noteIds, noteCount = notes.length, ...before } = seen;
  const isDifferent = (field: keyof typeof now) =>
    before[field] !== undefined && before[field] !== now[field];
  if ((['phase', 'status', 'statusDate', 'comment', 'mid', 'unclearMid'] as const).some(isDifferent))
    return true;
  const ids = notes.map(({ id }) => id);
  if (noteCount !== ids.length) return true;
  return noteIds !== undefined && (ids.length !== noteIds.length || ids.some((id) => !noteIds.includes(id)));
}

/** The ids that a create needs, or the choices for a person. */
type References =
  | { readonly agentProfileId: number; readonly boardingSettingsId?: number }
  | { readonly problems: readonly FieldProblem[] };

type Choice = { readonly id: number | undefined } | { readonly problem: FieldProblem };

/** An id as given, by name, or the only one; otherwise the choices for a person. */
async function chosen(
  request: ReferenceRequest,
  idField: 'agentProfileId' | 'boardingSettingsId',
  nameField: 'agent' | 'boardingSettings',
  list: () => Promise<readonly { id: number; name: string | null }[]>,
): Promise<Choice> {
  const given = request[idField];
  if (given !== undefined) return { id: given };
  const name = request[nameField];
  if (name === false) return { id: undefined };
  const all = await list();
  const matching = name === undefined ? all : all.filter((entry) => entry.name === name);
  if (matching.length === 1) return { id: matching[0]?.id };
  // Boarding settings are optional, an agent profile is not.
  if (all.length === 0 && name === undefined && idField === 'boardingSettingsId') return { id: undefined };
  const choices =
    all.map((entry) => `${entry.name ?? 'no name'} (${idField} ${entry.id})`).join(', ') || 'none';
  const orNone = idField === 'boardingSettingsId' ? '; boardingSettings: false creates without' : '';
  const count = matching.length === 0 ? 'none is' : `${matching.length} are`;
  const [field, why] =
    name === undefined ? [idField, 'not given'] : [nameField, `${count} named ${JSON.stringify(name)}`];
  return { problem: { field, message: `${why}; choose one of: ${choices}${orNone}` } };
}

function toReferences(profile: Choice, settings: Choice): References {
  const problems = [profile, settings].flatMap((choice) => ('problem' in choice ? [choice.problem] : []));
  if ('problem' in profile || 'problem' in settings || profile.id === undefined) return { problems };
  const { id: agentProfileId } = profile;
  return { agentProfileId, ...(settings.id !== undefined && { boardingSettingsId: settings.id }) };
}

type Fees = Readonly<Record<string, unknown>>;

/** The fees as read, with the changes merged into them. A list is replaced as a whole. */
export function withChanges(read: Fees, changes: Fees): Record<string, unknown> {
  return mergePatch({ ...read }, changes);
}

/** Where the partner's fees differ from the requested ones. Fields that were not requested do not count. */
export function differences(requested: unknown, has: unknown, path: readonly string[] = []): FieldProblem[] {
  if (isObject(requested) && isObject(has)) {
    return Object.entries(requested).flatMap(([name, value]) =>
      differences(value, fieldOf(has, name), [...path, name]),
    );
  }
  if (Array.isArray(requested) && Array.isArray(has) && requested.length === has.length) {
    return requested.flatMap((item, index) => differences(item, has[index], [...path, String(index)]));
  }
  if (isSame(requested, has)) return [];
  const instead = has === undefined ? 'nothing' : writeExactly(has);
  return [
    { field: path.join('.'), message: `asked for ${writeExactly(requested)}, the partner has ${instead}` },
  ];
}

function isSame(requested: unknown, has: unknown): boolean {
  // In a change, `null` removes the field, so an absent field is as requested.
  if (requested === undefined || writeExactly(requested) === writeExactly(has ?? null)) return true;
  // The partner may write the same instant in another way.
  return isDateTime(requested) && isDateTime(has) && Date.parse(requested) === Date.parse(has);
}

function isDateTime(value: unknown): value is string {
  return typeof value === 'string' && /^\d{4}-\d{2}-\d{2}T/.test(value);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
