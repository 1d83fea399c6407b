import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { deleteData, takeFolder, writeSettings } from '../../../../src/apps/demo/parts.js';
import { run } from '../../../rigs/processes.js';

/** In place of the command, its process prints how it was started, and a setting. */
const SHOWS = `
  const [, starter, ...args] = process.argv;
  console.error(require('node:path').basename(starter), ...args, process.env.GANGWAY_ACCOUNTS);
  process.exit();`;
const LIST = 'gangway list';
const facts = (accounts: string) => `starter.js list ${accounts}\n`;

/** Writes the settings of a demo. */
const demo = (folder: string, accounts: string) =>
  writeSettings(folder, { GANGWAY_ACCOUNTS: accounts, GANGWAY_TASK_QUEUE: "it's" });

describe('the gangway of the demo', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gangway-demo-'));
    await writeFile(join(folder, 'shows.cjs'), SHOWS);
    return () => rm(folder, { recursive: true });
  });
  const sh = async (script: string) => {
    const env = { NODE_OPTIONS: `--require=${join(folder, 'shows.cjs')}` };
    return (await run('sh', ['-c', script], env, '', folder)).stderr;
  };

  it('has the settings of the demo, and those in front of it win', async () => {
    await demo(folder, 'first');
    expect(await sh(`./${LIST}`)).toEqual(facts('first'));
    expect(await sh(`GANGWAY_ACCOUNTS=own ./${LIST}`)).toEqual(facts('own'));
    expect(await sh(`. ./settings.sh; ${LIST}`)).toEqual(facts('first'));
    expect(await sh(`. ./settings.sh; GANGWAY_ACCOUNTS=own ${LIST}`)).toEqual(facts('own'));
  });

  // Alone catches a second demo that deletes the settings and the logs of the first one.
  it('has its folder alone until it has ended', async () => {
    const own = join(folder, 'taken');
    await takeFolder(own);
    const settings = await demo(own, 'first');
    await expect(takeFolder(own)).rejects.toThrow(`process ${process.pid}, or use it: . ${settings}`);
    expect(await readFile(settings, 'utf8')).toContain('first');
    await deleteData(own);
    await takeFolder(own);
    const ended = spawnSync('true').pid;
    await writeFile(join(own, 'demo.pid'), `${ended}`);
    await takeFolder(own);
  });

  it('follows a demo that was started again, in a shell that has the settings of the one before', async () => {
    await demo(folder, 'first');
    const again = await mkdtemp(join(tmpdir(), 'gangway-demo-'));
    onTestFinished(() => rm(again, { recursive: true }));
    await demo(again, 'second');
    const restart = `sed 's#${again}#${folder}#g' ${again}/settings.sh > settings.sh`;
    expect(await sh(`. ./settings.sh; ${restart}; ${LIST}`)).toEqual(facts('second'));
  });
});
