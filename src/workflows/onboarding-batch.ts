import {
  ActivityCancellationType,
  CancellationScope,
  CancelledFailure,
  condition,
  isCancellation,
  makeContinueAsNewFunc,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  upsertMemo,
  workflowInfo,
} from '@temporalio/workflow';
import {
  BATCH_MEMO,
  type BatchActivities,
  type BatchInput,
  type BatchState,
  confirmBatch,
  type StartLimits,
  withResults,
} from '../messages/batches.js';

const CONFIRMATION_TIMEOUT = '15m';

/** At the slowest rate, a part takes days. Heartbeats reveal a dead worker. */
const { startRows, forgetRows } = proxyActivities<BatchActivities>({
  startToCloseTimeout: '30d',
  heartbeatTimeout: '10s',
  // Retries while the document store is unavailable. People see the wait, and can stop the batch.
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '15s' },
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
});

/** Starts the onboardings of a file, part by part. The memo and the current details show its progress. Cancel it to stop it. */
export async function onboardingBatch({ parts, state: first, ...options }: BatchInput): Promise<BatchState> {
  const { workflowId: batch } = workflowInfo();
  let state = first;
  let limits = options.concurrency === undefined ? undefined : ({ ...options } as StartLimits);
  setHandler(confirmBatch, (confirmed) => {
    limits ??= confirmed;
  });

  function publish(change: Partial<BatchState>): void {
    state = { ...state, ...change };
    upsertMemo({ [BATCH_MEMO]: state });
    setCurrentDetails(detailsOf(state));
  }

  /** @returns the final stage; undefined if the batch continues as new */
  async function run(): Promise<BatchState['stage'] | undefined> {
    setCurrentDetails(detailsOf(state));
    await condition(() => limits !== undefined, CONFIRMATION_TIMEOUT);
    if (!limits) return 'discarded';
    if (state.stage === 'checked') publish({ stage: 'running' });
    while (state.parts < parts) {
      // The next run would not see the cancellation.
      if (CancellationScope.current().consideredCancelled) return 'stopped';
      if (workflowInfo().continueAsNewSuggested && state.parts > first.parts) return undefined;
      const end = await startRows({ batch, part: state.parts, actor: state.actor, ...limits });
      publish({ parts: state.parts + 1, ...withResults(state, end) });
      if (end.isStopped) return 'stopped';
    }
    return 'done';
  }

  const stage = await run().catch((error: unknown) => {
    // After a cancellation request, the server does not retry the activity, so any failure may end it.
    if (isCancellation(error) || CancellationScope.current().consideredCancelled) return 'stopped' as const;
    throw error;
  });
  if (stage === undefined) {
    // By default, the next run starts with the memo that this run started with.
    const inNextRun = makeContinueAsNewFunc<typeof onboardingBatch>({ memo: { [BATCH_MEMO]: state } });
    return inNextRun({ parts, state, ...limits });
  }
  publish({ stage });
  await CancellationScope.nonCancellable(() => forgetRows({ batch, parts }));
  if (stage === 'stopped') throw new CancelledFailure('the batch was stopped');
  return state;
}

const NEXT: Readonly<Record<BatchState['stage'], string>> = {
  checked: 'The file was checked. Nothing starts before a person confirms it.',
  running: 'The rows are being started. Cancel this workflow to stop; what was started goes on.',
  done: 'All rows were handled.',
  stopped: 'A person stopped the batch. What was started goes on.',
  discarded: 'Nobody confirmed the batch. Nothing was started.',
};

/** Returns Markdown for the Web UI. The results list the failed lines. */
function detailsOf({ stage, rows, counts: { started, attached, failed }, actor }: BatchState): string {
  const done = started + attached + failed;
  return [
    `**${stage}**: ${done} of ${rows} rows`,
    `- started: ${started}\n- attached: ${attached}\n- failed: ${failed}`,
    `By ${actor}. ${NEXT[stage]}`,
  ].join('\n\n');
}
