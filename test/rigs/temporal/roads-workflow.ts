import {
  ApplicationFailure,
  ChildWorkflowFailure,
  condition,
  continueAsNew,
  defineQuery,
  defineSignal,
  defineUpdate,
  executeChild,
  getExternalWorkflowHandle,
  proxyActivities,
  proxyLocalActivities,
  setHandler,
  startChild,
  upsertMemo,
  workflowInfo,
} from '@temporalio/workflow';

export interface RoadActivities {
  echo(text: string): Promise<string>;
  /** Fails once, and returns the details of its heartbeat before. */
  resumed(text: string): Promise<string>;
  refuse(text: string): Promise<void>;
  /** Another program completes it, by its id or by its token. */
  completed(by: 'id' | 'token'): Promise<string>;
}

const { echo, resumed, refuse, completed } = proxyActivities<RoadActivities>({
  startToCloseTimeout: '1 minute',
  retry: { initialInterval: '10ms', maximumAttempts: 2 },
});
const { echo: echoLocally } = proxyLocalActivities<RoadActivities>({ startToCloseTimeout: '1 minute' });

export const note = defineSignal<[string]>('note');
export const noted = defineQuery<string[]>('noted');
export const ask = defineUpdate<string, [string]>('ask');

/** What arrived by each road. */
export type Arrived = Readonly<Record<string, unknown>>;

/** Lets a text take every road that leads to, from and through a workflow, and returns what arrived by each. */
export async function roads(text: string, partId: string, signals: string[] = []): Promise<Arrived> {
  const heard: string[] = [];
  setHandler(note, (what) => void heard.push(what));
  setHandler(noted, () => [...signals, ...heard]);
  setHandler(ask, async (what) => `${what}, ${await echo('answered')}`);
  const isFirst = workflowInfo().continuedFromExecutionRunId === undefined;
  if (isFirst) {
    await condition(() => heard.length === 3);
    return continueAsNew<typeof roads>(text, partId, heard);
  }
  const part = await startChild(roadsOfPart, { workflowId: partId, args: [text], memo: { name: text } });
  await part.signal(note, text);
  await getExternalWorkflowHandle(partId).signal(note, text);
  const ofPart = await part.result();
  await condition(() => heard.length > 0);
  upsertMemo({ changed: text });
  return {
    input: text,
    memo: workflowInfo().memo?.['name'],
    signals,
    activity: await echo(text),
    local: await echoLocally(text),
    heartbeat: await resumed(text),
    failure: await detailsOf(refuse(text)),
    'completed by id': await completed('id'),
    'completed by token': await completed('token'),
    child: ofPart,
    'signal of the child': heard,
    'failed child': await detailsOf(executeChild(failing, { workflowId: `${partId}-failing`, args: [text] })),
  };
}

/** Waits for two signals, sends one to its parent, and ends. */
export async function roadsOfPart(text: string): Promise<Arrived> {
  const heard: string[] = [];
  setHandler(note, (what) => void heard.push(what));
  await condition(() => heard.length === 2);
  const { parent, memo } = workflowInfo();
  await getExternalWorkflowHandle(parent?.workflowId ?? '').signal(note, text);
  return { input: text, memo: memo?.['name'], signals: heard };
}

/** Fails because an activity does. */
export async function failing(text: string): Promise<void> {
  await refuse(text);
}

/** The details of what a failure began with. */
async function detailsOf(failure: Promise<unknown>): Promise<unknown> {
  try {
    return await failure;
  } catch (error) {
    const { cause } = error instanceof ChildWorkflowFailure ? (error.cause as Error) : (error as Error);
    return cause instanceof ApplicationFailure ? cause.details : String(cause);
  }
}
