import type { Client } from '@temporalio/client';
import {
  atAccount,
  ONBOARDINGS,
  partsOfId,
  WORKFLOW_ID_PREFIXES,
  type WorkflowType,
} from '../../messages/ids.js';
import { SEARCH_ATTRIBUTES } from '../../messages/search-attributes.js';
import { withClient } from '../../temporal/connection.js';
import { findOnboarding, quoted, stateOf } from '../../temporal/onboardings.js';
import { type CommandSettings, loadCommandSettings, type Surroundings } from '../cli/command-line.js';

/** Words with their descriptions. */
type Found = readonly (readonly [word: string, description: string])[];

/** A person waits for the candidates, and types on without them, in milliseconds. */
const TIMEOUT_MS = 1_000;

/** Looks values up in Temporal. Nothing is kept, and without a response in time there are none: a person is typing. */
async function lookUp(
  { env }: Surroundings,
  find: (client: Client, config: CommandSettings) => Promise<Found>,
): Promise<Found> {
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(), TIMEOUT_MS);
  try {
    const config = loadCommandSettings(env);
    const { signal } = deadline;
    return await withClient({ env, keys: config.payloadKeys, signal }, (client) => find(client, config));
  } catch {
    return [];
  } finally {
    clearTimeout(timer);
  }
}

/** More would fill the terminal. */
const MOST = 50;

/** Which onboardings a command can be about. Default: all. */
const ABOUT: Readonly<Record<string, string>> = {
  resolve: `${SEARCH_ATTRIBUTES.actionRequired.name} = true AND ExecutionStatus = 'Running'`,
  watch: `ExecutionStatus = 'Running'`,
  nudge: `ExecutionStatus = 'Running'`,
  cancel: `ExecutionStatus = 'Running'`,
};

/** The onboardings and operations that begin so, the newest first: an onboarding by its `externalId`. */
export function onboardingIds(surroundings: Surroundings, command: string, current: string): Promise<Found> {
  return lookUp(surroundings, async (client) => {
    const prefixes = ['', ...Object.values(WORKFLOW_ID_PREFIXES).map((prefix) => `${prefix}-`)];
    const beginnings = prefixes.map((prefix) => `WorkflowId STARTS_WITH ${quoted(prefix + current)}`);
    const types = Object.keys(WORKFLOW_ID_PREFIXES).map(quoted).join(', ');
    const query = [
      `WorkflowType IN (${types})`,
      ...(current === '' ? [] : [`(${beginnings.join(' OR ')})`]),
      ...(ABOUT[command] ? [ABOUT[command]] : []),
    ].join(' AND ');
    const found = new Map<string, string>();
    for await (const { workflowId, type, typedSearchAttributes } of client.workflow.list({
      query,
      pageSize: MOST,
    })) {
      const stage = typedSearchAttributes.get(SEARCH_ATTRIBUTES.stage) ?? '';
      const name = nameOf(workflowId, type, current);
      // The parts of a customer have its name.
      if (!found.has(name)) found.set(name, stage);
      if (found.size === MOST) break;
    }
    return [...found];
  });
}

/** The `externalId` where that is what the person types. */
function nameOf(workflowId: string, type: string, current: string): string {
  const { key, account } = partsOfId(workflowId) ?? {};
  const isOnboarding = Object.hasOwn(ONBOARDINGS, type as WorkflowType);
  const short = key !== undefined && isOnboarding ? atAccount(key, account) : workflowId;
  return short.startsWith(current) ? short : workflowId;
}

/** The open requirements of an onboarding. */
export function requirementIds(surroundings: Surroundings, id: string): Promise<Found> {
  return lookUp(surroundings, async (client, config) => {
    const { workflowId } = await findOnboarding(client, id, Object.keys(config.accounts));
    const { requirements } = await stateOf(client, workflowId, TIMEOUT_MS);
    return requirements.map(({ id: requirement, title }) => [requirement, title]);
  });
}
