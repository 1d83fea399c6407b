import { PassThrough } from 'node:stream';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { Printer } from '../../../../src/apps/command/cli/output.js';
import { bar, Progress, withProgress } from '../../../../src/apps/command/cli/progress.js';

/** A printer whose standard error has these properties, and what it printed there. */
function printer(terminal: object, TERM = 'xterm') {
  const [stdout, stderr] = [new PassThrough(), Object.assign(new PassThrough(), terminal)];
  return {
    printer: new Printer({ stdout, stderr, env: { TERM } }),
    printed: () => String(stderr.read() ?? ''),
  };
}

const CLEARED = '\r\u001b[2K';

describe('progress', () => {
  it('is a spinner with the step and the time at a terminal, below what is printed, and is cleared at the end', () => {
    const { printer: own, printed } = printer({ isTTY: true, columns: 80 });
    const progress = new Progress(own);
    progress.at('m-1: underwriting, Pending');
    own.note('a note');
    progress.at('m-1: boarded');
    progress.end();
    expect(printed()).toBe(
      `${CLEARED}| m-1: underwriting, Pending (0 s)${CLEARED}a note\n${CLEARED}/ m-1: boarded (0 s)${CLEARED}`,
    );
  });

  it('goes on while nothing changes', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const { printer: own, printed } = printer({ isTTY: true, columns: 80 });
    const progress = new Progress(own);
    progress.at('preparing');
    await vi.advanceTimersByTimeAsync(200);
    progress.end();
    const frames = printed().split(CLEARED).filter(Boolean);
    expect(frames.map((frame) => frame[0])).toEqual(['|', '/', '-']);
  });

  it('never fills a line of the terminal, so that it does not wrap', () => {
    const { printer: own, printed } = printer({ isTTY: true, columns: 20 });
    const progress = new Progress(own);
    progress.at('merchant-boarding-corner-bakery: underwriting');
    progress.end();
    const [, line = ''] = printed().split(CLEARED);
    expect(line).toBe('| merchant-boardin…');
    expect(line.length).toBeLessThan(20);
  });

  it.each([
    ['a file or a pipe', {}, 'xterm'],
    ['a terminal that cannot move its cursor', { isTTY: true, columns: 80 }, 'dumb'],
  ])('is a line for each change, without control codes, in %s', (_, terminal, type) => {
    const { printer: own, printed } = printer(terminal, type);
    const progress = new Progress(own);
    for (const step of ['preparing', 'preparing', 'underwriting,\n\u001b[31mPending']) progress.at(step);
    progress.end();
    expect(printed()).toBe('... preparing\n... underwriting, [31mPending\n');
  });
});

it('shows a step that changes after a second, and as a line every ten seconds', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { printer: own, printed } = printer({});
  let examined = 0;
  const step = () => `${examined} of 9 examined`;
  await withProgress(own, step, async () => {
    for (; examined < 9; examined++) await vi.advanceTimersByTimeAsync(3_100);
  });
  expect(printed()).toBe('... 0 of 9 examined\n... 3 of 9 examined\n... 6 of 9 examined\n');
  await withProgress(own, step, () => vi.advanceTimersByTimeAsync(900));
  expect(printed()).toBe('');
});

describe('the bar of a batch', () => {
  it.each([
    [0, 20, 0, '[------------------------------] 0 of 20 started'],
    [5, 20, 0, '[=======-----------------------] 5 of 20 started, 0.5/s, 30 s to go'],
    [20, 20, 0, '[==============================] 20 of 20 started, 2.0/s'],
    [10, 1_000, 0, '[------------------------------] 10 of 1000 started, 1.0/s, 16 min to go'],
    [
      5,
      20,
      10,
      '[=======-----------------------] 5 of 20 started, 0.5/s, 10 s to go, 10 waiting for a person',
    ],
    [5, 20, 15, '[=======-----------------------] 5 of 20 started, 0.5/s, 15 waiting for a person'],
  ])('after 10 s with %i of %i done, and %i waiting for a person', (count, total, question, text) => {
    expect(bar({ count, total, asked: question }, 'started', 0, 10_000)).toBe(text);
  });
});
