// node --import this: the clock of the process is ahead by as many milliseconds as the file CLOCK_FILE says, at each look. As
// when a clock is set, what is measured by performance.now() and by timers goes on unchanged.
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
