import type { TimelineEntry } from '../src/messages/onboarding-state.js';
import type { ReceivedRequest } from '../src/sandbox/faults.js';
import type { LedgerEntry } from '../src/sandbox/ledger.js';
import type { Witness } from './beliefs.js';

/** A question about a write: it is unknown whether the write took effect. */
export interface Question {
  readonly workflowId: string;
  /** ID of the requirement. */
  readonly id: string;
  /** The step: `submit to underwriting`. */
  readonly title: string;
  /** ISO 8601. */
  readonly at: string;
  /** When its mark was made, and why its outcome is unknown. */
  readonly doubt: string;
}

/** A question, and the request that it is about. Undefined when no request had arrived, so that there was nothing to ask. */
export interface Examined extends Question {
  readonly request: ReceivedRequest | undefined;
}

/** Finds requests of an operation that have all these words in their URL or body. */
export type Search = (operation: string, about: readonly string[]) => Promise<readonly ReceivedRequest[]>;

/**
 * A write that may be asked about: its operations, words of its requests, the timeline event that records it as done, and the
 * field of the ledger whose value a person adopts. Default: `id`.
 */
interface Write {
  readonly title: RegExp;
  readonly operations: readonly string[];
  readonly about: (witness: Witness, match: readonly string[]) => readonly unknown[];
  readonly done?: string;
  readonly adopted?: 'name' | 'of';
}

const WRITES: readonly Write[] = [
  {
    title: /^create the merchant$/,
    operations: ['create-merchant', 'create-merchant-v1'],
    about: ({ party }) => [party.externalId],
    done: 'merchant-created',
  },
  {
    title: /^submit to underwriting$/,
    operations: ['submit-merchant', 'submit-merchant-v1'],
    about: ({ state }) => [state.merchantProfileId],
    done: 'submitted',
  },
  {
    title: /^request the review of the answers$/,
    operations: ['request-underwriting-review'],
    about: ({ state }) => [state.merchantProfileId],
    done: 'answers-delivered',
  },
  // The log of requests keeps only the URL of an upload, not the name of the file.
  {
    title: /^upload (.+)$/,
    operations: ['upload-attachment'],
    about: ({ state }) => [state.merchantProfileId],
  },
  {
    title: /^submit the business account holder$/,
    operations: ['submit-business-account-holder'],
    about: ({ party }) => [party.businessName, party.legalName],
    done: 'holder-submitted',
  },
  {
    title: /^open the financial account$/,
    operations: ['submit-business-customer'],
    about: ({ state }) => [state.profileId],
    adopted: 'name',
    done: 'financial-account-opened',
  },
  {
    title: /^reply to ticket (\d+)$/,
    operations: ['create-ticket'],
    about: (_, [, ticket]) => [ticket],
    done: 'ticket-answered',
    adopted: 'of',
  },
  {
    title: /^create the payments account$/,
    operations: ['create-account'],
    about: ({ mid }) => [mid],
    done: 'payments-account-created',
  },
  {
    title: /^create the terminal$/,
    operations: ['create-terminal'],
    about: ({ state }) => [state.paymentsAccountId],
    done: 'terminal-created',
  },
];

/**
 * The id of a write that an open question is about, as the ledger has it; `none` without one, and undefined when it is no known
 * write.
 */
export function writtenAs(asked: string, witness: Witness, ledger: readonly LedgerEntry[]) {
  const title = asked.replace(/^[^:]+: /, '');
  const write = WRITES.find((each) => each.title.test(title));
  if (!write) return undefined;
  const match = write.title.exec(title) ?? [];
  const doneBefore = witness.state.timeline.filter(
    ({ event, detail = '' }) => event === write.done && detail.includes(match[1] ?? ''),
  );
  const entry = effectsOf(write, witness, match, ledger)[doneBefore.length];
  return entry ? String(entry[write.adopted ?? 'id']) : 'none';
}

function effectsOf(write: Write, witness: Witness, match: readonly string[], ledger: readonly LedgerEntry[]) {
  const words = [...write.about(witness, match), ...match.slice(1)].map(String);
  return ledger.filter(
    (entry) =>
      write.operations.includes(entry.operation) &&
      words.every((word) => Object.values(entry).some((value) => isAbout(String(value), word))),
  );
}

/** A line for each write in the ledger that a timeline has neither as done nor as uncertain. */
export function unrecorded(witness: Witness, ledger: readonly LedgerEntry[]): string[] {
  const { workflowId, state } = witness;
  return WRITES.flatMap((write) => {
    const [, title = ''] = /^\^([\w ]+)\$$/.exec(write.title.source) ?? [];
    if (title === '') return [];
    const times = effectsOf(write, witness, [], ledger).length;
    const isDoubt = new RegExp(`^${title}(?!.*: (not-sent|rejected)$)`);
    const recorded = state.timeline.filter(
      ({ event, detail = '' }) =>
        event === write.done ||
        event.endsWith('-adopted') ||
        (event.startsWith('write-') && isDoubt.test(detail)),
    ).length;
    return recorded >= times
      ? []
      : [`${workflowId} did ${title} ${times} times, and its timeline has it ${recorded} times`];
  });
}

/** The ledger has the mid of a payments account at the end of its name. */
function isAbout(value: string, word: string): boolean {
  return value === word || value.endsWith(` mid ${word}`);
}

/** Every question about a write, open or not, and the request that had arrived by then. */
export async function examined(witnesses: readonly Witness[], search: Search): Promise<Examined[]> {
  const all = await Promise.all(witnesses.map((witness) => examinedOf(witness, search)));
  return all.flat();
}

async function examinedOf(witness: Witness, search: Search): Promise<Examined[]> {
  const found: Examined[] = [];
  const taken = new Set<number>();
  for (const question of questionsIn(witness)) {
    const write = WRITES.find(({ title }) => title.test(question.title));
    const arrived = write ? await arrivedFor(write, witness, question.title, search) : [];
    // Each request belongs to one question, and came after the write was last done.
    const since = write ? lastDone(witness, write, question) : '';
    const request = arrived.findLast(({ seq, at }) => at > since && at <= question.at && !taken.has(seq));
    if (request) taken.add(request.seq);
    found.push({ ...question, request });
  }
  return found;
}

async function arrivedFor(
  { operations, title, about }: Write,
  witness: Witness,
  asked: string,
  search: Search,
) {
  const words = about(witness, title.exec(asked) ?? [asked]).map(String);
  const arrived = await Promise.all(operations.map((operation) => search(operation, words)));
  return arrived.flat().sort((one, other) => one.seq - other.seq);
}

/** When a write was last done before a question; '' if never. A reply to another ticket is another write. */
function lastDone({ state }: Witness, { done, title }: Write, question: Question): string {
  const [, named = ''] = title.exec(question.title) ?? [];
  const isIt = ({ event, detail = '', at }: TimelineEntry) =>
    event === done && at < question.at && detail.includes(named);
  return state.timeline.findLast(isIt)?.at ?? '';
}

/** Which of several is meant, or whose something is. */
const ABOUT_NO_WRITE = /^(Several found:|Whose )/;

/** Raised as `uncertain-write-2: Outcome unknown: submit to underwriting`. */
function questionsIn({ workflowId, state }: Witness): Question[] {
  return state.timeline.flatMap(({ event, at, detail = '' }) => {
    const [, id, title = ''] = /^(\S*uncertain-write\S*): (.+)$/.exec(detail) ?? [];
    if (event !== 'requirement-raised' || id === undefined || ABOUT_NO_WRITE.test(title)) return [];
    const asked = title.replace(/^Outcome unknown: /, '');
    const isItsDoubt = (entry: TimelineEntry) =>
      entry.event === 'write-uncertain' && entry.detail?.startsWith(asked) && entry.at <= at;
    const doubt = state.timeline.findLast(isItsDoubt)?.detail?.slice(asked.length) ?? '';
    return [{ workflowId, id, title: asked, at, doubt }];
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
 * How many milliseconds after the mark of a write a worker was killed. Such a worker may have died before the first byte, and only
 * a person can decide about a mark without a request. Undefined if no worker was killed while the attempt could run.
 */
export function killedAfterMark({ at, doubt }: Examined, incidents: readonly Incident[]): number | undefined {
  const [, marked = ''] = / sent at (.+ UTC): its worker stopped/.exec(doubt) ?? [];
  const lasted = Math.min(Date.parse(at) - Date.parse(marked), ATTEMPT_MS);
  const after = incidents
    .filter(({ what }) => /^worker \S+ is killed/.test(what))
    .map((incident) => Date.parse(incident.at) - Date.parse(marked));
  return after.find((milliseconds) => milliseconds >= 0 && milliseconds < lasted);
}
