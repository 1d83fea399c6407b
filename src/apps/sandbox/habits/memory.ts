import {
  everywhere,
  type Fields,
  type Habit,
  type Habits,
  isFields,
  of,
  payloads,
  reads,
  staleAnswers,
} from './habit.js';

/** Habits of what a partner remembers, and returns later. */

const MINUTE_MS = 60_000;

/** Counts the reads of each list: two reads in a row differ, whatever else is read in between. */
const lists =
  (edit: (list: readonly unknown[], count: number) => readonly unknown[]): Habit['start'] =>
  (partner) => {
    const counts = new Map<string, number>();
    return payloads(reads, (data, { system, url }) => {
      const place = `${system} ${url}`;
      const count = (counts.get(place) ?? 0) + 1;
      counts.set(place, count);
      return Array.isArray(data) ? edit(data, count) : data;
    })(partner);
  };

/** Changes the notes of the underwriters, the same way in each response or another way in each. */
const notes =
  (edit: (note: Fields, count: number) => Fields): Habit['start'] =>
  (partner) => {
    let count = 0;
    return payloads(of('get-underwriting-notes'), (data) => {
      count += 1;
      return Array.isArray(data) ? data.map((note) => (isFields(note) ? edit(note, count) : note)) : data;
    })(partner);
  };

const field =
  (name: string, edit: (value: unknown, count: number) => unknown): Habit['start'] =>
  (partner) => {
    let count = 0;
    return payloads(of('get-status', 'get-status2'), (data) => {
      count += 1;
      return everywhere((value, key) => (key === name ? edit(value, count) : value), data);
    })(partner);
  };

/** Accepts the first write of each merchant, and does nothing. */
function loses(operation: string, seen: string): Habit {
  return {
    does: `The first ${operation} of each merchant is accepted, and lost.`,
    seen,
    outcome: 'asked',
    start: () => {
      const lost = new Set<unknown>();
      return async (call, perform) => {
        const id = call.fields['merchantProfileId'] ?? call.fields['id'];
        if (call.operation !== operation || lost.has(id)) return perform();
        lost.add(id);
        return { status: 200, body: { data: null, status: 'OK', error: null } };
      };
    },
  };
}

export const memory: Habits = {
  'submit-lost': loses('submit-merchant', 'queues that acknowledge before they store'),
  'review-lost': loses('request-underwriting-review', 'notifications by e-mail'),
  'shows-later': {
    does: 'A change is visible five minutes later.',
    seen: 'search indexes and caches behind an API',
    start: staleAnswers(
      (age) => age < 5 * MINUTE_MS,
      (age) => age < 5 * MINUTE_MS,
    ),
  },
  'reads-go-back': {
    does: 'Every other read is older than the one before.',
    seen: 'Amazon S3 before December 2020: eventual consistency',
    start: staleAnswers(
      (age, count) => count % 2 === 0 && age < 30 * MINUTE_MS,
      (age) => age < 30 * MINUTE_MS,
    ),
  },
  'order-changes': {
    does: 'The order of a list changes with each read.',
    seen: 'SQL: without ORDER BY the order is not defined',
    start: lists((list, count) => (count % 2 === 0 ? [...list].reverse() : list)),
  },
  'repeats-a-row': {
    does: 'A list has its last row twice.',
    seen: 'pages by offset, while rows are inserted',
    start: lists((list) => [...list, ...list.slice(-1)]),
  },
  'resolved-tickets-stay': {
    does: 'The list of new tickets keeps those that were resolved.',
    seen: 'lists of recent tickets, whatever their status',
    start: (partner) => {
      const seen = new Map<unknown, Fields>();
      return payloads(of('list-new-tickets'), (data) => {
        if (!Array.isArray(data)) return data;
        const open = data.filter(isFields);
        for (const ticket of seen.values()) seen.set(ticket['ticketId'], { ...ticket, status: 'Resolved' });
        for (const ticket of open) seen.set(ticket['ticketId'], ticket);
        return [...seen.values()];
      })(partner);
    },
  },
  'misses-a-row': {
    does: 'Every third read of a list lacks its first row.',
    seen: 'pages by offset, while rows are deleted',
    start: lists((list, count) => (count % 3 === 0 ? list.slice(1) : list)),
  },
  'total-is-wrong': {
    does: 'Totals are an estimate.',
    seen: 'PostgreSQL: reltuples is only an estimate',
    start: payloads(reads, (data) =>
      everywhere((value, name) => (/^total(Count)?$/.test(name) ? 7 : value), data),
    ),
  },
  'note-changes-author': {
    does: 'A note has another author in each read.',
    seen: 'portals that show who has opened it last',
    start: notes((note, count) => ({ ...note, author: `Underwriter ${count % 3}` })),
  },
  'note-changes-text': {
    does: 'The text of a note says how long it has been open.',
    seen: 'portals that write for people',
    start: notes((note, count) => ({ ...note, text: `${note['text']} (${count} days open)` })),
  },
  'note-rewritten': {
    does: 'A note has one of two texts by turns, for three reads each.',
    seen: 'two servers with translations of their own',
    start: notes((note, count) => (count % 6 < 3 ? note : { ...note, text: `Please note: ${note['text']}` })),
  },
  'note-spaced': {
    does: 'White space in the text of a note changes from read to read.',
    seen: 'rich text that is converted each time',
    start: notes((note, count) => ({
      ...note,
      text: count % 2 ? `${note['text']} ` : String(note['text']).replaceAll(' ', '\u00a0'),
    })),
  },
  'comment-counts': {
    does: 'The comment has the number of reads in it.',
    seen: 'queues that show a position',
    start: field('comment', (_, count) => `Position in queue: ${count}`),
  },
  'status-goes-back': {
    does: 'For a moment after each change the status is the one before.',
    seen: 'two servers, each with a cache',
    start: () => {
      const latest = new Map<string, { status: unknown; before: unknown; left: number }>();
      return async (call, perform) => {
        const answer = await perform();
        if (!of('get-status')(call) || !isFields(answer.body) || !isFields(answer.body['data']))
          return answer;
        const { data } = answer.body as { readonly data: Fields };
        const entry = latest.get(call.url) ?? { status: data['status'], before: data['status'], left: 0 };
        if (entry.status !== data['status'])
          Object.assign(entry, { before: entry.status, status: data['status'], left: 3 });
        latest.set(call.url, entry);
        if (entry.left <= 0) return answer;
        entry.left -= 1;
        // New, old, new: a caller that acts on the new state sees the old one again.
        const status = entry.left === 1 ? entry.before : entry.status;
        return { ...answer, body: { ...answer.body, data: { ...data, status } } };
      };
    },
  },
};
