import { tmpdir } from 'node:os';
import { expect, it } from 'vitest';
import { run } from '../rigs/processes.js';
import { CTRL_C, startAtTerminal } from '../rigs/terminal.js';
import { eventually } from '../rigs/waiting.js';

const TIMEOUT_MS = 400_000;

/** Both use the folder of the demo, so they run one after the other. */
it(
  'the demo onboards everyone as their scenarios require, shows it in a table, and leaves nothing running',
  async () => {
    const { code, stdout, stderr } = await run(process.execPath, ['dist/demo.js'], {});
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const table = stdout.slice(stdout.indexOf('WORKFLOW  ')).split('\n');
    const row = (id: string) => table.find((line) => line.startsWith(`${id} `)) ?? '';
    const mid = '5180\\d{11}';
    const url = 'http:\\/\\/127\\.0\\.0\\.1:\\d+\\/namespaces\\/';
    for (const merchant of ['corner-bakery', 'harbor-books', 'city-garage', 'river-cafe']) {
      expect(row(`merchant-boarding-${merchant}`)).toMatch(
        new RegExp(` boarded +${mid} +- +\\d+ +\\d+ +${url}`),
      );
    }
    expect(row('merchant-boarding-night-market')).toMatch(/ declined +- +- +\d+ +\d+ /);
    expect(row('business-onboarding-pixel-prints')).toMatch(/ onboarded +- +- +\d+ +\d+ /);
    expect(row('business-onboarding-midnight-arcade')).toMatch(/ declined +- +- +\d+ +\d+ /);
    for (const customer of ['juniper-tea', 'lantern-bistro', 'maple-deli']) {
      expect(row(`customer-onboarding-${customer}`)).toMatch(
        new RegExp(` onboarded +${mid} +fa-\\d+-1 +\\d+ +\\d+ +${url}`),
      );
    }
    expect(stdout).toMatch(/terminal-provisioning-maple-deli +provisioned$/m);
    const uiUrl = /Web UI +(\S+)/.exec(stdout)?.[1] ?? '';
    await expect(fetch(uiUrl)).rejects.toThrow();
  },
  TIMEOUT_MS,
);

it(
  'at a terminal the demo leaves an onboarding that two copied commands finish, and runs until Ctrl-C',
  async () => {
    const demo = startAtTerminal(`"${process.execPath}" dist/demo.js`, process.cwd());
    const shows = (text: string) =>
      eventually(
        async () => demo.stdout(),
        (shown) => shown.includes(text),
        text,
        TIMEOUT_MS - 60_000,
      );
    const shown = (await shows('Its outcome appears here.')).replaceAll('\r', '');
    const [, copied = ''] =
      /copy these two commands into another terminal:\n\n(.*?)\n\nIts/s.exec(shown) ?? [];
    const commands = copied.split('\n\n');
    expect(commands).toHaveLength(2);

    // A shell of another terminal has none of the demo's settings, and is in another folder.
    const outcomes: string[] = [];
    for (const command of commands) {
      const { stdout, stderr, code } = await run('sh', ['-c', command], {}, '', tmpdir());
      expect({ command, stderr, code }).toEqual({ command, stderr: '', code: 0 });
      outcomes.push(stdout);
    }
    expect(outcomes).toEqual([
      expect.stringContaining('1 still open'),
      expect.stringContaining('0 still open'),
    ]);
    await shows('Corner Bikes boarded: mid 5180');

    const uiUrl = /Web UI +(\S+)/.exec(shown)?.[1] ?? '';
    expect((await fetch(uiUrl)).status).toBe(200);
    demo.type(CTRL_C);
    expect(await demo.end).toBe(130);
    await expect(fetch(uiUrl)).rejects.toThrow();
  },
  TIMEOUT_MS,
);
