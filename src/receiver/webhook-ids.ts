import { z } from 'zod';
import { possibleWorkflowIds } from '../messages/ids.js';
import { externalId } from '../messages/inputs.js';
import type { IdField } from '../partners/partner.js';
import { all, type Condition, either, IS_RUNNING, is, isIn } from '../temporal/query.js';
import { Problem } from './problems.js';

/** Ids of the partners are digits, as a number or a text (apis/2), of at most this length. */
const digits = z
  .union([z.string(), z.int(), z.bigint()])
  .transform(String)
  .pipe(z.string().regex(/^\d{1,20}$/));

/** The ids by which an onboarding can be found, and their form in a query. */
const KINDS: Readonly<Record<IdField['kind'], z.ZodType<string>>> = {
  MerchantProfileId: digits,
  BankingProfileId: digits,
  Mid: digits,
  externalId,
};

/** Ids that one webhook may name, and that one search covers. */
export const MAX_IDS = 100;

/** The maximum depth at which an id in a webhook is found. */
const MAX_DEPTH = 16;

/** The ids that a webhook names, by kind, such as `BankingProfileId`. */
export type NamedIds = ReadonlyMap<string, ReadonlySet<string>>;

/**
 * The ids in the fields of a webhook, at any depth and in lists, with names in any case. A value without the form of its id is
 * ignored, because the shapes of webhooks are not documented and a sender may send anything.
 *
 * @throws {Problem} `too-large` when the webhook names too many ids
 */
export function idsIn(webhook: unknown, fields: readonly IdField[]): NamedIds {
  const named = new Map<string, Set<string>>();
  for (const { path, value } of fieldsOf(webhook)) {
    for (const { kind } of fields.filter((field) => path.endsWith(`.${field.path.toLowerCase()}`))) {
      const id = KINDS[kind].safeParse(value).data;
      if (id !== undefined) add(named, kind, id);
    }
  }
  if (countOf(named) > MAX_IDS) throw new Problem('too-large', `a webhook may name at most ${MAX_IDS} ids`);
  return named;
}

/** Adds ids, up to `most` in all. */
export function addIds(named: Map<string, Set<string>>, more: NamedIds, most: number): void {
  for (const [kind, ids] of more) {
    for (const id of ids) if (countOf(named) < most) add(named, kind, id);
  }
}

function add(named: Map<string, Set<string>>, kind: string, id: string): void {
  named.set(kind, (named.get(kind) ?? new Set<string>()).add(id));
}

export function countOf(named: NamedIds): number {
  return [...named.values()].reduce((sum, ids) => sum + ids.size, 0);
}

/**
 * Returns the visibility query for the running workflows of a task queue that have one of the ids. A webhook does not name its
 * account, so an `externalId` matches the workflows of every account.
 */
export function runningWith(named: NamedIds, taskQueue: string, accounts: readonly string[]): Condition {
  const clauses = [...named].map(([kind, ids]) =>
    kind === 'externalId'
      ? isIn(
          'WorkflowId',
          [...ids].flatMap((id) => possibleWorkflowIds(id, accounts)),
        )
      : isIn({ name: kind }, [...ids]),
  );
  return all(IS_RUNNING, is('TaskQueue', taskQueue), either(...clauses));
}

interface Field {
  /** Lower-case names from the outside in, with a dot before each. */
  readonly path: string;
  readonly value: unknown;
}

/** Every field of every object within. Lists add nothing to a path. */
function* fieldsOf(value: unknown, path = '', depth = 0): Generator<Field> {
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return;
  for (const [name, field] of Object.entries(value)) {
    const inner = Array.isArray(value) ? path : `${path}.${name.toLowerCase()}`;
    if (!Array.isArray(value)) yield { path: inner, value: field };
    yield* fieldsOf(field, inner, depth + 1);
  }
}
