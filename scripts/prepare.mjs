// Builds after "npm ci". "--omit=dev" installs no compiler; dist/ then comes from another build, as in the Dockerfile.
import { existsSync } from 'node:fs';

const compiler = new URL('../node_modules/typescript/package.json', import.meta.url);

if (existsSync(compiler)) {
  await import('./build.mjs');
} else {
  process.stderr.write(
    'gangway: not built, because the compiler is not installed. Copy dist/ from another build.\n',
  );
}
