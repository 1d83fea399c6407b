// Runs the given commands one after the other. Prints for each its exit code and what it left open: resources that keep the process
// alive, and listeners on its signal. It is a process of its own, so that nothing else is open there.
import { getEventListeners } from 'node:events';
import { unwatchFile, watchFile } from 'node:fs';
import { PassThrough, Readable } from 'node:stream';
import { run } from '../../../dist/apps/command/program.js';

/** How long the system may take to close a file or a socket that was closed, in milliseconds. */
const CLOSING_MS = 200;

const before = process.getActiveResourcesInfo();
const held = () =>
  process.getActiveResourcesInfo().filter((kind) => kind !== 'Immediate' && !before.includes(kind));

async function heldForGood() {
  const until = performance.now() + CLOSING_MS;
  while (held().length > 0 && performance.now() < until) await new Promise(setImmediate);
  return held();
}

function watchers(file) {
  const own = () => undefined;
  const count = watchFile(file, { persistent: false }, own).listenerCount('change') - 1;
  unwatchFile(file, own);
  return count > 0 ? [`${count} watch ${file}`] : [];
}

const { env, commands } = JSON.parse(process.argv[2]);
const results = [];
for (const { args, input, env: more, stopped } of commands) {
  const [stdout, stderr] = [new PassThrough(), new PassThrough().resume()];
  const stop = new AbortController();
  stdout.on('data', () => stopped && stop.abort());
  const surroundings = {
    env: { ...env, ...more },
    stdin: Readable.from(input ? [input] : []),
    stdout,
    stderr,
  };
  const code = await run(args, { ...surroundings, signal: stop.signal });
  const open = [...(await heldForGood()), ...getEventListeners(stop.signal, 'abort')];
  const { TEMPORAL_API_KEY_FILE: file } = more ?? {};
  results.push({ args, code, open: file ? [...open, ...watchers(file)] : open });
}
process.stdout.write(JSON.stringify(results));
