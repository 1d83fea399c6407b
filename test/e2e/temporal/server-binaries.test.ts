import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, inject, it, vi } from 'vitest';
import { temporalCli } from '../../../src/apps/demo/dev-server.js';
import { newFolder } from '../../rigs/folders.js';

afterEach(() => vi.unstubAllEnvs());

it('the temporal command is the one that TEMPORAL_CLI_PATH names, else that of the PATH, else the one that was downloaded before, at the pinned version', async () => {
  vi.stubEnv('TEMPORAL_CLI_PATH', '');
  expect(await temporalCli()).toBe(inject('temporalCli'));
  const folder = await newFolder();
  for (const name of ['temporal', 'my-temporal']) {
    await writeFile(join(folder, name), '#!/bin/sh\n');
    await chmod(join(folder, name), 0o755);
  }
  vi.stubEnv('PATH', `${folder}:${process.env['PATH']}`);
  expect(await temporalCli()).toBe(join(folder, 'temporal'));
  vi.stubEnv('TEMPORAL_CLI_PATH', join(folder, 'my-temporal'));
  expect(await temporalCli()).toBe(join(folder, 'my-temporal'));
});

it('the temporal command is not replaced when TEMPORAL_CLI_PATH is wrong: an error reports it', async () => {
  vi.stubEnv('TEMPORAL_CLI_PATH', '/nowhere/temporal');
  await expect(temporalCli()).rejects.toThrow('TEMPORAL_CLI_PATH: is not an executable file');
});
