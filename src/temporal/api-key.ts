import { readFileSync, unwatchFile, watchFile } from 'node:fs';

/** How often the file is looked at, in milliseconds. A mounted secret is replaced by a link, which is seen as well. */
const LOOK_EVERY_MS = 5_000;

/**
 * Tells each new key that `TEMPORAL_API_KEY_FILE` comes to hold, so that keys are rotated without a restart: nobody waits
 * weeks for a worker. Does nothing when that is not set, and never keeps a process alive.
 *
 * @returns stops watching the file
 */
export function onNewApiKey(env: NodeJS.ProcessEnv, tell: (apiKey: string) => void): () => void {
  const file = env['TEMPORAL_API_KEY_FILE'];
  if (!file) return () => undefined;
  const look = () => {
    const apiKey = readKey(file);
    if (apiKey) tell(apiKey);
  };
  watchFile(file, { interval: LOOK_EVERY_MS, persistent: false }, look);
  return () => unwatchFile(file, look);
}

/** Undefined while it cannot be read, as when it is being replaced: the key from before stays. */
function readKey(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trimEnd();
  } catch {
    return undefined;
  }
}
