import type { PartnerErrorDetails } from '../partners/partner-error.js';

/** The credentials of this process for an account, as of the last response. Times are milliseconds of a monotonic clock. */
export type Credentials = {
  /** Probes that succeeded. */
  readonly probes: number;
  /** Reports since this process was last probed. */
  readonly unanswered: number;
  /** Types of activities that were refused, and not let in since, with the successful probes by then. */
  readonly refused: ReadonlyMap<string, number>;
  /** Until then, an activity that is refused just as before the last successful probe is not about the credentials. */
  readonly disputedUntil: number;
} & ({ readonly is: 'accepted' } | Refused);

interface Refused {
  readonly is: 'refused';
  readonly details: PartnerErrorDetails;
  /** Nothing is called until then, because each call with a wrong password may count towards a locked account. */
  readonly until: number;
  readonly report: 'none' | 'sent' | 'arrived';
}

/** The minimum wait after the partner rejected credentials, in milliseconds: more attempts could lock the account. */
export const REFUSED_PAUSE_MS = 60_000;

/** A rejection this soon after a successful probe, in milliseconds, is about the call and not about the credentials. */
const DISPUTE_MS = 5 * 60_000;

/** After this many reports without a probe in this process, as in a worker of an old build, a refusal counts as a missing permission. */
const MAX_UNANSWERED_REPORTS = 3;

export const UNTRIED: Credentials = {
  is: 'accepted',
  probes: 0,
  unanswered: 0,
  refused: new Map(),
  disputedUntil: 0,
};

/** The milliseconds until the next call may be made. */
export function pauseMs(state: Credentials, now: number): number {
  return state.is === 'refused' ? Math.max(0, state.until - now) : 0;
}

/** The partner let in an activity of this type. */
export function letIn(state: Credentials, type: string): Credentials {
  return { ...state, refused: new Map([...state.refused].filter(([each]) => each !== type)) };
}

// Keeps W5.
/**
 * The partner refused an activity, whose call began in the state `before`. The activity waits for the workflow of the account,
 * reports to it first (`confirm`: only if that workflow handles no refusal), or lacks a permission (`deny`).
 */
export function refused(
  state: Credentials,
  before: Credentials,
  type: string,
  details: PartnerErrorDetails,
  now: number,
): [next: Credentials, what: 'wait' | 'report' | 'confirm' | 'deny'] {
  // The partner has accepted the credentials since the call began.
  if (before.probes !== state.probes) return [state, 'wait'];
  const { probes, disputedUntil } = state;
  const isDisputed = now < disputedUntil && (state.refused.get(type) ?? probes) < probes && !details.atSignIn;
  // It may be refused for days, each time without doubt about the credentials.
  if (isDisputed) return [{ ...state, disputedUntil: now + DISPUTE_MS }, 'deny'];
  if (state.unanswered >= MAX_UNANSWERED_REPORTS) return [state, 'deny'];
  const closed = probeRefused(state, details, now);
  const next = { ...closed, refused: new Map([...state.refused, [type, probes]]) };
  if (closed.report === 'none') return [{ ...next, report: 'sent' }, 'report'];
  return [next, pauseMs(state, now) > 0 ? 'wait' : 'confirm'];
}

/** A report to the account's workflow arrived, or did not. */
export function reported(state: Credentials, hasArrived: boolean): Credentials {
  if (state.is === 'accepted') return state;
  if (hasArrived) return { ...state, report: 'arrived', unanswered: state.unanswered + 1 };
  return state.report === 'sent' ? { ...state, report: 'none' } : state;
}

export function probed(state: Credentials): Credentials {
  return { ...state, unanswered: 0 };
}

export function probeRefused(
  state: Credentials,
  details: PartnerErrorDetails,
  now: number,
): Credentials & Refused {
  return { report: 'none', ...state, is: 'refused', details, until: now + REFUSED_PAUSE_MS };
}

export function probeAccepted(state: Credentials, now: number): Credentials {
  const { probes, unanswered, refused, disputedUntil } = state;
  const recent = [...refused].filter(([, by]) => by === probes || now < disputedUntil);
  return {
    is: 'accepted',
    probes: probes + 1,
    unanswered,
    refused: new Map(recent),
    disputedUntil: now + DISPUTE_MS,
  };
}
