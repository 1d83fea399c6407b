import { answer, type Json } from '../../http/openapi.js';
import type { Operation } from '../catalogue.js';
import type { Contract } from './contracts.js';

/** Meanings of the statuses of failure, as the contracts have them (Errors). */
const MEANINGS: Readonly<Record<number, string>> = {
  400: 'Something that is required is missing, or something is invalid',
  401: 'Credentials are missing, expired or wrong',
  403: 'The caller may not do this',
  404: 'What the request refers to is not there',
  409: 'It is there already',
  422: 'Something is invalid',
  500: 'Internal error: it may have taken effect, or not',
};

const ASSUMED: Json = { 'x-provenance': 'assumed' };

/** All answers of an operation, by status. */
export function responses(operation: Operation, contract: Contract, payload: Json): Json {
  const { failures = {}, statusAnswers = {} } = operation;
  const refusals = Object.entries(contract.failures(operation)).map(([status, body]) => {
    const standsFor = statusAnswers[Number(status)];
    const description =
      standsFor === undefined
        ? (failures[Number(status)]?.message ?? MEANINGS[Number(status)] ?? 'It failed')
        : `An answer, and no failure: it is read as ${JSON.stringify(standsFor)}`;
    return [status, { ...answer(description, body), ...(contract.assumesStatuses && ASSUMED) }];
  });
  return {
    ...success(operation, contract, payload),
    ...Object.fromEntries(refusals),
    ...(contract.tooMany && { 429: tooMany(contract.tooMany(operation)) }),
  };
}

function success(operation: Operation, { envelope, fileTypes = [] }: Contract, payload: Json): Json {
  if (operation.answer === 'none') return { 204: { description: 'Done' } };
  if (operation.answer === 'stream') {
    const content = Object.fromEntries(fileTypes.map((type) => [type, {}]));
    return { 200: { description: 'A file; its type is told by the Content-Type', content } };
  }
  return { 200: answer('Done', envelope?.(operation, payload) ?? payload) };
}

function tooMany(body: Json): Json {
  return {
    ...answer('Too many calls: nothing took effect', body),
    headers: { 'Retry-After': { description: 'Seconds to wait, or a date', schema: { type: 'string' } } },
    ...ASSUMED,
  };
}
