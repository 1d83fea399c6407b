import type { OnboardingState, TimelineEntry } from '../src/messages/onboarding-state.js';
import type { LedgerEntry } from '../src/sandbox/ledger.js';
import type { Party } from './cast.js';
import { finalMid } from './ledger.js';

/** The published state of a workflow, and its party. */
export interface Witness {
  readonly party: Pick<Party, 'externalId' | 'businessName' | 'legalName'>;
  readonly workflowId: string;
  readonly state: OnboardingState;
  /** The mid of the party, once it has one. */
  readonly mid: string | undefined;
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
 * @param control calls a control of the sandbox
 */
export async function evidenceOf(
  ledger: readonly LedgerEntry[],
  noteAnswer: string,
  control: <Reply>(method: 'GET', path: string) => Promise<Reply>,
): Promise<Evidence> {
  const shown = async <Value>(operation: string, place: string, field: string) => {
    const ids = new Set(ledger.filter((one) => one.operation === operation).map(({ id }) => Number(id)));
    const all = new Map<number, Value>();
    for (const id of ids) {
      const thing = await control<Record<string, Value>>('GET', `/sandbox/${place}/${id}`);
      all.set(id, thing[field] as Value);
    }
    return all;
  };
  return {
    ...{ ledger, noteAnswer },
    comments: await shown<readonly string[]>('request-underwriting-review', 'merchants', 'reviewComments'),
    accounts: await shown<string | null>('submit-business-account-holder', 'profiles', 'financialAccountId'),
  };
}

type Wanted = { readonly [Key in keyof LedgerEntry]?: LedgerEntry[Key] | readonly LedgerEntry[Key][] };

/** A step that a workflow counts as done, how many times, and the writes that it takes. */
interface Belief {
  readonly step: string;
  readonly times: number;
  readonly wanted: Wanted;
}

/** A line for each step that a workflow counts as done, adopted or delivered although the partners have no record of it. */
export function contradicted(witnesses: readonly Witness[], evidence: Evidence): string[] {
  const ofEach = witnesses.flatMap((witness) => {
    const problems = [
      ...unwritten(witness, evidence),
      ...undelivered(witness, evidence),
      ...strange(witness, evidence),
    ];
    return problems.map((problem) => `${witness.workflowId}: ${problem}`);
  });
  return [...ofEach, ...shared(witnesses)];
}

function unwritten(witness: Witness, { ledger }: Evidence): string[] {
  return beliefsOf(witness).flatMap(({ step, times, wanted }) => {
    const count = ledger.filter((entry) => fits(entry, wanted)).length;
    if (count >= times) return [];
    return [`${step} ${times} times, and the ledger has ${JSON.stringify(wanted)} ${count} times`];
  });
}

function fits(entry: LedgerEntry, wanted: Wanted): boolean {
  return Object.entries(wanted).every(([field, value]) => {
    const is = entry[field as keyof LedgerEntry];
    return [value].flat().some((one) => one !== undefined && String(one) === String(is));
  });
}

/** A step for each event of a timeline that records an effect at a partner. */
function beliefsOf({ party, state }: Witness): Belief[] {
  const { externalId: guid, businessName: name, legalName: of } = party;
  const { merchantProfileId: id = 0, profileId = 0, mid } = state;
  const times = (...events: string[]) => state.timeline.filter(({ event }) => events.includes(event)).length;
  const each = (events: readonly string[], wanted: (entry: TimelineEntry) => Wanted): Belief[] =>
    state.timeline
      .filter(({ event }) => events.includes(event))
      .map((entry) => ({ step: entry.event, times: 1, wanted: wanted(entry) }));
  const beliefs: Belief[] = [
    ...each(['merchant-created', 'merchant-adopted'], (entry) => ({
      ...{ operation: ['create-merchant', 'create-merchant-v1'], id: numberIn(entry), guid },
    })),
    { step: 'fees-changed', times: times('fees-changed'), wanted: { operation: 'update-fees', id } },
    {
      step: 'submitted',
      times: times('submitted'),
      wanted: { operation: ['submit-merchant', 'submit-merchant-v1'], id },
    },
    {
      step: 'answers-delivered',
      times: times('answers-delivered'),
      wanted: { operation: 'request-underwriting-review', id },
    },
    ...each(['holder-submitted', 'profile-adopted'], (entry) => ({
      ...{ operation: 'submit-business-account-holder', id: numberIn(entry), name, of },
    })),
    {
      step: 'holder-corrected',
      times: times('holder-corrected'),
      wanted: { operation: 'update-business-account-holder', id: profileId },
    },
    ...repliesOf(state.timeline),
    ...each(['payments-account-created', 'payments-account-adopted'], ({ detail = '' }) => ({
      ...{ operation: 'create-account', id: detail },
    })),
    ...each(['terminal-created', 'terminal-adopted'], ({ detail = '' }) => ({
      ...{ operation: 'create-terminal', id: detail, of: state.paymentsAccountId ?? 'none' },
    })),
  ];
  const ofMerchant = mid !== undefined && id !== 0 && mid !== finalMid(id);
  const boarded = { step: `boarded as ${mid}`, times: 1, wanted: { id: 'the mid of another merchant' } };
  return [...beliefs, ...(ofMerchant ? [boarded] : [])].filter(({ times: count }) => count > 0);
}

/** `merchant 1001`, `banking profile 3001`. */
function numberIn({ detail = '' }: TimelineEntry): number {
  return Number(/(\d+)/.exec(detail)?.[1] ?? 0);
}

interface Resolved {
  readonly id: string;
  readonly kind: string;
}

/** `note-0123456789ab: text` */
function resolved({ event, detail = '' }: TimelineEntry): Resolved | undefined {
  const [, id, kind] = /^(\S+): (\S+)/.exec(event === 'requirement-resolved' ? detail : '') ?? [];
  return id === undefined || kind === undefined ? undefined : { id, kind };
}

/** Each time that a text answers a ticket, the ticket has a reply. */
function repliesOf(timeline: readonly TimelineEntry[]): Belief[] {
  const answerKinds = new Map<string, string>();
  const replies = new Map<string, number>();
  for (const entry of timeline) {
    const answer = resolved(entry);
    if (answer) answerKinds.set(answer.id, answer.kind);
    const [, id = '', ticket = ''] = /((?:^|\b)ticket-(\d+)\S*)/.exec(entry.detail ?? '') ?? [];
    if (entry.event === 'ticket-answered' && answerKinds.get(id) === 'text')
      replies.set(ticket, (replies.get(ticket) ?? 0) + 1);
  }
  return [...replies].map(([ticket, times]) => ({
    ...{ step: `ticket-answered ${ticket}`, times, wanted: { operation: 'create-ticket', of: ticket } },
  }));
}

/** Answers to notes that count as delivered: texts in the comments of review requests, documents as uploads. */
function undelivered({ state }: Witness, { ledger, comments, noteAnswer }: Evidence): string[] {
  const { merchantProfileId: id = 0, timeline } = state;
  let texts = 0;
  const documents: string[] = [];
  let sinceDelivery = new Map<string, Resolved>();
  for (const entry of timeline) {
    const answer = resolved(entry);
    // A note that is raised again before its answer went out is answered once. Its later ID ends in a number.
    const [note = ''] = /^note-[0-9a-f]+/.exec(entry.detail ?? '') ?? [];
    if (answer && note) sinceDelivery.set(note, answer);
    if (entry.event === 'answer-dropped') sinceDelivery.delete(note);
    if (entry.event !== 'answers-delivered') continue;
    const delivered = [...sinceDelivery.values()];
    texts += delivered.filter(({ kind }) => kind === 'text').length;
    documents.push(...delivered.filter(({ kind }) => kind === 'documents').map((one) => one.id));
    sinceDelivery = new Map();
  }
  const written = (comments.get(id) ?? []).join('\n').split(noteAnswer).length - 1;
  const missing = documents.filter((note) => {
    const wanted = { operation: 'upload-attachment', id, name: `${note}.txt` };
    return !ledger.some((entry) => fits(entry, wanted));
  });
  return [
    ...(written < texts ? [`delivered ${texts} answers, and the underwriters have ${written}`] : []),
    ...missing.map((note) => `delivered a document for ${note}, and the underwriters do not have it`),
  ];
}

/** A financial account that belongs to another profile. */
function strange({ state }: Witness, { accounts }: Evidence): string[] {
  const { profileId, financialAccountId } = state;
  if (profileId === undefined || financialAccountId === undefined) return [];
  const account = accounts.get(profileId) ?? null;
  if (account === financialAccountId) return [];
  return [`has account ${financialAccountId} opened, and profile ${profileId} has ${account ?? 'none'}`];
}

/** Records of a partner that two customers count as their own. */
function shared(witnesses: readonly Witness[]): string[] {
  const owners = new Map<string, Set<string>>();
  for (const { party, state } of witnesses) {
    const { merchantProfileId, profileId, paymentsAccountId, terminalId } = state;
    const things = { merchant: merchantProfileId, profile: profileId, paymentsAccountId, terminalId };
    for (const [name, id] of Object.entries(things)) {
      if (id === undefined) continue;
      const key = `${name} ${id}`;
      owners.set(key, (owners.get(key) ?? new Set()).add(party.externalId));
    }
  }
  return [...owners]
    .filter(([, ids]) => ids.size > 1)
    .map(([thing, ids]) => `${thing} belongs to ${[...ids].join(' and ')}`);
}
