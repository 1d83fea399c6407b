import { Client, Connection } from '@temporalio/client';
import { expect, inject, it, onTestFinished } from 'vitest';
import { runCodecServer, TOKEN } from '../../rigs/codec-server/running-codec-server.js';
import { type Finished, run } from '../../rigs/processes.js';

const INPUT = '{"owner":{"email":"ada@example.com"}}';

async function temporal(codec: readonly string[], ...args: string[]) {
  const address = ['--address', inject('temporalAddress'), '-o', 'json'];
  return run(inject('temporalCli'), [...args, ...address, ...codec], {});
}

it('the official temporal command encrypts what it sends, and shows what was encrypted', async () => {
  const { url, log } = await runCodecServer();
  const codec = ['--codec-endpoint', `${url}/{namespace}`, '--codec-auth', `Bearer ${TOKEN}`];
  const target = ['--workflow-id', `codec-${crypto.randomUUID()}`];
  // No worker listens there: the input stays what it is.
  const start = ['--type', 'anything', '--task-queue', 'codec-server-test', '--input', INPUT];
  expect(await temporal(codec, 'workflow', 'start', ...target, ...start)).toMatchObject({ code: 0 });

  const connection = await Connection.connect({ address: inject('temporalAddress') });
  onTestFinished(() => connection.close());
  const handle = new Client({ connection }).workflow.getHandle(target[1] ?? '');
  onTestFinished(async () => void (await handle.terminate()));
  const { events } = await handle.fetchHistory();
  const kept = events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads?.[0];
  expect(Buffer.from(kept?.metadata?.['encoding'] ?? []).toString()).toBe('binary/encrypted');
  expect(Buffer.from(kept?.data ?? []).includes('ada')).toBe(false);

  const shown = await temporal(codec, 'workflow', 'show', ...target);
  expect(inputIn(shown)).toBe(INPUT);
  const withoutCodec = await temporal([], 'workflow', 'show', ...target);
  expect(inputIn(withoutCodec)).not.toContain('ada');
  expect(log()).toContain('"path":"/decode","status":200');
});

/** The data of the first input, as the command prints it. */
function inputIn({ stdout }: Finished): string {
  const [started] = JSON.parse(stdout).events;
  const [payload] = started.workflowExecutionStartedEventAttributes.input.payloads;
  return Buffer.from(payload.data, 'base64').toString();
}
