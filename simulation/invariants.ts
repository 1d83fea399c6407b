import { allIn } from '../src/apps/sandbox/faults.js';
import type { LedgerEntry } from '../src/apps/sandbox/ledger.js';
import { type OnboardingState, stateQuery, type TimelineEntry } from '../src/messages/onboarding-state.js';
import type { Delivery, OutboundEvent, OutboundEventType } from '../src/messages/outbound-events.js';
import type { OperationOutcome } from '../src/messages/partner-operations.js';
import { operationName } from '../src/partners/catalogue.js';
import { catalogue } from '../src/partners/descriptors.js';
import { queryState, waitForResult } from '../src/temporal/find-onboarding.js';
import { found } from '../test/rigs/privacy/markers.js';
import { asNumbered, indistinct } from './believed.js';
import { type Party, workersOf } from './cast.js';
import { type Batch, EFFECTS, isErrand, wrongIn } from './errands.js';
import { bankByHand } from './existing.js';
import { auditOf, entriesOf, differences as missing } from './ledger.js';
import { MARKERS, PRIVATE } from './markers.js';
import type { Departure } from './network.js';
import { type People, SHOWS_OLD } from './people.js';
import { OUTAGES, type Plan, refuses } from './plan.js';
import type { Scene } from './scene.js';
import type { Service } from './service/service.js';
import type { Process } from './world.js';
import {
  contradicted,
  type Examined,
  evidenceOf,
  examined,
  killedAfterMark,
  unrecorded,
  type Witness,
} from './writes.js';

/** The end of a run, as the partners, Temporal and people see it. */
export interface End extends Scene {
  readonly people: People;
  readonly cancelled: ReadonlySet<Party>;
  /** What these did first, the workflow that runs now does not know. */
  readonly interrupted: ReadonlySet<Party>;
  readonly batch: Batch | undefined;
  /** What is wrong with starts that no command makes. */
  readonly invalid: readonly string[];
  /** Worker processes with a wrong password. */
  readonly wrong: ReadonlySet<Process>;
}

/** A promise that was not kept. */
export interface Problem {
  readonly promise: string;
  readonly what: string;
}

interface Ended extends End {
  /** The workflows of accounts and of single operations. */
  readonly accounts: readonly Witness[];
  /** See {@link indistinct}. */
  readonly confused: ReadonlySet<object>;
}

type Check = (end: Ended, witnesses: readonly Witness[]) => readonly string[] | Promise<readonly string[]>;

const PROMISES: Readonly<Record<string, Check>> = {
  'Every onboarding ends as its partners decided.': unfinished,
  'Every write that should take effect does so once, and no other does.': doubled,
  'What a workflow counts as done is in the ledger.': believedWrongly,
  'Every write that took effect is in a timeline.': (
    { cast, partners, interrupted, confused, plan },
    witnesses,
  ) =>
    cast.flatMap((party) => {
      // Nobody can know what a refusal without a word has saved.
      const saysNothing = plan.habits.some((habit) => habit.endsWith('-silently'));
      if (interrupted.has(party) || confused.has(party) || saysNothing) return [];
      const own = witnesses.filter((witness) => witness.party === party);
      const state = Object.assign({}, ...own.map((each) => each.state));
      const timeline = own.flatMap((each) => each.state.timeline);
      const { workflowId } = party;
      return unrecorded(
        { party, workflowId, mid: own[0]?.mid, state: { ...state, timeline } },
        partners.ledgerOfGangway,
      );
    }),
  'A single operation takes effect as it says.': operated,
  'An invalid input ends its workflow, and says why.': ({ invalid }) => invalid,
  'A batch starts each row once, and says so.': ({ batch, client, files, cancelled }) =>
    batch ? wrongIn(batch, client, files, cancelled.size > 0) : [],
  'Who waits for a partner for more than a day says so.': silent,
  'A wrong password is tried once a minute.': triedTooOften,
  'An account has one question about its credentials, until they work.': askedTwice,
  'Every question about a write is one that no program could answer.': askedForNothing,
  'Each requirement and each answer has one end.': ({ accounts }, witnesses) =>
    [...witnesses, ...accounts].flatMap(ambiguous),
  'What people were told was accepted is in the timeline.': forgotten,
  'Lists say what the onboardings themselves say.': disagreeing,
  'Outbound events say what the onboardings themselves say.': misreported,
  'Nothing private is in what others than the workers see.': leaked,
};

/** Every way in which a promise was not kept. */
export async function broken(end: End, reach: (pair: string) => void): Promise<Problem[]> {
  const [witnesses, accounts] = await Promise.all([witnessesOf(end), accountsOf(end)]);
  for (const { state } of [...witnesses, ...accounts])
    for (const [index, { event }] of state.timeline.entries())
      reach(`${state.timeline[index - 1]?.event ?? 'begins'} > ${event}`);
  const confused = indistinct(end, witnesses);
  for (const party of confused) end.people.spared.add(party);
  const problems = Object.entries(PROMISES).map(async ([promise, check]) =>
    (await check({ ...end, accounts, confused }, witnesses)).map((what) => ({ promise, what })),
  );
  return (await Promise.all(problems)).flat();
}

async function unfinished(
  { cast, cancelled, service, client, people }: End,
  witnesses: readonly Witness[],
): Promise<string[]> {
  const problems = cast.map(async (party) => {
    const { workflowId, outcome } = party;
    const run = service.latest(workflowId);
    if (run?.closed && (cancelled.has(party) || people.abandoned.has(party))) return [];
    if (run?.closed?.status === 'COMPLETED') {
      const result = (await client.workflow.getHandle(workflowId).result()) as { readonly outcome: string };
      // Of these the partner has decided otherwise.
      return result.outcome === outcome || people.spared.has(party)
        ? []
        : [`${workflowId} ended ${result.outcome}, not ${outcome}`];
    }
    const state = witnesses.find((witness) => witness.workflowId === workflowId)?.state;
    const open = state?.requirements.map(({ title }) => title).join(', ') || 'nothing';
    const activities = [...(run?.activities.values() ?? [])].map(
      ({ type, attempt }) => `${type} (${attempt})`,
    );
    return [
      `${workflowId} never ended: it asks ${open}, and waits for ${activities.join(', ') || 'nothing'}`,
    ];
  });
  return (await Promise.all(problems)).flat();
}

/** Besides one a minute, at each partner: calls that are under way at the first refusal, and the reads that follow. */
const AT_FIRST = 6;

function triedTooOften({ network, plan, wrong, accounts }: Ended): string[] {
  const answers = accounts.flatMap(({ state }) => detailsOf(state, 'requirement-resolved')).length;
  const byChance = plan.faults.length + answers + AT_FIRST;
  return [...wrong].flatMap((process) =>
    ['/api/auth', '/api/v'].flatMap((door) => {
      const isTry = ({ path, status, process: of }: Departure) =>
        of === process && path.startsWith(door) && (status === 401 || status === undefined);
      const tries = network.left.filter(isTry).map(({ at }) => at);
      const minutes = ((tries.at(-1) ?? 0) - (tries[0] ?? 0)) / 60_000;
      const often = `${process.name} tries a wrong password ${tries.length} times at ${door} in ${Math.ceil(minutes)} minutes`;
      return tries.length > minutes + byChance ? [often] : [];
    }),
  );
}

function askedTwice({ accounts, plan }: Ended): string[] {
  return accounts.flatMap(({ workflowId, state: { timeline, requirements } }) => {
    const open = new Set<string>();
    let most = 0;
    for (const { event, detail = '' } of timeline) {
      const [, id = ''] = /^((?:credentials|one-time-code)-\d+): /.exec(detail) ?? [];
      if (event === 'requirement-raised' && /: (No access|One-time code needed): /.test(detail)) open.add(id);
      else if (/^requirement-(closed|resolved)$/.test(event)) open.delete(id);
      most = Math.max(most, open.size);
    }
    const isLeft = requirements.some(({ title }) => title.startsWith('No access: '));
    return [
      ...(most > 1 ? [`${workflowId} has ${most} questions about its credentials`] : []),
      ...(plan.hasWrongPassword && isLeft ? [`${workflowId} asks about credentials that work`] : []),
    ];
  });
}

/** Writes to a merchant, which whoever believes that it is its own makes, too ({@link indistinct}). */
const OF_A_MERCHANT = /^(update-fees|submit-merchant|request-underwriting-review|upload-attachment)/;

async function doubled(end: Ended, witnesses: readonly Witness[]): Promise<string[]> {
  const { cast, cancelled, interrupted, partners, people, plan, accounts, confused } = end;
  const { ledger } = partners;
  const tickets = await bankByHand().listTickets({});
  // An account has answered these, because nobody followed their business yet, or any more.
  const answered = accounts.flatMap(({ state }) => detailsOf(state, 'ticket-answered'));
  const replies = new Set<LedgerEntry>();
  for (const id of answered) {
    const isReply = ({ operation, of }: LedgerEntry) =>
      operation === 'create-ticket' && `ticket-${of}` === id;
    const reply = ledger.find((entry) => isReply(entry) && !replies.has(entry));
    if (reply) replies.add(reply);
  }
  const { wrong, unowned } = auditOf(
    { ledger: ledger.filter((entry) => !replies.has(entry) && !isErrand(entry)), tickets },
    cast,
    (party) =>
      people.spared.has(party) ||
      cancelled.has(party) ||
      entriesOf(party, { ledger, tickets }).some((entry) => replies.has(entry)),
  );
  // These tickets are about nobody of the cast.
  const others = unowned.filter((what) => !plan.twists.includes('tickets') || !/create-ticket/.test(what));
  // Somebody asked for it once more.
  const own = [...wrong].filter(([party]) => !interrupted.has(party));
  // The answer to what was lost has its own documents, and a note with two texts is asked about more than once.
  const isAskedAgain = plan.habits.includes('review-lost') || plan.habits.includes('note-rewritten');
  // A ticket that an old list still has, after a new one without it, looks like one that was opened again.
  const isListOld = plan.habits.some((habit) => SHOWS_OLD.includes(habit));
  const raises = (of: Party, text: RegExp) =>
    witnesses.some(
      ({ party, state }) =>
        party === of && detailsOf(state, 'requirement-raised').some((id) => text.test(id)),
    );
  // The status before with the date of the new one, and an old list of notes, look like a partner that asks once more.
  const isAskedBack = ['status-goes-back', 'reads-go-back'].every((habit) => plan.habits.includes(habit));
  const told = own.flatMap(([party, all]) => {
    const isAgain = (what: string) =>
      (isAskedAgain && /^upload-attachment/.test(what)) ||
      (isAskedBack && /^upload-attachment/.test(what) && raises(party, /^note-[0-9a-f]+-\d+$/)) ||
      (confused.has(party) && OF_A_MERCHANT.test(what)) ||
      (isListOld && /^create-ticket/.test(what) && raises(party, /^ticket-\d+-\d+$/));
    const left = all.filter((what) => !isAgain(what));
    return left.length > 0 ? [`${party.externalId}: ${left.join(', ')}`] : [];
  });
  return [...told, ...others];
}

/** One that is rejected or abandoned may have had its effect. None has it twice. */
async function operated({ plan, network, partners, service, client }: End): Promise<string[]> {
  const mayReject =
    network.outages.length > 0 ||
    plan.twists.includes('store') ||
    // A wrong one-time code, whose refusal says neither 401 nor 403, or a gateway that says that nothing is there.
    plan.habits.some((habit) => ['errors-with-200', 'deploys-404'].includes(habit)) ||
    plan.faults.some(({ fault }) => refuses(fault));
  const problems = plan.errands.map(async (errand) => {
    if (errand === 'batch' || errand === 'invalid') return [];
    const { start } =
      service.runs.find((run) => run.start.workflowId.startsWith(`operation-${errand}-`)) ?? {};
    if (!start) return [`${errand} never began`];
    const { outcome } = await waitForResult<OperationOutcome>(client, start.workflowId);
    const entries = partners.ledger.filter(({ operation }) => operation in EFFECTS[errand]);
    return [
      ...(outcome === 'rejected' && !mayReject ? [`${start.workflowId} is rejected`] : []),
      ...missing(EFFECTS[errand], entries, outcome !== 'done').map((what) => `${start.workflowId}: ${what}`),
    ];
  });
  return (await Promise.all(problems)).flat();
}

async function believedWrongly(
  { partners, plan, confused }: Ended,
  witnesses: readonly Witness[],
): Promise<string[]> {
  const control = <Reply>(method: 'GET', path: string) => partners.control<Reply>(method, path);
  // What a partner accepts and loses counts as done until its time is over.
  if (plan.habits.some((habit) => habit.endsWith('-lost'))) return [];
  const clear = witnesses.filter(({ party }) => !confused.has(party));
  const ledger = asNumbered(partners.ledger, plan);
  return contradicted(clear, await evidenceOf(ledger, MARKERS.noteAnswer, control));
}

/** A question about a write is about a request that had left, or about a worker that was killed or stopped just before that. */
async function askedForNothing(
  { network, world, plan, people }: End,
  witnesses: readonly Witness[],
): Promise<string[]> {
  const iso = (at: number) => new Date(at).toISOString();
  const departures = network.left.map((one, seq) => ({
    ...one,
    seq,
    operation: operationOf(one.method, one.path),
  }));
  const questions = await examined(witnesses, async (operation, about) => {
    const hasAll = allIn(about);
    return departures
      .filter((one) => one.operation === operation && hasAll(one.text))
      .map(({ seq, at, path }) => ({ seq, at: iso(at), url: path, system: '', operation }));
  });
  const incidents = world.trace
    .filter(({ what }) => /^is (killed|frozen)/.test(what))
    .map(({ at, who, what }) => ({ at: iso(at), what: `${who} ${what.replace('frozen', 'killed')}` }));
  // The intent of a worker whose clock has jumped says nothing about when it was made.
  const areClocksRight = hasRightClocks(plan);
  const isExplained = (question: Examined) =>
    / perhaps sent before/.test(question.warning) ||
    people.answering.mistaken.has(question.workflowId) ||
    killedAfterMark(question, incidents) !== undefined ||
    (!areClocksRight && incidents.length > 0);
  const isUncertain = ({ request, at: askedAt }: Examined) => {
    const { status = 500, process } = network.left[request?.seq ?? -1] ?? {};
    const later = network.left.slice((request?.seq ?? 0) + 1);
    const isShortRead = (one: Departure) => one.process === process && SHORT_READS.includes(one.path);
    const [first, second] = later.filter(isShortRead);
    const isUnproven = [401, 403].includes(status) && (first?.status !== status || second?.status !== status);
    const stopped = incidents.some(({ at }) => request && at >= request.at && at <= askedAt);
    return stopped || isUnproven || status === 408 || status >= 500;
  };
  return questions.flatMap((question) => {
    const { workflowId, title, warning, request } = question;
    if (isExplained(question) || (request && (!areClocksRight || isUncertain(question)))) return [];
    const why = request ? 'whose response had arrived' : 'and no request had left';
    return [`${workflowId} asks about "${title}", ${why}${warning}`];
  });
}

/** What is read after a refused write: it shows whether the partner refuses every call. */
const SHORT_READS = ['/api/v1/agentProfiles', '/api/tickets/new'];

function hasRightClocks({ incidents }: Plan): boolean {
  return incidents.every(({ how }) => how !== 'jumps');
}

/**
 * While the partners were unavailable for long, each onboarding that waited for them asked somebody, or was asking anyway, or
 * the workflow of the account asked for all.
 */
function silent({ plan, network, service, accounts }: Ended, witnesses: readonly Witness[]): string[] {
  // A worker measures how long it has waited by its clock.
  if (!hasRightClocks(plan)) return [];
  const raisedAt = accounts
    .filter(({ workflowId }) => workflowId.startsWith('partner-account'))
    .flatMap(({ state }) => state.timeline.filter(({ event }) => event === 'requirement-raised'))
    .map(({ at }) => Date.parse(at));
  const outages = network.outages.filter(({ kind }) => kind !== 'code');
  return outages.flatMap(({ kind, since }) =>
    witnesses.flatMap(({ workflowId, state }) => {
      const over = since + OUTAGES[kind].milliseconds;
      if (kind !== 'down' && raisedAt.some((at) => at >= since && at <= over)) return [];
      const until = new Date(over).toISOString();
      const [first, last] = [state.timeline[0]?.at ?? until, state.timeline.at(-1)?.at ?? ''];
      const wasThere = Date.parse(first) < since && last > until;
      const before = state.timeline.filter(({ at }) => at <= until);
      const isCustomer = service.latest(workflowId)?.start.type === 'customerOnboarding';
      const asks = before.filter(({ event }) => event === 'requirement-raised').length;
      const ends = before.filter(({ event }) => /^requirement-(resolved|closed)$/.test(event)).length;
      return wasThere && !isCustomer && asks === ends ? [`${workflowId} waits, and asks nobody`] : [];
    }),
  );
}

const OPERATIONS = Object.values(catalogue()).flatMap((all) =>
  Object.entries(all).map(([key, { method, path }]) => ({
    name: operationName(key),
    method: method as string,
    pattern: new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`),
  })),
);

function operationOf(method: string, path: string): string | undefined {
  const [address = ''] = path.split('?');
  return OPERATIONS.find((each) => each.method === method && each.pattern.test(address))?.name;
}

/** Each requirement and each answer has one end, and nothing happens to one that is not there. */
function ambiguous({ workflowId, state }: Witness): string[] {
  const [raised, open] = [new Set<string>(), new Set<string>()];
  const [overdue, unclaimed] = [new Set<string>(), new Set<string>()];
  /** Answers on their way. */
  const answered = new Set<string>();
  /** Answers after which nothing is sent. */
  const ended = new Set<string>();
  /** Answers that may have come too late for a delivery. */
  const perhaps = new Set<string>();
  const enters = (ids: Set<string>, id: string) => !ids.has(id) && ids.add(id) !== undefined;
  const leave = (isIt: RegExp, to?: Set<string>) => {
    const ids = [...answered].filter((id) => isIt.test(id));
    for (const id of ids) if (answered.delete(id)) to?.add(id);
    return ids.length > 0;
  };
  const isDelivered = (id: string) => answered.delete(id);
  const rules: Partial<Record<TimelineEntry['event'], (id: string, answer?: string) => boolean>> = {
    'requirement-raised': (id) => enters(raised, id) && enters(open, id),
    'requirement-overdue': (id) => open.has(id) && enters(overdue, id),
    'requirement-unclaimed': (id) => open.has(id) && enters(unclaimed, id),
    'requirement-closed': (id) => open.delete(id),
    'requirement-resolved': (id, answer) =>
      open.delete(id) && enters(isItsEnd(id, answer) ? ended : answered, id),
    'answer-taken-back': (id) => (answered.delete(id) || ended.delete(id)) && enters(open, id),
    'answer-dropped': (id) => answered.delete(id) || perhaps.delete(id),
    'answer-rejected': isDelivered,
    'ticket-answered': isDelivered,
    // Another note may be answered while an answer is on its way.
    'answers-delivered': () => leave(/^note-/, perhaps) || perhaps.size > 0,
    // It may be an earlier submission, which had been in doubt.
    submitted: () => leave(/^(changes-requested|not-submitted)/, perhaps) || true,
  };
  const wrong = state.timeline.filter(({ event, detail = '' }) => {
    const [id = '', answer] = detail.split(': ');
    return rules[event]?.(id, answer) === false;
  });
  const left = [...open, ...[...answered].filter((id) => /^(note|ticket|request)-/.test(id))];
  const hasEnded = state.timeline.some(({ event }) => event === 'ended' || event === 'cancelled');
  const lost = hasEnded ? left : [];
  return [
    ...wrong.map(({ event, detail }) => `${workflowId} records ${event} ${detail}, which contradicts itself`),
    ...lost.map((id) => `${workflowId} does not say what became of ${id}`),
  ];
}

function forgotten({ people, service, accounts }: Ended, witnesses: readonly Witness[]): string[] {
  // A run that was terminated before its first task shows nothing.
  const isShown = ({ workflowId }: { readonly workflowId: string }) =>
    service.latest(workflowId)?.steps.length !== 0;
  const key = (workflowId: string, id: string) => `the answer to ${id} of ${workflowId}`;
  const told = people.answering.receipts.filter(isShown).map(({ workflowId, id }) => key(workflowId, id));
  const recorded = [...witnesses, ...accounts].flatMap(({ workflowId, state }) =>
    detailsOf(state, 'requirement-resolved').map((id) => key(workflowId, id)),
  );
  const count = (all: readonly string[], one: string) => all.filter((each) => each === one).length;
  return [...new Set(told)]
    .filter((each) => count(told, each) > count(recorded, each))
    .map((each) => `${each} was accepted, and the timeline does not have it`);
}

/** The IDs in the details of an event. */
function detailsOf({ timeline }: OnboardingState, wanted: TimelineEntry['event']): string[] {
  return timeline
    .filter(({ event }) => event === wanted)
    .map(({ detail = '' }) => detail.split(': ')[0] ?? '');
}

function disagreeing({ service }: End, witnesses: readonly Witness[]): string[] {
  // A terminated run had no time to list what it learned last.
  const hasListed = ({ workflowId }: Witness) => service.latest(workflowId)?.status !== 'TERMINATED';
  return witnesses.filter(hasListed).flatMap(({ workflowId, state }) => {
    const listed = service.latest(workflowId)?.searchAttributes ?? {};
    const { requirements, merchantProfileId, profileId } = state;
    return differences(workflowId, 'lists say', {
      OnboardingStage: [state.stage, listed['OnboardingStage']],
      PartnerStatus: [state.partnerStatus ?? undefined, listed['PartnerStatus']],
      MerchantProfileId: [merchantProfileId?.toString(), listed['MerchantProfileId']],
      BankingProfileId: [profileId?.toString(), listed['BankingProfileId']],
      Mid: [state.mid, listed['Mid']],
      ActionRequired: [requirements.length > 0, listed['ActionRequired']],
    });
  });
}

/** Outbound events say what the onboardings themselves say, each once and in order. */
function misreported({ service, interrupted }: End, witnesses: readonly Witness[]): string[] {
  const published = publishedIn(service);
  return witnesses.flatMap(({ workflowId, state, party }) => {
    if (interrupted.has(party as Party)) return [];
    const events = published
      .filter(({ subject }) => subject === workflowId)
      .toSorted((one, other) => one.sequence.localeCompare(other.sequence));
    const of = (type: OutboundEventType, field: string) =>
      events.filter((event) => event.type === type).map(({ data }) => data[field as keyof typeof data]);
    const stages = of('onboarding.stage.changed.v1', 'stage');
    const run = service.latest(workflowId);
    const end = run?.closed?.status === 'CANCELED' ? 'cancelled' : state.outcome;
    const hasEnded = end !== undefined;
    return differences(workflowId, 'events say', {
      sequences: [events.map((_, index) => index + 1), events.map(({ sequence }) => Number(sequence))],
      raised: [detailsOf(state, 'requirement-raised'), of('requirement.raised.v1', 'requirementId')],
      overdue: [detailsOf(state, 'requirement-overdue'), of('requirement.overdue.v1', 'requirementId')],
      unclaimed: [detailsOf(state, 'requirement-unclaimed'), of('requirement.unclaimed.v1', 'requirementId')],
      stage: [state.stage, stages.at(-1)],
      stages: [stages.filter((stage, index) => stage !== stages[index - 1]), stages],
      outcome: [hasEnded ? [end] : [], of('onboarding.completed.v1', 'outcome')],
      mid: [hasEnded ? [state.mid] : [], of('onboarding.completed.v1', 'mid')],
    });
  });
}

/** What a subscriber holds true: an event of a later time replaces that of its number, and what followed upon it. */
function publishedIn({ singles }: Service): OutboundEvent[] {
  const events = [...singles.values()].map(([delivery]) => (delivery as Delivery).event);
  const isReplaced = (one: OutboundEvent) =>
    events.some(
      ({ subject, sequence, time, id }) =>
        subject === one.subject && sequence <= one.sequence && time > one.time && id !== one.id,
    );
  return events.filter((event) => !isReplaced(event));
}

function differences(
  workflowId: string,
  others: string,
  pairs: Readonly<Record<string, readonly [unknown, unknown]>>,
): string[] {
  return Object.entries(pairs)
    .filter(([, [own, other]]) => JSON.stringify(own) !== JSON.stringify(other))
    .map(
      ([name, [own, other]]) =>
        `${workflowId} has ${name} ${JSON.stringify(own)}, and ${others} ${JSON.stringify(other)}`,
    );
}

function leaked({ service, world, people, accounts }: Ended, witnesses: readonly Witness[]): string[] {
  const places: Readonly<Record<string, unknown>> = {
    'a search attribute': service.runs.map(({ searchAttributes }) => searchAttributes),
    'an outbound event': publishedIn(service),
    'a published state': [...witnesses, ...accounts].map(({ state }) => state),
    'a requirement': [...people.asked],
    'the trace': world.trace.map(({ what }) => what),
  };
  return Object.entries(places).flatMap(([place, output]) =>
    found(Buffer.from(JSON.stringify(output)), PRIVATE).map((name) => `${name} is in ${place}`),
  );
}

async function witnessesOf({ cast, client, service }: End): Promise<Witness[]> {
  const witnesses: Witness[] = [];
  for (const party of cast) {
    const states: { readonly workflowId: string; readonly state: Witness['state'] }[] = [];
    // One that was started with an invalid input has failed, and has no state.
    for (const workflowId of new Set([party.workflowId, ...workersOf(party)]))
      if (service.latest(workflowId)?.steps.length && service.latest(workflowId)?.status !== 'FAILED')
        states.push({ workflowId, state: await queryState(client, workflowId) });
    const mid = states.map(({ state }) => state.mid).find((each) => each !== undefined);
    witnesses.push(...states.map((each) => ({ ...each, party, mid })));
  }
  return witnesses;
}

/** Nothing follows from the answer: the onboarding ends with it, or somebody answered the ticket in another way. */
function isItsEnd(id: string, answer: string | undefined): boolean {
  return answer === 'abandon' || (answer === 'retry' && id.startsWith('ticket-'));
}

async function accountsOf({ client, service }: End): Promise<Witness[]> {
  const party = { externalId: '', businessName: '', legalName: '' };
  const accounts = service.runs.filter(
    ({ start, status }) =>
      start.type.startsWith('partner') && !['CONTINUED_AS_NEW', 'FAILED'].includes(status),
  );
  return Promise.all(
    accounts.map(async ({ runId, start: { workflowId } }) => ({
      party,
      workflowId,
      mid: undefined,
      state: await client.workflow.getHandle(workflowId, runId).query(stateQuery),
    })),
  );
}
