import type { Readable } from 'node:stream';
import { TIMEOUT_MS } from './waiting.js';

/** The output of a running command. */
export interface Watched {
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Waits until standard error contains this text. */
  says(text: string): Promise<void>;
  /** Waits until standard output contains this text, or a match of this pattern. */
  prints(text: string | RegExp): Promise<void>;
  /** Waits until standard output has this many lines. */
  printsLines(count: number): Promise<void>;
}

/** Collects the output of a command. @param end settles when the output is complete */
export function watched(streams: Record<'stdout' | 'stderr', Readable>, end: Promise<unknown>): Watched {
  const printed = { stdout: '', stderr: '' };
  const waiting = new Set<() => void>();
  for (const name of ['stdout', 'stderr'] as const) {
    streams[name].setEncoding('utf8').on('data', (text: string) => {
      printed[name] += text;
      for (const look of waiting) look();
    });
  }
  const until = (holds: () => boolean, what: string) =>
    new Promise<void>((resolve, reject) => {
      const stop = () => {
        clearTimeout(timer);
        waiting.delete(look);
      };
      const look = () => {
        if (!holds()) return;
        stop();
        resolve();
      };
      const giveUp = () => {
        stop();
        reject(new Error(`waited in vain for ${what}; it printed ${JSON.stringify(printed)}`));
      };
      const timer = setTimeout(giveUp, TIMEOUT_MS);
      waiting.add(look);
      end.then(look).then(giveUp, giveUp);
      look();
    });
  return {
    stdout: () => printed.stdout,
    stderr: () => printed.stderr,
    says: (text) => until(() => printed.stderr.includes(text), text),
    prints: (text) => until(() => printed.stdout.split(text).length > 1, `${text}`),
    printsLines: (count) => until(() => printed.stdout.split('\n').length > count, `${count} lines`),
  };
}
