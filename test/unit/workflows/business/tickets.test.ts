import { describe, expect, it } from 'vitest';
import type { OpenTicket } from '../../../../src/messages/banking-activities.js';
import { onRead, type Remembered, type Situation } from '../../../../src/workflows/business/decisions.js';
import {
  askingAgain,
  NO_TICKETS,
  onListed,
  onRejected,
  ticketIdOf,
} from '../../../../src/workflows/business/tickets.js';
import { answer, lines } from '../boarding/values.js';
import { asksOn, NOW, read, remembered, situation, ticket, ticketAsked } from './values.js';

const RESTLESS = { answered: { 'ticket-7': { detail: null, until: NOW } } };
const ANSWERED = { answered: { 'ticket-7': { detail: 'Why 7?', until: NOW } } };

describe('a ticket', () => {
  it('becomes a question', () => {
    const { decisions } = onRead(remembered(), read({ tickets: [ticket(7)] }), situation());
    expect(decisions).toContainEqual({
      ask: {
        ...{ about: 'ticket-7', kind: 'ticket', title: 'Ticket', detail: 'Why 7?' },
        ...{ answers: ['text', 'correction', 'abandon'], blank: { holder: { '': '' } } },
      },
    });
    expect(ticketIdOf(ticketAsked(7))).toBe(7);
  });

  it('of a partner account takes no correction', () => {
    const asking = { answers: ['text', 'retry'], whenGone: 'gone' } as const;
    const { decisions } = onListed(NO_TICKETS, [ticket(7)], situation(), asking);
    const question = { about: 'ticket-7', kind: 'ticket', title: 'Ticket', detail: 'Why 7?' };
    expect(decisions).toEqual([{ ask: { ...question, answers: ['text', 'retry'] } }]);
    const closed = onListed(NO_TICKETS, [], situation({ open: [ticketAsked(7)] }), asking);
    expect(lines(closed.decisions)).toEqual(['close ticket-7: gone']);
  });

  const OF_FIELD = 'Why 7?\nThe partner asks about the field ssn.';
  it.each([
    [{ topic: 'Owner of 123-45-6789' }, 'Ticket about Owner of ***-**-6789', 'Why 7?'],
    [{ topic: 'x', updateFieldRequest: 'ssn' }, 'Ticket about ssn', OF_FIELD],
    [{ text: 'Is it 123-45-6789?' }, 'Ticket', 'Is it ***-**-6789?'],
  ])('with %j has a title and a detail without private values', (more, title, detail) => {
    const { decisions } = onRead(
      ...([remembered(), read({ tickets: [ticket(7, 'Why 7?', more)] }), situation()] as const),
    );
    expect(decisions).toContainEqual({ ask: expect.objectContaining({ title, detail }) });
  });

  const close = (why: string) => `close ticket-7: the partner ${why}`;
  const ELSE = [close('asks something else'), 'ask ticket-7: And?'];
  const SENT = { answered: [answer(ticketAsked(7))] };
  it.each<[string, readonly OpenTicket[], Partial<Remembered>, Partial<Situation>, string[]]>([
    ['asked', [ticket(7)], {}, { open: [ticketAsked(7)] }, []],
    ['asked a second time', [ticket(7)], {}, { open: [ticketAsked(7, 'Why 7?', 'ticket-7-2')] }, []],
    // Catches a ticket that shows one of two texts by turns, and is asked about each time.
    ['asked a fourth time', [ticket(7, 'And?')], {}, { open: [ticketAsked(7, 'Why 7?', 'ticket-7-4')] }, []],
    ['answered as restless', [ticket(7, 'And?')], RESTLESS, {}, []],
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
  ])('that is %s leads on', (_, tickets, before, more, decisions) => {
    expect(asksOn({ tickets }, before, more)).toEqual(decisions);
  });

  it.each<[string, readonly OpenTicket[], object]>([
    ['while it is listed', [ticket(7), ticket(8)], ANSWERED.answered],
    ['until it asks something else', [ticket(7, 'And?')], {}],
    ['until it is gone', [ticket(8)], {}],
  ])('counts as answered %s', (_, tickets, answered) => {
    const { remember } = onRead(remembered(ANSWERED), read({ tickets }), situation());
    expect(remember.answered).toEqual(answered);
  });
});

describe('a ticket that asks again', () => {
  const again = { again: { 'ticket-7': 'the last answer was rejected: too short' } };

  it('says why, once', () => {
    const { remember, decisions } = onRead(
      ...([remembered(again), read({ tickets: [ticket(7), ticket(8)] }), situation()] as const),
    );
    expect(decisions).toContainEqual({
      ask: expect.objectContaining({ title: 'Ticket; the last answer was rejected: too short' }),
    });
    expect(decisions).toContainEqual({ ask: expect.objectContaining({ title: 'Ticket' }) });
    expect(remember.again).toEqual({});
  });

  it('keeps the reason until it is listed', () => {
    const { remember } = onRead(remembered(again), read({ tickets: [ticket(8)] }), situation());
    expect(remember.again).toEqual(again.again);
    const open = [ticketAsked(7)];
    const asked = onRead(remembered(again), read({ tickets: [ticket(7)] }), situation({ open }));
    expect(asked.remember.again).toEqual(again.again);
  });

  it('is one whose answer was rejected', () => {
    const asked = ticketAsked(7, 'Why 7?', 'ticket-7-2');
    const { remember, decisions } = onRejected(remembered(), asked, 'too short');
    expect(lines(decisions)).toEqual(['remove ticket-7-2', 'answer-rejected: ticket-7-2: too short']);
    expect(remember).toEqual(remembered(again));
  });

  it('is one that is still listed long after its answer', () => {
    const answered = {
      'ticket-6': { detail: '', until: NOW - 1 },
      'ticket-7': { detail: '', until: NOW },
      'ticket-8': { detail: '', until: NOW + 1 },
      'ticket-9': { detail: '' },
    };
    const why = 'answered, but still listed by the partner';
    expect(askingAgain(remembered({ answered, ...again }), NOW)).toEqual(
      remembered({
        answered: { 'ticket-8': answered['ticket-8'], 'ticket-9': answered['ticket-9'] },
        again: { 'ticket-6': why, 'ticket-7': why },
      }),
    );
  });
});
