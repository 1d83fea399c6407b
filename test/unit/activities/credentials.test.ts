import { describe, expect, it } from 'vitest';
import {
  type Credentials,
  letIn,
  pauseMs,
  probeAccepted,
  probed,
  probeRefused,
  refused,
  reported,
  UNTRIED,
} from '../../../src/activities/credentials.js';
import type { PartnerErrorDetails } from '../../../src/partners/partner-error.js';

const details: PartnerErrorDetails = {
  ...{ system: 'boarding', operation: 'get-status', kind: 'Unauthorized', fields: [], reason: 'HTTP 401' },
};
const needsCode: PartnerErrorDetails = { ...details, kind: 'Forbidden', needs: 'one-time-code' };

type Known = Partial<Pick<Credentials, 'probes' | 'unanswered' | 'refused' | 'disputedUntil'>>;

const none = { probes: 0, unanswered: 0, refused: new Map<string, number>(), disputedUntil: 0 };

/** A process that was not refused since its last successful probe. */
const open = (known: Known = {}): Credentials => ({ ...none, ...known, is: 'accepted' });

/** A process that was refused at 1,000 ms. */
const closed = (report: 'none' | 'sent' | 'arrived', known: Known = {}): Credentials => ({
  ...none,
  ...known,
  ...{ is: 'refused', details, until: 61_000, report },
});

const types = (...each: [type: string, probes: number][]) => new Map(each);

/** Read before and after the first successful probe, which was at 1,000 ms. */
const readBefore = { probes: 1, disputedUntil: 301_000, refused: types(['read', 0]) };
const readAfter = { ...readBefore, refused: types(['read', 1]) };

it.each<[string, Credentials, now: number, ms: number]>([
  ['needs no pause before a refusal', open(), 0, 0],
  ['waits for the rest of the minute', closed('arrived'), 60_999, 1],
  ['is due when the minute is over', closed('arrived'), 61_000, 0],
  ['is due long after that', closed('arrived'), 900_000, 0],
])('the next call %s', (_, state, now, ms) => {
  expect(pauseMs(state, now)).toBe(ms);
});

describe('a refused read', () => {
  /** What it does at a time, and what is then known. */
  interface Case {
    readonly in: Credentials;
    readonly before?: Credentials;
    readonly at?: number;
    readonly as?: PartnerErrorDetails;
    readonly does: 'wait' | 'report' | 'confirm' | 'ask';
    readonly next: object;
  }

  it.each<[string, Case]>([
    [
      'of a new process is reported, and closes it for a minute',
      { in: UNTRIED, does: 'report', next: closed('sent', { refused: types(['read', 0]) }) },
    ],
    [
      'waits while a report is on its way',
      { in: closed('sent'), at: 2_000, does: 'wait', next: { report: 'sent', until: 62_000 } },
    ],
    [
      'waits within a minute of the last refusal',
      { in: closed('arrived'), at: 60_999, does: 'wait', next: { report: 'arrived', until: 120_999 } },
    ],
    [
      'asks after a minute whether the report is handled',
      { in: closed('arrived'), at: 61_000, does: 'confirm', next: { report: 'arrived', until: 121_000 } },
    ],
    [
      'is reported at once when the last report did not arrive',
      { in: closed('none'), at: 2_000, does: 'report', next: { report: 'sent', until: 62_000 } },
    ],
    [
      'is remembered next to others, with the last words of the partner',
      {
        in: closed('arrived', { refused: types(['submit', 0]) }),
        ...{ at: 2_000, as: needsCode, does: 'wait' },
        next: { details: needsCode, refused: types(['submit', 0], ['read', 0]) },
      },
    ],
    [
      'is reported within a minute of a successful probe',
      {
        in: open({ ...readBefore, refused: types() }),
        ...{ at: 1_001, does: 'report' },
        next: { ...readAfter, until: 61_001 },
      },
    ],
    [
      'is about the call within five minutes of a probe that followed a refused read',
      { in: open(readBefore), at: 300_999, does: 'ask', next: open(readBefore) },
    ],
    [
      'is about the call although the account is closed for another activity',
      { in: closed('arrived', readBefore), at: 2_000, does: 'ask', next: closed('arrived', readBefore) },
    ],
    [
      'is about the credentials five minutes after that probe',
      { in: open(readBefore), at: 301_000, does: 'report', next: { ...readAfter, until: 361_000 } },
    ],
    [
      'is about the credentials when the sign-in was refused',
      {
        in: open(readBefore),
        at: 2_000,
        as: { ...details, atSignIn: true },
        does: 'report',
        next: readAfter,
      },
    ],
    [
      'is about the credentials when only another activity was refused before the probe',
      {
        in: open({ ...readBefore, refused: types(['submit', 0]) }),
        ...{ at: 2_000, does: 'report' },
        next: { refused: types(['submit', 0], ['read', 1]) },
      },
    ],
    [
      'is about the credentials until a probe succeeds',
      {
        in: closed('arrived', readAfter),
        at: 61_000,
        does: 'confirm',
        next: { ...readAfter, until: 121_000 },
      },
    ],
    [
      'changes nothing when a probe succeeded after the call began',
      { before: open(), in: open(readBefore), at: 2_000, does: 'wait', next: open(readBefore) },
    ],
    [
      'changes nothing either when the account was refused again since that probe',
      {
        ...{ before: closed('arrived'), in: closed('sent', readAfter), at: 70_000, does: 'wait' },
        next: closed('sent', readAfter),
      },
    ],
    [
      'changes nothing after three reports without a probe, if a probe of another process succeeded meanwhile',
      {
        ...{ before: open({ unanswered: 3 }), in: open({ ...readBefore, unanswered: 3 }), does: 'wait' },
        next: open({ ...readBefore, unanswered: 3 }),
      },
    ],
    [
      'is reported a third time without a probe',
      { in: closed('arrived', { unanswered: 2 }), at: 61_000, does: 'confirm', next: { unanswered: 2 } },
    ],
    [
      'asks a person itself after the third',
      {
        ...{ in: closed('arrived', { unanswered: 3 }), at: 61_000, as: { ...details, atSignIn: true } },
        ...{ does: 'ask', next: closed('arrived', { unanswered: 3 }) },
      },
    ],
  ])('%s', (_, { in: state, before = state, at = 1_000, as = details, does, next }) => {
    const [after, what] = refused(state, before, 'read', as, at);
    expect(what).toBe(does);
    expect(after).toMatchObject(next);
  });
});

describe('a report', () => {
  it.each<[string, Credentials, hasArrived: boolean, next: Credentials]>([
    ['that arrives counts', closed('sent'), true, closed('arrived', { unanswered: 1 })],
    [
      'that arrives again counts again',
      closed('arrived', { unanswered: 1 }),
      true,
      closed('arrived', { unanswered: 2 }),
    ],
    [
      'that does not arrive is due again',
      closed('sent', { unanswered: 1 }),
      false,
      closed('none', { unanswered: 1 }),
    ],
    ['that does not arrive leaves an earlier one', closed('arrived'), false, closed('arrived')],
    ['that arrives after a successful probe counts no more', open(readBefore), true, open(readBefore)],
    ['that fails after a successful probe is due no more', open(readBefore), false, open(readBefore)],
  ])('%s', (_, state, hasArrived, next) => {
    expect(reported(state, hasArrived)).toEqual(next);
  });
});

describe('a probe', () => {
  it.each<[string, Credentials, next: Credentials]>([
    ['that begins answers all reports', closed('arrived', { unanswered: 3 }), closed('arrived')],
    ['that begins in an open process changes nothing', open(readBefore), open(readBefore)],
  ])('%s', (_, state, next) => {
    expect(probed(state)).toEqual(next);
  });

  it.each<[string, Credentials, next: Credentials]>([
    ['closes a process without a report', open(readBefore), closed('none', readBefore)],
    [
      'closes one for another minute, which keeps its report and what was refused',
      {
        ...closed('arrived', { ...readAfter, unanswered: 1 }),
        ...{ details: needsCode, until: 5_000 },
      } as Credentials,
      closed('arrived', { ...readAfter, unanswered: 1 }),
    ],
  ])('that is refused %s', (_, state, next) => {
    expect(probeRefused(state, details, 1_000)).toEqual(next);
  });

  const two = { probes: 1, disputedUntil: 301_000, refused: types(['read', 0], ['submit', 1]) };
  it.each<[string, Credentials, now: number, next: Credentials]>([
    [
      'opens a process',
      closed('arrived', { unanswered: 1, refused: types(['read', 0]) }),
      1_000,
      open({ ...readBefore, unanswered: 1 }),
    ],
    [
      'within five minutes of the last one renews what was refused before it',
      ...([closed('sent', two), 300_999, open({ ...two, probes: 2, disputedUntil: 600_999 })] as const),
    ],
    [
      'later than that keeps only what was refused since',
      closed('sent', two),
      301_000,
      open({ probes: 2, disputedUntil: 601_000, refused: types(['submit', 1]) }),
    ],
  ])('that succeeds %s', (_, state, now, next) => {
    expect(probeAccepted(state, now)).toEqual(next);
  });
});

describe('an activity that is let in', () => {
  it.each<[string, Credentials, next: Credentials]>([
    ['was refused before the probe', open(readBefore), open({ ...readBefore, refused: types() })],
    [
      'was refused next to another, and leaves the account closed',
      closed('arrived', { refused: types(['read', 0], ['submit', 0]) }),
      closed('arrived', { refused: types(['submit', 0]) }),
    ],
    ['was never refused', open(), open()],
  ])('is forgotten where it %s', (_, state, next) => {
    expect(letIn(state, 'read')).toEqual(next);
  });
});
