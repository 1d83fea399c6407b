import { changeResponses, type Habits, of, reads, staleAnswers, texts } from './habit.js';

/** Habits of a partner's clock, time zone and time formats. */

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

const ISO = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z$/;

/** Reformats times that the partner sets. Stored dates, such as a date of birth, stay. */
const written = (write: (at: Date) => unknown) =>
  texts(reads, OWN, (text) => (ISO.test(text) ? write(new Date(text)) : text));

const OWN = /^(statusDate|date|createdDate|updatedDate|createdAt|applicationDate|approvalDate)$/;

const iso = (milliseconds: number) => new Date(milliseconds).toISOString();

/** The time zone of New York in winter. */
const LOCAL_MS = -5 * HOUR_MS;

export const time: Habits = {
  'month-elsewhere': {
    does: 'The period of a statement is read as a local time, twelve hours away.',
    seen: 'ECMAScript: a time without a zone is local',
    start: () => async (call, perform) => {
      const { period } = call.fields;
      if (typeof period !== 'string' || Number.isNaN(Date.parse(period))) return perform();
      return perform({ ...call.fields, period: iso(Date.parse(period) - 12 * HOUR_MS) });
    },
  },
  'local-dates': {
    does: 'Times are local, and do not say so.',
    seen: '.NET: DateTimeKind.Unspecified is written without a zone',
    start: written((at) => iso(at.getTime() + LOCAL_MS).slice(0, -5)),
  },
  'dates-only': {
    does: 'Times are dates.',
    seen: 'columns of the type DATE',
    start: written((at) => at.toISOString().slice(0, 10)),
  },
  'dates-of-net': {
    does: 'Times are written as /Date(1767600000000)/.',
    seen: 'ASP.NET: DataContractJsonSerializer',
    start: written((at) => `/Date(${at.getTime()})/`),
  },
  'date-of-read': {
    does: 'The status date is the time of the read.',
    seen: 'views that compute it',
    start: (partner) =>
      texts(of('get-status', 'get-status2'), /^statusDate$/, () => iso(partner.now()))(partner),
  },
  'clocks-apart': {
    does: 'Every other response comes from a server whose clock is seven minutes ahead.',
    seen: 'servers behind a load balancer, one without NTP',
    start: ({ now }) => {
      let count = 0;
      return async (_, perform) => {
        const answer = await perform();
        count += 1;
        if (count % 2 === 0) return answer;
        const date = new Date(now() + 7 * MINUTE_MS).toUTCString();
        return { ...answer, headers: { ...answer.headers, date } };
      };
    },
  },
  'clock-behind': {
    does: 'The clock of the partner is an hour behind, in headers and in dates.',
    seen: 'a server that has missed the change to daylight saving time',
    start:
      ({ now }) =>
      async (call, perform) => {
        const late = written((at) => iso(at.getTime() - HOUR_MS))({ now });
        const answer = await late(call, perform);
        return { ...answer, headers: { ...answer.headers, date: new Date(now() - HOUR_MS).toUTCString() } };
      },
  },
  replicas: {
    does: 'Two of three reads come from replicas; a change is visible on one, then gone, then back, for ten minutes.',
    seen: 'PostgreSQL streaming replication: standbys answer from what they have',
    start: staleAnswers(
      (age, count) => count % 3 === 0 && age <= 10 * MINUTE_MS,
      (age) => age <= 10 * MINUTE_MS,
    ),
  },
  'no-date': {
    does: 'Responses have no Date header.',
    seen: 'RFC 9110, 6.6.1: an origin server without a clock sends none',
    start: changeResponses(
      () => true,
      (answer) => ({ ...answer, headers: { ...answer.headers, date: '' } }),
    ),
  },
};
