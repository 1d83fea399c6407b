import { Client, Connection } from '@temporalio/client';
import { NativeConnection } from '@temporalio/worker';
import { describe, expect, it } from 'vitest';
import { startSandbox } from '../../src/sandbox/server.js';
import { type DevServer, startDevServer } from '../../src/temporal/dev-server.js';
import { startMerchantBoarding } from '../../src/temporal/onboardings.js';
import { registerSearchAttributes } from '../../src/temporal/search-attributes.js';
import { createWorker } from '../../src/worker/create-worker.js';
import { Boarding, merchant, SandboxControl } from '../rig.js';

/** A server that suggests a new run after a few dozen events, where a real one waits for thousands. */
async function withImpatientServer(story: (server: DevServer) => Promise<void>): Promise<void> {
  const server = await startDevServer({ dynamicConfig: { 'limit.historyCount.suggestContinueAsNew': 30 } });
  try {
    await story(server);
  } finally {
    await server.stop();
  }
}

describe('a boarding whose history grows long', () => {
  it('goes on in new runs and loses nothing: state, open requirements, answers and timeline', async () => {
    await withImpatientServer(async ({ address }) => {
      const connection = await Connection.connect({ address });
      const client = new Client({ connection });
      await registerSearchAttributes(client);
      const native = await NativeConnection.connect({ address });
      const sandbox = await startSandbox({ pace: { reads: 1 } });
      const control = new SandboxControl(sandbox);
      const { worker, close } = await createWorker({
        connection: native,
        namespace: 'default',
        config: {
          taskQueue: 'gangway',
          poll: { minMs: 50, maxMs: 50 },
          boarding: { url: sandbox.url, username: 'sandbox', password: 'sandbox' },
          posNames: [],
          documentDir: 'none',
        },
      });
      await worker.runUntil(async () => {
        const input = merchant('notes');
        const { workflowId, runId } = await startMerchantBoarding(client, input, { taskQueue: 'gangway' });
        const boarding = new Boarding(client, workflowId);
        const { requirements, merchantProfileId = 0 } = await boarding.until(
          (state) => state.requirements.length === 2,
          'two notes',
        );
        const [first, second] = requirements;
        await boarding.resolve(first?.id ?? '', { kind: 'text', text: 'The first answer.' });

        // Changes that mean nothing to us make the history grow.
        for (let change = 0; change < 8; change++) {
          const comment = `still looking ${change}`;
          await control.transition(merchantProfileId, { comment });
          await boarding.until(({ timeline }) => timeline.at(-1)?.detail === `Pending: ${comment}`, comment);
        }
        expect((await boarding.handle.describe()).runId).not.toBe(runId);
        const between = await boarding.state();
        expect(between).toMatchObject({ stage: 'underwriting', merchantProfileId, partnerStatus: 'Pending' });
        expect(between.requirements).toEqual([second]);
        expect(between.timeline.map(({ event }) => event).slice(0, 2)).toEqual([
          'started',
          'merchant-created',
        ]);

        await boarding.resolve(second?.id ?? '', { kind: 'text', text: 'The second answer.' });
        expect(await boarding.outcome()).toMatchObject({ outcome: 'boarded', merchantProfileId });
        const { reviewComments } = await control.merchant(merchantProfileId);
        expect(reviewComments).toEqual([
          'Please send a voided check for the deposit account.\nThe first answer.\n\n' +
            'What share of sales is keyed in by hand?\nThe second answer.',
        ]);
        const writes = await control.writes(input.externalId);
        expect(writes).toEqual(['create-merchant', 'submit-merchant', 'request-underwriting-review']);
      });
      await close();
      await sandbox.close();
      await native.close();
      await connection.close();
    });
  });
});
