import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import type { Duration } from '@temporalio/common';
import { z } from 'zod';
import type { PartnerResponse, SingleActivity } from '../../messages/activities.js';
import type { ReferenceRequest } from '../../messages/boarding-activities.js';
import { partnerTaskQueue } from '../../messages/ids.js';
import { type Leaf, leavesOf } from '../../messages/objects.js';
import {
  chosenReference,
  REFERENCE_NAMES,
  type Reference,
  type ReferenceField,
} from '../../partners/boarding/references.js';
import type { FieldProblem } from '../../partners/partner-error.js';
import { localeRule } from '../../partners/schema-messages.js';
import { didYouMean } from '../../platform/settings/did-you-mean.js';
import { describe } from '../../temporal/find-onboarding.js';
import { startSingle } from '../../temporal/single-activities.js';
import { callPromptly } from '../../temporal/unavailable.js';
import { pollersOf } from '../../temporal/workers.js';
import { lineWarnings } from '../fee-plans/fee-lines.js';
import { distinct } from '../texts/invalid-input.js';
import { isDuplicate, twinOf } from './duplicates.js';

/**
 * Finds probable mistakes in a valid input: unusual formats, and an agent or boarding settings that the partner does not list. A
 * person can confirm them, because the partner decides.
 */

/** Matches names of dates, but not `candidate` or `mandate`. */
const DATE_NAME = /^(date|dob)$|(_date|[a-z\d]Date)$|^date_?[oO]f_?[bB]irth$/;

/** Begins at the first blank, so thousands of blanks are scanned only once. */
const EXTENSION = /(?<!\s)\s*(x|ext\.?)\s*\d+$/i;

export const IN_FUTURE = 'is in the future';

/** Format rules, by the endings of field names. */
const FORMATS: readonly (readonly [names: RegExp, isRight: (value: string | number) => boolean, string])[] = [
  [/^dba$|name$/i, (value) => /[\p{L}\p{N}]/u.test(String(value)), 'has no letter or digit'],
  [/e-?mail(address)?$/i, (value) => z.email().safeParse(value).success, 'is not an e-mail address'],
  [
    /(zip|zip_?code|postal_?code)$/i,
    // A number may have lost its leading zeros.
    (value) => /^\d{5}(-?\d{4})?$/.test(String(value)),
    'is not a zip code of 5 digits, or 5-4',
  ],
  [
    /(phone|mobile|fax)(_?number)?$/i,
    (value) =>
      /^(\+?1)?[\d*]{10}$/.test(
        String(value)
          .replace(EXTENSION, '')
          .replace(/[\s().\-/]/g, ''),
      ),
    'is not a phone number of 10 digits',
  ],
  [
    /(volume|ticket|amount|revenue|sales|quantity|peritem|percent|cashDiscountRate)$/i,
    (value) => !(Number(value) < 0),
    'is less than 0',
  ],
  [/^(percent|cashDiscountRate)$/, (value) => !(Number(value) > 100), 'is more than 100 percent'],
  [DATE_NAME, (value) => isDate(String(value)), 'is not a date such as 1980-12-31'],
  [/(dob|date_?of_?birth|birth_?date)$/i, (value) => !(Date.parse(String(value)) > Date.now()), IN_FUTURE],
];

/** The fee lines that the contract names. The partner has more, so a similar name may be right. */
const FEE_LINES: readonly string[] = ['chargeback', 'statement', 'pciAnnual'];

/** Reports whether a text is a date, with or without a time. `2026-02-30` is not. */
function isDate(text: string): boolean {
  const [, day] = /^(\d{4}-\d{2}-\d{2})(?:[T ]|$)/.exec(text) ?? [];
  if (day === undefined || Number.isNaN(Date.parse(text))) return false;
  return new Date(`${day}T00:00:00Z`).toISOString().startsWith(day);
}

/** Returns warnings about values with an unusual format. Messages never repeat a value. */
export function formatWarnings(input: object): FieldProblem[] {
  return distinct(leavesOf(input).flatMap(warningsAt));
}

function warningsAt({ field, value }: Leaf): FieldProblem[] {
  if (value === '' || (typeof value !== 'string' && typeof value !== 'number')) return [];
  const names = field.split('.').filter((name) => !/^\d+$/.test(name));
  const name = names.at(-1) ?? '';
  const broken = FORMATS.filter(([named, isRight]) => named.test(name) && !isRight(value));
  const rules = broken.map(([, , rule]) => rule);
  const line = names.includes('fees') ? (names.at(-2) ?? '') : '';
  const similar = FEE_LINES.includes(line) ? '' : didYouMean(line, FEE_LINES);
  if (similar) rules.push(`is in no fee line of the contract${similar}`);
  const locale = typeof value === 'string' && rules.length === 0 ? localeRule(value) : undefined;
  // Check numbers only in open fields, because the schema has parsed all others.
  if (locale !== undefined && names.includes('application')) rules.push(locale);
  return rules.map((message) => ({ field, message }));
}

export interface Named extends ReferenceRequest {
  readonly account: string | undefined;
  /** The prefix of the fields: '' or `boarding.`. */
  readonly prefix: string;
  readonly fees?: object | undefined;
}

interface Parts extends ReferenceRequest, Partial<Pick<Named, 'fees'>> {
  readonly merchant?: object;
  readonly merchantProfileId?: number;
}

/** @returns undefined for an input that does not create a merchant */
export function namedIn(input: object): Named | undefined {
  const { boarding, account } = input as { readonly boarding?: object; readonly account?: string };
  const of = (boarding ?? input) as Parts;
  if (of.merchant === undefined || of.merchantProfileId !== undefined) return undefined;
  const { agentProfileId, agent, boardingSettingsId, boardingSettings, fees } = of;
  const prefix = boarding ? 'boarding.' : '';
  return { agentProfileId, agent, boardingSettingsId, boardingSettings, fees, account, prefix };
}

export type References = Readonly<Record<ReferenceField, readonly Reference[]>>;

const LISTS = {
  agentProfileId: 'list-agent-profiles',
  boardingSettingsId: 'list-boarding-settings',
} as const satisfies Record<ReferenceField, string>;

/** Reads the lists through a worker, by default for as long as a person waits. @returns undefined if no worker responds in time */
export async function referencesAt(
  client: Client,
  taskQueue: string,
  account: string | undefined,
  within: Duration = '4s',
): Promise<References | undefined> {
  const queue = partnerTaskQueue(taskQueue, 'boarding', account);
  const read = async (field: ReferenceField) => {
    const single: SingleActivity = {
      activity: 'callPartner',
      queue: 'boarding',
      account,
      args: [{ system: 'boarding', operation: LISTS[field], request: {} }],
      summary: `boarding ${LISTS[field]}`,
      options: { scheduleToCloseTimeout: within, retry: { maximumAttempts: 1 } },
    };
    const { result } = await startSingle(client, taskQueue, `check-${LISTS[field]}-${randomUUID()}`, single);
    const response = await result<PartnerResponse>();
    return LIST.parse('response' in response ? response.response : undefined);
  };
  try {
    const { taking } = await callPromptly(client, () => pollersOf(client, queue, 'activity'));
    if (taking === 0) return undefined;
    const both = () => Promise.all([read('agentProfileId'), read('boardingSettingsId')]);
    const [agentProfileId, boardingSettingsId] = await callPromptly(client, both);
    return { agentProfileId, boardingSettingsId };
  } catch {
    // The create reads the lists again, with retries.
    return undefined;
  }
}

/** A script waits only briefly for an unavailable partner, because no person confirms its warnings. */
export const soonReferencesAt: typeof referencesAt = (client, taskQueue, account) =>
  referencesAt(client, taskQueue, account, '1s');

const LIST = z.array(z.looseObject({ id: z.number(), name: z.string().nullable() }));

export function referenceWarnings(named: Named, lists: References): FieldProblem[] {
  const fields = Object.keys(REFERENCE_NAMES) as ReferenceField[];
  return fields.flatMap((idField): FieldProblem[] => {
    const { [idField]: id, [REFERENCE_NAMES[idField]]: name } = named;
    if (name === false) return [];
    const match = chosenReference(idField, { id, name }, lists[idField]);
    return 'problem' in match ? [{ ...match.problem, field: named.prefix + match.problem.field }] : [];
  });
}

/**
 * Returns all warnings about an input. @param id its workflow ID: an existing onboarding takes no new input. undefined: it restarts
 */
export async function inputWarnings(
  client: Client,
  taskQueue: string,
  input: object,
  id?: string,
  read = referencesAt,
) {
  if (id !== undefined && (await callPromptly(client, () => describe(client, id))))
    return { warnings: [], isComplete: true };
  const named = namedIn(input);
  const [lists, twin] = await Promise.all([
    named && read(client, taskQueue, named.account),
    id === undefined ? undefined : twinOf(client, id, input),
  ]);
  const warnings = [
    ...formatWarnings(input),
    ...(named && lists ? referenceWarnings(named, lists) : []),
    ...(named && lists ? await lineWarnings(client, taskQueue, named, lists.boardingSettingsId) : []),
    ...(twin === undefined ? [] : [{ field: '', message: `${isDuplicate(twin)}: is it another one?` }]),
  ];
  return { warnings, isComplete: !named || lists !== undefined };
}

export const NOT_READ =
  'The agent and the boarding settings were not checked, because no worker read the boarding partner in time.';
