import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gangwayThatPrints, shell, typeInBash } from '../../../rigs/commands/shells.js';
import { waitingBoarding } from '../../../rigs/commands/waiting-boarding.js';
import { run } from '../../../rigs/processes.js';
import { createRig, type Rig } from '../../../rigs/rig.js';
import { eventually } from '../../../rigs/waiting.js';

let rig: Rig;
let folder: string;
let env: Record<string, string>;
let externalId: string;
let requirement: string;
beforeAll(async () => {
  rig = await createRig({ poll: { minMs: 50, maxMs: 10_000 } });
  folder = await gangwayThatPrints(await mkdtemp(join(tmpdir(), 'gangway-completion-')));
  env = { ...rig.env, PATH: `${folder}:${process.env['PATH']}`, TERM: 'dumb' };
  ({ externalId, id: requirement } = await waitingBoarding(rig));
});
afterAll(async () => {
  await rig.close();
  await rm(folder, { recursive: true, force: true });
});

/** A line as somebody types it up to the cursor, and the arguments that the completed command gets. */
const typed = (): [line: string, completed: string][] => [
  ['gangway stat', '<stat>'],
  ['gangway list --stage=und', '<list><--stage=underwriting>'],
  ['gangway board examples/customer-a', '<board><examples/customer-asked.json>'],
  [`gangway status ${externalId.slice(0, -3)}`, `<status><${externalId}>`],
  [`gangway resolve ${externalId} ${requirement.slice(0, -3)}`, `<resolve><${externalId}><${requirement}>`],
];

/** Asks a shell until it completes the IDs: on a busy machine, Temporal may not respond within the second for which completion waits. */
const withIds = <T>(ask: () => Promise<T>, hasThem: (result: T) => boolean) =>
  eventually(ask, hasThem, 'the IDs of the onboarding and of its requirement');

describe('a tab completes what somebody types', () => {
  it('in bash', async () => {
    const lines = typed().map(([line]) => `${line}\t`);
    const completed = typed().map(([, each]) => `${each}\r\n`);
    const text = await withIds(
      () => typeInBash(lines, env),
      (text) => completed.slice(-2).every((each) => text.includes(each)),
    );
    for (const each of completed) expect(text).toContain(each);
  });

  it('in fish', async () => {
    const fish = await shell('fish');
    const lines = typed().map(([line]) => `complete --do-complete '${line}'`);
    const script = ['gangway completion fish | source', ...lines].join('\n');
    const suggestedIn = (stdout: string) => stdout.split('\n').map((line) => line.split('\t')[0]);
    const { stdout, stderr } = await withIds(
      () => run(fish.path, ['--no-config', '-c', script], { ...env, ...fish.env }),
      (ended) => [externalId, requirement].every((id) => suggestedIn(ended.stdout).includes(id)),
    );
    expect(stderr).toBe('');
    expect(suggestedIn(stdout)).toEqual(
      expect.arrayContaining([
        'status',
        'statement',
        '--stage=underwriting',
        'examples/customer-asked.json',
        externalId,
        requirement,
      ]),
    );
  });

  // Without a terminal, zsh runs the function of the script, but none of its own that show the candidates.
  it('in zsh: its functions get the candidates, with their descriptions', async () => {
    const zsh = await shell('zsh');
    const standIns = [
      'compdef() { :; }',
      // Of its arguments, the last one names the list of candidates.
      `_describe() { print -rl -- \${(P)\${@[-1]}}; }`,
      '_files() { print files; }',
      `complete_line() { words=(\${=1}) CURRENT=$#words PREFIX=$words[-1]; __gangway_words; }`,
    ];
    const lines = typed().map(([line]) => `complete_line '${line}'`);
    const script = [...standIns, 'eval "$(gangway completion zsh)"', ...lines].join('\n');
    const { stdout, stderr } = await withIds(
      () => run(zsh.path, ['-f', '-c', script], { ...env, ...zsh.env }),
      (ended) => [externalId, requirement].every((id) => ended.stdout.includes(`\n${id}:`)),
    );
    expect(stderr).toBe('');
    expect(stdout.split('\n')).toEqual(
      expect.arrayContaining([
        'status:show one onboarding or operation',
        expect.stringMatching(/^--stage=underwriting:/),
        'files',
        expect.stringMatching(new RegExp(`^${externalId}:.*underwriting`)),
        `${requirement}:answer note`,
      ]),
    );
  });
});
