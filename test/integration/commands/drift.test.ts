import { request as ask, createServer } from 'node:http';
import { expect, it, onTestFinished } from 'vitest';
import { gangway } from '../../rigs/command.js';
import { merchant } from '../../rigs/inputs.js';
import { listening } from '../../rigs/listening.js';
import { createRig } from '../../rigs/rig.js';
import { eventually } from '../../rigs/waiting.js';

/** A boarding partner that changes the status data of another one. */
async function changed(target: string, change: (body: string) => string): Promise<string> {
  const server = createServer((request, response) => {
    const { method = '', url = '', headers } = request;
    const onward = ask(target + url, { method, headers }, async (received) => {
      const chunks: Buffer[] = [];
      for await (const chunk of received) chunks.push(chunk);
      const whole = Buffer.concat(chunks).toString('utf8');
      const body = url.startsWith('/api/v1/merchant/status?') ? change(whole) : whole;
      const { 'content-length': _, 'transfer-encoding': __, ...others } = received.headers;
      response.writeHead(received.statusCode ?? 502, others).end(body);
    });
    onward.on('error', () => request.socket.destroy());
    request.pipe(onward);
  });
  return `http://${await listening(server)}`;
}

it('a boarding is not disturbed by a partner that changes its API, and gangway drift lists the change', async () => {
  const rig = await createRig({ worker: false });
  onTestFinished(() => rig.close());
  const boardingUrl = await changed(rig.sandbox.url, (body) =>
    body.replace('"comment":', '"region":"Secret Valley","remark":'),
  );
  await rig.startWorker({ boardingUrl });
  const none = await gangway(rig.env, ['drift']);
  expect(none).toMatchObject({ code: 0, stdout: 'no response differs from the catalogue\n' });

  const boarding = await rig.board(merchant('notes'));
  const { requirements } = await boarding.until((state) => state.requirements.length === 2, 'two notes');
  for (const { id } of requirements) await boarding.resolve(id, { kind: 'text', text: 'One in ten.' });
  expect(await boarding.outcome()).toMatchObject({ outcome: 'boarded' });

  const listed = await eventually(
    async () => (await gangway(rig.env, ['drift', 'boarding', '--json'])).stdout.trim().split('\n'),
    (lines) => lines.length === 3,
    'three differences',
  );
  const found = listed.map((line) => JSON.parse(line));
  const fields = found.map(({ operation, field, kind, isNeeded }) => [operation, field, kind, isNeeded]);
  expect(fields.sort()).toEqual([
    ['get-status', 'comment', 'missing-field', true],
    ['get-status', 'region', 'unknown-field', false],
    ['get-status', 'remark', 'unknown-field', false],
  ]);
  const table = await gangway(rig.env, ['drift']);
  expect(table.stdout).toMatch(/boarding +get-status +comment +missing field +string or null +nothing +yes/);
  expect(table.stdout + listed.join()).not.toContain('Secret Valley');
  const others = await gangway(rig.env, ['drift', 'banking', '--json']);
  expect(others.stdout).toBe('');
});
