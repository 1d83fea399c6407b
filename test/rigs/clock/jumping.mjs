// node --import this: puts the clock of the process ahead by the milliseconds in the file CLOCK_FILE, read at each access. As when
// a clock is set, performance.now() and timers are unaffected.
import { readFileSync } from 'node:fs';

const RealDate = Date;

function now() {
  return RealDate.now() + Number(readFileSync(process.env['CLOCK_FILE'], 'utf8'));
}

globalThis.Date = class extends RealDate {
  constructor(...given) {
    if (given.length === 0) super(now());
    else super(...given);
  }

  static now() {
    return now();
  }
};
