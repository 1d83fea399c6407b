import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ScratchCopy, scratchCopy } from '../../scripts/scratch-copy.js';
import { nodesOf } from '../rigs/docs.js';
import { run } from '../rigs/processes.js';
import { CTRL_C, startAtTerminal } from '../rigs/terminal.js';
import { eventually } from '../rigs/waiting.js';

/** The commands of a page, each with the output that the page shows for it. */
const STEPS = nodesOf('docs/tutorial.md', 'code').reduce<{ commands: string; shown: string[] }[]>(
  (steps, { lang, value }) => {
    if (lang === 'sh') steps.push({ commands: value, shown: [] });
    if (lang === 'text') steps.at(-1)?.shown.push(...value.split('\n'));
    return steps;
  },
  [],
);

let copy: ScratchCopy;
beforeAll(async () => {
  copy = await scratchCopy();
});
afterAll(() => copy.remove());

it('the commands of the tutorial do what it shows', async () => {
  const [first, ...others] = STEPS;
  // The copy shares the installed packages, so only the build is missing.
  const install = first?.commands.replace('npm ci', 'npm run --silent build') ?? '';
  const demo = startAtTerminal(install, copy.root);
  await eventually(
    async () => demo.stdout(),
    (text) => text.includes('Everything keeps running'),
    'the demo',
    300_000,
  );

  const script = others.map(({ commands }, index) => `echo '${mark(index)}'\n${commands}`).join('\n');
  const { code, stdout, stderr } = await run('bash', ['-e'], { TZ: 'UTC' }, script, copy.root);
  expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
  others.forEach(({ commands, shown }, index) => {
    const [printed = ''] = stdout
      .split(mark(index))
      .slice(1)
      .join()
      .split(mark(index + 1));
    const lines = printed.split('\n').map(comparable);
    const missing = shown.filter((line) => line !== '...' && !lines.includes(comparable(line)));
    expect(missing, `${commands}\nprinted\n${printed}`).toEqual([]);
  });

  const uiUrl = /Web UI +(\S+)/.exec(demo.stdout())?.[1] ?? '';
  demo.type(CTRL_C);
  await demo.end;
  await expect(fetch(uiUrl)).rejects.toThrow();
}, 600_000);

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
