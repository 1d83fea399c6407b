import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

/** Makes this Node an older one, which has no Zstandard either. */
const NODE_20 = `import zlib from 'node:zlib';
  Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.20.2' } });
  Object.defineProperty(zlib, "createZstdDecompress", { value: undefined });`;

it.each(['starter', 'worker', 'receiver', 'codec-server', 'console', 'sandbox', 'demo'])(
  'ends %s on an old Node in one sentence that names both versions',
  async (name) => {
    const file = fileURLToPath(new URL(`../../dist/${name}.js`, import.meta.url));
    const preload = `data:text/javascript,${encodeURIComponent(NODE_20)}`;
    const ended = promisify(execFile)(process.execPath, ['--import', preload, file]);
    await expect(ended).rejects.toMatchObject({
      code: 1,
      stdout: '',
      stderr: 'Gangway needs Node 22.19 or later, and this is Node 20.20.2.\n',
    });
  },
);
