import {
  ApplicationFailure,
  condition,
  defineQuery,
  defineUpdate,
  proxyActivities,
  setCurrentDetails,
  setHandler,
} from '@temporalio/workflow';

export interface TalkativeActivities {
  greet(name: string): Promise<string>;
  fail(name: string): Promise<void>;
}

const { greet, fail } = proxyActivities<TalkativeActivities>({
  startToCloseTimeout: '5s',
  retry: { maximumAttempts: 1 },
});

/** A workflow that writes a name wherever workflows can write text. */
export async function talkative(name: string): Promise<void> {
  let ended = false;
  setCurrentDetails(`details of ${name}`);
  setHandler(defineQuery<string>('who'), () => name);
  const thank = (_willing: boolean) => {
    ended = true;
    return `thanks, ${name}`;
  };
  const validator = (willing: boolean) => {
    if (!willing) throw ApplicationFailure.nonRetryable(`${name} may not`);
  };
  setHandler(defineUpdate<string, [boolean]>('thank'), thank, { validator });
  await greet(name);
  await condition(() => ended);
  try {
    await fail(name);
  } catch (cause) {
    throw ApplicationFailure.create({
      message: `nothing for ${name}`,
      cause: cause as Error,
      details: [name],
    });
  }
}
