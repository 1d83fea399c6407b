import { execFile } from 'node:child_process';
import { lstat, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { saveOutputFile } from '../../../../../src/apps/command/cli/arguments.js';

let dir: string;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'save-'));
});
afterEach(() => rm(dir, { recursive: true }));

it('a saved file replaces one of its name, and only its owner can read it', async () => {
  const file = join(dir, 'report.html');
  await writeFile(file, 'before', { mode: 0o644 });
  await saveOutputFile(file, 'after');
  expect([await readFile(file, 'utf8'), (await stat(file)).mode & 0o777]).toEqual(['after', 0o600]);
  expect(await readdir(dir)).toEqual(['report.html']);
});

it('a pipe or a device such as /dev/stdout stays what it is, and gets the content', async () => {
  const pipe = join(dir, 'pipe');
  await promisify(execFile)('mkfifo', [pipe]);
  const link = join(dir, 'stdout');
  await symlink(pipe, link);
  for (const name of [pipe, link]) {
    const [read] = await Promise.all([promisify(execFile)('cat', [pipe]), saveOutputFile(name, 'content')]);
    expect(read.stdout).toBe('content');
  }
  expect([(await lstat(pipe)).isFIFO(), (await lstat(link)).isSymbolicLink()]).toEqual([true, true]);
});

it('a link stays, and its file is replaced', async () => {
  const [file, link] = [join(dir, 'backup-1'), join(dir, 'latest')];
  await writeFile(file, 'before');
  await symlink(file, link);
  await saveOutputFile(link, 'after');
  expect((await lstat(link)).isSymbolicLink()).toBe(true);
  expect(await readFile(file, 'utf8')).toBe('after');
});

it('a name may be as long as a name can be', async () => {
  const file = join(dir, 'n'.repeat(255));
  await saveOutputFile(file, 'content');
  expect(await readFile(file, 'utf8')).toBe('content');
});

it('a failure leaves the old file, and no part of a new one', async () => {
  const file = join(dir, 'backup');
  await writeFile(file, 'before');
  async function* lines() {
    yield 'one\n';
    throw new Error('Temporal does not respond');
  }
  await expect(saveOutputFile(file, lines())).rejects.toThrow('Temporal does not respond');
  expect([await readFile(file, 'utf8'), await readdir(dir)]).toEqual(['before', ['backup']]);
  await expect(saveOutputFile(dir, 'content')).rejects.toThrow(`${dir}: cannot be written (EISDIR)`);
});
