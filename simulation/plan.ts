import { CALL_FAULTS, type CallFault } from '../src/apps/sandbox/fault-kinds.js';
import { FAMILIES, HABITS } from '../src/apps/sandbox/habits/habits.js';
import { Seeded } from './seeded.js';

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** A fault of the sandbox that hits all requests from one on, for longer than workflows wait before they ask. */
const outage = (fault: CallFault, hours: number, of = /^/) => ({ fault, milliseconds: hours * HOUR_MS, of });

export const OUTAGES = {
  down: outage('503', 44),
  locked: outage('expired-token', 6), // they refuse our credentials
  suspended: outage('403', 6), // they do not let us in
  unreadable: outage('another-form', 2, /^read/), // no response to a read can be read
  code: outage('code-needed', 2, / \/api\/auth/), // the bank asks for a one-time code at each sign-in
} as const;

export type Outage = keyof typeof OUTAGES;

/** The faults of single requests: those of the sandbox, and no connection. */
export const FAULTS: readonly [CallFault | 'refuse', ...CallFault[]] = [
  'refuse',
  ...(Object.keys(CALL_FAULTS) as CallFault[]),
];

/** A person is asked about a write that meets it. */
export const refuses = (fault: string) => Boolean(CALL_FAULTS[fault as CallFault]?.refuses);

/** What happens to a request to a partner, and for how long. */
export interface RequestFault {
  readonly fault: (typeof FAULTS)[number] | Outage;
  readonly milliseconds: number;
}

/** Just before a sender gives up, and after it, in milliseconds. */
export const SLOW = 28_000;
export const TOO_SLOW = 33_000;

export const LENGTHS = [0, 1_000, SLOW, TOO_SLOW] as const;

/** What can happen to a request to Temporal. */
export const LOSSES = [
  'lost', // it leaves, and never arrives
  'unanswered', // it takes effect, and its response is lost
  'late', // it takes some seconds
  'overdue', // it takes effect only after its sender has given up on it
] as const;

export type Loss = (typeof LOSSES)[number];

/** Whose onboardings a run has: anybody's, those of whom the partner asks something twice, or two businesses of one name. */
const WHO = ['any', 'askedTwice', 'twins'] as const;

/** Everything that goes wrong in a run. All else follows from the seed. */
export interface Plan {
  readonly seed: number;
  readonly who: (typeof WHO)[number];
  /** Which of them are onboarded. */
  readonly parties: readonly number[];
  /** What the partners have of them before. */
  readonly existing: Existing;
  /** The faults of requests to partners, by their number among the writes, or among the reads. */
  readonly faults: readonly (RequestFault & { readonly of: 'write' | 'read'; readonly number: number })[];
  /** The faults of requests to Temporal, by their number. */
  readonly losses: readonly { readonly request: number; readonly loss: Loss }[];
  /** What happens to a worker, or to all of them. */
  readonly incidents: readonly Incident[];
  readonly twists: readonly Twist[];
  /** What the partners always do, or until they mend it. */
  readonly habits: readonly string[];
  /** What Gangway does besides. */
  readonly errands: readonly Errand[];
  /** What people do instead of a plain answer, by its number. */
  readonly slips: readonly { readonly answer: number; readonly slip: Slip }[];
  /** Writes that fail while the partner moves the merchant for another reason. */
  readonly moves: readonly (keyof typeof MOVES)[];
  /** How long at most until somebody looks at what is asked, in milliseconds. */
  readonly shiftMs: number;
  /** How long a step of the underwriters takes, in milliseconds. */
  readonly paceMs: number;
  /** Workflows continue as new from this many events on. */
  readonly continueAfter: number;
  /** What Temporal does in the whole run. */
  readonly tasks?: readonly TaskFault[];
  /** One of the worker processes has a wrong password, until somebody corrects it and restarts the process. */
  readonly hasWrongPassword?: boolean;
}

/** What a server and its workers do to workflow tasks. */
export const TASK_FAULTS = [
  'cold', // no worker keeps a workflow in its memory: each task begins with a replay, which takes an empty task before it along
  'again', // the server forgets an update that completes as its run continues as new: the next run gets it, too
] as const;

type TaskFault = (typeof TASK_FAULTS)[number];

/** What the partner does instead of a write. Its new status is no evidence that the write arrived. */
export const MOVES = {
  review: {
    fault: '500-before-commit',
    operation: 'request-underwriting-review',
    meanwhile: { status: 'UW Level 1: Pending' },
  },
  submission: {
    fault: '500-before-commit',
    operation: 'submit-merchant',
    meanwhile: { status: 'On Hold', steps: 3 },
  },
  refusedReview: {
    fault: '400',
    operation: 'request-underwriting-review',
    meanwhile: { status: 'On Hold', steps: 3 },
  },
  // A fast partner has asked again before the sender gives up.
  heardLate: {
    fault: 'delay-after-commit',
    operation: 'request-underwriting-review',
    milliseconds: TOO_SLOW,
  },
} as const;

/** While responses cannot be read, the workers look every five seconds, which takes a simulation long: it is rare. */
const KINDS_OF_OUTAGE = [
  ...Array<Outage>(4).fill('down'),
  ...Array<Outage>(2).fill('locked'),
  ...Array<Outage>(2).fill('suspended'),
  'unreadable',
  'code',
] as const;

export interface Incident {
  /** After so many steps of the world, or during that write, to the worker that makes it. */
  readonly of: 'step' | 'write';
  readonly number: number;
  readonly how: How;
  /** How long until the worker is back, or how far its clock jumps. */
  readonly milliseconds: number;
}

/** What happens to a worker, or to all of them. */
export const HOWS = [
  'killed',
  'frozen',
  'released', // all workers end in good order, and others take their places
  'forgets', // it has no room for workflows, and replays each of them when it is next needed
  'jumps', // its clock does
  'cancelled', // not a worker, but an onboarding, or a part of it. Perhaps somebody starts it again
  'terminated', // the same, without a chance to say so
] as const;

type How = (typeof HOWS)[number];

/** What people do. */
export const SLIPS = [
  'twice', // two people answer at the same time
  'late', // somebody else answers hours later what they have seen now
  'wrong', // an answer that does not fit comes before the right one
  'again', // an earlier answer is given once more
  'takenBack', // they take the answer back at once, and give it later
  'proposed', // one proposes it, and another one confirms
  'decided', // the partner decides at the same moment, before it responds
  'unheard', // the partner's response to it is lost
  'claimed', // they claim the requirement first, take over, release, and propose what they withdraw
  'cancelled', // somebody cancels the onboarding, or a part of it, at the same moment
  'abandoned', // they give up
] as const;

export type Slip = (typeof SLIPS)[number];

/** What is unusual about the onboardings of a run. */
export const TWISTS = [
  'account', // they belong to a named account
  'masked', // lists show no names
  'agent', // the agent is found by its name
  'nobody', // there is no agent of that name
  'undue', // they leave it to Gangway how long people may take
  'unclaimed', // they want to hear of questions that nobody claims for an hour
  'fees', // the partner has some of their fees in another form
  'attached', // somebody boards the merchant of a customer before
  'restored', // a backup says that they began earlier
  'closes', // the bank locks the profile for some hours
  'cancels', // a decline of one part cancels the other
  'traced', // whoever requests them traces what follows
  'verbose', // the underwriters leave long notes, or hundreds, and then decide
  'store', // files are missing, or cannot be read or written, now and then
  'tickets', // the bank asks about no profile, or one of somebody else
] as const;

export type Twist = (typeof TWISTS)[number];

/** What the partners have of a party before Gangway learns of it. */
export const EXISTING = [
  'nothing',
  'named', // the input names the merchant, which may be submitted, or whose business may have a profile
  'claimed', // the same, and another workflow follows the merchant for some hours
  'followed', // Gangway only follows the merchant and the business
  'before', // the bank has an earlier profile of the same business, which is not to be confirmed
] as const;

export type Existing = (typeof EXISTING)[number];

/** Single operations at the bank, and how the onboardings are requested. */
export const ERRANDS = [
  'close-card',
  'card-nickname',
  'change-address',
  'restore-sub-user',
  'ensure-webhooks',
  'statement',
  'invalid', // workflows start with inputs that commands refuse
  'batch', // the onboardings are rows of one file
] as const;

export type Errand = (typeof ERRANDS)[number];

/** After so many events a workflow continues as new before it has done much. With fewer, a customer's would without an end. */
export const SHORT_RUN = 25;

/** The same for the record of a partner, of which little happens. */
export const SHORT_RECORD = 12;

/** How much goes wrong differs from seed to seed, from nothing to almost everything. */
export function planOf(seed: number): Plan {
  const chance = new Seeded(Math.imul(seed, 7_919));
  const times = <Item>(most: number, make: () => Item): Item[] =>
    Array.from({ length: chance.between(0, most) }, make);
  const one = <Item>(all: readonly Item[]): Item => chance.pick(all);
  const who = one([WHO[0], WHO[0], WHO[1], WHO[1], WHO[2]]);
  const harshness = one([0, 1, 3, 10, 40]);
  // A run turns some up, and the others off: each is met in more states than in a draw from all of them.
  const some = <Item>(all: readonly Item[]): readonly Item[] =>
    chance.shuffled(all).slice(0, one([1, 2, 4, all.length]));
  const [kinds, ways] = [some(FAULTS), some(SLIPS)];
  const slips = times(one([0, 2, 6]), () => ({ answer: chance.between(1, 6), slip: one(ways) }));
  // A family has as many turns as it has habits.
  const family = one(Object.values(FAMILIES).flatMap((all) => Object.keys(all).map(() => Object.keys(all))));
  const [first, second] = some(family);
  const other = chance.happens(0.5) ? one(Object.keys(HABITS)) : second;
  const habits = chance.happens(0.9)
    ? [...new Set([first, other])].filter((habit) => habit !== undefined)
    : [];
  // A family of runs: what lives long continues as new several times.
  const isLong = chance.happens(0.06);
  const errands = chance.shuffled(ERRANDS).slice(0, one([0, 0, 2, 3]));
  const plan: Plan = {
    seed,
    who,
    parties: who === 'twins' ? [0, 1] : one([[0], [0, 1], [0, 1], [0, 1, 2]]),
    faults: [
      ...times(harshness * 3, () => {
        const [fault, milliseconds] = [one(kinds), one(LENGTHS)];
        const of = refuses(fault) ? 'write' : one(['write', 'read'] as const);
        const number = chance.between(1, of === 'write' ? 5 + harshness : 20 + 5 * harshness);
        return { of, number, fault, milliseconds };
      }),
      ...times(chance.happens(0.1) ? 1 : 0, () => ({
        of: 'read' as const,
        number: chance.between(1, 20),
        fault: one(KINDS_OF_OUTAGE),
        milliseconds: 0,
      })),
    ],
    losses: times(harshness, () => ({
      request: chance.between(1, 40 + 10 * harshness),
      loss: one(LOSSES),
    })),
    incidents: times(8, () => {
      const of = one(['write', 'step', 'step'] as const);
      const number = chance.between(1, of === 'write' ? 6 : one([60, 200, 600]));
      const how = one<How>(
        chance.happens(of === 'write' ? 0.2 : 0.05) ? HOWS.slice(-2) : ['killed', ...HOWS.slice(0, -2)],
      );
      const milliseconds = one([200, 5_000, 90_000, 300_000, 120 * MINUTE_MS]);
      return { of, number, how, milliseconds: how === 'jumps' ? one([-1, 1]) * milliseconds : milliseconds };
    }),
    // Each at most once: a pause that begins during another one would never end.
    moves: chance
      .shuffled(['review', 'submission', 'refusedReview'] as const)
      .slice(0, harshness === 0 ? 0 : chance.between(0, 2)),
    slips,
    habits,
    shiftMs: one([MINUTE_MS / 2, 10 * MINUTE_MS, 40 * MINUTE_MS, 360 * MINUTE_MS]),
    // A fast one has asked again before anybody reads that it had taken an answer.
    paceMs: one([500, MINUTE_MS / 4, 60 * MINUTE_MS, 60 * MINUTE_MS]),
    continueAfter: isLong ? SHORT_RUN : one([40, 60, 200, 10_000]),
    existing: one([EXISTING[0], ...EXISTING]),
    twists: chance.shuffled(TWISTS).slice(0, one([0, 1, 2, 4])),
    errands: isLong ? [...new Set([...errands, 'batch' as const])] : errands,
    tasks: TASK_FAULTS.filter(() => chance.happens(0.1)),
    hasWrongPassword: chance.happens(0.15),
  };
  // Drawn last, so that a seed keeps what it had before.
  return chance.happens(0.1) ? { ...plan, moves: [...plan.moves, 'heardLate'] } : plan;
}
