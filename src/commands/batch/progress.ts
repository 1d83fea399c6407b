import { clearLine, cursorTo } from 'node:readline';
import { MultiBar } from 'cli-progress';
import type { CommandLine } from '../command-line.js';

/** How far something has come, for the person at the terminal. */
export interface Progress {
  /** One more is done. @param print tells of it, above the bar */
  readonly step: (print: () => void) => void;
  readonly note: (text: string) => void;
  readonly end: () => void;
}

/** A bar on standard error when that is a terminal; else none. @param done what each one is then: `ended` */
export function progressOf(cli: CommandLine, total: number, done: string): Progress {
  const { stderr: stream } = cli;
  const note = (text: string) => cli.note(text);
  if (!stream.isTTY) return { step: (print) => print(), note, end() {} };
  // One bar of several: a single one moves the cursor back to where it began when it ends.
  const bars = new MultiBar({
    stream,
    format: `[{bar}] {value} of {total} ${done}, {eta_formatted} to go`,
    barsize: 30,
    clearOnComplete: true,
    // Lines are printed in its place, so it is drawn anew; and long ones are not to be cut off.
    forceRedraw: true,
    linewrap: true,
  });
  const bar = bars.create(total, 0);
  const above = (print: () => void) => {
    cursorTo(stream, 0);
    clearLine(stream, 0);
    print();
  };
  return {
    step(print) {
      above(print);
      bar.increment();
    },
    note: (text) => above(() => note(text)),
    end: () => bars.stop(),
  };
}
