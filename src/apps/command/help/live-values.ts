import type { Client } from '@temporalio/client';
import { TASKS } from '../../../messages/codes.js';
import { possibleWorkflowIds, WORKFLOW_ID_PREFIXES } from '../../../messages/ids.js';
import { SEARCH_ATTRIBUTES } from '../../../messages/search-attributes.js';
import { EACH_WORKFLOW } from '../../../messages/workflow-types.js';
import { Deadline } from '../../../platform/http/deadline.js';
import { shortName } from '../../../services/inbox/inbox.js';
import { withClient } from '../../../temporal/connection.js';
import { either, is, isIn, startsWith } from '../../../temporal/query.js';
import { type Filter, type Listed, listOnboardings, visibilityQuery } from '../../../temporal/search.js';
import { type CommandIo, type CommandSettings, loadCommandSettings } from '../cli/command-line.js';

type Completions = readonly (readonly [word: string, description: string])[];

/** The time that completion waits for values, in milliseconds, because a person is typing. */
const TIMEOUT_MS = 1_000;

/** Looks values up in Temporal, without a cache. Returns none if Temporal does not respond in time. */
async function lookUp(
  { env }: CommandIo,
  find: (client: Client, config: CommandSettings) => Promise<Completions>,
): Promise<Completions> {
  const deadline = new Deadline({ ms: TIMEOUT_MS });
  try {
    const config = loadCommandSettings(env);
    const { signal } = deadline;
    return await withClient({ env, keys: config.payloadKeys, signal }, (client) => find(client, config));
  } catch {
    return [];
  } finally {
    deadline.release();
  }
}

/** The maximum number of candidates, because more would fill the terminal. */
const MOST = 50;

/** The onboardings that a command applies to. Default: all. */
const ABOUT: Readonly<Record<string, Partial<Filter>>> = {
  resolve: { actionRequired: true },
  claim: { actionRequired: true },
  release: { actionRequired: true },
  confirm: { actionRequired: true },
  watch: { running: true },
  nudge: { running: true },
  cancel: { running: true },
};

const TYPES = EACH_WORKFLOW.map(([type]) => type);

/** Returns the onboardings and operations that begin with a text, newest first. Names an onboarding by its `externalId`. */
export function onboardingIds(io: CommandIo, command: string, current: string): Promise<Completions> {
  return lookUp(io, async (client) => {
    const prefixes = ['', ...Object.values(WORKFLOW_ID_PREFIXES).map((prefix) => `${prefix}-`)];
    const begins = either(...prefixes.map((prefix) => startsWith('WorkflowId', prefix + current)));
    const query = visibilityQuery({ ...ABOUT[command], types: TYPES, query: current && begins });
    const onboardings = await Array.fromAsync(listOnboardings(client, query, MOST));
    // A customer's parts have the customer's name.
    const named = new Map(onboardings.map((each) => [nameOf(each, current), describe(each)]));
    return [...named];
  });
}

/** Returns the `externalId` if the person has begun to type it; otherwise the workflow ID. */
function nameOf({ workflowId }: Listed, current: string): string {
  const short = shortName(workflowId) ?? workflowId;
  return short.startsWith(current) ? short : workflowId;
}

function describe({ dba, stage, requirements: [first] }: Listed): string {
  return [dba, stage, first && TASKS[first.kind]].filter(Boolean).join(', ');
}

/** Returns an onboarding's open requirements from the list of workflows, with one call and no worker. */
export function requirementIds(io: CommandIo, id: string): Promise<Completions> {
  return lookUp(io, async (client, { accounts }) => {
    const ids = possibleWorkflowIds(id, Object.keys(accounts));
    const query = either(isIn('WorkflowId', ids), is(SEARCH_ATTRIBUTES.dba, id));
    const open = visibilityQuery({ types: TYPES, actionRequired: true, query });
    const onboardings = await Array.fromAsync(listOnboardings(client, open, MOST));
    // A customer has the requirements of its parts.
    const requirements = onboardings.flatMap((each) => each.requirements);
    return [...new Map(requirements.map(({ id, kind }) => [id, TASKS[kind]]))];
  });
}
