import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import type { Duration } from '@temporalio/common';
import type { PartnerResponse, SingleActivity } from '../../messages/activities.js';
import type { ReferenceRequest } from '../../messages/boarding-activities.js';
import { unknownLines } from '../../messages/fee-plans.js';
import { isObject } from '../../messages/objects.js';
import { chosenReference, type Reference } from '../../partners/boarding/references.js';
import { feeChanges } from '../../partners/boarding/schemas.js';
import type { FieldProblem } from '../../partners/partner-error.js';
import { inputOf } from '../../temporal/find-onboarding.js';
import { searchOnboardings } from '../../temporal/search.js';
import { startSingle } from '../../temporal/single-activities.js';

/** Describes a worker's read of a merchant's fees. */
export function feesRead(
  account: string | undefined,
  merchantProfileId: number,
  within: Duration,
): SingleActivity {
  return {
    activity: 'callPartner',
    queue: 'boarding',
    account,
    args: [{ system: 'boarding', operation: 'get-fees', request: { id: merchantProfileId } }],
    summary: `boarding get-fees ${merchantProfileId}`,
    options: { scheduleToCloseTimeout: within, retry: { maximumAttempts: 1 } },
  };
}

/** @returns undefined if no worker reads them while a person waits */
export async function partnerFees(
  client: Client,
  taskQueue: string,
  account: string | undefined,
  merchantProfileId: number,
): Promise<Record<string, unknown> | undefined> {
  const single = feesRead(account, merchantProfileId, '4s');
  try {
    const { result } = await startSingle(client, taskQueue, `check-get-fees-${randomUUID()}`, single);
    const { response } = { response: undefined, ...(await result<PartnerResponse>()) };
    return isObject(response) ? response : undefined;
  } catch {
    return undefined;
  }
}

/** The number of newest merchants to compare. */
const MAX_COMPARED = 10;
const WAIT_MS = 4_000;

/** An input that creates a merchant with fees. */
interface Priced extends ReferenceRequest {
  readonly account: string | undefined;
  readonly prefix: string;
  readonly fees?: object | undefined;
}

/** Warns of lines that a readable merchant with the same boarding settings lacks. */
export async function lineWarnings(
  client: Client,
  taskQueue: string,
  input: Priced,
  settings: readonly Reference[],
): Promise<FieldProblem[]> {
  const { fees, account, prefix } = input;
  if (!fees) return [];
  const id = await client
    .withDeadline(Date.now() + WAIT_MS, () => merchantLike(client, input, settings))
    .catch(() => undefined);
  const own = id === undefined ? undefined : await partnerFees(client, taskQueue, account, id);
  const where = `merchant ${id}, which has the same boarding settings`;
  return unknownLines(fees, own ?? {}, where).map((each) => ({ ...each, field: prefix + each.field }));
}

/** Finds a merchant with these boarding settings, preferably one whose fees nobody changed. */
async function merchantLike(client: Client, wanted: Priced, settings: readonly Reference[]) {
  const idIn = ({ boardingSettingsId: id, boardingSettings: name }: ReferenceRequest) => {
    if (name === false) return undefined;
    const chosen = chosenReference('boardingSettingsId', { id, name }, settings);
    return 'problem' in chosen ? undefined : chosen.id;
  };
  const own = idIn(wanted);
  let changed: number | undefined;
  if (own === undefined) return undefined;
  const filter = { types: ['merchantBoarding'] as const, partnerAccounts: [wanted.account ?? ''] };
  for await (const { workflowId, merchantProfileId } of searchOnboardings(client, filter, MAX_COMPARED)) {
    if (merchantProfileId === undefined) continue;
    const { input } = await inputOf(client, workflowId);
    const { fees, follow, merchantProfileId: imported, ...request } = input as Record<string, unknown>;
    if (follow || imported || idIn(request as ReferenceRequest) !== own) continue;
    if (!fees) return Number(merchantProfileId);
    changed ??= Number(merchantProfileId);
  }
  return changed;
}

/**
 * Splits a merchant's fees into those that an input may name (without null, which would remove a fee) and the names of the others.
 */
export function planFees(fees: Readonly<Record<string, unknown>>) {
  const names = Object.keys(feeChanges.shape);
  const entries = Object.entries(fees).filter(([name]) => names.includes(name));
  const text = JSON.stringify(Object.fromEntries(entries), (_, value: unknown) => value ?? undefined);
  return {
    fees: JSON.parse(text) as object,
    dropped: Object.keys(fees).filter((name) => !names.includes(name)),
  };
}
