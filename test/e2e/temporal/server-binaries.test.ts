import { chmod, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, inject, it, vi } from 'vitest';
import { temporalCli } from '../../../src/temporal/dev-server.js';

afterEach(() => vi.unstubAllEnvs());

async function program(name: string): Promise<{ folder: string; path: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'gangway-bin-'));
  const path = join(folder, name);
  await writeFile(path, '#!/bin/sh\n');
  await chmod(path, 0o755);
  return { folder, path };
}

describe('the temporal command', () => {
  it('is the one that TEMPORAL_CLI_PATH names, before all others', async () => {
    const named = await program('my-temporal');
    const onPath = await program('temporal');
    vi.stubEnv('TEMPORAL_CLI_PATH', named.path);
    vi.stubEnv('PATH', `${onPath.folder}:${process.env['PATH']}`);
    expect(await temporalCli()).toBe(named.path);
  });

  it('else the one on the PATH', async () => {
    const { folder, path } = await program('temporal');
    vi.stubEnv('PATH', `${folder}:${process.env['PATH']}`);
    expect(await temporalCli()).toBe(path);
  });

  it('else the one that was downloaded before, at the pinned version', async () => {
    vi.stubEnv('TEMPORAL_CLI_PATH', '');
    expect(await temporalCli()).toBe(inject('temporalCli'));
  });

  it('is not replaced when TEMPORAL_CLI_PATH is wrong: an error reports it', async () => {
    vi.stubEnv('TEMPORAL_CLI_PATH', '/nowhere/temporal');
    await expect(temporalCli()).rejects.toThrow('TEMPORAL_CLI_PATH: is not an executable file');
  });
});
