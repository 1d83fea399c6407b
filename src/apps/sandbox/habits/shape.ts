import { writeExactly } from '../../../partners/json.js';
import type { Answer } from '../answer.js';
import {
  asBytes,
  bodies,
  changeResponses,
  everywhere,
  type Habits,
  idIn,
  isCreate,
  isFields,
  of,
  payloads,
  reads,
  signedIn,
} from './habit.js';

/** Habits of response shapes. */

const SIGN_IN = '<!doctype html><title>Sign in</title><form action="/login">Please sign in.</form>';

const json = (write: (text: string) => string) => (answer: Answer) =>
  answer.status === 200 ? asBytes(answer, (text) => Buffer.from(write(text))) : answer;

const pascal = (name: string) => name.charAt(0).toUpperCase() + name.slice(1);

const renamed = (rename: (name: string) => string, body: unknown) =>
  everywhere((value) => {
    if (!isFields(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [rename(name), item]));
  }, body);

/** Replaces the 404 to a search for one profile. */
const instead = (answer: Answer) =>
  changeResponses(of('find-profile-by-merchant', 'find-profile-by-user'), (response) =>
    response.status === 404 ? answer : response,
  );

export const shape: Habits = {
  'numbers-as-text': {
    does: 'Numbers are text.',
    seen: 'PHP, which reads columns of databases as text',
    outcome: 'paused',
    start: bodies(reads, (body) =>
      everywhere((value) => (typeof value === 'number' ? String(value) : value), body),
    ),
  },
  'text-as-numbers': {
    does: 'Text that has only digits is a number: a mid loses its leading zeros.',
    seen: 'converters from XML or CSV that guess types',
    outcome: 'paused',
    start: bodies(reads, (body) =>
      everywhere(
        (value) => (typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value),
        body,
      ),
    ),
  },
  'null-left-out': {
    does: 'Fields that are null are left out.',
    seen: 'System.Text.Json: JsonIgnoreCondition.WhenWritingNull',
    start: bodies(signedIn, (body) => everywhere((value) => value ?? undefined, body)),
  },
  'null-for-empty': {
    does: 'An empty list is null.',
    seen: 'Go: a nil slice is written as null',
    start: bodies(reads, (body) =>
      everywhere((value) => (Array.isArray(value) && value.length === 0 ? null : value), body),
    ),
  },
  'empty-for-null': {
    does: 'What is null is an empty list.',
    seen: 'PHP: json_encode of an empty array',
    outcome: 'paused',
    start: payloads(reads, (body) => everywhere((value) => value ?? [], body)),
  },
  'object-for-one': {
    does: 'A list of one is its element.',
    seen: 'converters from XML',
    outcome: 'paused',
    start: payloads(reads, (body) =>
      everywhere((value) => (Array.isArray(value) && value.length === 1 ? value[0] : value), body),
    ),
  },
  'two-envelopes': {
    does: 'The payload is in an envelope of its own.',
    seen: 'gateways that wrap every response',
    outcome: 'paused',
    start: bodies(reads, (body) => ({ data: body, success: true, error: null })),
  },
  'listed-in-object': {
    does: 'A list is in an object with its total.',
    seen: 'OData and pages of lists',
    outcome: 'paused',
    start: payloads(reads, (data) => (Array.isArray(data) ? { items: data, total: data.length } : data)),
  },
  'no-content': {
    does: 'A response whose payload is null or empty is 204.',
    seen: 'ASP.NET Core: HttpNoContentOutputFormatter',
    start: changeResponses(signedIn, (answer) => {
      const { body } = answer;
      // A refusal has its error besides.
      const payload = isFields(body) && 'data' in body && !body['error'] ? body['data'] : body;
      const isNothing = payload === null || (Array.isArray(payload) && payload.length === 0);
      return answer.status === 200 && isNothing ? { status: 204, body: '' } : answer;
    }),
  },
  'null-for-missing': {
    does: 'A profile that does not exist is null, with the status 200.',
    seen: 'Spring: a controller that returns an empty Optional',
    start: instead({ status: 200, body: 'null', contentType: 'application/json' }),
  },
  'zero-for-missing': {
    does: 'A profile that does not exist has the id 0, and the defaults of its other fields.',
    seen: '.NET: FirstOrDefault, before a mapper',
    start: instead({ status: 200, body: { id: 0, bankingStatus: 'New', isSubmitted: false } }),
  },
  'gone-for-missing': {
    does: 'A profile that does not exist is 410.',
    seen: 'RFC 9110, 15.5.11',
    start: instead({ status: 410, body: { message: 'Gone' } }),
  },
  'errors-with-200': {
    does: 'Every refusal has the status 200.',
    seen: 'JSON-RPC over HTTP, and GraphQL',
    outcome: 'paused',
    start: changeResponses(signedIn, (answer) =>
      answer.status >= 400 && answer.status < 500 && answer.status !== 401
        ? { ...answer, status: 200 }
        : answer,
    ),
  },
  'checks-listed': {
    does: 'A successful response lists a check that succeeded, as null.',
    seen: '.NET: ValidationResult.Success is null',
    start: bodies(signedIn, (body) =>
      isFields(body) && Array.isArray(body['validationResults'])
        ? { ...body, validationResults: [...body['validationResults'], null] }
        : body,
    ),
  },
  created: {
    does: 'Every successful write responds 201.',
    seen: 'RFC 9110, 15.3.2',
    start: changeResponses(
      ({ isWrite }) => isWrite,
      (answer) => (answer.status === 200 ? { ...answer, status: 201 } : answer),
    ),
  },
  accepted: {
    does: 'Every successful write responds 202.',
    seen: 'RFC 9110, 15.3.3',
    start: changeResponses(
      ({ isWrite }) => isWrite,
      (answer) => (answer.status === 200 ? { ...answer, status: 202 } : answer),
    ),
  },
  'id-in-location': {
    does: 'A create responds 201 without a body; its id stands at the end of Location.',
    seen: 'RFC 9110, 10.2.2',
    outcome: 'asked',
    start: changeResponses(isCreate, (answer, call) => {
      const id = idIn(answer, call);
      return id === undefined
        ? answer
        : { status: 201, body: '', headers: { location: `${call.url}/${id}` } };
    }),
  },
  'multi-status': {
    does: 'Every success has the status 207.',
    seen: 'RFC 4918, 11.1',
    start: changeResponses(signedIn, (answer) =>
      answer.status === 200 ? { ...answer, status: 207 } : answer,
    ),
  },
  'sign-in-redirect': {
    does: 'Reads are redirected to a sign-in page.',
    seen: 'ASP.NET: cookie authentication; single sign-on in front of an API',
    outcome: 'paused',
    start: () => async (call, perform) =>
      call.isWrite || !signedIn(call)
        ? perform()
        : { status: 302, body: '', headers: { location: 'https://login.example.com/' } },
  },
  'sign-in-page': {
    does: 'Reads respond 200 with a sign-in page.',
    seen: 'a redirect that a proxy follows',
    outcome: 'paused',
    start: () => async (call, perform) =>
      call.isWrite || !signedIn(call)
        ? perform()
        : { status: 200, contentType: 'text/html; charset=utf-8', body: SIGN_IN },
  },
  'problem-json': {
    does: 'Refusals are problem details.',
    seen: 'RFC 9457',
    start: changeResponses(signedIn, (answer) => {
      if (answer.status < 400) return answer;
      const { message, error, errors } = answer.body as Readonly<Record<string, unknown>>;
      const problem = {
        type: 'about:blank',
        title: message ?? error ?? 'Bad Request',
        status: answer.status,
        ...(errors !== undefined && { errors }),
      };
      return { ...answer, contentType: 'application/problem+json', body: writeExactly(problem) };
    }),
  },
  'pascal-case': {
    does: 'Field names begin with a capital.',
    seen: 'ASP.NET before Core',
    outcome: 'paused',
    start: bodies(reads, (body) => renamed(pascal, body)),
  },
  'snake-case': {
    does: 'Field names are in snake case.',
    seen: 'a change of the serializer',
    outcome: 'paused',
    start: bodies(reads, (body) =>
      renamed((name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), body),
    ),
  },
  'large-request-ids': {
    does: 'Request ids are above 2^53.',
    seen: 'RFC 8259, 6: most readers of numbers round beyond it',
    start: bodies(
      () => true,
      (body) =>
        isFields(body) && 'requestId' in body ? { ...body, requestId: 9_007_199_254_740_993n } : body,
    ),
  },
  'duplicate-keys': {
    does: 'Every object has its first field twice, the first time as null.',
    seen: 'RFC 8259, 4: the behavior of readers is unpredictable',
    start: changeResponses(
      signedIn,
      json((text) => text.replace(/\{"(\w+)":/g, '{"$1":null,"$1":')),
    ),
  },
  'json-in-json': {
    does: 'A response is a JSON text that contains JSON.',
    seen: 'services that serialize twice',
    outcome: 'paused',
    start: changeResponses(
      (call) => reads(call) && signedIn(call),
      json((text) => JSON.stringify(text)),
    ),
  },
  'as-plain-text': {
    does: 'JSON has the content type text/plain.',
    seen: 'RFC 9110, 8.3: a recipient may look at the data',
    start: changeResponses(
      () => true,
      (answer) => {
        const encoded = asBytes(answer, Buffer.from);
        return encoded === answer ? answer : { ...encoded, contentType: 'text/plain' };
      },
    ),
  },
};
