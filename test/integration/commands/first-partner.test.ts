import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readRecording } from '../../../src/sandbox/playback.js';
import { sandboxAccount } from '../../../src/sandbox/systems.js';
import { gangway } from '../../rigs/command.js';
import { runSandbox } from '../../rigs/sandbox/running-sandbox.js';
import { testEnds } from '../../rigs/shared.js';

/** The part of a HAR file that is changed. */
interface Har {
  readonly log: { readonly entries: { request: { url: string }; response: { content: { text: string } } }[] };
}

/** What the partner does otherwise than its documents: by path of the operation, the text that it sends and the one that it should. */
const DEVIATIONS = [
  ['/api/v1/agentProfiles', /"id":101\b/, '"id":"AG-101"'],
  ['/api/v1/merchant/status?', /"status":"[^"]+"/, '"status":"Escalated To Committee"'],
  ['/api/v1/merchant/status?', /"statusDate":"[^"]+",/, ''],
  ['/api/v1/merchant/status?', /"comment":null/, '"comment":null,"riskScore":7'],
  ['/api/v1/GetBoardingSettings', /"name":/g, '"title":'],
] as const;

/** Changes the responses of a recording. Each deviation changes one at least. */
async function deviate(folder: string): Promise<void> {
  const files = (await readdir(folder)).filter((name) => name.endsWith('.har'));
  for (const [path, was, is] of DEVIATIONS) {
    let changed = 0;
    for (const file of files) {
      const har = JSON.parse(await readFile(join(folder, file), 'utf8')) as Har;
      for (const { request, response } of har.log.entries) {
        if (!request.url.includes(path) || response.content.text.search(was) < 0) continue;
        response.content.text = response.content.text.replace(was, is);
        changed++;
      }
      await writeFile(join(folder, file), JSON.stringify(har));
    }
    expect(changed, `${path} ${is}`).toBeGreaterThan(0);
  }
}

/** Columns may be of any width. */
const inWords = (lines: readonly string[]) => lines.map((line) => line.split(/ {2,}/).join(' | '));

describe('a first account at a partner that differs from its documents in five ways', () => {
  it('shows each of them to the probe before anything is written, as docs/tutorial-partner.md promises', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'gangway-first-partner-'));
    testEnds(() => rm(folder, { recursive: true, force: true }));
    const documented = await runSandbox();
    const merchant = String(await documented.create());
    const probe = ['probe', 'boarding', '--merchant', merchant, '--json'];
    const recorded = await gangway({ ...sandboxAccount(documented.url), GANGWAY_RECORD: folder }, probe);
    expect([recorded.code, recorded.stderr]).toEqual([0, '']);

    await deviate(folder);
    const partner = await runSandbox({ playback: readRecording(folder) });
    const { code, stdout, stderr } = await gangway(sandboxAccount(partner.url), probe);
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
    expect(await partner.effects()).toEqual([]);

    const shown = await gangway(sandboxAccount(partner.url), probe.slice(0, -1));
    const lines = shown.stdout
      .split('\n')
      .filter((line) => /^boarding (?!get-status2)\S+ +\S+ +\w+ \w+ /.test(line));
    const page = await readFile('docs/tutorial-partner.md', 'utf8');
    expect(inWords(lines)).toEqual(inWords(page.match(/^boarding .*$/gm) ?? []));
  });
});
