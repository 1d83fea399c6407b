import type { Answer } from '../answer.js';
import { type Call, type Habit, type Habits, signedIn } from './habit.js';

/** Habits of time and availability. */

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const HELD_MS = 200;

/** Refuses calls while a condition holds. A refused call does not take effect. */
function refuses(
  answer: Answer,
  isRefused: (call: Call, now: number, since: number) => boolean,
): Habit['start'] {
  return ({ now }) => {
    const since = now();
    return async (call, perform) => (isRefused(call, now(), since) ? answer : perform());
  };
}

const busy = (status: number, headers: Answer['headers'] = {}): Answer => ({
  status,
  headers,
  body: { message: 'Too busy' },
});

/** Reports whether it is one of the first twenty minutes of an hour. */
const isRushHour = (now: number) => now % HOUR_MS < 20 * MINUTE_MS;

const PAGE = '<!doctype html><title>Maintenance</title><p>We are back at four.</p>';

/** Reports whether it is between two and four at night in California. */
const isNight = (now: number) => now % DAY_MS >= 10 * HOUR_MS && now % DAY_MS < 12 * HOUR_MS;

/** Refuses every fifth call, but never the same kind twice in a row, so a retry helps, however many calls come in between. */
function fifth(answerAt: (now: number) => Answer): Habit['start'] {
  return ({ now }) => {
    let count = 0;
    /** The kinds whose last turn was refused. */
    const refused = new Set<string>();
    return async ({ system, operation }, perform) => {
      count += 1;
      const kind = `${system} ${operation}`;
      const isRefused = count % 5 === 0 && !refused.delete(kind);
      if (isRefused) refused.add(kind);
      return isRefused ? answerAt(now()) : perform();
    };
  };
}

export const paceHabits: Habits = {
  'busy-for-all': {
    does: 'For twenty minutes of each hour every call gets 503 with Retry-After.',
    seen: 'RFC 9110, 15.6.4',
    start: refuses(busy(503, { 'retry-after': '120' }), (_, now) => isRushHour(now)),
  },
  'limit-without-time': {
    does: 'Every fifth call gets 429 without Retry-After, but none twice in a row.',
    seen: 'RFC 6585, 4: the header is optional',
    start: fifth(() => busy(429)),
  },
  'limit-as-403': {
    does: 'Every fifth call gets 403 with Retry-After, but none twice in a row.',
    seen: 'GitHub: secondary rate limits',
    start: fifth(() => busy(403, { 'retry-after': '60' })),
  },
  'retry-at-date': {
    does: 'Retry-After is a date.',
    seen: 'RFC 9110, 10.2.3',
    start: fifth((now) => busy(503, { 'retry-after': new Date(now + MINUTE_MS).toUTCString() })),
  },
  'retry-in-past': {
    does: 'Retry-After is a date in the past.',
    seen: 'caches that pass on an old response',
    start: fifth(() => busy(503, { 'retry-after': 'Thu, 01 Jan 2015 00:00:00 GMT' })),
  },
  'retry-in-a-year': {
    does: 'For the first hour Retry-After names a year.',
    seen: 'a default of a proxy, in seconds where it meant milliseconds',
    start: refuses(busy(429, { 'retry-after': '31536000' }), (_, now, since) => now - since < HOUR_MS),
  },
  'slow-writes': {
    does: 'A write takes 25 seconds.',
    seen: 'services that call their own partners before they respond',
    start: () => async (call, perform) => {
      const answer = await perform();
      return call.isWrite ? { ...answer, delayMs: 25_000 } : answer;
    },
  },
  'maintenance-page': {
    does: 'At night every call gets 200 with a page about maintenance.',
    seen: 'load balancers with a static page',
    outcome: 'asked',
    start: refuses({ status: 200, contentType: 'text/html', body: PAGE }, (_, now) => isNight(now)),
  },
  'deploys-404': {
    does: 'For five minutes of each half hour every call gets 404 with JSON.',
    seen: 'gateways without a route to a service that is being deployed: "no Route matched with those values"',
    outcome: 'asked',
    start: refuses(
      { status: 404, body: { message: 'no Route matched with those values' } },
      (_, now) => now % (30 * MINUTE_MS) < 5 * MINUTE_MS,
    ),
  },
  'maintenance-503': {
    does: 'At night every call gets 503 with a page about maintenance.',
    seen: 'load balancers that know the status for it',
    start: refuses({ status: 503, contentType: 'text/html', body: PAGE }, (_, now) => isNight(now)),
  },
  'one-session': {
    does: 'A sign-in ends the session before it.',
    seen: 'services with one session for each user',
    start: () => {
      let latest = '';
      return async (call, perform) => {
        if (signedIn(call)) {
          const isOld =
            call.system === 'banking' && latest !== '' && call.authorization !== `Bearer ${latest}`;
          return isOld ? { status: 401, body: { message: 'The session has ended' } } : perform();
        }
        const answer = await perform();
        const { token, accessToken } = answer.body as {
          readonly token?: string;
          readonly accessToken?: string;
        };
        latest = token ?? accessToken ?? latest;
        return answer;
      };
    },
  },
  'short-tokens': {
    does: 'Tokens end a minute after the sign-in.',
    seen: 'sessions that live in the memory of one server',
    start: ({ now }) => {
      const since = new Map<string, number>();
      return async (call, perform) => {
        if (call.system !== 'banking' || !signedIn(call)) return perform();
        const at = since.get(call.authorization) ?? now();
        since.set(call.authorization, at);
        return now() - at > MINUTE_MS
          ? { status: 401, body: { message: 'The token has expired' } }
          : perform();
      };
    },
  },
  'four-at-a-time': {
    does: 'A call holds a connection for a fifth of a second, and without one of four it gets 503.',
    seen: 'limits of connections behind a proxy that keeps them alive',
    start: ({ now }) => {
      let heldUntil: number[] = [];
      return async (_, perform) => {
        heldUntil = heldUntil.filter((end) => end > now());
        if (heldUntil.length === 4) return busy(503);
        heldUntil.push(now() + HELD_MS);
        return perform();
      };
    },
  },
  'cold-start': {
    does: 'The first call after ten quiet minutes gets 502.',
    seen: 'functions that are started on demand behind a gateway',
    outcome: 'asked',
    start: ({ now }) => {
      let last = 0;
      return async (call, perform) => {
        const isCold = now() - last > 10 * MINUTE_MS;
        last = now();
        return isCold && !call.isWrite ? busy(502) : perform();
      };
    },
  },
  'gateway-timeout': {
    does: 'Every third write takes effect, and gets 504.',
    seen: 'gateways with a shorter timeout than the service',
    outcome: 'asked',
    start: () => {
      let count = 0;
      return async (call, perform) => {
        const answer = await perform();
        if (!call.isWrite) return answer;
        count += 1;
        return count % 3 === 0 ? busy(504) : answer;
      };
    },
  },
};
