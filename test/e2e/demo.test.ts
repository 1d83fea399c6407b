import { readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { openBrowser } from '../rigs/browser/browser.js';
import { firstDifference, pastedBlocks, shellBlocks, TUTORIAL } from '../rigs/docs/pasted.js';
import { startReader } from '../rigs/docs/reader.js';
import { newFolder } from '../rigs/folders.js';
import { run } from '../rigs/processes.js';
import { CTRL_C, startAtTerminal } from '../rigs/terminal.js';
import { variants } from '../rigs/variants.js';
import { eventually } from '../rigs/waiting.js';
import { changedBuild } from '../rigs/worker/changed-build.js';

const TIMEOUT_MS = 600_000;

const BLOCKS = pastedBlocks();

it(
  'the demo onboards everyone as their scenarios require and runs until Ctrl-C: what a reader pastes from a page works and prints what the page shows, and a newcomer finishes an onboarding in a browser and by a copied command',
  async () => {
    const demo = startAtTerminal(`stty cols 160; "${process.execPath}" dist/demo.js`, process.cwd());
    const shows = (text: string) =>
      eventually(
        async () => demo.stdout().replaceAll('\r', ''),
        (output) => output.includes(text),
        text,
        TIMEOUT_MS - 60_000,
      );
    expect(JSON.parse(await readFile('package.json', 'utf8')).scripts.demo).toBe('node dist/demo.js');
    const everyone = await shows('Everything keeps running');
    expectEveryoneIn(everyone);
    expectShownIn(everyone);
    await pasteEverything();

    const text = await shows('Its outcome appears here.');
    const [, url = ''] = /Answer them in a browser: (\S+)\n/.exec(text) ?? [];
    const [, linkUrl = ''] = /which begins\s+with\s+(\S+)\./.exec(text) ?? [];
    expect((await fetch(`${linkUrl}/a/x/y`)).status).toBe(404);
    const [, settings = ''] = /^(\. \S+settings\.sh)\n/m.exec(text) ?? [];
    const [, answers = ''] = /answer each question:\n\n(.*?)\n\nIts/s.exec(text) ?? [];
    expect(answers).toMatch(/^Please send .*\ngangway resolve .*\n\nWhat share .*\?\ngangway resolve .*$/);
    const commands = answers.split('\n').filter((line) => line.startsWith('gangway '));

    // A shell of another terminal has none of the demo's settings, and is in another folder.
    const elsewhere = (command: string) =>
      run('sh', ['-c', `${settings} && ${command}`], {}, '', tmpdir()).then(({ stdout, stderr, code }) => {
        expect({ command, stderr, code }).toEqual({ command, stderr: '', code: 0 });
        return stdout;
      });
    const status = await elsewhere('gangway status corner-bikes');
    for (const command of commands) expect(status).toContain(command.split(' ').slice(0, 4).join(' '));
    const input = await elsewhere('gangway status corner-bikes --input');
    expect(input).toContain('"legalName": "Corner Bikes Inc"');
    expect(await elsewhere(commands[0] ?? '')).toContain('which are still open:\n');

    const browser = await openBrowser();
    const page = await browser.newPage();
    await page.goto(url);
    await page.getByText('What share of sales is keyed in by hand?').first().waitFor();
    await page.getByRole('textbox', { name: 'Answer' }).fill('About one sale in ten.');
    await page.getByRole('button', { name: 'Send the answer' }).click();
    await shows('Corner Bikes boarded: mid 5180');
    await browser.close();

    const uiUrl = /Web UI +(\S+)/.exec(text)?.[1] ?? '';
    expect((await fetch(uiUrl)).status).toBe(200);
    demo.type(CTRL_C);
    expect(await demo.end).toBe(130);
    expect(demo.stdout().trimEnd()).toMatch(/stopping \.\.\.\r\nstopped; the logs remain in \.cache\/demo$/);
    for (const address of [uiUrl, url, linkUrl]) await expect(fetch(address)).rejects.toThrow();
    expect((await readdir('.cache/demo')).filter((name) => !name.endsWith('.log'))).toEqual(['gangway']);
    expect(await run('.cache/demo/gangway', ['inbox'], {})).toEqual({
      code: 4,
      stdout: '',
      stderr: 'the demo is not running; start it with "npm run demo"\n',
    });
  },
  TIMEOUT_MS,
);

function expectEveryoneIn(text: string): void {
  const table = text.slice(text.indexOf('WORKFLOW  '));
  const row = (type: string, ids: readonly string[], end: string) =>
    ids.map((id) => new RegExp(`^${type}-${id} .* ${end}$`, 'm'));
  const [mid, customers] = ['5180\\d{11}', ['juniper-tea', 'lantern-bistro']];
  const boarded = ['corner-bakery', 'harbor-books', 'city-garage', 'river-cafe'];
  for (const wanted of [
    ...row('merchant-boarding', boarded, `boarded +${mid} +-`),
    ...row('merchant-boarding', ['night-market'], 'declined +- +-'),
    ...row('business-onboarding', ['pixel-prints'], 'onboarded +- +-'),
    ...row('business-onboarding', ['midnight-arcade'], 'declined +- +-'),
    ...row('customer-onboarding', customers, `onboarded +${mid} +fa-\\d+-1`),
  ])
    expect(table).toMatch(wanted);
  for (const wanted of [
    /\n\nmerchant-boarding-harbor-books asks: .*(\n.*)*?\n\$ gangway resolve merchant-boarding-harbor-books note-.*\n\n/,
    /\n\$ gangway ask merchant-boarding-harbor-books note-.*\n.* and reads: Received, thank you\n\$ gangway confirm merchant-boarding-harbor-books note-.*\n/,
    /^Each onboarding ended with the outcome of its scenario\.$/m,
    /^The events of all onboardings arrived at the system next to Gangway: \d+ of them\.$/m,
  ])
    expect(text).toMatch(wanted);
}

/** The output of the demo that the README shows. Which merchant is created first differs each time. */
function expectShownIn(everyone: string): void {
  const { shown: lines } = shellBlocks().find(({ shown: [head] }) => head?.startsWith('WORKFLOW  ')) ?? {
    shown: [],
  };
  const table = everyone.slice(everyone.indexOf('WORKFLOW  ')).split('\n');
  const anyId = (lines: readonly string[]) =>
    lines.map((line) => line.replace(/\d{4}(-1)?$|\d{4}(?= )/g, '#$1'));
  expect(lines.length).toBeGreaterThan(0);
  expect(firstDifference([...anyId(lines), '...'], anyId(table))).toBe(undefined);
}

/**
 * Pastes the blocks of the tutorial up to its second merchant, and every night all others and those of all other pages, into one
 * terminal, in a folder that shares what they read. The two minutes that the tutorial waits are half a minute there. In the gate,
 * test/e2e/workflows/killed-worker.test.ts kills a worker.
 */
async function pasteEverything(): Promise<void> {
  const folder = await newFolder();
  for (const name of ['.cache', 'examples', 'node_modules', 'package.json'])
    await symlink(resolve(name), join(folder, name));
  await symlink(join(await changedBuild('brief-writes'), 'dist'), join(folder, 'dist'));
  // The real npx takes as long as the command that it runs.
  await writeFile(join(folder, 'npx'), '#!/bin/sh\nexec "$@"\n', { mode: 0o755 });
  const reader = startReader(folder, { TZ: 'UTC', PATH: `${folder}:${process.env['PATH']}` });
  const ofTutorial = BLOCKS.filter(({ page }) => page === TUTORIAL);
  const cleanUp = ofTutorial.splice(-1);
  const crash = ofTutorial.splice(
    ofTutorial.findIndex(({ commands }) => commands.includes('/sandbox/faults')),
  );
  expect(crash.length).toBeGreaterThan(1);
  // The first merchant, from the start of the worker on.
  const first = ofTutorial.splice(
    0,
    ofTutorial.findIndex(({ commands }) => commands.includes('books')),
  );
  expect(first.length).toBeGreaterThan(4);
  const others = BLOCKS.filter(({ page }) => page !== TUTORIAL);
  const pasted = variants(first, [...ofTutorial, ...crash, ...others]);
  const problems: object[] = [];
  for (const { page, commands, shown: lines } of [...pasted, ...cleanUp]) {
    const { codes, printed } = await reader.paste(commands);
    const differs = lines.length > 0 ? firstDifference(lines, printed) : undefined;
    const findings = printed.filter((line) => /^(warn|wrong) /.test(line));
    if (differs !== undefined || findings.length > 0 || codes.some((code) => code !== 0))
      problems.push({ page, commands, codes, differs, findings, printed });
  }
  expect(problems).toEqual([]);
  expect(await reader.leave()).toBe(0);
}
