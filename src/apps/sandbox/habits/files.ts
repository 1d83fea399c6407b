import type { Answer } from '../answer.js';
import { type Habit, type Habits, of } from './habit.js';

/** What comes where a statement was asked for. */

const statements = of('generate-statement', 'generate-full-statement');

/** For the first three times; then the statement comes. */
function instead(edit: (answer: Answer) => Answer): Habit['start'] {
  return () => {
    let count = 0;
    return async (call, perform) => {
      const answer = await perform();
      if (!statements(call) || answer.status !== 200) return answer;
      count += 1;
      return count > 3 ? answer : edit(answer);
    };
  };
}

const bytesOf = ({ body }: Answer) => (Buffer.isBuffer(body) ? body : Buffer.from(String(body)));

const asks = (does: string, seen: string, edit: (answer: Answer) => Answer): Habit => ({
  ...{ does, seen, outcome: 'paused' },
  start: instead(edit),
});

export const files: Habits = {
  'file-is-html': asks('A statement is a sign-in page.', 'sessions that end during a download', () => ({
    ...{ status: 200, contentType: 'text/html', body: '<!doctype html><title>Sign in</title>' },
  })),
  'file-is-json': asks('A statement is a JSON error with 200.', 'gateways that wrap errors', () => ({
    ...{ status: 200, contentType: 'application/json', body: '{"error":"not ready"}' },
  })),
  'file-is-empty': asks('A statement has no bytes.', 'reports that are still being made', (answer) => ({
    ...answer,
    body: Buffer.alloc(0),
  })),
  'file-is-cut': asks('A statement ends in the middle.', 'proxies with a limit', (answer) => ({
    ...answer,
    body: bytesOf(answer).subarray(0, bytesOf(answer).length / 2),
  })),
  'file-of-other-type': asks(
    'A statement has the type of something else.',
    'servers that guess by the name',
    (answer) => ({
      ...answer,
      contentType: 'image/png',
    }),
  ),
  'file-without-type': {
    does: 'A statement has the type application/octet-stream.',
    seen: 'RFC 2046, 4.5.1',
    start: instead((answer) => ({ ...answer, contentType: 'application/octet-stream' })),
  },
  'file-with-path': {
    does: 'The name of a statement has a path in it.',
    seen: 'RFC 6266, 4.3: recipients must not take it as it is',
    start: instead((answer) => ({
      ...answer,
      headers: { ...answer.headers, 'content-disposition': 'attachment; filename="../../etc/statement.pdf"' },
    })),
  },
  'file-of-other-month': {
    does: 'A statement is about the month before.',
    seen: 'month ends in two zones',
    start: () => async (call, perform) => {
      const { period } = call.fields;
      if (!statements(call) || typeof period !== 'string') return perform();
      const at = new Date(period);
      at.setUTCMonth(at.getUTCMonth() - 1);
      return perform({ ...call.fields, period: at.toISOString() });
    },
  },
};
