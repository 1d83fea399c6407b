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
  type Does = 'wait' | 'report' | 'confirm' | 'deny';
  type Unusual = { readonly as?: PartnerErrorDetails; readonly before?: Credentials };
  const [SENT, ARRIVED, OPEN] = [closed('sent'), closed('arrived'), open(readBefore)];
  const [HELD, AGAIN] = [closed('arrived', { ...readAfter, probes: 2 }), closed('sent', readAfter)];
  const [FIRST, AFTER] = [closed('sent', { refused: types(['read', 0]) }), closed('arrived', readAfter)];
  const [FRESH, THIRD] = [open({ ...readBefore, refused: types() }), closed('arrived', { unanswered: 3 })];
  const SUBMIT = { refused: types(['submit', 0]) };
  const [OTHER, ELSE] = [closed('arrived', SUBMIT), open({ ...readBefore, ...SUBMIT })];
  const WITH_WORDS = { details: needsCode, refused: types(['submit', 0], ['read', 0]) };
  const BOTH = { refused: types(['submit', 0], ['read', 1]) };
  const SPENT = open({ ...readBefore, unanswered: 3 });
  const BEFORE_SPENT = { before: open({ unanswered: 3 }) };
  const atSignIn: Unusual = { as: { ...details, atSignIn: true } };
  const reportIs = (report: string, until: number) => ({ report, until });
  const again = (until: number) => ({ ...readAfter, until });

  it.each<[string, Does, Credentials, at: number, next: object, Unusual?]>([
    ['is reported, and closes a new process for a minute', 'report', UNTRIED, 1_000, FIRST],
    ['waits while a report is on its way', 'wait', SENT, 2_000, reportIs('sent', 62_000)],
    ['waits within a minute of the last refusal', 'wait', ARRIVED, 60_999, reportIs('arrived', 120_999)],
    [
      'asks a minute later if its report is handled',
      'confirm',
      ARRIVED,
      61_000,
      reportIs('arrived', 121_000),
    ],
    ['is reported at once when no report arrived', 'report', closed('none'), 2_000, reportIs('sent', 62_000)],
    ['is remembered next to others, with its words', 'wait', OTHER, 2_000, WITH_WORDS, { as: needsCode }],
    ['is reported within a minute of a successful probe', 'report', FRESH, 1_001, again(61_001)],
    // Within five minutes of a probe that followed a refused read.
    ['is about the call soon after a probe', 'deny', OPEN, 300_999, { ...OPEN, disputedUntil: 600_999 }],
    [
      'is about the call although the account is closed for another activity',
      'deny',
      HELD,
      2_000,
      { ...HELD, disputedUntil: 302_000 },
    ],
    ['is about the credentials five minutes after that probe', 'report', OPEN, 301_000, again(361_000)],
    ['is about the credentials when the sign-in was refused', 'report', OPEN, 2_000, readAfter, atSignIn],
    ['is about the credentials when only another activity was refused', 'report', ELSE, 2_000, BOTH],
    ['is about the credentials until a probe succeeds', 'confirm', AFTER, 61_000, again(121_000)],
    ['changes nothing when a probe succeeded meanwhile', 'wait', OPEN, 2_000, OPEN, { before: open() }],
    ['nor when it was refused again since that probe', 'wait', AGAIN, 70_000, AGAIN, { before: ARRIVED }],
    ['nor after three reports, if another process was let in', 'wait', SPENT, 1_000, SPENT, BEFORE_SPENT],
    ['is reported a third time', 'confirm', closed('arrived', { unanswered: 2 }), 61_000, { unanswered: 2 }],
    ['counts as a missing permission after the third', 'deny', THIRD, 61_000, THIRD, atSignIn],
  ])('%s', (_, does, state, at, next, { as = details, before = state } = {}) => {
    const [after, what] = refused(state, before, 'read', as, at);
    expect(what).toBe(does);
    expect(after).toMatchObject(next);
  });
});

describe('a report', () => {
  const [once, twice] = [{ unanswered: 1 }, { unanswered: 2 }];
  it.each<[string, Credentials, hasArrived: boolean, next: Credentials]>([
    ['that arrives counts', closed('sent'), true, closed('arrived', once)],
    ['that arrives again counts again', closed('arrived', once), true, closed('arrived', twice)],
    ['that does not arrive is due again', closed('sent', once), false, closed('none', once)],
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
    ['that begins in a new process changes nothing', UNTRIED, open()],
  ])('%s', (_, state, next) => {
    expect(probed(state)).toEqual(next);
  });

  const ONCE = closed('arrived', { ...readAfter, unanswered: 1 });
  it.each<[string, Credentials, next: Credentials]>([
    ['closes a process without a report', open(readBefore), closed('none', readBefore)],
    // With its report and what was refused.
    ['closes one for another minute', { ...ONCE, details: needsCode, until: 5_000 } as Credentials, ONCE],
  ])('that is refused %s', (_, state, next) => {
    expect(probeRefused(state, details, 1_000)).toEqual(next);
  });

  const two = { probes: 1, disputedUntil: 301_000, refused: types(['read', 0], ['submit', 1]) };
  const refusedOnce = closed('arrived', { unanswered: 1, refused: types(['read', 0]) });
  const later = open({ probes: 2, disputedUntil: 601_000, refused: types(['submit', 1]) });
  const twice = { probes: 2, disputedUntil: 600_999 };
  it.each<[string, Credentials, now: number, next: Credentials]>([
    ['opens a process', refusedOnce, 1_000, open({ ...readBefore, unanswered: 1 })],
    // Within five minutes of the last one.
    ['renews what was refused before it', closed('sent', two), 300_999, open({ ...two, ...twice })],
    ['later keeps only what was refused since', closed('sent', two), 301_000, later],
  ])('that succeeds %s', (_, state, now, next) => {
    expect(probeAccepted(state, now)).toEqual(next);
  });
});

describe('an activity that is let in', () => {
  const SUBMIT = { refused: types(['submit', 0]) };
  const BOTH = closed('arrived', { refused: types(['read', 0], ['submit', 0]) });
  it.each<[string, Credentials, next: Credentials]>([
    ['was refused before the probe', open(readBefore), open({ ...readBefore, refused: types() })],
    ['was refused next to another, and leaves the account closed', BOTH, closed('arrived', SUBMIT)],
    ['was never refused', open(), open()],
  ])('is forgotten where it %s', (_, state, next) => {
    expect(letIn(state, 'read')).toEqual(next);
  });
});
