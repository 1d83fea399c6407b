import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import { merchant } from '../../rigs/inputs.js';
import { listening } from '../../rigs/listening.js';
import { createRig } from '../../rigs/rig.js';

/** Hands requests on to a partner, which warns in each response to a write. */
async function warningPartner(target: string): Promise<string> {
  const server = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request;
    const body = await buffer(request);
    const { authorization = '', 'content-type': type = 'application/json' } = headers;
    const answer = await fetch(target + url, {
      method,
      headers: { authorization, 'content-type': type },
      ...(method !== 'GET' && { body: new Uint8Array(body) }),
    });
    const text = await answer.text();
    response.writeHead(answer.status, { 'content-type': 'application/json' });
    response.end(
      method === 'GET' ? text : text.replace('"warning":null', '"warning":"Tax id 12-3456789 is new."'),
    );
  });
  return `http://${await listening(server)}`;
}

it('what a partner warns of is in the timeline, masked, and fails nothing', async () => {
  const rig = await createRig({ worker: false });
  onTestFinished(() => rig.close());
  await rig.startWorker({ boardingUrl: await warningPartner(rig.sandbox.url) });
  const boarding = await rig.board(merchant());
  expect(await boarding.outcome()).toMatchObject({ outcome: 'boarded' });
  const { timeline } = await boarding.state();
  expect(timeline.flatMap(({ event, detail }) => (event === 'partner-warned' ? [detail] : []))).toEqual([
    expect.stringMatching(/^create the merchant: Tax id .*is new\.$/),
    expect.stringMatching(/^submit to underwriting: Tax id .*is new\.$/),
  ]);
  expect(JSON.stringify(timeline)).not.toContain('12-3456789');
});
