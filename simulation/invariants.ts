import { allIn } from '../src/apps/sandbox/faults.js';
import { HABITS } from '../src/apps/sandbox/habits/habits.js';
import { type OnboardingState, stateQuery, type TimelineEntry } from '../src/messages/onboarding-state.js';
import type { Delivery, OutboundEvent, OutboundEventType } from '../src/messages/outbound-events.js';
import type { OperationOutcome } from '../src/messages/partner-operations.js';
import { type Operations, operationOf } from '../src/partners/catalogue.js';
import { catalogue } from '../src/partners/descriptors.js';
import { queryState, waitForResult } from '../src/temporal/find-onboarding.js';
import { found } from '../test/rigs/privacy/markers.js';
import { type Party, workersOf } from './cast.js';
import { type Batch, EFFECTS, isErrand, wrongIn } from './errands.js';
import { bankByHand } from './existing.js';
import { asNumbered, auditOf, entriesOf, differences as missing, repliesTo } from './ledger.js';
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
  indistinct,
  killedAfterMark,
  NOBODY,
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
  readonly witnesses: readonly Witness[];
  /** The workflows of accounts and of single operations. */
  readonly accounts: readonly Witness[];
  /** See {@link indistinct}. */
  readonly confused: ReadonlySet<object>;
}

/** Yields a line for each way in which a promise was not kept. */
type Check = (end: Ended) => Iterable<string> | AsyncIterable<string> | Promise<Iterable<string>>;

const PROMISES: Readonly<Record<string, Check>> = {
  'Every onboarding ends as its partners decided.': unfinished,
  'Every write that should take effect does so once, and no other does.': doubled,
  'What a workflow counts as done is in the ledger.': believedWrongly,
  'Every write that took effect is in a timeline.': missed,
  'A single operation takes effect as it says.': operated,
  'An invalid input ends its workflow, and says why.': ({ invalid }) => invalid,
  'A batch starts each row once, and says so.': ({ batch, client, files, cancelled }) =>
    batch ? wrongIn(batch, client, files, cancelled.size > 0) : [],
  'Who waits for a partner for more than a day says so.': silent,
  'A wrong password is tried once a minute.': triedTooOften,
  'An account has one question about its credentials, until they work.': askedTwice,
  'Every question about a write is one that no program could answer.': askedForNothing,
  'Each requirement and each answer has one end.': ({ witnesses, accounts }) =>
    [...witnesses, ...accounts].flatMap((witness) => [...ambiguous(witness)]),
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
  const ended = { ...end, witnesses, accounts, confused };
  // All at once: people go on answering.
  const problems = Object.entries(PROMISES).map(async ([promise, check]) =>
    (await Array.fromAsync(await check(ended))).map((what) => ({ promise, what })),
  );
  return (await Promise.all(problems)).flat();
}

async function* unfinished({ cast, cancelled, service, client, people, witnesses }: Ended) {
  for (const party of cast) {
    const { workflowId, outcome } = party;
    const run = service.latest(workflowId);
    if (run?.closed && (cancelled.has(party) || people.abandoned.has(party))) continue;
    if (run?.closed?.status === 'COMPLETED') {
      const result = await waitForResult<{ readonly outcome: string }>(client, workflowId);
      // Of these the partner has decided otherwise.
      const isRight = result.outcome === outcome || people.spared.has(party);
      if (!isRight) yield `${workflowId} ended ${result.outcome}, not ${outcome}`;
      continue;
    }
    const state = witnesses.find((witness) => witness.workflowId === workflowId)?.state;
    const open = state?.requirements.map(({ title }) => title).join(', ') || 'nothing';
    const activities = [...(run?.activities.values() ?? [])].map((each) => `${each.type} (${each.attempt})`);
    const pending = activities.join(', ') || 'nothing';
    yield `${workflowId} never ended: it asks ${open}, and waits for ${pending}`;
  }
}

/** Besides one a minute, at each partner: calls that are under way at the first refusal, and the reads that follow. */
const AT_FIRST = 6;

function* triedTooOften({ network, plan, wrong, accounts }: Ended) {
  const answers = accounts.flatMap(({ state }) => detailsOf(state, 'requirement-resolved')).length;
  const byChance = plan.faults.length + answers + AT_FIRST;
  for (const process of wrong)
    for (const door of ['/api/auth/v2', '/api/v']) {
      // A try without a response was not refused.
      const isTry = ({ path, status, process: of }: Departure) =>
        of === process && path.startsWith(door) && status === 401;
      const tries = network.left.filter(isTry).map(({ at }) => at);
      const minutes = ((tries.at(-1) ?? 0) - (tries[0] ?? 0)) / 60_000;
      const often = `${tries.length} times at ${door} in ${Math.ceil(minutes)} minutes`;
      if (tries.length > minutes + byChance) yield `${process.name} tries a wrong password ${often}`;
    }
}

function* askedTwice({ accounts, plan }: Ended) {
  for (const { workflowId, state } of accounts) {
    const open = new Set<string>();
    let most = 0;
    for (const { event, detail = '' } of state.timeline) {
      const [, id = ''] = /^((?:credentials|one-time-code)-\d+): /.exec(detail) ?? [];
      if (event === 'requirement-raised' && /: (No access|One-time code needed): /.test(detail)) open.add(id);
      else if (/^requirement-(closed|resolved)$/.test(event)) open.delete(id);
      most = Math.max(most, open.size);
    }
    if (most > 1) yield `${workflowId} has ${most} questions about its credentials`;
    const isLeft = state.requirements.some(({ title }) => title.startsWith('No access: '));
    if (plan.hasWrongPassword && isLeft) yield `${workflowId} asks about credentials that work`;
  }
}

/** Habits of a partner that saves what it refuses, and does not say so. */
const SAYS_NOTHING = Object.keys(HABITS).filter((habit) => habit.endsWith('-silently'));

/** Writes to a merchant, which whoever believes that it is its own makes, too ({@link indistinct}). */
const OF_A_MERCHANT = /^(update-fees|submit-merchant|request-underwriting-review|upload-attachment)/;

async function* doubled(end: Ended) {
  const { cast, cancelled, interrupted, partners, people, plan, witnesses, accounts, confused } = end;
  const { ledger } = partners;
  const tickets = await bankByHand().listTickets({});
  // An account has answered these, because nobody followed their business yet, or any more.
  const answered = accounts.flatMap(({ state }) => detailsOf(state, 'ticket-answered'));
  const ticketIn = (id: string) => /\d+/.exec(id)?.[0] ?? '';
  const replies = [...Map.groupBy(answered, ticketIn)].flatMap(([ticket, times]) =>
    repliesTo(ticket, ledger).slice(0, times.length),
  );
  const { wrong, unowned } = auditOf(
    { ledger: ledger.filter((entry) => !replies.includes(entry) && !isErrand(entry)), tickets },
    cast,
    (party) =>
      people.spared.has(party) ||
      cancelled.has(party) ||
      entriesOf(party, { ledger, tickets }).some((entry) => replies.includes(entry)),
  );
  const has = (...habits: readonly string[]) => habits.some((habit) => plan.habits.includes(habit));
  const raises = (of: Party, text: RegExp) =>
    witnesses.some(
      ({ party, state }) =>
        party === of && detailsOf(state, 'requirement-raised').some((id) => text.test(id)),
    );
  const isAgain = (party: Party, what: string) => {
    if (/^upload-attachment/.test(what)) {
      // The answer to what was lost has its own documents, and a note with two texts is asked about more than once.
      if (has('review-lost', 'note-rewritten')) return true;
      // A new status with an old list of notes looks like a partner that asks once more.
      if (has('reads-go-back') && raises(party, /^note-[0-9a-f]+-\d+$/)) return true;
      // The review that answers a note of an old list is for the partner the answer to the next one.
      if (has('gateway-timeout', 'submit-lost') && has(...SHOWS_OLD)) return true;
    }
    // A ticket that an old list still has, after a new one without it, looks like one that was opened again.
    if (/^create-ticket/.test(what) && has(...SHOWS_OLD) && raises(party, /^ticket-\d+-\d+$/)) return true;
    // What a bank has saved without a word, and does not show yet, nobody can find before the correction is sent.
    if (/^submit-business/.test(what) && has(...SAYS_NOTHING) && has(...SHOWS_OLD)) return true;
    return confused.has(party) && OF_A_MERCHANT.test(what);
  };
  for (const [party, all] of wrong) {
    // Somebody asked for it once more.
    if (interrupted.has(party)) continue;
    const left = all.filter((what) => !isAgain(party, what));
    if (left.length > 0) yield `${party.externalId}: ${left.join(', ')}`;
  }
  // These tickets are about nobody of the cast.
  const areOthers = plan.twists.includes('tickets');
  yield* unowned.filter((what) => !areOthers || !/create-ticket/.test(what));
}

/** One that is rejected or abandoned may have had its effect. None has it twice. */
async function* operated({ plan, network, partners, service, client }: End) {
  const mayReject =
    network.outages.length > 0 ||
    plan.twists.includes('store') ||
    // A wrong one-time code, whose refusal says neither 401 nor 403, or a gateway that says that nothing is there.
    plan.habits.some((habit) => ['errors-with-200', 'deploys-404'].includes(habit)) ||
    plan.faults.some(({ fault }) => refuses(fault));
  for (const errand of plan.errands) {
    if (errand === 'batch' || errand === 'invalid') continue;
    const { start } =
      service.runs.find((run) => run.start.workflowId.startsWith(`operation-${errand}-`)) ?? {};
    if (!start) {
      yield `${errand} never began`;
      continue;
    }
    const { outcome } = await waitForResult<OperationOutcome>(client, start.workflowId);
    if (outcome === 'rejected' && !mayReject) yield `${start.workflowId} is rejected`;
    const entries = partners.ledger.filter(({ operation }) => operation in EFFECTS[errand]);
    // A refusal that looks like a success, in another form, says nothing.
    const mayBeMissing = outcome !== 'done' || plan.habits.includes('errors-with-200');
    for (const what of missing(EFFECTS[errand], entries, mayBeMissing)) yield `${start.workflowId}: ${what}`;
  }
}

async function believedWrongly({ partners, plan, confused, witnesses }: Ended): Promise<string[]> {
  // What a partner accepts and loses counts as done until its time is over.
  if (plan.habits.some((habit) => habit.endsWith('-lost'))) return [];
  const clear = witnesses.filter(({ party }) => !confused.has(party));
  const ledger = asNumbered(partners.ledger, plan);
  const read = (path: string) => partners.control<Record<string, unknown>>('GET', path);
  const lines = contradicted(clear, await evidenceOf(ledger, MARKERS.noteAnswer, read));
  // After an older status, that of an earlier submission looks like the effect of the latest one.
  const showsOld = SHOWS_OLD.some((habit) => plan.habits.includes(habit));
  return showsOld ? lines.filter((line) => !/: submitted \d+ times, /.test(line)) : lines;
}

function missed({ cast, partners, interrupted, confused, plan, witnesses }: Ended): string[] {
  // Nobody can know what a refusal without a word has saved.
  if (plan.habits.some((habit) => habit.endsWith('-silently'))) return [];
  return cast.flatMap((party) => {
    if (interrupted.has(party) || confused.has(party)) return [];
    const own = witnesses.filter((witness) => witness.party === party).map(({ state }) => state);
    const state = Object.assign({}, ...own, { timeline: own.flatMap(({ timeline }) => timeline) });
    return unrecorded({ party, workflowId: party.workflowId, state }, partners.ledgerOfGangway);
  });
}

const iso = (at: number) => new Date(at).toISOString();

const OPERATIONS: Operations = Object.assign({}, ...Object.values(catalogue()));

/** A question about a write is about a request that had left, or about a worker that was killed or stopped just before that. */
async function* askedForNothing({ network, world, plan, people, witnesses }: Ended) {
  const questions = await examined(witnesses, async (operation, about) => {
    const [, { method = '', path = '' } = {}] = operationOf(OPERATIONS, operation) ?? [];
    const pattern = new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}(\\?|$)`);
    const hasAll = allIn(about);
    return network.left.flatMap((one, seq) => {
      const isIts = one.method === method && pattern.test(one.path) && hasAll(one.text);
      return isIts ? [{ seq, at: iso(one.at), system: '', operation, url: one.path }] : [];
    });
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
    if (!request) return false;
    const { status = 500, process } = network.left[request.seq] ?? {};
    const later = network.left.slice(request.seq + 1);
    // A read that never left is not among them.
    const isShortRead = (one: Departure) =>
      one.process === process && SHORT_READS.includes(one.path) && iso(one.at) <= askedAt;
    const [first, second] = later.filter(isShortRead);
    const isUnproven = [401, 403].includes(status) && (first?.status !== status || second?.status !== status);
    const stopped = incidents.some(({ at }) => at >= request.at && at <= askedAt);
    return !areClocksRight || stopped || isUnproven || status === 408 || status >= 500;
  };
  for (const question of questions) {
    if (isExplained(question) || isUncertain(question)) continue;
    const { workflowId, title, warning, request } = question;
    const why = request ? 'whose response had arrived' : 'and no request had left';
    yield `${workflowId} asks about "${title}", ${why}${warning}`;
  }
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
function* silent({ plan, network, service, witnesses, accounts }: Ended) {
  // A worker measures how long it has waited by its clock.
  if (!hasRightClocks(plan)) return;
  const ofAccounts = accounts.filter(({ workflowId }) => workflowId.startsWith('partner-account'));
  for (const { kind, since } of network.outages) {
    const [from, until] = [since, since + OUTAGES[kind].milliseconds].map(iso) as [string, string];
    const isRaised = ({ event, at }: TimelineEntry) =>
      event === 'requirement-raised' && at >= from && at <= until;
    const accountAsks = ofAccounts.some(({ state }) => state.timeline.some(isRaised));
    if (kind === 'code' || (kind !== 'down' && accountAsks)) continue;
    for (const { workflowId, state } of witnesses) {
      const isCustomer = service.latest(workflowId)?.start.type === 'customerOnboarding';
      const [first, last] = [state.timeline[0]?.at ?? until, state.timeline.at(-1)?.at ?? ''];
      const before = state.timeline.filter(({ at }) => at <= until);
      const asks = before.filter(({ event }) => event === 'requirement-raised').length;
      const ends = before.filter(({ event }) => /^requirement-(resolved|closed)$/.test(event)).length;
      if (!isCustomer && first < from && last > until && asks === ends)
        yield `${workflowId} waits, and asks nobody`;
    }
  }
}

/** Where a requirement or its answer is: `late` if a delivery may have left without it, `final` if nothing is sent. */
type Standing = 'open' | 'answered' | 'late' | 'final' | 'over';

/** From where an event may take a requirement, and to where. */
const TRANSITIONS: {
  readonly [Event in TimelineEntry['event']]?: readonly [
    from: readonly (Standing | undefined)[],
    to: Standing,
  ];
} = {
  'requirement-raised': [[undefined], 'open'],
  'requirement-overdue': [['open'], 'open'],
  'requirement-unclaimed': [['open'], 'open'],
  'requirement-closed': [['open'], 'over'],
  'requirement-resolved': [['open'], 'answered'],
  'answer-taken-back': [['answered', 'final'], 'open'],
  'answer-dropped': [['answered', 'late'], 'over'],
  'answer-rejected': [['answered'], 'over'],
  'ticket-answered': [['answered'], 'over'],
};

/** Each requirement and each answer has one end, and nothing happens to one that is not there. */
function* ambiguous({ workflowId, state: { timeline } }: Witness) {
  const standings = new Map<string, Standing>();
  const warnings = new Set<string>();
  const deliver = (those: RegExp) => {
    for (const [id, standing] of standings)
      if (standing === 'answered' && those.test(id)) standings.set(id, 'late');
  };
  const contradicts = ({ event, detail = '' }: TimelineEntry) => {
    const [id = '', answer] = detail.split(': ');
    const [from, to] = TRANSITIONS[event] ?? [];
    // It may be an earlier submission, which had been in doubt.
    if (event === 'submitted') deliver(/^(changes-requested|not-submitted)/);
    if (event === 'answers-delivered') {
      deliver(/^note-/);
      return ![...standings.values()].includes('late');
    }
    if (!from || !to) return false;
    if (!from.includes(standings.get(id)) || warnings.has(`${event} ${id}`)) return true;
    if (/^requirement-(overdue|unclaimed)$/.test(event)) warnings.add(`${event} ${id}`);
    // Nothing follows from it: the onboarding ends, or somebody answered the ticket in another way.
    const isFinal = answer === 'abandon' || (answer === 'retry' && id.startsWith('ticket-'));
    standings.set(id, to === 'answered' && isFinal ? 'final' : to);
    return false;
  };
  for (const entry of timeline.filter(contradicts))
    yield `${workflowId} records ${entry.event} ${entry.detail}, which contradicts itself`;
  if (!timeline.some(({ event }) => event === 'ended' || event === 'cancelled')) return;
  for (const [id, standing] of standings)
    if (standing === 'open' || (standing === 'answered' && /^(note|ticket|request)-/.test(id)))
      yield `${workflowId} does not say what became of ${id}`;
}

function forgotten({ people, service, witnesses, accounts }: Ended): string[] {
  const key = (workflowId: string, id: string) => `the answer to ${id} of ${workflowId}`;
  // A run that was terminated before its first task shows nothing.
  const told = people.answering.receipts
    .filter(({ workflowId }) => service.latest(workflowId)?.steps.length !== 0)
    .map(({ workflowId, id }) => key(workflowId, id));
  for (const { workflowId, state } of [...witnesses, ...accounts])
    for (const id of detailsOf(state, 'requirement-resolved')) {
      const index = told.indexOf(key(workflowId, id));
      if (index >= 0) told.splice(index, 1);
    }
  return [...new Set(told)].map((each) => `${each} was accepted, and the timeline does not have it`);
}

/** The IDs in the details of an event. */
function detailsOf({ timeline }: OnboardingState, wanted: TimelineEntry['event']): string[] {
  return timeline
    .filter(({ event }) => event === wanted)
    .map(({ detail = '' }) => detail.split(': ')[0] ?? '');
}

function disagreeing({ service, witnesses }: Ended): string[] {
  // A terminated run had no time to list what it learned last.
  const hasListed = ({ workflowId }: Witness) => service.latest(workflowId)?.status !== 'TERMINATED';
  return witnesses.filter(hasListed).flatMap(({ workflowId, state }) => {
    const listed = service.latest(workflowId)?.searchAttributes ?? {};
    return differences(workflowId, 'lists say', {
      OnboardingStage: [state.stage, listed['OnboardingStage']],
      PartnerStatus: [state.partnerStatus ?? undefined, listed['PartnerStatus']],
      MerchantProfileId: [state.merchantProfileId?.toString(), listed['MerchantProfileId']],
      BankingProfileId: [state.profileId?.toString(), listed['BankingProfileId']],
      Mid: [state.mid, listed['Mid']],
      ActionRequired: [state.requirements.length > 0, listed['ActionRequired']],
    });
  });
}

/** Outbound events say what the onboardings themselves say, each once and in order. */
function misreported({ service, interrupted, witnesses }: Ended): string[] {
  const published = Map.groupBy(publishedIn(service), ({ subject }) => subject);
  return witnesses.flatMap(({ workflowId, state, party }) => {
    if (interrupted.has(party as Party)) return [];
    const events = (published.get(workflowId) ?? []).toSorted((one, other) =>
      one.sequence.localeCompare(other.sequence),
    );
    const of = (type: OutboundEventType, field: string) =>
      events.filter((event) => event.type === type).map(({ data }) => data[field as keyof typeof data]);
    const stages = of('onboarding.stage.changed.v1', 'stage');
    const isCanceled = service.latest(workflowId)?.closed?.status === 'CANCELED';
    const ends = [isCanceled ? 'cancelled' : state.outcome].filter((end) => end !== undefined);
    return differences(workflowId, 'events say', {
      sequences: [events.map((_, index) => index + 1), events.map(({ sequence }) => Number(sequence))],
      raised: [detailsOf(state, 'requirement-raised'), of('requirement.raised.v1', 'requirementId')],
      overdue: [detailsOf(state, 'requirement-overdue'), of('requirement.overdue.v1', 'requirementId')],
      unclaimed: [detailsOf(state, 'requirement-unclaimed'), of('requirement.unclaimed.v1', 'requirementId')],
      stage: [state.stage, stages.at(-1)],
      stages: [stages.filter((stage, index) => stage !== stages[index - 1]), stages],
      outcome: [ends, of('onboarding.completed.v1', 'outcome')],
      mid: [ends.map(() => state.mid), of('onboarding.completed.v1', 'mid')],
    });
  });
}

/** What a subscriber holds true: an event of a later time replaces that of its number, and what followed upon it. */
function publishedIn({ singles }: Service): OutboundEvent[] {
  const events = [...singles.values()].map(([delivery]) => (delivery as Delivery).event);
  return events.filter(({ subject, sequence, time, id }) => {
    const replaces = (one: OutboundEvent) => one.sequence <= sequence && one.time > time && one.id !== id;
    return !events.some((one) => one.subject === subject && replaces(one));
  });
}

function differences(
  workflowId: string,
  others: string,
  pairs: Readonly<Record<string, readonly [unknown, unknown]>>,
): string[] {
  return Object.entries(pairs).flatMap(([name, pair]) => {
    const [own, other] = pair.map((value) => JSON.stringify(value));
    return own === other ? [] : [`${workflowId} has ${name} ${own}, and ${others} ${other}`];
  });
}

function leaked({ service, world, people, witnesses, accounts }: Ended): string[] {
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

/** The states of the parties' workflows. */
async function witnessesOf({ cast, client, service }: End): Promise<Witness[]> {
  const witnesses: Witness[] = [];
  for (const party of cast)
    for (const workflowId of new Set([party.workflowId, ...workersOf(party)])) {
      const run = service.latest(workflowId);
      // One that was started with an invalid input has failed, and has no state.
      if (run?.steps.length && run.status !== 'FAILED')
        witnesses.push({ party, workflowId, state: await queryState(client, workflowId) });
    }
  return witnesses;
}

/** Those of accounts and of single operations. An account has a workflow for each of its systems, which runs again and again. */
async function accountsOf({ client, service }: End): Promise<Witness[]> {
  const accounts = service.runs.filter(
    ({ start, status, steps }) =>
      start.type.startsWith('partner') &&
      steps.length > 0 &&
      !['CONTINUED_AS_NEW', 'FAILED'].includes(status),
  );
  return Promise.all(
    accounts.map(async ({ runId, start: { workflowId } }) => ({
      party: NOBODY,
      workflowId,
      state: await client.workflow.getHandle(workflowId, runId).query(stateQuery),
    })),
  );
}
