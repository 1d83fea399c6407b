import type { Client } from '@temporalio/client';
import { isDenied, isUnimplemented, TemporalProblem } from './unavailable.js';

/** A name in the registry of the server, and the workers that its requests go to. */
export interface NexusEndpoint {
  /** Unique on the server, over all namespaces. */
  readonly name: string;
  readonly namespace: string;
  readonly taskQueue: string;
}

/** An endpoint cannot be created, or has this name already. */
class EndpointProblem extends TemporalProblem {
  override readonly name = 'EndpointProblem';
}

/**
 * Creates an endpoint, through which workflows of other namespaces call Gangway's Nexus service.
 *
 * @returns false when it exists already
 * @throws {TemporalProblem} when an endpoint of this name goes elsewhere, or when the server does not permit or have endpoints
 */
export async function createNexusEndpoint(client: Client, endpoint: NexusEndpoint): Promise<boolean> {
  const { name, namespace, taskQueue } = endpoint;
  const { operatorService } = client.connection;
  const create = async () => {
    const { endpoints } = await operatorService.listNexusEndpoints({ name, pageSize: 1 });
    const [existing] = endpoints ?? [];
    if (existing) {
      requireSame(endpoint, existing.spec?.target?.worker);
      return false;
    }
    await operatorService.createNexusEndpoint({
      spec: { name, target: { worker: { namespace, taskQueue } } },
    });
    return true;
  };
  return create().catch((error: unknown) => {
    const target = `target namespace ${namespace}, target task queue ${taskQueue}`;
    if (isDenied(error))
      throw new EndpointProblem(
        `this client may not create Nexus endpoints; create ${name} where the namespace is administered: ${target}`,
      );
    if (isUnimplemented(error))
      throw new EndpointProblem('Nexus is off on this Temporal server: see docs/nexus.md');
    throw error;
  });
}

/** @param target undefined for an endpoint outside the server */
function requireSame(
  { name, namespace, taskQueue }: NexusEndpoint,
  target: { readonly namespace?: string | null; readonly taskQueue?: string | null } | null | undefined,
): void {
  if (target?.namespace === namespace && target.taskQueue === taskQueue) return;
  const place = target
    ? `task queue ${target.taskQueue} of namespace ${target.namespace}`
    : 'an address outside the server';
  throw new EndpointProblem(
    `Nexus endpoint ${name} exists and targets ${place}, not task queue ${taskQueue} of namespace ${namespace}; ` +
      'choose another name, or change the endpoint with "temporal operator nexus endpoint update"',
  );
}
