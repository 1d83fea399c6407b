import type { OpenTicket, ProfileSnapshot } from '../../../../src/messages/banking-activities.js';
import {
  type BusinessContext,
  type BusinessState,
  INITIAL_BUSINESS_STATE,
  reduceBusiness,
} from '../../../../src/workflows/business/decisions.js';
import { answer, lines, requirement } from '../boarding/values.js';

export const NOW = Date.parse('2026-02-02T09:00:00Z');
export const HOUR = 3_600_000;

export const ticket = (ticketId: number, text = `Why ${ticketId}?`, more: Partial<OpenTicket> = {}) => ({
  ticketId,
  asks: text,
  topic: null,
  text,
  updateFieldRequest: null,
  ...more,
});

export const read = (more: Partial<ProfileSnapshot> = {}): ProfileSnapshot => ({
  bankingStatus: 'InReview',
  phase: 'under-review',
  financialAccountId: null,
  isLocked: false,
  tickets: [],
  ...more,
});

/** A business whose holder the bank has accepted, and whose profile was in review when it was read. */
export const state = (more: Partial<BusinessState> = {}): BusinessState => ({
  ...INITIAL_BUSINESS_STATE,
  problems: [],
  seen: read(),
  ...more,
});

export const context = (more: Partial<BusinessContext> = {}): BusinessContext => ({
  profileId: 3001,
  dba: 'Corner Bakery',
  isFollowed: false,
  wantsAccount: false,
  running: [],
  now: NOW,
  dueInMs: HOUR,
  open: [],
  answered: [],
  ...more,
});

/** The question of a ticket. Its id may have a number: the ticket asks again. */
export const ticketAsked = (ticketId: number, detail = `Why ${ticketId}?`, id = `ticket-${ticketId}`) =>
  requirement(id, 'ticket', { about: `ticket-${ticketId}`, detail });

export const correction = (to: Parameters<typeof answer>[0]) =>
  answer(to, { kind: 'correction', patch: { holder: { legalBusinessName: 'Corner Bakery LLC' } } });

/** What a read leads to, as lines. */
export function leadsTo(
  now: Partial<ProfileSnapshot>,
  before: Partial<BusinessState> = {},
  more: Partial<BusinessContext> = {},
) {
  return lines(reduceBusiness(state(before), read(now), context(more)).commands);
}

/** The same without the facts that each read changes. */
export const asksOn = (...read: Parameters<typeof leadsTo>) =>
  leadsTo(...read).filter((line) => /^(ask|close) /.test(line));
