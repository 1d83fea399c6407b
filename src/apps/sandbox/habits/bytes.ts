import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import type { Answer } from '../answer.js';
import {
  asBytes,
  type Call,
  changeResponses,
  type Habit,
  type Habits,
  type Outcome,
  of,
  reads,
} from './habit.js';

/** Habits of response bytes and connections. */

function encoded(
  encode: (text: string) => Buffer,
  headers: Answer['headers'] = {},
  contentType = 'application/json',
  concerns: (call: Call) => boolean = () => true,
): Habit['start'] {
  return changeResponses(concerns, (answer) => {
    const bytes = asBytes(answer, encode, headers);
    return bytes === answer ? answer : { ...bytes, contentType };
  });
}

const compressed = (compress: (bytes: Buffer) => Buffer, encoding: string) =>
  encoded((text) => compress(Buffer.from(text)), { 'content-encoding': encoding });

const utf16 = (text: string) => Buffer.from(`\uFEFF${text}`, 'utf16le');

const wire = (how: NonNullable<Answer['wire']>, does: string, seen: string, outcome: Outcome): Habit => ({
  does,
  seen,
  outcome,
  start: changeResponses(
    ({ isWrite }) => !isWrite,
    (answer) => ({ ...answer, wire: how }),
  ),
});

export const bytes: Habits = {
  'byte-order-mark': {
    does: 'Responses begin with a byte order mark.',
    seen: '.NET: Encoding.UTF8 writes one',
    start: encoded((text) => Buffer.from(`\uFEFF${text}`)),
  },
  gzip: {
    does: 'Responses are compressed with gzip, although nobody asks for it.',
    seen: 'content delivery networks that keep one copy',
    start: compressed(gzipSync, 'gzip'),
  },
  deflate: {
    does: 'Responses are compressed with deflate, although nobody asks for it.',
    seen: 'RFC 9110, 8.4.1.2',
    start: compressed(deflateSync, 'deflate'),
  },
  brotli: {
    does: 'Responses are compressed with brotli, although nobody asks for it.',
    seen: 'RFC 7932; content delivery networks',
    start: compressed(brotliCompressSync, 'br'),
  },
  latin1: {
    does: 'Responses are in ISO 8859-1, and say so.',
    seen: 'RFC 2616, 3.7.1: the default of HTTP/1.1 at the time',
    start: encoded((text) => Buffer.from(text, 'latin1'), {}, 'application/json; charset=iso-8859-1'),
  },
  'latin1-undeclared': {
    does: 'Responses are in ISO 8859-1, and do not say so.',
    seen: 'files that were stored by Windows',
    start: encoded((text) => Buffer.from(text, 'latin1')),
  },
  utf16: {
    does: 'Responses are in UTF-16, and say so.',
    seen: 'RFC 4627, 3: JSON text shall be Unicode, in any of its encodings',
    start: encoded(utf16, {}, 'application/json; charset=utf-16'),
  },
  'utf16-undeclared': {
    does: 'Responses are in UTF-16 with a byte order mark, and do not say so.',
    seen: 'PowerShell: Out-File before version 6',
    start: encoded(utf16),
  },
  'white-space': {
    does: 'White space comes before and after a response.',
    seen: 'templates; services that send blanks to keep a connection',
    start: encoded((text) => Buffer.from(`\r\n \t${text} \r\n\r\n`)),
  },
  'against-hijacking': {
    does: "Every response to a read begins with )]}', and a new line.",
    seen: 'AngularJS: protection against JSON hijacking',
    outcome: 'paused',
    start: encoded((text) => Buffer.from(`)]}',\n${text}`), {}, undefined, reads),
  },
  'chunked-without-end': wire(
    'endless',
    'A chunked response has no last chunk.',
    'RFC 9112, 8: an incomplete message',
    'paused',
  ),
  'length-too-long': wire(
    'too-long',
    'The content length is larger than the body.',
    'RFC 9112, 6.3: the recipient must treat it as incomplete',
    'paused',
  ),
  'length-too-short': wire(
    'too-short',
    'The content length is smaller than the body.',
    'RFC 9112, 6.3',
    'paused',
  ),
  'http-1.0': wire(
    'http-1.0',
    'Responses are HTTP/1.0 without a length, and end with the connection.',
    'RFC 9112, appendix C',
    'tolerated',
  ),
  'closes-in-silence': wire(
    'closes',
    'A connection that is kept alive is closed without a word after each response.',
    'load balancers with an idle timeout',
    'tolerated',
  ),
};

/** Responses instead of a statement. */

const statements = of('generate-statement', 'generate-full-statement');

/** Changes the first three responses; later ones are the statement. */
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
  does,
  seen,
  outcome: 'paused',
  start: instead(edit),
});

export const files: Habits = {
  'file-is-html': asks('A statement is a sign-in page.', 'sessions that end during a download', () => ({
    status: 200,
    contentType: 'text/html',
    body: '<!doctype html><title>Sign in</title>',
  })),
  'file-is-json': asks('A statement is a JSON error with 200.', 'gateways that wrap errors', () => ({
    status: 200,
    contentType: 'application/json',
    body: '{"error":"not ready"}',
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
