import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig, mergeConfig, type Plugin } from 'vitest/config';
import tests from '../vitest.config.js';

const folder = (name: string) => fileURLToPath(new URL(`../${name}/`, import.meta.url));

/** Tests run the built files, like the processes that they start. So a file has one coverage, whichever process ran it. */
const built: Plugin = {
  name: 'built',
  enforce: 'pre',
  resolveId(id, importer) {
    const source = importer && id.startsWith('.') ? resolve(dirname(importer), id) : '';
    if (!source.startsWith(folder('src'))) return undefined;
    return { id: source.replace(folder('src'), folder('dist')), external: true };
  },
};

const coverage = {
  plugins: [built],
  test: { setupFiles: ['test/rigs/take-coverage.ts'], server: { deps: { external: [/\/dist\//] } } },
};

export default defineConfig({
  test: {
    projects: (tests.test?.projects ?? []).map((project) => mergeConfig(project as object, coverage)),
  },
});
