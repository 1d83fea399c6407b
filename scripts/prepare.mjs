// Builds after "npm ci". With "--omit=dev" there is no compiler: who installs so brings dist/ along, as the Dockerfile does.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const compiler = new URL('../node_modules/typescript/package.json', import.meta.url);

if (existsSync(compiler)) {
  const { status } = spawnSync('npm run build', { stdio: 'inherit', shell: true });
  process.exitCode = status ?? 1;
} else {
  process.stderr.write(
    'gangway: not built, for the compiler is not installed; dist/ must come from a build elsewhere\n',
  );
}
