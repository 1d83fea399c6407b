import { readFileSync } from 'node:fs';

/** The version of Gangway: `0.1.0`. */
export function packageVersion(): string {
  const file = new URL('../../package.json', import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}
