// Builds after "npm ci". "--omit=dev" installs no compiler; dist/ then comes from another build, as in the Dockerfile.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const compiler = new URL('../node_modules/typescript/package.json', import.meta.url);

if (existsSync(compiler)) {
  const { status } = spawnSync('npm run build', { stdio: 'inherit', shell: true });
  process.exitCode = status ?? 1;
} else {
  process.stderr.write(
    'gangway: not built, because the compiler is not installed. Copy dist/ from another build.\n',
  );
}
