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

/** A part at the slowest rate takes days. A worker that dies is noticed by its heartbeats. */
const { startRows, forgetRows } = proxyActivities<BatchActivities>({
  startToCloseTimeout: '30d',
  heartbeatTimeout: '10s',
  // Waits for the document store. The wait is shown, and a person can stop the batch.
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '15s' },
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
});

/** Starts the onboardings of a file, part by part. Its memo and its details show where it stands. A cancellation stops it. */
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

  /** @returns the stage in which it ends; undefined if it continues as new */
  async function run(): Promise<BatchState['stage'] | undefined> {
    setCurrentDetails(detailsOf(state));
    await condition(() => limits !== undefined, CONFIRMATION_TIMEOUT);
    if (!limits) return 'discarded';
    if (state.stage === 'checked') publish({ stage: 'running' });
    while (state.parts < parts) {
      // The next run would not know of it.
      if (CancellationScope.current().consideredCancelled) return 'stopped';
      if (workflowInfo().continueAsNewSuggested && state.parts > first.parts) return undefined;
      const end = await startRows({ batch, part: state.parts, actor: state.actor, ...limits });
      publish({ parts: state.parts + 1, ...withResults(state, end) });
      if (end.isStopped) return 'stopped';
    }
    return 'done';
  }

  const stage = await run().catch((error: unknown) => {
    // The server does not retry an activity once it is to be canceled, so any failure may end it.
    if (isCancellation(error) || CancellationScope.current().consideredCancelled) return 'stopped' as const;
    throw error;
  });
  if (stage === undefined) {
    // By default, the next run has the memo with which this one began.
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

/** The Markdown that the Web UI shows. The lines of failures are in the results. */
function detailsOf({ stage, rows, counts: { started, attached, failed }, actor }: BatchState): string {
  const done = started + attached + failed;
  return [
    `**${stage}**: ${done} of ${rows} rows`,
    `- started: ${started}\n- attached: ${attached}\n- failed: ${failed}`,
    `By ${actor}. ${NEXT[stage]}`,
  ].join('\n\n');
}
