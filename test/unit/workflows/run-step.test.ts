import { ActivityFailure, ApplicationFailure, CancelledFailure, RetryState } from '@temporalio/common';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Found } from '../../../src/at-most-once/workflow.js';
import type { Answer } from '../../../src/messages/requirements.js';
import type { PartnerErrorDetails } from '../../../src/partners/partner-error.js';
import { askForCorrection, NotAdoptable, Rejected } from '../../../src/workflows/journey/rejections.js';
import { Abandoned } from '../../../src/workflows/journey/requirements.js';
import { runIdempotent, runOnce, runRead } from '../../../src/workflows/journey/run-step.js';
import { type Question, unknownWrites } from '../../../src/workflows/journey/state.js';
import {
  type Earlier,
  type OnceWrite,
  type StepContext,
  unfinishedWrites,
} from '../../../src/workflows/journey/step.js';
import { cellOf } from './cells.js';

const activityFailed = (cause: Error) =>
  new ActivityFailure('failed', 'createMerchant', '1', RetryState.NON_RETRYABLE_FAILURE, 'worker', cause);

/** A failed call of the partner, as it reaches a workflow. */
function failed(kind: PartnerErrorDetails['kind'], more: Partial<PartnerErrorDetails> = {}): ActivityFailure {
  const details = { system: 'boarding', operation: 'create-merchant', kind, fields: [], reason: 'HTTP 400' };
  return activityFailed(
    ApplicationFailure.create({
      type: 'PartnerError',
      details: [{ ...details, ...more }],
      nonRetryable: true,
    }),
  );
}

const EFFECTS = ['read', 'idempotent', 'once'] as const;
const CANCELLED = new CancelledFailure('cancelled');
const NOT_BEGUN = new CancelledFailure('canceled before it began');
const BAD_EMAIL = { fields: [{ field: 'merchant.email', message: 'is missing' }] };

/** What becomes of an attempt or of a question: a value, an error, or what happens then. */
type Turn<Value> = Value | Error | (() => Value);

function taken<Value>(turns: Turn<Value>[], what: string): Value {
  if (turns.length === 0) throw new Error(`nobody expected ${what}`);
  const turn = turns.shift() as Turn<Value>;
  if (turn instanceof Error) throw turn;
  return typeof turn === 'function' ? (turn as () => Value)() : turn;
}

interface Course {
  /** What each attempt becomes. */
  readonly attempts?: Turn<unknown>[];
  /** How a person answers each question. */
  readonly answers?: Turn<Answer | undefined>[];
}

type Titled = Pick<OnceWrite<unknown>, 'title'>;

/** A workflow made of values: what its steps do is a log, and what people are asked is a list. */
function workflow({ attempts = [], answers = [] }: Course) {
  const log: string[] = [];
  const asked: Question[] = [];
  const moot: boolean[] = [];
  const counted: unknown[] = [];
  /** What happens during each wait until something holds. */
  const turns: (() => void)[] = [];
  const timeline = {
    add: (event: string, { detail = '' } = {}, labels?: object) => {
      log.push(`${event}: ${detail}`);
      if (labels) counted.push({ event, ...labels });
    },
  };
  const writes = {
    cancelled: ({ title }: Titled, became: string) => void log.push(`cancelled ${title}: ${became}`),
    uncertain: ({ title }: Titled) => void log.push(`uncertain ${title}`),
    resolve: ({ title }: Titled) => void log.push(`resolve ${title}`),
  };
  const people = {
    blankFor: async (fields: readonly string[]) => ({ blank: fields.join() }),
    ask: async (question: Question, isMoot: () => boolean = () => false) => {
      asked.push(question);
      const answer = taken(answers, `a question: ${question.title}`);
      moot.push(isMoot());
      return answer;
    },
  };
  const begin = (title: string, isPoll: unknown) => {
    log.push(`${isPoll ? 'poll' : 'begin'} ${title}`);
    return () => void log.push('end');
  };
  const until = async (holds: () => boolean) => {
    log.push('waits');
    turns.shift()?.();
    expect(holds()).toBe(true);
  };
  const context = { timeline, writes, ...people, waits: { begin }, until, isCancelled: false };
  const run = async () => taken(attempts, 'an attempt') as never;
  const steps = context as never as StepContext;
  const ended = async (step: Promise<unknown>) => {
    const outcome: unknown = await step.catch((error: unknown) => error);
    return { outcome, log, asked, moot, counted, left: attempts.length + answers.length };
  };
  return {
    ...{ context, log, turns, asked },
    read: (more: object = {}) => ended(runRead(steps, 'read the status', run, more)),
    idempotent: (more: object = {}) => ended(runIdempotent(steps, { title: 'set the fees', run, ...more })),
    once: (more: Partial<OnceWrite<unknown>> = {}) =>
      ended(
        runOnce<unknown>(steps, {
          ...{ title: 'create the merchant', run },
          ...{ readEvidence: 'none', polledEvidence: 'none', whereToLook: 'Look in the portal.' },
          adopt: (id) => `adopted ${id}`,
          ...more,
        }),
      ),
  };
}

const adopt = (id = '7') => ({ kind: 'adopt', id }) as const;
const RETRY = { kind: 'retry' } as const;
const found = (value: unknown): Found<unknown> => ({ found: value });
/** The result of each read of evidence. Further reads return the last one. */
function evidence(...reads: Found<unknown>[]) {
  const seen: unknown[] = [];
  const readEvidence = async ({ failure: _, ...earlier }: Earlier) => {
    seen.push(earlier);
    return reads[Math.min(seen.length, reads.length) - 1];
  };
  return { seen, readEvidence };
}
const ADOPTED = 'write-adopted: create the merchant: 7';
const quiet = (log: readonly string[]) => log.filter((line) => !/^(begin|end)/.test(line));

describe('a step', () => {
  it('returns what its call returns, and waits for the partner meanwhile', async () => {
    const { outcome, log } = await workflow({ attempts: ['Approved'] }).read();
    expect([outcome, log]).toEqual(['Approved', ['begin read the status', 'end']]);
  });

  it.each<[string, Turn<unknown>, object, began: string]>([
    ['that waits for a change is shown as a poll', 'Approved', { waitsForChange: true }, 'poll'],
    ['ends its wait when its call fails', failed('Rejected'), { endsWhenRejected: true }, 'begin'],
  ])('%s', async (_, attempt, more, began) => {
    const { log } = await workflow({ attempts: [attempt] }).read(more);
    expect(log).toEqual([`${began} read the status`, 'end']);
  });

  it('that is sent once gets what sends it', async () => {
    const proxy = async (request: object) => ({ merchantProfileId: 7, ...request });
    const run: OnceWrite<unknown>['run'] = (send) => send(proxy as never, { guid: 'm-1' });
    expect((await workflow({}).once({ run })).outcome).toEqual({ merchantProfileId: 7, guid: 'm-1' });
  });

  it.each(EFFECTS)('keeps the warnings of the partner: %s', async (effect) => {
    const attempts = [{ warnings: ['slow today', 'SSN 123-45-6789'] }];
    const { log } = await workflow({ attempts })[effect]();
    expect(quiet(log)).toEqual([
      expect.stringMatching(/^partner-warned: .+: slow today$/),
      expect.stringMatching(/^partner-warned: .+: SSN \*{3}-\*\*-6789$/),
    ]);
  });

  it.each([null, undefined, 7, {}])('whose response is %j has no warnings', async (response) => {
    const { outcome, log } = await workflow({ attempts: [response] }).once();
    expect([outcome, quiet(log)]).toEqual([response, []]);
  });

  it.each(['idempotent', 'once'] as const)('is prepared before each attempt: %s', async (effect) => {
    const made = workflow({ attempts: [failed('Rejected'), 'done'], answers: [RETRY] });
    const prepare = async () => {
      await undefined;
      made.log.push('prepared');
    };
    const { log } = await made[effect]({ prepare });
    const attempt = ['prepared', 'begin', 'end'];
    expect(log.map((line) => line.split(' ')[0])).toEqual([...attempt, ...attempt]);
  });

  it.each(EFFECTS)('does not begin when it is canceled: %s', async (effect) => {
    const made = workflow({});
    made.context.isCancelled = true;
    const { outcome, log } = await made[effect]();
    expect([outcome, log]).toEqual([NOT_BEGUN, []]);
  });

  it('does not begin again when it was canceled with an answer, and says that the answer sent nothing', async () => {
    const cancelledMeanwhile = () => {
      made.context.isCancelled = true;
      return RETRY;
    };
    const made = workflow({ attempts: [failed('Rejected')], answers: [cancelledMeanwhile] });
    const { outcome, log } = await made.idempotent();
    expect([outcome, log.at(-1)]).toEqual([NOT_BEGUN, 'cancelled set the fees: not-sent']);
  });

  it('that is canceled while it prepares another attempt says that the answer sent nothing', async () => {
    let times = 0;
    const prepare = async () => {
      times += 1;
      if (times === 2) throw CANCELLED;
    };
    const made = workflow({ attempts: [failed('Rejected')], answers: [RETRY] });
    const { outcome, log } = await made.once({ prepare });
    expect([outcome, log.at(-1)]).toEqual([CANCELLED, 'cancelled create the merchant: not-sent']);
  });

  it.each([
    ['read', 'read the status: unexpected Uncertain'],
    ['idempotent', 'set the fees: unexpected Uncertain'],
  ] as const)('that may be repeated never has an unknown outcome: %s', async (effect, message) => {
    const { outcome } = await workflow({ attempts: [failed('Uncertain')] })[effect]();
    expect(outcome).toEqual(new Error(message));
  });

  it('passes on what is no failure of a call', async () => {
    expect((await workflow({ attempts: [new Error('a bug')] }).once()).outcome).toEqual(new Error('a bug'));
  });
});

describe('a rejection', () => {
  const [kind, detail, fields] = ['rejected-input', 'merchant.email: is missing', ['merchant.email']];

  it('ends a step that it should end, with its problems and its status', async () => {
    const attempts = [failed('Rejected', { ...BAD_EMAIL, status: 400 })];
    const { outcome, asked } = await workflow({ attempts }).idempotent({ endsWhenRejected: true });
    expect(outcome).toBeInstanceOf(Rejected);
    const rejected = { name: 'Rejected', message: detail, problems: BAD_EMAIL.fields, status: 400 };
    expect([outcome, asked]).toMatchObject([rejected, []]);
  });

  it('of a read is retried or abandoned by a person', async () => {
    const attempts = [failed('Rejected', BAD_EMAIL), 'Approved'];
    const { outcome, asked, left } = await workflow({ attempts, answers: [RETRY] }).read();
    expect([outcome, left]).toEqual(['Approved', 0]);
    const title = 'Rejected: read the status';
    expect(asked).toEqual([{ kind, title, detail, fields, answers: ['retry', 'abandon'] }]);
  });

  it('without a reason states that, and names no field', async () => {
    const nameless = { fields: [{ field: '', message: 'SSN 123-45-6789 is taken' }] };
    const attempts = [failed('Rejected'), failed('Rejected', nameless), 'done'];
    const { asked } = await workflow({ attempts, answers: [RETRY, undefined] }).idempotent();
    const details = ['the partner gave no reason', 'SSN ***-**-6789 is taken'];
    expect(asked.map((question) => question.detail)).toEqual(details);
    expect(asked.map((question) => 'fields' in question)).toEqual([false, false]);
  });

  it('that the response contains is like any other', async () => {
    const attempts = [new Rejected(BAD_EMAIL.fields), 'done'];
    const { outcome, asked } = await workflow({ attempts, answers: [RETRY] }).once();
    expect([outcome, asked]).toMatchObject(['done', [{ detail }]]);
  });

  it('is corrected where the step takes corrections', async () => {
    const patches: unknown[] = [];
    const correction = { kind: 'correction', patch: { merchant: { email: 'a@example.com' } } } as const;
    const made = workflow({ attempts: [failed('Rejected', BAD_EMAIL), 'done'], answers: [correction] });
    const { outcome, asked } = await made.idempotent({
      correct: (patch: object) => void patches.push(patch),
    });
    expect([outcome, patches]).toEqual(['done', [{ merchant: { email: 'a@example.com' } }]]);
    const corrected = { blank: { blank: 'merchant.email' }, answers: ['correction', 'retry', 'abandon'] };
    expect(asked).toEqual([{ kind, title: 'Rejected: set the fees', detail, fields, ...corrected }]);
  });

  it('is retried with the same input', async () => {
    const attempts = [failed('Rejected', BAD_EMAIL), 'done'];
    const correct = () => {
      throw new Error('there is no correction');
    };
    expect((await workflow({ attempts, answers: [RETRY] }).idempotent({ correct })).outcome).toBe('done');
  });

  it('of a document is answered by another one', async () => {
    const documents = ['a.pdf', 'b.pdf'].map((fileName) => ({ key: fileName, fileName, contentType: 'x' }));
    const given: unknown[] = [];
    const answers = [
      { kind: 'documents', documents: [] },
      { kind: 'documents', documents },
    ] as const;
    const attempts = [failed('Rejected'), failed('Rejected'), 'done'];
    const { asked } = await workflow({ attempts, answers: [...answers] }).once({
      replace: (document) => void given.push(document.fileName),
    });
    expect(given).toEqual(['a.pdf']);
    const kinds = ['documents', 'adopt', 'retry', 'abandon'];
    expect(asked.map((question) => question.answers)).toEqual([kinds, kinds]);
  });
});

describe('a permission that is missing', () => {
  const fields = [{ field: '', message: 'SSN 123-45-6789 is locked' }];
  it.each<[string, Partial<PartnerErrorDetails>, number, string]>([
    ['without words', {}, 403, ''],
    ['with its status and words', { status: 423, fields }, 423, '\nSSN ***-**-6789 is locked'],
  ])('is asked for, and then the call is made again: %s', async (_, more, status, words) => {
    const attempts = [failed('Forbidden', more), 'Approved'];
    const { outcome, asked } = await workflow({ attempts, answers: [RETRY] }).read();
    expect(outcome).toBe('Approved');
    const detail =
      `The boarding partner does not permit this (${status}), or it belongs to another organization. ` +
      `Ask the partner for the permission, then retry.${words}`;
    const question = { kind: 'credentials', title: 'Not permitted: read the status', detail };
    expect(asked).toEqual([{ ...question, answers: ['retry', 'abandon'] }]);
  });
});

describe('a rejected once-only write', () => {
  it('was done before, if the partner shows it', async () => {
    const { seen, readEvidence } = evidence(found('there'));
    const { outcome, log } = await workflow({ attempts: [failed('Rejected')] }).once({ readEvidence });
    expect([outcome, quiet(log), seen]).toEqual(['there', [], [{ isUncertain: false }]]);
  });

  it('ends with the evidence, and not with the rejection', async () => {
    const step = { readEvidence: async () => found('there'), endsWhenRejected: true } as const;
    expect((await workflow({ attempts: [failed('Rejected')] }).once(step)).outcome).toBe('there');
    const none = { readEvidence: async () => undefined, endsWhenRejected: true } as const;
    const { outcome } = await workflow({ attempts: [failed('Rejected')] }).once(none);
    expect(outcome).toBeInstanceOf(Rejected);
  });

  it.each([
    [{ readEvidence: 'none' }, ['adopt', 'retry', 'abandon'], undefined],
    [{ readEvidence: 'none', idFormat: 'text' }, ['adopt', 'retry', 'abandon'], 'text'],
    [{ readEvidence: async () => undefined, idFormat: 'text' }, ['retry', 'abandon'], undefined],
  ] as const)('may be adopted where no read shows it: %j', async (step, answers, idFormat) => {
    const attempts = [failed('Rejected'), 'done'];
    const { asked } = await workflow({ attempts, answers: [RETRY] }).once(step);
    expect(asked).toMatchObject([{ answers }]);
    expect(asked[0]?.idFormat).toBe(idFormat);
  });

  it('is adopted', async () => {
    const { outcome, log } = await workflow({ attempts: [failed('Rejected')], answers: [adopt()] }).once();
    expect([outcome, quiet(log)]).toEqual(['adopted 7', [ADOPTED]]);
  });

  it('is asked about again when its question has no answer and the poll sees nothing', async () => {
    const made = workflow({ attempts: [failed('Rejected'), 'done'], answers: [undefined, RETRY] });
    const { outcome, moot } = await made.once({ polledEvidence: () => undefined });
    expect([outcome, moot]).toEqual(['done', [false, false]]);
  });
});

const SENT_AT = '2026-01-31T12:00:00.000Z';
const IF_NOT_THERE =
  'If not, look again a few minutes later, and retry only if it is still not there: retrying too early does it twice.';
const LOST = failed('Uncertain', { reason: 'UND_ERR_SOCKET', sentAt: SENT_AT, baseline: [3] });
const LOST_ENTRY =
  'write-uncertain: create the merchant, sent at 2026-01-31 12:00:00.000 UTC: UND_ERR_SOCKET';

describe('a once-only write with an uncertain outcome', () => {
  it('is done if the partner shows it, and nobody is asked', async () => {
    const { seen, readEvidence } = evidence(found('there'));
    const { outcome, log, counted } = await workflow({ attempts: [LOST] }).once({ readEvidence });
    expect([outcome, seen]).toEqual(['there', [{ isUncertain: true, baseline: [3] }]]);
    expect(counted).toEqual([{ event: 'write-uncertain', system: 'boarding', operation: 'create-merchant' }]);
    expect(quiet(log)).toEqual([
      'uncertain create the merchant',
      LOST_ENTRY,
      'write-adopted: create the merchant: found at the partner',
      'resolve create the merchant',
    ]);
  });

  it('is done if the poll has seen it', async () => {
    const polledEvidence = () => found('polled');
    const { outcome, log } = await workflow({ attempts: [LOST] }).once({ polledEvidence });
    expect(outcome).toBe('polled');
    expect(quiet(log)).toEqual([
      'uncertain create the merchant',
      LOST_ENTRY,
      'write-adopted: create the merchant: seen at the partner',
      'resolve create the merchant',
    ]);
  });

  const AT_NOON = 'sent at 2026-01-31 12:00:00.000 UTC';
  const BROKE = 'the connection broke before the response (UND_ERR_SOCKET)';
  const UNREADABLE = { unreadable: 'create-merchant', fields: [{ field: 'id', message: 'not 123-45-6789' }] };
  it.each<[string, Partial<PartnerErrorDetails>, string, string]>([
    ['without a response', { reason: 'UND_ERR_SOCKET', sentAt: SENT_AT }, AT_NOON, BROKE],
    ['at an unknown time', { reason: 'the attempt timed out' }, 'sent', 'the attempt timed out'],
    ['with a response that cannot be read', UNREADABLE, 'sent', 'HTTP 400: id: not ***-**-6789'],
    ['with problems', { fields: [{ field: 'id', message: 'is odd' }] }, 'sent', 'HTTP 400'],
  ])('becomes a question: %s', async (_, more, sent, why) => {
    const step = { readEvidence: async () => undefined, polledEvidence: () => undefined } as const;
    const made = workflow({ attempts: [failed('Uncertain', more)], answers: [adopt()] });
    const { outcome, asked, moot, log } = await made.once(step);
    expect(outcome).toBe('adopted 7');
    const detail = `The request was ${sent}. Whether it took effect is unknown (${why}). Look in the portal. ${IF_NOT_THERE}`;
    const question = { kind: 'uncertain-write', title: 'Outcome unknown: create the merchant', detail };
    expect(asked).toEqual([{ ...question, answers: ['adopt', 'retry', 'abandon'] }]);
    expect(moot).toEqual([false]);
    expect(quiet(log).slice(2)).toEqual([ADOPTED, 'resolve create the merchant']);
  });

  it('asks for an id of its format', async () => {
    const made = workflow({ attempts: [LOST], answers: [adopt('fa-1')] });
    const { asked } = await made.once({ idFormat: 'text' });
    expect(asked[0]?.idFormat).toBe('text');
  });

  it('is sent again when a person says so, and is then in doubt no more', async () => {
    const { outcome, log } = await workflow({ attempts: [LOST, 'done'], answers: [RETRY] }).once();
    expect(outcome).toBe('done');
    expect(quiet(log)).toEqual(['uncertain create the merchant', LOST_ENTRY, 'resolve create the merchant']);
  });

  it('is compared with what was there before its first attempt in doubt', async () => {
    const { seen, readEvidence } = evidence(undefined, undefined, found('there'));
    const later = failed('Uncertain', { baseline: [3, 4] });
    const attempts = [LOST, later, failed('Rejected')];
    const { outcome, log } = await workflow({ attempts, answers: [RETRY, RETRY] }).once({ readEvidence });
    expect([outcome, seen]).toEqual(['there', Array(3).fill({ isUncertain: true, baseline: [3] })]);
    expect(log.at(-1)).toBe('write-adopted: create the merchant: found at the partner');
  });

  it('passes on a bug of its adoption', async () => {
    const bug = () => {
      throw new Error('a bug');
    };
    const { outcome } = await workflow({ attempts: [LOST], answers: [adopt()] }).once({ adopt: bug });
    expect(outcome).toEqual(new Error('a bug'));
  });

  it('is asked about until somebody knows', async () => {
    const text = { kind: 'text', text: 'no idea' } as const;
    const { asked } = await workflow({ attempts: [LOST], answers: [undefined, text, adopt()] }).once();
    expect(asked).toHaveLength(3);
  });

  it('stays in doubt when a person abandons it', async () => {
    const made = workflow({ attempts: [LOST], answers: [new Abandoned('too late')] });
    const { outcome, log } = await made.once();
    const doubt = ['uncertain create the merchant', LOST_ENTRY];
    expect([outcome, quiet(log)]).toEqual([new Abandoned('too late'), doubt]);
  });
});

it.each([
  ['an unknown outcome', failed('Uncertain'), 'Outcome unknown: create the merchant'],
  ['a rejection', failed('Rejected'), 'Rejected: create the merchant'],
])('%s of a write that nobody needs yet is asked about later', async (_, failure, title) => {
  let isMoot = true;
  const asked = (answer: Answer | undefined, isMootThen: boolean) => () => {
    made.log.push('asked');
    isMoot = isMootThen;
    return answer;
  };
  const made = workflow({ attempts: [failure], answers: [asked(undefined, true), asked(adopt(), false)] });
  const needed = () => {
    isMoot = false;
  };
  made.turns.push(needed, needed);
  const ended = await made.once({ isMoot: () => isMoot });
  expect([ended.outcome, ended.moot]).toEqual(['adopted 7', [true, false]]);
  expect(ended.asked.map((each) => each.title)).toEqual([title, title]);
  const course = ended.log.filter((line) => /waits|asked|seen at the partner/.test(line)).join(' ');
  expect(course).toBe('waits asked waits asked');
});

it.each([
  ['rejected', failed('Rejected')],
  ['of an unknown outcome', LOST],
])('a write that is %s is adopted even if nobody needs it since', async (_, failure) => {
  let isMoot = false;
  const answered = () => {
    isMoot = true;
    return adopt();
  };
  const made = workflow({ attempts: [failure], answers: [answered] });
  const { outcome } = await made.once({ isMoot: () => isMoot });
  expect(outcome).toBe('adopted 7');
});

it.each([
  ['rejected', failed('Rejected', BAD_EMAIL), 'merchant.email: is missing'],
  ['of an unknown outcome', LOST, ''],
])('a once-only write that is %s is asked about again if not adopted', async (_, failure, detail) => {
  const ids: string[] = [];
  const adoptOnce = (id: string) => {
    ids.push(id);
    if (id === '7') throw new Rejected([{ field: '', message: 'it is another merchant' }]);
    return id;
  };
  const made = workflow({ attempts: [failure], answers: [adopt('7'), adopt('8')] });
  const { outcome, asked } = await made.once({ adopt: adoptOnce });
  expect([outcome, ids]).toEqual(['8', ['7', '8']]);
  const details = [detail, `7 cannot be adopted: it is another merchant\n${detail}`];
  expect(asked.map((question) => question.detail.split('The request')[0])).toEqual(details);
});

const SEEN = 'write-adopted: create the merchant: seen at the partner';
it.each<['rejected' | 'in doubt', Error, Answer | undefined]>([
  ['rejected', failed('Rejected'), undefined],
  ['rejected', failed('Rejected'), adopt()],
  ['rejected', failed('Rejected'), RETRY],
  ['in doubt', LOST, undefined],
  ['in doubt', LOST, RETRY],
])('a once-only write that is %s is done when the poll sees it', async (_, failure, answer) => {
  let now: Found<unknown>;
  const answered = () => {
    now = found('polled');
    return answer;
  };
  const made = workflow({ attempts: [failure], answers: [answered] });
  const { outcome, moot, log } = await made.once({ polledEvidence: () => now });
  const adopted = log.filter((line) => line.startsWith('write-adopted'));
  expect([outcome, moot, adopted]).toEqual(['polled', [true], [SEEN]]);
});

describe('a once-only write that an earlier workflow may have sent', () => {
  const mayBeDone = 'restored from a backup';

  it('is prepared and looked for before anything is sent', async () => {
    const { seen, readEvidence } = evidence(found('there'));
    const prepare = async () => void seen.push('prepared');
    const { outcome, log } = await workflow({}).once({ mayBeDone, prepare, readEvidence });
    expect([outcome, seen]).toEqual(['there', ['prepared', { isUncertain: true, baseline: [] }]]);
    const entry = 'write-uncertain: create the merchant, perhaps sent before: restored from a backup';
    expect(quiet(log)[1]).toBe(entry);
  });

  it('is asked about, and sent when a person says so', async () => {
    const made = workflow({ attempts: ['done'], answers: [RETRY] });
    const { outcome, asked, left } = await made.once({ mayBeDone });
    const unknown = 'Whether it took effect is unknown (restored from a backup). Look in the portal.';
    const detail = `The request was perhaps sent before. ${unknown} ${IF_NOT_THERE}`;
    expect([outcome, left, asked]).toMatchObject(['done', 0, [{ detail }]]);
  });

  it('names the time of its own request', async () => {
    const { asked } = await workflow({ attempts: [LOST], answers: [RETRY, adopt()] }).once({ mayBeDone });
    expect(asked[1]?.detail).toContain('The request was sent at 2026-01-31 12:00:00.000 UTC.');
  });
});

describe('a cancellation in flight', () => {
  const IN_FLIGHT = new CancelledFailure('canceled while it was in flight');

  /** A workflow that is canceled during its only attempt, which then becomes this. */
  function cancelledDuring(becomes: unknown, meanwhile = () => {}) {
    const attempt = () => {
      meanwhile();
      made.context.isCancelled = true;
      if (becomes instanceof Error) throw becomes;
      return becomes;
    };
    const made = workflow({ attempts: [attempt] });
    return made;
  }

  it.each<[string, unknown, unknown, string | undefined]>([
    ['succeeds', 'done', 'done', 'done'],
    ['is not sent', CANCELLED, CANCELLED, 'not-sent'],
    ['has an unknown outcome', failed('Uncertain'), IN_FLIGHT, 'unknown'],
    ['is rejected', failed('Rejected'), IN_FLIGHT, 'rejected'],
    ['is not permitted', failed('Forbidden'), IN_FLIGHT, 'not-sent'],
    ['does not reach the partner', failed('NotSent'), IN_FLIGHT, 'not-sent'],
  ])('is kept of a once-only write that %s', async (_, becomes, outcome, became) => {
    const ended = await cancelledDuring(becomes).once();
    expect(ended.outcome).toEqual(outcome);
    expect(quiet(ended.log)).toEqual([`cancelled create the merchant: ${became}`]);
  });

  it.each([
    [119_999, 'not-sent'],
    // Perhaps between two attempts, of which the first has timed out: the server does not report its intent.
    [120_000, 'unknown'],
  ])('is kept of a once-only write that ends without a result after %i ms: %s', async (took, became) => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const made = cancelledDuring(CANCELLED, () => void vi.advanceTimersByTime(took));
    expect(quiet((await made.once()).log)).toEqual([`cancelled create the merchant: ${became}`]);
  });

  it.each<[string, unknown, string]>([
    ['succeeds', 'done', 'done'],
    ['is cut off, because an earlier attempt may have taken effect', CANCELLED, 'unknown'],
    ['is rejected', failed('Rejected'), 'rejected'],
  ])('is kept of an idempotent write that %s', async (_, becomes, became) => {
    const { log } = await cancelledDuring(becomes).idempotent();
    expect(quiet(log)).toEqual([`cancelled set the fees: ${became}`]);
  });

  it.each<[string, unknown, unknown]>([
    ['succeeds', 'Approved', 'Approved'],
    ['is cut off', CANCELLED, CANCELLED],
    ['fails', failed('Rejected'), IN_FLIGHT],
  ])('leaves nothing of a read that %s', async (_, becomes, outcome) => {
    const ended = await cancelledDuring(becomes).read();
    expect([ended.outcome, ended.log]).toEqual([outcome, ['begin read the status', 'end']]);
  });

  it('of something else leaves nothing', async () => {
    const { outcome, log } = await workflow({ attempts: [CANCELLED] }).once();
    expect([outcome, quiet(log)]).toEqual([CANCELLED, []]);
  });
});

it('writes that are unfinished are those in doubt, and those that were canceled', () => {
  const { cell, said } = cellOf();
  const writes = unfinishedWrites(cell);
  const upload = { id: 'note-1/a', title: 'upload a.pdf' };
  writes.uncertain({ title: 'create' });
  writes.uncertain({ title: 'submit' });
  writes.uncertain(upload);
  writes.uncertain({ ...upload, id: 'note-2/a' });
  writes.resolve({ title: 'submit' });
  writes.cancelled({ ...upload, title: 'upload b.pdf' }, 'done');
  expect(Object.values(cell.state.writes)).toEqual([
    { write: 'create', became: 'unknown' },
    { write: 'upload b.pdf', became: 'done' },
    { write: 'upload a.pdf', became: 'unknown' },
  ]);
  expect(unknownWrites(cell.state)).toEqual(['create', 'note-2/a']);
  expect(said()).toEqual(['write-unfinished: upload b.pdf: done']);
});

it('a read of its own is a step of this title', async () => {
  const { context, log } = workflow({});
  const read = runRead(context as never as StepContext, 'look for the account', async () => 'there');
  expect([await read, log]).toEqual(['there', ['begin look for the account', 'end']]);
});

it('a question about a rejection has the advice below its problems', async () => {
  const { context, asked } = workflow({ answers: [RETRY] });
  const correctable = { title: 'request the review', advice: 'Take it back.' };
  await askForCorrection(context as never as StepContext, correctable, BAD_EMAIL.fields);
  const detail = 'merchant.email: is missing\nTake it back.';
  expect(asked).toMatchObject([{ detail, answers: ['retry', 'abandon'] }]);
});

it('an id that must not be adopted is a problem of no field', () => {
  const { name, problems, message } = new NotAdoptable('it is taken');
  expect({ name, problems, message }).toEqual({
    ...{ name: 'NotAdoptable', message: 'it is taken' },
    problems: [{ field: '', message: 'it is taken' }],
  });
});

it.each(['correction', 'documents'] as const)('a %s leads to another attempt', async (kind) => {
  const given = { correction: { kind, patch: { fees: {} } }, documents: { kind, documents: [] } }[kind];
  const made = workflow({ attempts: [failed('Rejected'), 'done'], answers: [given as never as Answer] });
  const { outcome, left } = await made.once({ correct: () => {}, replace: () => {} });
  expect([outcome, left]).toEqual(['done', 0]);
});

it('a step whose failure the server should have retried is a bug', async () => {
  const { outcome } = await workflow({ attempts: [failed('RateLimited')] }).once();
  expect(outcome).toEqual(new Error('create the merchant: unexpected RateLimited'));
});
