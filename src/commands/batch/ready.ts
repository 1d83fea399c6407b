import type { Client } from '@temporalio/client';
import { atAccount, workflowId } from '../../messages/ids.js';
import type { KnownAccounts } from '../../messages/inputs.js';
import { isNestedDeeper, TOO_NESTED } from '../../messages/objects.js';
import { fieldProblems } from '../../partners/client.js';
import type { FieldProblem } from '../../partners/partner-error.js';
import {
  BUSINESS,
  CUSTOMER,
  type Kind,
  MERCHANT,
  type StartableType,
  type Started,
  type StartOptions,
} from '../../temporal/start.js';

/** An onboarding that is checked and can be started. */
export interface Ready {
  readonly line: number;
  readonly externalId: string;
  /** The `externalId` with its account: no two rows have the same. */
  readonly key: string;
  readonly type: StartableType;
  readonly workflowId: string;
  /** How to start it anew once it has ended, for people. */
  readonly anew: string;
  readonly start: (client: Client, options: StartOptions) => Promise<Started>;
}

/** A row that is not to be started. */
export interface Wrong {
  readonly line: number;
  readonly problems: readonly FieldProblem[];
}

type Check = (line: number, value: unknown) => Ready | Wrong;

/** Checks rows, each as the kind of onboarding that its members tell. */
export function rowCheck(known: KnownAccounts): (row: Row) => Ready | Wrong {
  const merchant = checkOf(MERCHANT, known);
  const business = checkOf(BUSINESS, known);
  const customer = checkOf(CUSTOMER, known);
  const byMember: Readonly<Record<string, Check>> = {
    merchant,
    holder: business,
    boarding: customer,
    business: customer,
  };
  return ({ line, value, problems }) => {
    if (problems) return { line, problems };
    const wrong = (message: string) => ({ line, problems: [{ field: '', message }] });
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      return wrong('must be a JSON object');
    if (isNestedDeeper(value)) return wrong(TOO_NESTED);
    const telling = Object.keys(byMember).filter((member) => Object.hasOwn(value, member));
    const [check, ...others] = new Set(telling.map((member) => byMember[member]));
    if (!check) return wrong(NO_KIND);
    if (others.length > 0) return wrong(`has ${telling.join(' and ')}, which go into rows of their own`);
    return check(line, value);
  };
}

const NO_KIND =
  'is no onboarding: a merchant has "merchant", a business "holder", a customer "boarding" and "business"';

/** The schemas of all that a row can be. */
export function rowSchemas(known: KnownAccounts) {
  return [MERCHANT.schema(known), BUSINESS.schema(known), CUSTOMER.schema(known)];
}

function checkOf<Input extends { readonly externalId: string; readonly account?: string | undefined }>(
  { type, command, schema, start }: Kind<Input>,
  known: KnownAccounts,
): Check {
  const checked = schema(known);
  return (line, value) => {
    const { success, data: input, error } = checked.safeParse(value);
    if (!success) return { line, problems: fieldProblems(error) };
    const { externalId, account } = input;
    return {
      line,
      externalId,
      key: atAccount(externalId, account),
      type,
      workflowId: workflowId(type, externalId, account),
      anew: `"gangway ${command} FILE --again" starts it anew`,
      start: (client, options) => start(client, input, options),
    };
  };
}

/** A row of a file, or what keeps it from being one. */
export interface Row {
  /** The line it begins in, counted from 1. */
  readonly line: number;
  /** An input as people write it; not checked. */
  readonly value?: unknown;
  /** Why there is no value. */
  readonly problems?: readonly FieldProblem[];
}

/** Longest row, in bytes: far below what Temporal takes as input of a workflow. */
export const MAX_ROW_BYTES = 1024 * 1024;

export const TOO_LONG = 'is longer than 1 MiB';

/** Said of a row after which nothing can be told apart. */
export const NO_FURTHER = 'nothing after it was read';

/** Stands for bytes that are no UTF-8: a name with it in would reach the partner mutilated. */
const REPLACEMENT_CHARACTER = '\uFFFD';

const NOT_UTF8 = 'is not UTF-8; save the file as UTF-8';

/** A row that is no row. */
export function unreadable(line: number, message: string): Row {
  return { line, problems: [{ field: '', message }] };
}

/** @returns undefined when the text is as it was written */
export function mutilated(line: number, texts: readonly string[]): Row | undefined {
  return texts.some((text) => text.includes(REPLACEMENT_CHARACTER)) ? unreadable(line, NOT_UTF8) : undefined;
}
