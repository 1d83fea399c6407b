import { status } from '@grpc/grpc-js';
import { type Client, isGrpcServiceError } from '@temporalio/client';
import proto from '@temporalio/proto';

const Status = proto.temporal.api.enums.v1.WorkerDeploymentVersionStatus;

const STATUS_NAMES: Readonly<Record<number, DeployedVersion['status']>> = {
  [Status.WORKER_DEPLOYMENT_VERSION_STATUS_CURRENT]: 'current',
  [Status.WORKER_DEPLOYMENT_VERSION_STATUS_RAMPING]: 'ramping',
  [Status.WORKER_DEPLOYMENT_VERSION_STATUS_DRAINING]: 'draining',
  [Status.WORKER_DEPLOYMENT_VERSION_STATUS_DRAINED]: 'drained',
};

/** A build that Temporal knows of a deployment. */
export interface DeployedVersion {
  readonly buildId: string;
  /** `inactive` never got a task by itself; `draining` gets no new workflows, and may have some that are pinned to it. */
  readonly status: 'inactive' | 'current' | 'ramping' | 'draining' | 'drained';
  /** How many running workflows only its workers may go on with. */
  readonly pinned: number;
}

/** The versions of a deployment; none when no versioned worker has ever polled under that name. */
export async function deployedVersions(client: Client, deploymentName: string): Promise<DeployedVersion[]> {
  const { namespace } = client.options;
  const describe = client.workflowService.describeWorkerDeployment({ namespace, deploymentName });
  const summaries = await describe.then(
    ({ workerDeploymentInfo }) => workerDeploymentInfo?.versionSummaries ?? [],
    (error: unknown) => {
      if (isGrpcServiceError(error) && error.code === status.NOT_FOUND) return [];
      throw error;
    },
  );
  return Promise.all(
    summaries.map(async ({ deploymentVersion, status }) => {
      const buildId = deploymentVersion?.buildId ?? '';
      const { count: pinned } = await client.workflow.count(
        `TemporalWorkerDeploymentVersion = '${deploymentName}:${buildId}' AND ` +
          `TemporalWorkflowVersioningBehavior = 'Pinned' AND ExecutionStatus = 'Running'`,
      );
      return { buildId, status: STATUS_NAMES[status ?? 0] ?? 'inactive', pinned };
    }),
  );
}
