import { hash } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { partsOfId } from '../../messages/ids.js';
import { dbaForms } from '../../messages/list-fields.js';
import { leavesOf } from '../../messages/objects.js';
import { SEARCH_ATTRIBUTES } from '../../messages/search-attributes.js';
import type { OnboardingType } from '../../messages/workflow-types.js';
import { startOfRun } from '../../temporal/history.js';
import { EACH_KIND } from '../../temporal/kinds/kinds.js';
import { decodePayloads } from '../../temporal/payload-codec.js';
import { all, isIn } from '../../temporal/query.js';
import { listExecutions } from '../../temporal/search.js';
import { callPromptly } from '../../temporal/unavailable.js';

/** Finds a business with two external IDs, which is probably a mistake, because each ID creates an application. */

export const isDuplicate = (other: string) => `is the same as ${other}, under another externalId`;

/** Returns what identifies a merchant or business in an input: account, names and email address. '' without an address. */
export function businessIdentity(input: object): string {
  const names = leavesOf(input).filter(({ field }) =>
    /(?:^|\.)(?:account|dba|\w*[nN]ame|email)$/.test(field),
  );
  const isEnough = names.some(({ field }) => field.endsWith('email'));
  const sorted = names.map(({ field, value }) => JSON.stringify([field, value]).toLowerCase()).sort();
  return isEnough ? hash('sha256', sorted.join()) : '';
}

interface Candidate {
  readonly type: OnboardingType;
  readonly workflowId: string;
  readonly input: object;
}

/** The maximum number of names per query, and of onboardings to read, because a person waits. */
const NAMES_AT_ONCE = 100;
const MAX_READ = 20;

/** Returns, by an input's workflow ID, an existing onboarding of the same business with another external ID. */
export async function findDuplicates(
  client: Client,
  candidates: readonly Candidate[],
): Promise<ReadonlyMap<string, string>> {
  const twins = new Map<string, string>();
  const byIdentity = Map.groupBy(candidates, ({ input }) => businessIdentity(input));
  byIdentity.delete('');
  const identified = [...byIdentity.values()].flat();
  const read = new Set<string>();
  for (let from = 0; from < identified.length; from += NAMES_AT_ONCE) {
    const some = identified.slice(from, from + NAMES_AT_ONCE);
    const types = [...new Set(some.map(({ type }) => type))];
    const query = all(isIn('WorkflowType', types), isIn(SEARCH_ATTRIBUTES.dba, some.flatMap(namesOf)));
    for await (const { execution } of listExecutions(client, query, NAMES_AT_ONCE)) {
      const id = execution?.workflowId ?? '';
      if (read.has(id)) continue;
      if (read.size === MAX_READ) return twins;
      read.add(id);
      const same = byIdentity.get(await identityAt(client, id)) ?? [];
      for (const { workflowId } of same) if (workflowId !== id) twins.set(workflowId, id);
    }
  }
  return twins;
}

/** Like {@link findDuplicates}, for one input; undefined if Temporal cannot search now, because a start needs no search. */
export async function twinOf(client: Client, workflowId: string, input: object): Promise<string | undefined> {
  const type = partsOfId(workflowId)?.type as OnboardingType;
  const search = () => findDuplicates(client, [{ type, workflowId, input }]);
  return (await callPromptly(client, search).catch(() => undefined))?.get(workflowId);
}

function namesOf({ type, input }: Candidate): readonly string[] {
  const kind = EACH_KIND.find((each) => each.type === type);
  return kind ? dbaForms(kind.about(input as never).dba) : [];
}

/** Returns the identity in an onboarding's first input; '' if the input is no longer readable. */
async function identityAt(client: Client, id: string): Promise<string> {
  try {
    const { raw, runId } = await client.workflow.getHandle(id).describe();
    const start = await startOfRun(client, id, raw.workflowExecutionInfo?.firstRunId || runId);
    const [input] = await decodePayloads(client, start?.input?.payloads, id);
    return businessIdentity(input as object);
  } catch {
    return '';
  }
}
