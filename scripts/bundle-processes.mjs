// Bundles the command and the servers at build time, because Node takes longer to find a thousand files than to run them.
import { chmodSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const src = fileURLToPath(new URL('../src', import.meta.url));
const dist = fileURLToPath(new URL('../dist', import.meta.url));

// Remove the chunks of an earlier build.
for (const name of readdirSync(dist))
  if (/^(command|server)-.*\.js(\.map)?$/.test(name)) rmSync(`${dist}/${name}`);

// Chunks lose the order of imports, so each checks Node first.
const banner = `
import './platform/process/node-version.js';
import { createRequire } from 'node:module';
const require = createRequire(import.meta.url);
`;

const options = {
  outdir: dist,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node22',
  banner: { js: banner },
  // Its main file finds its parts with a function that a bundler cannot follow.
  alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' },
  logLevel: 'warning',
  // Modules that are imported on demand, such as the S3 client, stay in chunks of their own.
  splitting: true,
};

/** The apps that are bundled, and those that a checkout runs as they are compiled. In dist/, each has the name of its folder. */
const BUNDLED = ['receiver', 'codec-server', 'console', 'link'];
const COMPILED = ['sandbox', 'demo'];
const plain = (names) => {
  for (const name of names) writeFileSync(`${dist}/${name}.js`, `import './apps/${name}/main.js';\n`);
};
plain(COMPILED);

// The coverage of a bundle without a source map cannot be measured, so scripts/coverage.sh asks for the pages alone.
if (process.argv[2] === 'pages') plain(BUNDLED);
else {
  await build({
    ...options,
    entryPoints: [`${src}/starter.ts`],
    chunkNames: 'command-[hash]',
    // It has native code. Only a replay loads it.
    external: ['@temporalio/worker'],
  });
  await build({
    ...options,
    entryPoints: {
      worker: `${src}/worker.ts`,
      ...Object.fromEntries(BUNDLED.map((name) => [name, `${src}/apps/${name}/main.ts`])),
    },
    chunkNames: 'server-[hash]',
    sourcemap: true,
    sourcesContent: false,
    // The SDK has native code, and finds its own files. OpenTelemetry is loaded only where traces are wanted.
    external: ['@temporalio/*', '@grpc/*', 'protobufjs', '@opentelemetry/*'],
  });
}

/** Adds a class for each icon to the style sheet, with the picture in it. */
const icons = {
  name: 'icons',
  setup: ({ onLoad }) =>
    onLoad({ filter: /console.client.style\.css$/ }, async ({ path }) => {
      const { ICONS } = await import('../dist/apps/console/icons.js');
      const picture = (name) => `@primer/octicons/build/svg/${name}-16.svg`;
      const rules = ICONS.map((name) => `.icon-${name} { --icon: url("${picture(name)}"); }`);
      return {
        contents: [readFileSync(path), ...rules].join('\n'),
        loader: 'css',
        resolveDir: dirname(path),
      };
    }),
};

// What the pages of the console load in a browser.
await build({
  entryPoints: ['client.ts', 'style.css'].map((name) => `${src}/apps/console/client/${name}`),
  outdir: `${dist}/console`,
  bundle: true,
  minify: true,
  format: 'iife',
  target: 'es2022',
  plugins: [icons],
  loader: { '.svg': 'dataurl' },
  logLevel: 'warning',
});

// npm makes the command executable on install, but not on a later build.
chmodSync(`${dist}/starter.js`, 0o755);
