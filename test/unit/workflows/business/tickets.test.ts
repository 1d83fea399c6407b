import { describe, expect, it } from 'vitest';
import type { OpenTicket } from '../../../../src/messages/banking-activities.js';
import {
  type BusinessContext,
  type BusinessState,
  reduceBusiness,
} from '../../../../src/workflows/business/decisions.js';
import {
  NO_TICKETS,
  reduceRejection,
  reduceTickets,
  withAnswer,
  withDeadline,
} from '../../../../src/workflows/business/tickets.js';
import { answer, lines } from '../boarding/values.js';
import { asksOn, context, NOW, read, state, ticket, ticketAsked } from './values.js';

const VOLATILE = { answered: { 'ticket-7': { detail: null, until: NOW } } };
const ANSWERED = { answered: { 'ticket-7': { detail: 'Why 7?', until: NOW } } };

describe('a ticket', () => {
  it('becomes a question', () => {
    const { commands } = reduceBusiness(state(), read({ tickets: [ticket(7)] }), context());
    expect(commands).toContainEqual({
      ask: {
        about: 'ticket-7',
        kind: 'ticket',
        title: 'Ticket',
        detail: 'Why 7?',
        answers: ['text', 'correction', 'abandon'],
        blank: { holder: { '': '' } },
      },
    });
  });

  it('of a partner account takes no correction', () => {
    const asking = { answers: ['text', 'retry'], whenGone: 'gone' } as const;
    const { commands } = reduceTickets(NO_TICKETS, [ticket(7)], context(), asking);
    const question = { about: 'ticket-7', kind: 'ticket', title: 'Ticket', detail: 'Why 7?' };
    expect(commands).toEqual([{ ask: { ...question, answers: ['text', 'retry'] } }]);
    const closed = reduceTickets(NO_TICKETS, [], context({ open: [ticketAsked(7)] }), asking);
    expect(lines(closed.commands)).toEqual(['close ticket-7: gone']);
  });

  // Catches a ticket that the bank opens again, taken for our own reply: its response to the reply named the ticket.
  it.each([
    [7, []],
    [9, [9]],
    [null, []],
  ])('is not taken for our reply when the response to its answer names %s', (replyId, replies) => {
    expect(withAnswer(NO_TICKETS, ticketAsked(7), replyId).replies).toEqual(replies);
  });

  const OF_FIELD = 'Why 7?\nThe partner asks about the field ssn.';
  it.each([
    [{ topic: 'Owner of 123-45-6789' }, 'Ticket about Owner of ***-**-6789', 'Why 7?'],
    [{ topic: 'x', updateFieldRequest: 'ssn' }, 'Ticket about ssn', OF_FIELD],
    [{ text: 'Is it 123-45-6789?' }, 'Ticket', 'Is it ***-**-6789?'],
  ])('with %j has a title and a detail without private values', (more, title, detail) => {
    const { commands } = reduceBusiness(state(), read({ tickets: [ticket(7, 'Why 7?', more)] }), context());
    expect(commands).toContainEqual({ ask: expect.objectContaining({ title, detail }) });
  });

  const close = (why: string) => `close ticket-7: the partner ${why}`;
  const ELSE = [close('asks something else'), 'ask ticket-7: And?'];
  const SENT = { answered: [answer(ticketAsked(7))] };
  it.each<[string, readonly OpenTicket[], Partial<BusinessState>, Partial<BusinessContext>, string[]]>([
    ['asked', [ticket(7)], {}, { open: [ticketAsked(7)] }, []],
    ['asked a second time', [ticket(7)], {}, { open: [ticketAsked(7, 'Why 7?', 'ticket-7-2')] }, []],
    // Catches a ticket that shows one of two texts by turns, and is asked about each time.
    ['asked a fourth time', [ticket(7, 'And?')], {}, { open: [ticketAsked(7, 'Why 7?', 'ticket-7-4')] }, []],
    ['answered as volatile', [ticket(7, 'And?')], VOLATILE, {}, []],
    ['waiting with its answer', [ticket(7)], {}, SENT, []],
    ['asking something else while its answer is sent', [ticket(7, 'And?')], {}, SENT, []],
    ['gone while its answer is sent', [], {}, SENT, []],
    ['answered', [ticket(7)], ANSWERED, {}, []],
    ['our reply', [ticket(7)], { replies: [7] }, {}, []],
    ['beside our reply', [ticket(7), ticket(8)], { replies: [7] }, {}, ['ask ticket-8: Why 8?']],
    ['beside an answered one', [ticket(7), ticket(8)], ANSWERED, {}, ['ask ticket-8: Why 8?']],
    ['answered, and asking something else', [ticket(7, 'And?')], ANSWERED, {}, ['ask ticket-7: And?']],
    ['gone', [ticket(8)], {}, { open: [ticketAsked(7), ticketAsked(8)] }, [close('no longer asks')]],
    ['asking something else', [ticket(7, 'And?')], {}, { open: [ticketAsked(7)] }, ELSE],
  ])('that is %s leads on', (_, tickets, before, more, commands) => {
    expect(asksOn({ tickets }, before, more)).toEqual(commands);
  });

  it.each<[string, readonly OpenTicket[], object]>([
    ['while it is listed', [ticket(7), ticket(8)], ANSWERED.answered],
    ['until it asks something else', [ticket(7, 'And?')], {}],
    ['until it is gone', [ticket(8)], {}],
  ])('counts as answered %s', (_, tickets, answered) => {
    const { state: next } = reduceBusiness(state(ANSWERED), read({ tickets }), context());
    expect(next.answered).toEqual(answered);
  });
});

describe('a ticket that asks again', () => {
  const again = { again: { 'ticket-7': 'the last answer was rejected: too short' } };

  it('says why, once', () => {
    const { state: next, commands } = reduceBusiness(
      state(again),
      read({ tickets: [ticket(7), ticket(8)] }),
      context(),
    );
    expect(commands).toContainEqual({
      ask: expect.objectContaining({ title: 'Ticket; the last answer was rejected: too short' }),
    });
    expect(commands).toContainEqual({ ask: expect.objectContaining({ title: 'Ticket' }) });
    expect(next.again).toEqual({});
  });

  it('keeps the reason until it is listed', () => {
    const { state: next } = reduceBusiness(state(again), read({ tickets: [ticket(8)] }), context());
    expect(next.again).toEqual(again.again);
    const open = [ticketAsked(7)];
    const question = reduceBusiness(state(again), read({ tickets: [ticket(7)] }), context({ open }));
    expect(question.state.again).toEqual(again.again);
  });

  it('is one whose answer was rejected', () => {
    const requirement = ticketAsked(7, 'Why 7?', 'ticket-7-2');
    const { state: next, commands } = reduceRejection(state(), requirement, 'too short');
    expect(lines(commands)).toEqual(['remove ticket-7-2', 'answer-rejected: ticket-7-2: too short']);
    expect(next).toEqual(state(again));
  });

  it('is one that is still listed long after its answer', () => {
    const answered = {
      'ticket-6': { detail: '', until: NOW - 1 },
      'ticket-7': { detail: '', until: NOW },
      'ticket-8': { detail: '', until: NOW + 1 },
      'ticket-9': { detail: '' },
    };
    const why = 'answered, but still listed by the partner';
    expect(withDeadline(state({ answered, ...again }), NOW)).toEqual(
      state({
        answered: { 'ticket-8': answered['ticket-8'], 'ticket-9': answered['ticket-9'] },
        again: { 'ticket-6': why, 'ticket-7': why },
      }),
    );
  });
});
