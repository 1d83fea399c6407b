import { Metadata, status } from '@grpc/grpc-js';
import { Client, type ConnectionLike } from '@temporalio/client';
import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import proto, { type temporal } from '@temporalio/proto';

/**
 * The SDK's client without a server: a test answers its requests, function by function, and reads which ones it sent. The messages
 * are those of the protocol, so the client encodes, decodes and throws as it does with a server.
 */

const v1 = proto.temporal.api.workflowservice.v1;
const { WorkflowExecutionStatus, WorkflowIdConflictPolicy, WorkflowIdReusePolicy } =
  proto.temporal.api.enums.v1;

type Service = temporal.api.workflowservice.v1.WorkflowService;

/** A response as protobuf's `fromObject` takes it, or nothing for an empty one, by the name of the request. */
// biome-ignore lint/suspicious/noExplicitAny: each request has a type of its own, which the test knows
export type Answers = { readonly [Name in keyof Service]?: (request: any) => unknown };

/** A request that the client sent. */
// biome-ignore lint/suspicious/noExplicitAny: as above
export type Sent = [name: string, request: any];

/** A connection without a server. @param answer returns what {@link Answers} do */
export function connectionTo(
  answer: (name: keyof Service, request: unknown) => unknown,
  withDeadline = (_: number, run: () => unknown) => run(),
): ConnectionLike {
  const call = async (name: keyof Service, request: unknown) => {
    const message = `${name[0]?.toUpperCase()}${name.slice(1)}Response` as keyof typeof v1;
    return (v1[message] as { fromObject(of: object): object }).fromObject(
      (await answer(name, request)) ?? {},
    );
  };
  const workflowService = new Proxy({}, { get: (_, name: keyof Service) => call.bind(undefined, name) });
  const within = (_: unknown, run: () => unknown) => run();
  const connection = {
    workflowService,
    plugins: [],
    close: async () => {},
    ensureConnected: async () => {},
    withDeadline,
    withMetadata: within,
    withAbortSignal: within,
  };
  return connection as unknown as ConnectionLike;
}

/** A client, the requests that it sent in their order, and the deadlines of its calls in epoch milliseconds. */
export function answering(answers: Answers) {
  const sent: Sent[] = [];
  const deadlines: number[] = [];
  const connection = connectionTo(
    (name, request) => {
      sent.push([name, request]);
      const answer = answers[name];
      if (!answer) throw new Error(`the test does not answer ${name}`);
      return answer(request);
    },
    (deadline, run) => {
      deadlines.push(deadline);
      return run();
    },
  );
  return { client: new Client({ connection }), sent, deadlines };
}

/** An error as the server sends it. */
export function grpcError(code: keyof typeof status, details = 'the server rejects it'): Error {
  return Object.assign(new Error(details), { code: status[code], details, metadata: new Metadata() });
}

/** The facts of a workflow that a test sets; the rest is that of a merchant boarding that runs. */
export interface Facts {
  readonly workflowId?: string;
  readonly runId?: string;
  readonly type?: string;
  readonly status?:
    | 'RUNNING'
    | 'COMPLETED'
    | 'FAILED'
    | 'CANCELED'
    | 'TERMINATED'
    | 'TIMED_OUT'
    | 'CONTINUED_AS_NEW';
  /** ISO 8601. */
  readonly startedAt?: string;
  readonly closedAt?: string;
  /** Search attributes by name. */
  readonly indexed?: Readonly<Record<string, unknown>>;
  readonly memo?: Readonly<Record<string, Payload>>;
}

/** A workflow as the server lists and describes it. */
export function execution(facts: Facts) {
  const { workflowId = 'merchant-boarding-m-1', runId = 'run-1', type = 'merchantBoarding' } = facts;
  const { status = 'RUNNING', startedAt = '2026-01-31T10:00:00Z', closedAt, indexed = {}, memo } = facts;
  return {
    execution: { workflowId, runId },
    type: { name: type },
    taskQueue: 'gangway',
    status: WorkflowExecutionStatus[`WORKFLOW_EXECUTION_STATUS_${status}`],
    historyLength: 1,
    startTime: time(startedAt),
    ...(closedAt && { closeTime: time(closedAt) }),
    searchAttributes: { indexedFields: indexedFields(indexed) },
    ...(memo && { memo: { fields: memo } }),
  };
}

/** How a server answers that has these workflows, which every list finds. */
export function known(...workflows: readonly Facts[]): Answers {
  return {
    listWorkflowExecutions: () => ({ executions: workflows.map(execution) }),
    describeWorkflowExecution: ({ execution: { workflowId } }) => {
      const facts = workflows.find((each) => each.workflowId === workflowId);
      if (!facts) throw grpcError('NOT_FOUND');
      return { workflowExecutionInfo: execution(facts) };
    },
  };
}

/** A timestamp of protobuf. */
export function time(iso: string): { seconds: number } {
  return { seconds: Date.parse(iso) / 1_000 };
}

/** Values as payloads in plain text. */
export function payloads(...values: unknown[]): Payload[] {
  return values.map((value) => defaultPayloadConverter.toPayload(value) as Payload);
}

const TYPES = { object: 'KeywordList', string: 'Keyword', boolean: 'Bool' } as const;

/** Search attributes as the server has them. */
export function indexedFields(indexed: Readonly<Record<string, unknown>>) {
  const fields = Object.entries(indexed).map(([name, value]) => {
    const [{ data, metadata } = {}] = payloads(value);
    const type = Buffer.from(TYPES[typeof value as keyof typeof TYPES]);
    return [name, { data, metadata: { ...metadata, type } }];
  });
  return Object.fromEntries(fields);
}

/** The values of payloads in a request. */
export function valuesOf(sent: { payloads?: readonly Payload[] | null } | null | undefined): unknown[] {
  return (sent?.payloads ?? []).map((payload) => defaultPayloadConverter.fromPayload(payload));
}

/** The part of a request to start a workflow that differs between starts. */
export function startIn(request: temporal.api.workflowservice.v1.IStartWorkflowExecutionRequest) {
  const { workflowId, workflowType, taskQueue, input, priority, memo, userMetadata } = request;
  const { workflowIdReusePolicy: reuse, workflowIdConflictPolicy: conflict, searchAttributes } = request;
  const indexed = Object.entries(searchAttributes?.indexedFields ?? {});
  const { priorityKey, fairnessKey } = priority ?? {};
  return {
    workflowId,
    type: workflowType?.name,
    taskQueue: taskQueue?.name,
    args: valuesOf(input),
    policies: [WorkflowIdReusePolicy[reuse ?? 0], WorkflowIdConflictPolicy[conflict ?? 0]],
    priority: fairnessKey ? [priorityKey, fairnessKey] : [priorityKey],
    memo: Object.fromEntries(Object.entries(memo?.fields ?? {}).map(([name, value]) => [name, only(value)])),
    summary: only(userMetadata?.summary ?? {}),
    indexed: Object.fromEntries(indexed.map(([name, value]) => [name, only(value)])),
  };
}

function only(payload: Payload): unknown {
  return valuesOf({ payloads: [payload] })[0];
}
