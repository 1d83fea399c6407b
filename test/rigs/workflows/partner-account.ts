import { WorkflowNotFoundError } from '@temporalio/client';
import { PARTNER_ERROR } from '../../../src/messages/activities.js';
import { partnerAccountId } from '../../../src/messages/ids.js';
import type { Requirement } from '../../../src/messages/requirements.js';
import { Onboarding } from '../onboarding.js';
import { createRig, type Rig, type RigOptions } from '../rig.js';
import { eventually } from '../waiting.js';

/** Less than the pause before the server retries a refused activity. */
const SOON_MS = 40_000;

/** A rig with its own namespace, because an account has one workflow for all task queues. The test starts the worker. */
export async function withAccounts(
  test: (rig: Rig) => Promise<void>,
  options: RigOptions = {},
): Promise<void> {
  const rig = await createRig({ ...options, worker: false, ownNamespace: true });
  try {
    await test(rig);
  } finally {
    await rig.close();
  }
}

export function accountOf(rig: Rig, system: string, account?: string): Onboarding {
  return new Onboarding(rig.client, partnerAccountId(system, account));
}

/** Waits until the workflow of an account has started. */
export async function begun(account: Onboarding): Promise<Onboarding> {
  await eventually(() => exists(account), Boolean, `the start of ${account.workflowId}`);
  return account;
}

/** Waits for an open requirement of an account. Its workflow may not have started yet. */
export async function asked(account: Onboarding, kind: Requirement['kind']): Promise<Requirement> {
  await begun(account);
  return account.requirement(kind);
}

async function exists({ handle }: Onboarding): Promise<boolean> {
  try {
    await handle.describe();
    return true;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
}

/** Waits until each onboarding has an activity that the partner refused and the server will retry. */
export async function allRefused(onboardings: readonly Onboarding[]): Promise<void> {
  for (const { handle, workflowId } of onboardings) {
    await eventually(
      async () => (await handle.describe()).raw.pendingActivities ?? [],
      (all) => all.some((one) => one.lastFailure?.applicationFailureInfo?.type === PARTNER_ERROR),
      `a refusal of ${workflowId}`,
    );
  }
}

/** IDs of all workflows that wait for a person, as Temporal lists them. */
export async function waiting(rig: Rig): Promise<string[]> {
  const matches: string[] = [];
  const query = "ActionRequired = true AND ExecutionStatus = 'Running'";
  for await (const { workflowId } of rig.client.workflow.list({ query })) matches.push(workflowId);
  return matches.sort();
}

/** Waits until the list shows these workflows, and no other, as waiting for a person. It follows what they publish. */
export async function untilOnlyWaiting(rig: Rig, ...workflowIds: readonly string[]): Promise<void> {
  const wanted = [...workflowIds].sort().join();
  await eventually(
    () => waiting(rig),
    (listed) => listed.join() === wanted,
    `a list of ${wanted}`,
  );
}

/** The outcomes, which must come before the server retries a refused activity. */
export async function soon<Outcome>(onboardings: readonly Onboarding<Outcome>[]): Promise<Outcome[]> {
  const ended = async () => {
    const all = await Promise.all(onboardings.map(({ handle }) => handle.describe()));
    return all.filter(({ status }) => status.name === 'RUNNING').map(({ workflowId }) => workflowId);
  };
  await eventually(ended, (running) => running.length === 0, 'all outcomes', SOON_MS);
  return Promise.all(onboardings.map((onboarding) => onboarding.outcome()));
}
