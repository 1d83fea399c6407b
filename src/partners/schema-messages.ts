import { z } from 'zod';
import { type Shape, shapeOf } from '../platform/schemas/shape.js';
import { didYouMean } from '../platform/settings/did-you-mean.js';
import type { FieldProblem } from './partner-error.js';

/**
 * Default messages of schemas: the required form, and the closest valid names. A message never repeats the value, which may be
 * private. {@link fieldProblems} returns these messages.
 */
z.config({ customError: describe });

/** @returns undefined if zod's own message is good enough */
function describe(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'unrecognized_keys':
      return unknownFields(issue.keys, shapeIn(issue)).join('\n');
    case 'invalid_value':
      return `${issue.input === undefined ? 'is required:' : 'must be'} ${choice(issue.values, issue.input)}`;
    case 'invalid_type':
      return typeof issue.input === 'string'
        ? notText(issue.expected, issue.input, shapeIn(issue))
        : wrongType(issue.expected, issue.input);
    case 'invalid_format':
      return issue.format === 'datetime' ? 'must be a time such as 2026-01-31T12:00:00Z' : undefined;
    case 'too_big':
      return outside(issue.inclusive === false ? 'less than' : 'at most', issue.maximum, issue);
    case 'too_small':
      return outside(issue.inclusive === false ? 'more than' : 'at least', issue.minimum, issue);
    default:
      return undefined;
  }
}

function shapeIn({ inst }: z.core.$ZodRawIssue): Shape | undefined {
  return inst instanceof z.core.$ZodType ? shapeOf(inst) : undefined;
}

/** Nobody reads more suggestions, and finding one takes a while. */
const MAX_SUGGESTIONS = 100;

/** Returns a line for each unknown field of an object, in the order of its `keys`. */
function unknownFields(keys: readonly string[], shape: Shape | undefined): string[] {
  const names = [...(shape?.fields.keys() ?? [])];
  return keys.map((key, at) => `is not a known field${at < MAX_SUGGESTIONS ? didYouMean(key, names) : ''}`);
}

const FEW = 3;

function choice(values: readonly unknown[], input: unknown): string {
  const names = values.map(String);
  const list = names.length === 1 ? names.join() : `one of ${names.join(', ')}`;
  const isLong = names.length > FEW;
  return list + (isLong && typeof input === 'string' ? didYouMean(input, names) : '');
}

const TYPES: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  record: 'an object',
  array: 'a list',
};

/** @returns undefined if the value is missing, which zod reports itself */
function wrongType(expected: string, input: unknown): string | undefined {
  if (typeof input === 'bigint' && /^(int|number)$/.test(expected)) return TOO_MANY_DIGITS;
  const wanted = TYPES[expected];
  return input === undefined || wanted === undefined ? undefined : `must be ${wanted}`;
}

/** `must be at most 500`, `must be at least 2 characters`, `must have exactly 1 item`. */
function outside(
  side: string,
  bound: number | bigint,
  { origin, exact }: { readonly origin: string; readonly exact?: boolean | undefined },
): string {
  const limit = `${exact ? 'exactly' : side} ${bound}`;
  const plural = bound === 1 ? '' : 's';
  if (origin === 'string') return `must be ${limit} character${plural}`;
  return origin === 'array' ? `must have ${limit} item${plural}` : `must be ${limit}`;
}

function notText(expected: string, input: string, shape: Shape | undefined): string | undefined {
  if (expected === 'boolean') return 'must be true or false, without quotes';
  if (expected !== 'number' && expected !== 'int') return wrongType(expected, input);
  const isWhole = shape?.types.includes('integer');
  const example = isWhole ? 'a whole number such as 12' : 'a number such as 1234.56';
  if (!PLAIN_NUMBER.test(input)) return `must be ${example}`;
  // In a response, such a number is a string of digits.
  return /\d{16}/.test(input) ? TOO_MANY_DIGITS : 'must be a number, without quotes';
}

const TOO_MANY_DIGITS = 'must have 15 digits at most';

/** A number in the form of JSON and our tables: digits, with a point before the decimals. */
export const PLAIN_NUMBER = /^-?\d+(\.\d+)?$/;

/** Digits in groups, or decimals after a comma: `1.234,56`, `1,234.56`, `1'234`, `12,5`. */
const NUMBER_OF_A_LOCALE = /^[-+]?\d{1,3}([.,'’\u00a0\u202f ]\d{3})+([.,]\d+)?$|^[-+]?\d+,\d+$/;

/** Day, month and year in a country's own order: `31.12.1980`, `12/31/1980`. */
const DATE_OF_A_LOCALE = /^\d{1,2}([./-])\d{1,2}\1\d{2,4}$/;

/**
 * Returns the rule that a number or date in a country's own form breaks, because others may read it differently.
 *
 * @returns undefined for every other text; `1.234` is a plain number
 */
export function localeRule(text: string): string | undefined {
  if (PLAIN_NUMBER.test(text)) return undefined;
  if (NUMBER_OF_A_LOCALE.test(text))
    return 'write a number as 1234.56: digits, and a point before the decimals';
  return DATE_OF_A_LOCALE.test(text) ? 'write a date as 1980-12-31: year, month and day' : undefined;
}

/** Converts zod's issues to field problems. Messages name rules, never the values that broke them. */
export function fieldProblems(error: z.ZodError): FieldProblem[] {
  return error.issues.flatMap(problems);
}

export const REQUIRED = 'is required';

/**
 * Returns field problems. For a union, those of the closest option: the one with the fewest problems, or among equals, the deepest.
 */
function problems(issue: z.core.$ZodIssue): FieldProblem[] {
  const path = issue.path.map(String);
  const at = (more: string[]) => [...path, ...more].join('.');
  if (issue.code === 'unrecognized_keys') {
    const messages = issue.message.split('\n');
    return issue.keys.map((key, index) => ({ field: at([key]), message: messages[index] ?? '' }));
  }
  if (issue.code === 'invalid_union' && issue.errors.length === 0) {
    // No option has this kind.
    const { options = [] } = issue as { readonly options?: readonly unknown[] };
    return [{ field: at([]), message: `must be one of ${options.join(', ')}` }];
  }
  if (issue.code === 'invalid_union') {
    const [nearest] = issue.errors
      .map((issues) => issues.flatMap(problems))
      .sort((one, other) => one.length - other.length || depth(other) - depth(one));
    return (nearest ?? []).map(({ field, message }) => ({ field: at(field ? [field] : []), message }));
  }
  const isMissing = issue.code === 'invalid_type' && issue.message.endsWith('received undefined');
  return [{ field: at([]), message: isMissing ? REQUIRED : issue.message }];
}

function depth([first]: readonly FieldProblem[]): number {
  return first?.field ? first.field.split('.').length : 0;
}
