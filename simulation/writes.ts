import type { ReceivedRequest } from '../src/apps/sandbox/faults.js';
import type { LedgerEntry } from '../src/apps/sandbox/ledger.js';
import type { TimelineEvent } from '../src/messages/codes.js';
import { omitUndefined } from '../src/messages/objects.js';
import type { OnboardingState, TimelineEntry } from '../src/messages/onboarding-state.js';
import type { Party } from './cast.js';
import { finalMid, repliesTo } from './ledger.js';
import type { Scene } from './scene.js';

/** Compares timelines and questions with the records of the partners. One table says how each of them names a write. */

/** The published state of a workflow, and its party. */
export interface Witness {
  readonly party: Pick<Party, 'externalId' | 'businessName' | 'legalName'>;
  readonly workflowId: string;
  readonly state: OnboardingState;
}

/** In place of a party, for the workflow of an account. */
export const NOBODY: Witness['party'] = { externalId: '', businessName: '', legalName: '' };

type Fields = { readonly [Key in keyof LedgerEntry]?: string | number | undefined };

interface Write {
  /** The pattern of its step. A group names what it is about. Absent for a write that may be repeated: nobody is asked about it. */
  readonly title?: string;
  readonly operations: readonly string[];
  /** The fields of its ledger entries whose values its requests have, too. */
  readonly about: (witness: Witness, named: string) => Fields;
  /** A field of its ledger entries that has what the title names, and the log of requests does not. */
  readonly named?: 'name';
  /** The events that count it as done. Each stands for a write of its own, except for one that may be the partner's. */
  readonly done?: readonly TimelineEvent[];
  readonly mayBePartners?: true;
  /** These events say what was written: `merchant 1001`. */
  readonly saysId?: true;
  /** The field of the ledger that a person confirms. Default: `id`. */
  readonly confirmed?: 'name' | 'of';
}

const ofMerchant = ({ state }: Witness): Fields => ({ id: state.merchantProfileId ?? 0 });
const ofProfile = ({ state }: Witness): Fields => ({ id: state.profileId ?? 0 });

const WRITES: readonly Write[] = [
  {
    title: 'create the merchant',
    operations: ['create-merchant', 'create-merchant-v1'],
    about: ({ party }) => ({ guid: party.externalId }),
    done: ['merchant-created', 'merchant-imported'],
    saysId: true,
  },
  { operations: ['update-fees'], about: ofMerchant, done: ['fees-changed'] },
  {
    title: 'submit to underwriting',
    operations: ['submit-merchant', 'submit-merchant-v1'],
    about: ofMerchant,
    done: ['submitted'],
  },
  {
    title: 'request the review of the answers',
    operations: ['request-underwriting-review'],
    about: ofMerchant,
    done: ['answers-delivered'],
  },
  { title: 'upload (.+)', operations: ['upload-attachment'], about: ofMerchant, named: 'name' },
  {
    title: 'submit the business account holder',
    operations: ['submit-business-account-holder'],
    about: ({ party }) => ({ name: party.businessName, of: party.legalName }),
    done: ['holder-submitted', 'profile-imported'],
    saysId: true,
  },
  { operations: ['update-business-account-holder'], about: ofProfile, done: ['holder-corrected'] },
  {
    title: 'open the financial account',
    operations: ['submit-business-customer'],
    about: ofProfile,
    done: ['financial-account-opened'],
    mayBePartners: true,
    confirmed: 'name',
  },
  {
    title: 'reply to ticket (\\d+)',
    operations: ['create-ticket'],
    about: (_, ticket) => ({ of: ticket }),
    done: ['ticket-answered'],
    mayBePartners: true,
    confirmed: 'of',
  },
];

function writeOf(title: string): { readonly write: Write; readonly named: string } | undefined {
  for (const write of WRITES) {
    const match = write.title !== undefined && new RegExp(`^${write.title}$`).exec(title);
    if (match) return { write, named: match[1] ?? '' };
  }
  return undefined;
}

/** The entries of a write, none while a field is not known. */
function entriesOf(ledger: readonly LedgerEntry[], { operations }: Write, fields: Fields): LedgerEntry[] {
  const wanted = Object.entries(fields);
  return ledger.filter(
    (entry) =>
      operations.includes(entry.operation) &&
      wanted.every(([field, value]) => String(entry[field as keyof LedgerEntry]) === String(value)),
  );
}

/** What counts a write as done, of those that a title names. */
function doneIn({ timeline }: OnboardingState, { done = [] }: Write, named = ''): TimelineEntry[] {
  return timeline.filter(({ event, detail = '' }) => done.includes(event) && detail.includes(named));
}

/**
 * The id of a write that an open question is about, as the ledger has it; `none` without one, and undefined when it is no known
 * write.
 */
export function writtenAs(question: string, witness: Witness, ledger: readonly LedgerEntry[]) {
  const result = writeOf(question.replace(/^[^:]+: /, ''));
  if (!result) return undefined;
  const { write, named } = result;
  const fields = { ...write.about(witness, named), ...(write.named && { [write.named]: named }) };
  const entry = entriesOf(ledger, write, fields)[doneIn(witness.state, write, named).length];
  return entry ? String(entry[write.confirmed ?? 'id']) : 'none';
}

/** A line for each write in the ledger that a timeline has neither as done nor as uncertain. */
export function unrecorded(witness: Witness, ledger: readonly LedgerEntry[]): string[] {
  const { workflowId, state } = witness;
  return WRITES.flatMap((write) => {
    const { title } = write;
    if (title === undefined || title.includes('(')) return [];
    const isWarning = new RegExp(`^${title}(?!.*: (none|rejected)$)`);
    const times = entriesOf(ledger, write, write.about(witness, '')).length;
    const recorded = state.timeline.filter(
      ({ event, detail = '' }) =>
        write.done?.includes(event) ||
        /^(?:write-confirmed|(?:merchant|profile)-imported)$/.test(event) ||
        (event.startsWith('write-') && isWarning.test(detail)),
    ).length;
    const counts = `did ${title} ${times} times, and its timeline has it ${recorded} times`;
    return recorded >= times ? [] : [`${workflowId} ${counts}`];
  });
}

/** The records of the partners. */
export interface Evidence {
  readonly ledger: readonly LedgerEntry[];
  /** The comments of the review requests of a merchant. */
  readonly comments: ReadonlyMap<number, readonly string[]>;
  /** Financial accounts by banking profile. */
  readonly accounts: ReadonlyMap<number, string | null>;
  /** The words that answer every underwriting note. */
  readonly noteAnswer: string;
}

/**
 * Reads the records of the sandbox, one after the other.
 *
 * @param read calls a control of the sandbox
 */
export async function evidenceOf(
  ledger: readonly LedgerEntry[],
  noteAnswer: string,
  read: (path: string) => Promise<Readonly<Record<string, unknown>>>,
): Promise<Evidence> {
  const fieldOf = async <Value>(operation: string, place: string, field: string) => {
    const ids = ledger.filter((one) => one.operation === operation).map(({ id }) => Number(id));
    const values = new Map<number, Value>();
    for (const id of new Set(ids)) values.set(id, (await read(`/sandbox/${place}/${id}`))[field] as Value);
    return values;
  };
  return {
    ledger,
    noteAnswer,
    comments: await fieldOf('request-underwriting-review', 'merchants', 'reviewComments'),
    accounts: await fieldOf('submit-business-account-holder', 'profiles', 'financialAccountId'),
  };
}

/** A line for each step that a workflow counts as done, confirmed or delivered although the partners have no record of it. */
export function contradicted(witnesses: readonly Witness[], evidence: Evidence): string[] {
  const ofEach = witnesses.flatMap((witness) =>
    [unwritten, unanswered, undelivered, strange]
      .flatMap((check) => [...check(witness, evidence)])
      .map((what) => `${witness.workflowId}: ${what}`),
  );
  return [...ofEach, ...shared(witnesses)];
}

function* unwritten(witness: Witness, { ledger }: Evidence) {
  for (const write of WRITES.filter(({ mayBePartners }) => !mayBePartners)) {
    const events = doneIn(witness.state, write);
    const about = write.about(witness, '');
    const claims = write.saysId
      ? events.map(({ event, detail = '' }) => {
          return { step: String(event), times: 1, fields: { ...omitUndefined(about), id: idIn(detail) } };
        })
      : [{ step: String(write.done), times: events.length, fields: about }];
    for (const { step, times, fields } of claims) {
      const count = entriesOf(ledger, write, fields).length;
      const what = JSON.stringify({ operation: write.operations, ...fields });
      if (count < times) yield `${step} ${times} times, and the ledger has ${what} ${count} times`;
    }
  }
}

/** `merchant 1001, status Pending`, `banking profile 3001`, `account-1001` */
function idIn(detail: string): string {
  return /^(?:merchant|banking profile) (\d+)/.exec(detail)?.[1] ?? detail;
}

/** `note-0123456789ab: text` */
function resolved({ event, detail = '' }: TimelineEntry) {
  const [, id, kind] = /^(\S+): (\S+)/.exec(event === 'requirement-resolved' ? detail : '') ?? [];
  return id !== undefined && kind !== undefined ? { id, kind } : undefined;
}

/** Each time that a text answers a ticket, the ticket has a reply. */
function* unanswered({ state: { timeline } }: Witness, { ledger }: Evidence) {
  const kinds = new Map<string, string>();
  const tickets: string[] = [];
  for (const entry of timeline) {
    const answer = resolved(entry);
    if (answer) kinds.set(answer.id, answer.kind);
    const [id = '', ticket = ''] = /\bticket-(\d+)\S*/.exec(entry.detail ?? '') ?? [];
    if (entry.event === 'ticket-answered' && kinds.get(id) === 'text') tickets.push(ticket);
  }
  for (const [ticket, { length: times }] of Map.groupBy(tickets, (each) => each)) {
    const count = repliesTo(ticket, ledger).length;
    if (count < times) yield `answered ticket ${ticket} ${times} times, and it has ${count} replies`;
  }
}

/** Answers to notes that count as delivered: texts in the comments of review requests, documents as uploads. */
function* undelivered({ state }: Witness, { ledger, comments, noteAnswer }: Evidence) {
  const { merchantProfileId: id = 0, timeline } = state;
  let texts = 0;
  const documents: string[] = [];
  const sinceDelivery = new Map<string, NonNullable<ReturnType<typeof resolved>>>();
  for (const entry of timeline) {
    const answer = resolved(entry);
    // A note that is raised again before its answer went out is answered once. Its later ID ends in a number.
    const [note = ''] = /^note-[0-9a-f]+/.exec(entry.detail ?? '') ?? [];
    if (answer && note) sinceDelivery.set(note, answer);
    if (entry.event === 'answer-dropped') sinceDelivery.delete(note);
    if (entry.event !== 'answers-delivered') continue;
    for (const { kind, id: of } of sinceDelivery.values()) {
      if (kind === 'text') texts += 1;
      if (kind === 'documents') documents.push(of);
    }
    sinceDelivery.clear();
  }
  const written = (comments.get(id) ?? []).join('\n').split(noteAnswer).length - 1;
  if (written < texts) yield `delivered ${texts} answers, and the underwriters have ${written}`;
  const uploads = ledger.filter((one) => one.operation === 'upload-attachment' && one.id === id);
  const names = uploads.map(({ name }) => name?.replace(/\.(?:txt|pdf)$/, ''));
  for (const note of documents)
    if (!names.includes(note)) yield `delivered a document for ${note}, and the underwriters do not have it`;
}

/** A mid or a financial account that belongs to another merchant or profile. */
function* strange({ state }: Witness, { accounts }: Evidence) {
  const { merchantProfileId: merchant, mid, profileId, financialAccountId: opened } = state;
  if (mid !== undefined && merchant !== undefined && mid.replace(/^0+/, '') !== finalMid(merchant))
    yield `has the mid ${mid}, and its merchant is ${merchant}`;
  const account = accounts.get(profileId ?? 0) ?? undefined;
  if (profileId !== undefined && opened !== undefined && account !== opened)
    yield `has account ${opened} opened, and profile ${profileId} has ${account ?? 'none'}`;
}

/** Records of a partner that two customers count as their own. */
function* shared(witnesses: readonly Witness[]) {
  const claims = witnesses.flatMap(({ party, state: { merchantProfileId, profileId } }) => [
    ...(merchantProfileId === undefined ? [] : [{ thing: `merchant ${merchantProfileId}`, party }]),
    ...(profileId === undefined ? [] : [{ thing: `profile ${profileId}`, party }]),
  ]);
  for (const [thing, all] of Map.groupBy(claims, (claim) => claim.thing)) {
    const owners = new Set(all.map(({ party }) => party.externalId));
    if (owners.size > 1) yield `${thing} belongs to ${[...owners].join(' and ')}`;
  }
}

/** A question about a write whose outcome is unknown, and the last request by then that it is about, if one had arrived. */
export interface Examined {
  readonly workflowId: string;
  /** ID of the requirement. */
  readonly id: string;
  /** The step: `submit to underwriting`. */
  readonly title: string;
  /** ISO 8601. */
  readonly at: string;
  /** When its intent was recorded, and why its outcome is unknown. */
  readonly warning: string;
  readonly request: ReceivedRequest | undefined;
}

/** Finds requests of an operation that have all these words in their URL or body. */
export type Search = (operation: string, about: readonly string[]) => Promise<readonly ReceivedRequest[]>;

/** Every question about a write, open or not. */
export async function examined(witnesses: readonly Witness[], search: Search): Promise<Examined[]> {
  const all = witnesses.map(async (witness) => {
    const taken = new Set<number>();
    const questions: Examined[] = [];
    for (const question of questionsIn(witness)) {
      const { write = NO_WRITE, named = '' } = writeOf(question.title) ?? {};
      const words = Object.values(write.about(witness, named)).map(String);
      const arrived = await Promise.all(write.operations.map((each) => search(each, words)));
      // Each request belongs to one question, and came after the write was last done.
      const since = doneIn(witness.state, write, named).findLast(({ at }) => at < question.at)?.at ?? '';
      const request = arrived
        .flat()
        .sort((one, other) => one.seq - other.seq)
        .findLast(({ seq, at }) => at > since && at <= question.at && !taken.has(seq));
      if (request) taken.add(request.seq);
      questions.push({ ...question, request });
    }
    return questions;
  });
  return (await Promise.all(all)).flat();
}

const NO_WRITE: Write = { operations: [], about: () => ({}) };

/** Which of several is meant, or whose something is. */
const ABOUT_NO_WRITE = /^(Several found:|Whose )/;

/** Raised as `uncertain-write-2: Outcome unknown: submit to underwriting`. */
function questionsIn({ workflowId, state }: Witness): Omit<Examined, 'request'>[] {
  return state.timeline.flatMap(({ event, at, detail = '' }) => {
    const [, id, title = ''] = /^(\S*uncertain-write\S*): (.+)$/.exec(detail) ?? [];
    if (event !== 'requirement-raised' || id === undefined || ABOUT_NO_WRITE.test(title)) return [];
    const question = title.replace(/^Outcome unknown: /, '');
    const isItsWarning = (entry: TimelineEntry) =>
      entry.event === 'write-uncertain' && entry.detail?.startsWith(question) && entry.at <= at;
    const warning = state.timeline.findLast(isItsWarning)?.detail?.slice(question.length) ?? '';
    return [{ workflowId, id, title: question, at, warning }];
  });
}

/** What happened to a process. */
export interface Incident {
  /** ISO 8601. */
  readonly at: string;
  /** `worker 1 is killed, and down for 200 ms`. */
  readonly what: string;
}

/** The server gives up on an attempt of a write after this time. */
const ATTEMPT_MS = 120_000;

/**
 * How many milliseconds after the intent of a write a worker was killed. Such a worker may have died before the first byte, and only
 * a person can decide about an intent without a request. Undefined if no worker was killed while the attempt could run.
 */
export function killedAfterMark(
  { at, warning }: Examined,
  incidents: readonly Incident[],
): number | undefined {
  const [, intendedAt = ''] = / sent at (.+ UTC): its worker stopped/.exec(warning) ?? [];
  const lasted = Math.min(Date.parse(at) - Date.parse(intendedAt), ATTEMPT_MS);
  const after = incidents
    .filter(({ what }) => /^worker \S+ is killed/.test(what))
    .map((incident) => Date.parse(incident.at) - Date.parse(intendedAt));
  return after.find((milliseconds) => milliseconds >= 0 && milliseconds < lasted);
}

/** Within this time of another create, nothing shows that a merchant in a response was there before (src/activities/reservations.ts), in milliseconds. */
const AT_ONCE_MS = 2 * 60_000;

/**
 * Customers whose merchants nobody can tell apart: a partner that makes one record of two creates has responded to both with the
 * same number, before either of them could reserve it. Whoever reserves it first has it, and a person is asked about the other.
 */
export function indistinct(
  { cast, partners, network }: Pick<Scene, 'cast' | 'partners' | 'network'>,
  witnesses: readonly Witness[],
): ReadonlySet<Party> {
  const isCreateOf = (externalId: string) => (request: { readonly path: string; readonly text: string }) =>
    /merchant\/create/.test(request.path) && request.text.includes(externalId);
  const pairs = witnesses.flatMap(({ party, state: { merchantProfileId, timeline } }) => {
    const record = partners.ledger.find(
      ({ operation, id }) => /^create-merchant/.test(operation) && id === merchantProfileId,
    );
    const owner = cast.find(({ externalId }) => externalId === record?.guid);
    const isBelieved = timeline.some(({ event }) => event === 'merchant-created');
    if (!record || !owner || owner.externalId === party.externalId || !isBelieved) return [];
    const askedAt = network.left.findLast(isCreateOf(party.externalId))?.at ?? 0;
    const isAtOnce = Math.abs(askedAt - Date.parse(record.at)) < AT_ONCE_MS;
    // The date of its status is that of the read.
    const isDateless = owner.parts.boarding?.scenario === 'volatile-date';
    return isAtOnce || isDateless ? [party as Party, owner] : [];
  });
  return new Set(pairs);
}
