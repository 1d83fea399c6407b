import { readdir, readFile, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { openBrowser } from '../rigs/browser/browser.js';
import { blocksOf } from '../rigs/docs.js';
import { newFolder } from '../rigs/folders.js';
import { run } from '../rigs/processes.js';
import { CTRL_C, startAtTerminal } from '../rigs/terminal.js';
import { eventually } from '../rigs/waiting.js';
import { changedBuild } from '../rigs/worker/changed-build.js';

const TIMEOUT_MS = 400_000;

/** The commands of the tutorial, each with the output that the page shows for it. */
const [START, ...STEPS] = blocksOf('docs/tutorial.md').reduce<{ commands: string; shown: string[] }[]>(
  (steps, { lang, value }) => {
    if (lang === 'sh') steps.push({ commands: value, shown: [] });
    if (lang === 'text') steps.at(-1)?.shown.push(...value.split('\n'));
    return steps;
  },
  [],
);

it(
  'the demo onboards everyone as their scenarios require and runs until Ctrl-C: the tutorial is true, and a newcomer finishes an onboarding in a browser and by a copied command',
  async () => {
    const demo = startAtTerminal(`stty cols 160; "${process.execPath}" dist/demo.js`, process.cwd());
    const shows = (text: string) =>
      eventually(
        async () => demo.stdout().replaceAll('\r', ''),
        (shown) => shown.includes(text),
        text,
        TIMEOUT_MS - 60_000,
      );
    expect(START?.commands).toBe('npm ci\nnpm run demo');
    expect(JSON.parse(await readFile('package.json', 'utf8')).scripts.demo).toBe('node dist/demo.js');
    expectEveryoneIn(await shows('Everything keeps running'));
    await followTutorial();

    const shown = await shows('Its outcome appears here.');
    const [, url = ''] = /Answer them in a browser: (\S+)\n/.exec(shown) ?? [];
    const [, settings = ''] = /^(\. \S+settings\.sh)\n/m.exec(shown) ?? [];
    const [, answers = ''] = /answer each question:\n\n(.*?)\n\nIts/s.exec(shown) ?? [];
    expect(answers).toMatch(/^Please send .*\ngangway resolve .*\n\nWhat share .*\?\ngangway resolve .*$/);
    const commands = answers.split('\n').filter((line) => line.startsWith('gangway '));

    // A shell of another terminal has none of the demo's settings, and is in another folder.
    const elsewhere = (command: string) =>
      run('sh', ['-c', `${settings} && ${command}`], {}, '', tmpdir()).then(({ stdout, stderr, code }) => {
        expect({ command, stderr, code }).toEqual({ command, stderr: '', code: 0 });
        return stdout;
      });
    expect(await elsewhere('gangway inbox')).toContain('Corner Bikes [notes]');
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

    const uiUrl = /Web UI +(\S+)/.exec(shown)?.[1] ?? '';
    expect((await fetch(uiUrl)).status).toBe(200);
    demo.type(CTRL_C);
    expect(await demo.end).toBe(130);
    expect(demo.stdout().trimEnd()).toMatch(/stopping \.\.\.\r\nstopped; the logs remain in \.cache\/demo$/);
    for (const address of [uiUrl, url]) await expect(fetch(address)).rejects.toThrow();
    expect((await readdir('.cache/demo')).filter((name) => !name.endsWith('.log'))).toEqual(['gangway']);
    expect(await run('.cache/demo/gangway', ['inbox'], {})).toEqual({
      code: 4,
      stdout: '',
      stderr: 'the demo is not running; start it with "npm run demo"\n',
    });
  },
  TIMEOUT_MS,
);

function expectEveryoneIn(shown: string): void {
  const table = shown.slice(shown.indexOf('WORKFLOW  '));
  const row = (type: string, ids: readonly string[], end: string) =>
    ids.map((id) => new RegExp(`^${type}-${id} .* ${end}$`, 'm'));
  const [mid, customers] = ['5180\\d{11}', ['juniper-tea', 'lantern-bistro', 'maple-deli']];
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
    /terminal-provisioning-maple-deli +provisioned$/m,
    /^Each onboarding ended with the outcome of its scenario\.$/m,
    /^The events of all onboardings arrived at the system next to Gangway: \d+ of them\.$/m,
  ])
    expect(shown).toMatch(wanted);
}

/** Runs the commands of the tutorial, in a folder that shares what they read. Its two minutes are half a minute there. */
async function followTutorial(): Promise<void> {
  const folder = await newFolder();
  for (const name of ['.cache', 'examples', 'node_modules', 'package.json'])
    await symlink(resolve(name), join(folder, name));
  await symlink(join(await changedBuild('brief-writes'), 'dist'), join(folder, 'dist'));
  const script = STEPS.map(({ commands }, index) => `echo '${mark(index)}'\n${commands}`).join('\n');
  const { code, stdout, stderr } = await run('bash', ['-e'], { TZ: 'UTC' }, script, folder);
  expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
  STEPS.forEach(({ commands, shown }, index) => {
    const [printed = ''] = stdout
      .split(mark(index))
      .slice(1)
      .join()
      .split(mark(index + 1));
    const lines = printed.split('\n').map(comparable);
    const missing = shown.filter((line) => line !== '...' && !lines.includes(comparable(line)));
    expect(missing, `${commands}\nprinted\n${printed}`).toEqual([]);
  });
}

function mark(index: number): string {
  return `--- step ${index} ---`;
}

/** A line without what differs each time: ids, times, and the name of the user. */
function comparable(line: string): string {
  return line
    .replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '#')
    .replace(/\b\d+ (?:s|min|h|d)\b/g, '# time')
    .replace(/\d{2,}/g, '#')
    .replace(/\(\w+: /, '(#: ')
    .replace(/ +/g, ' ')
    .trim();
}
