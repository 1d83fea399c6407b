// Bundles the command once, at build time, for Node takes longer to look for a thousand files than to run them.
import { chmodSync, readdirSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const dist = fileURLToPath(new URL('../dist', import.meta.url));

// Of an earlier build.
for (const name of readdirSync(dist)) if (/^command-.*\.js$/.test(name)) rmSync(`${dist}/${name}`);

// Modules find the package's files from where they are: two folders below it.
const banner = `
import { createRequire } from 'node:module';
const require = createRequire(import.meta.url);
const moduleUrl = new URL('commands/bundled.js', import.meta.url).href;
`;

await build({
  entryPoints: [`${dist}/starter.js`],
  outdir: dist,
  allowOverwrite: true,
  // What is imported only when it is needed, such as the client of S3, stays in files of its own.
  ...{ splitting: true, chunkNames: 'command-[hash]' },
  ...{ bundle: true, platform: 'node', format: 'esm', target: 'node22' },
  define: { 'import.meta.url': 'moduleUrl' },
  banner: { js: banner },
  logLevel: 'warning',
});

// npm makes it executable when it installs, not when it builds again.
chmodSync(`${dist}/starter.js`, 0o755);
