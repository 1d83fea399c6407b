import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { sandboxAccount } from '../../../src/sandbox/systems.js';
import { gangway } from '../../rigs/command.js';
import { runSandbox } from '../../rigs/sandbox/running-sandbox.js';
import { testEnds } from '../../rigs/shared.js';

/** What the partner does otherwise than its documents: by path of the operation, the text that it sends and the one that it should. */
const DEVIATIONS = [
  ['/api/v1/agentProfiles', /"id":101\b/, '"id":"AG-101"'],
  ['/api/v1/merchant/status?', /"status":"[^"]+"/, '"status":"Escalated To Committee"'],
  ['/api/v1/merchant/status?', /"statusDate":"[^"]+",/, ''],
  ['/api/v1/merchant/status?', /"comment":null/, '"comment":null,"riskScore":7'],
  ['/api/v1/GetBoardingSettings', /"name":/g, '"title":'],
] as const;

/** Forwards to the sandbox, and changes what it responds. Each deviation changes one response at least. */
async function deviating(target: string) {
  const unused = new Set(DEVIATIONS);
  const server = createServer(async ({ url = '', method = '', headers }, response) => {
    const { authorization = '' } = headers;
    const answer = await fetch(target + url, { method, headers: { authorization } });
    let text = await answer.text();
    for (const deviation of DEVIATIONS.filter(([path]) => url.includes(path))) {
      const changed = text.replace(deviation[1], deviation[2]);
      if (changed !== text) unused.delete(deviation);
      text = changed;
    }
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' }).end(text);
  });
  testEnds(() => server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, unused };
}

/** Columns may be of any width. */
const inWords = (lines: readonly string[]) => lines.map((line) => line.split(/ {2,}/).join(' | '));

describe('a first account at a partner that differs from its documents in five ways', () => {
  it('shows each of them to the probe before anything is written, as docs/tutorial-partner.md promises', async () => {
    const sandbox = await runSandbox();
    const merchant = String(await sandbox.create());
    const probe = ['probe', 'boarding', '--merchant', merchant, '--json'];
    const documented = await gangway(sandboxAccount(sandbox.url), probe);
    expect([documented.code, documented.stderr]).toEqual([0, '']);

    const written = await sandbox.effects();
    const partner = await deviating(sandbox.url);
    const { code, stdout, stderr } = await gangway(sandboxAccount(partner.url), probe);
    expect([...partner.unused]).toEqual([]);
    const found = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
      .flatMap(({ operation, differences }) =>
        differences.map((each: { kind: string; field: string; got: string }) =>
          [operation, each.kind, each.field, each.got].join(' | '),
        ),
      );
    expect(found.filter((line) => !line.startsWith('get-status2')).sort()).toEqual([
      'get-status | missing-field | statusDate | nothing',
      'get-status | unknown-field | riskScore | integer of 1 character',
      'get-status | unknown-status | status | string of 22 characters',
      'list-agent-profiles | other-type | N.id | string of 6 characters',
      'list-boarding-settings | missing-field | N.name | nothing',
      'list-boarding-settings | unknown-field | N.title | string of 8 characters',
    ]);
    expect(stderr).toContain('workflows cannot rely on boarding ');
    expect(code).toBe(1);
    expect(await sandbox.effects()).toEqual(written);

    const shown = await gangway(sandboxAccount(partner.url), probe.slice(0, -1));
    const lines = shown.stdout
      .split('\n')
      .filter((line) => /^boarding (?!get-status2)\S+ +\S+ +\w+ \w+ /.test(line));
    const page = await readFile('docs/tutorial-partner.md', 'utf8');
    expect(inWords(lines)).toEqual(inWords(page.match(/^boarding .*$/gm) ?? []));
  });
});
