import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import type { Answer } from '../answer.js';
import { asBytes, type Call, type Habit, type Habits, type Outcome, reads, responses } from './habit.js';

/** The bytes of responses, and the connections that they come by. */

function encoded(
  encode: (text: string) => Buffer,
  headers: Answer['headers'] = {},
  contentType = 'application/json',
  concerns: (call: Call) => boolean = () => true,
): Habit['start'] {
  return responses(concerns, (answer) => {
    const bytes = asBytes(answer, encode, headers);
    return bytes === answer ? answer : { ...bytes, contentType };
  });
}

const compressed = (compress: (bytes: Buffer) => Buffer, encoding: string) =>
  encoded((text) => compress(Buffer.from(text)), { 'content-encoding': encoding });

const utf16 = (text: string) => Buffer.from(`\uFEFF${text}`, 'utf16le');

const wire = (how: NonNullable<Answer['wire']>, does: string, seen: string, outcome: Outcome): Habit => ({
  ...{ does, seen, outcome },
  start: responses(
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
