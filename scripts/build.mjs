/**
 * Builds dist/: `npm run build`. Prints a line for each step with its time; on a terminal, the line counts the seconds meanwhile. With
 * `pages`, it leaves the command and the servers unbundled, for scripts/coverage.sh.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const extent = process.argv[2] === 'pages' ? ['pages'] : [];

const STEPS = [
  [
    'compile the sources',
    ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json', '--singleThreaded'],
  ],
  ['bundle the workflows', ['scripts/bundle-workflows.mjs']],
  ['bundle the processes', ['scripts/bundle-processes.mjs', ...extent]],
  ['record what was built', ['--import', 'tsx', 'scripts/build-stamp.ts']],
];

const { stdout } = process;

/** Runs a step. @returns its exit code; what it prints follows its line */
async function run([name, args], place) {
  const began = Date.now();
  const line = () => `build ${place}/${STEPS.length}: ${name}, ${Math.round((Date.now() - began) / 1000)} s`;
  const ticking = stdout.isTTY ? setInterval(() => stdout.write(`\r${line()}`), 1000) : undefined;
  // The compiler's collector of garbage costs a fifth of its time, and saves little memory.
  const env = { ...process.env, GOGC: 'off' };
  const child = spawn(process.execPath, args, { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = once(child, 'close');
  const printed = await Promise.all([text(child.stdout), text(child.stderr)]);
  const [code] = await ended;
  clearInterval(ticking);
  stdout.write(`${ticking ? '\r' : ''}${line()}\n${printed.join('')}`);
  return code ?? 1;
}

await rm(`${ROOT}/dist`, { recursive: true, force: true });
for (const [index, step] of STEPS.entries()) {
  process.exitCode = await run(step, index + 1);
  if (process.exitCode !== 0) break;
}
