import { z } from 'zod';
import type { FieldProblem } from './partner-error.js';

/** The forms in which partners write what is wrong. */

export const UNKNOWN_FORM = 'the partner reported a problem in an unknown form';

/** `null`, `''`, `[]` and the like: the partner has nothing to report. */
export const isNothing = (value: unknown): boolean =>
  !value || (typeof value === 'object' && Object.keys(value).length === 0);

const told = (field: string, all: readonly string[]): FieldProblem[] =>
  all.filter(Boolean).map((message) => ({ field, message }));

/** An item of `validationResults` or of `validationErrors` (apis/4). */
const item = z
  .union([
    z.object({ memberNames: z.array(z.string()), errorMessage: z.string() }),
    z.object({ field: z.string(), error: z.string() }),
  ])
  .transform((problem): FieldProblem[] => {
    if ('field' in problem) return told(problem.field, [problem.error]);
    const names = problem.memberNames.length > 0 ? problem.memberNames : [''];
    return names.flatMap((field) => told(field, [problem.errorMessage]));
  });

const unknown = told('', [UNKNOWN_FORM]);

/** A list of validation problems, as the boarding partner writes it. */
export const validationProblems = z
  .array(item.catch(unknown))
  .catch(({ value }) => (isNothing(value) ? [] : [unknown]))
  .transform((lists) => lists.flat());

const messages = z.union([z.string().transform((one) => [one]), z.array(z.string())]).catch([UNKNOWN_FORM]);

/** Problem details as ASP.NET writes them: `errors: {Field: ["message"]}`. */
const byField = z
  .record(z.string(), messages)
  .transform((errors) => Object.entries(errors).flatMap(([field, all]) => told(field, all)));

const inAnyForm = z.union([
  byField,
  z.array(z.string()).transform((all) => told('', all)),
  z.string().transform((one) => told('', [one])),
]);

const someText = z.string().nullish().catch(null);

/** The forms that error bodies of such services have, where a contract shows none. */
const errorBody = z.union([
  z.looseObject({
    errors: inAnyForm.nullish().catch([]),
    message: someText,
    error: someText,
    detail: someText,
    title: someText,
  }),
  z.string(),
]);

/** What an error body says is wrong; nothing when it is in none of the known forms. */
export function problemsOf(body: unknown): readonly FieldProblem[] {
  const read = errorBody.safeParse(body);
  if (!read.success) return [];
  if (typeof read.data === 'string') return told('', [read.data]);
  const { errors, message, error, detail, title } = read.data;
  if (errors && errors.length > 0) return errors;
  return told('', [message ?? error ?? detail ?? title ?? '']);
}

const anyProblems = z
  .union([z.array(item).transform((lists) => lists.flat()), inAnyForm])
  .catch(({ value }) => (isNothing(value) ? [] : unknown));

/** Where a body may say that a call failed although its HTTP status is a success. */
const doubtfulBody = z.looseObject({
  success: z.unknown(),
  errors: anyProblems,
  validationErrors: anyProblems,
  validationResults: anyProblems,
  /** Of a page of cards (apis/4). */
  errorMessage: anyProblems,
});

/**
 * What the body of a successful HTTP response says is wrong: validation errors, or `success: false` with or without a
 * reason (apis/1, Boarding response). Nothing when it says neither.
 */
export function failureIn(body: unknown): readonly FieldProblem[] {
  const read = doubtfulBody.safeParse(body);
  if (!read.success) return [];
  const { success, errors, validationErrors, validationResults, errorMessage } = read.data;
  const listed = [errors, validationErrors, validationResults, errorMessage].flat();
  if (listed.length > 0 || success !== false) return listed;
  const reasons = problemsOf(body);
  return reasons.length > 0 ? reasons : told('', ['the partner gave no reason']);
}
