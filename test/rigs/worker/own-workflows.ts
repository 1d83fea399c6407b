import { proxyActivities } from '@temporalio/workflow';

/** A workflow of the program whose worker runs Gangway as a plugin. */
export async function greet(name: string): Promise<string> {
  const { greeting } = proxyActivities<{ greeting(name: string): Promise<string> }>({
    startToCloseTimeout: '10s',
  });
  return greeting(name);
}
