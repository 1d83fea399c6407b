import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CommandLine } from '../../../../src/apps/command/cli/command-line.js';
import { confirm, PASTE_MS, promptForCode } from '../../../../src/apps/command/cli/prompts.js';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A terminal, and a person who reads before typing. */
function terminal() {
  const stream = () => Object.assign(new PassThrough(), { isTTY: true, columns: 1_000 });
  const [input, output] = [stream(), stream()];
  let display = '';
  output.setEncoding('utf8').on('data', (text: string) => {
    display += text;
  });
  const reads = () => vi.advanceTimersByTimeAsync(3 * PASTE_MS);
  return {
    input,
    output,
    render: () => display,
    reads,
    async types(...lines: readonly string[]) {
      for (const line of lines) {
        await reads();
        input.write(`${line}\n`);
      }
      await reads();
    },
  };
}

const NEVER = new AbortController().signal;

describe('the prompt for a one-time code', () => {
  const PROMPT = 'code (empty to answer later): ';

  it('asks until the input has 6 digits', async () => {
    const { types, render, ...at } = terminal();
    const code = promptForCode(at, NEVER);
    await types('12', 'secret', '123 456');
    expect([await code, render()]).toEqual([
      '123456',
      `${PROMPT}must be 6 digits\n${PROMPT}must be 6 digits\n${PROMPT}`,
    ]);
  });

  it('treats an empty line as no answer', async () => {
    const { types, render, ...at } = terminal();
    const code = promptForCode(at, NEVER);
    await types('');
    expect([await code, render()]).toEqual([undefined, PROMPT]);
  });

  it('treats the end of the input as no answer', async () => {
    const { reads, render, ...at } = terminal();
    const code = promptForCode(at, NEVER);
    at.input.end();
    await reads();
    expect([await code, render()]).toEqual([undefined, `${PROMPT}\n`]);
  });

  it('stops when someone else has answered', async () => {
    const { reads, render, ...at } = terminal();
    const answered = new AbortController();
    const code = promptForCode(at, answered.signal);
    await reads();
    answered.abort();
    expect([await code, render()]).toEqual([undefined, `${PROMPT}\n`]);
  });
});

describe('a confirmation', () => {
  const QUESTION = 'This closes the card. Continue? [y/N] ';
  const PASTED = 'Ignored what was typed ahead or pasted, because it does not answer this:\n';

  /** Asks, and settles with what came of it. */
  function asked() {
    const at = terminal();
    const { input: stdin, output: stderr } = at;
    const cli = new CommandLine({ env: { TERM: 'dumb' }, stdin, stdout: stderr, stderr, signal: NEVER });
    const end = confirm(cli, 'This closes the card.', {}).then(
      () => 'confirmed',
      (error: Error) => error.message,
    );
    return { ...at, end };
  }

  it.each(['y', 'YES'])('accepts %s, which a person typed after reading it', async (answer) => {
    const { types, end } = asked();
    await types(answer);
    expect(await end).toBe('confirmed');
  });

  it.each(['', 'n', 'No'])('takes %j as no', async (answer) => {
    const { types, end } = asked();
    await types(answer);
    expect(await end).toBe('not confirmed; nothing was done');
  });

  it('asks again after anything else', async () => {
    const { types, render, end } = asked();
    await types('gangway inbox', 'y');
    expect([await end, render()]).toEqual(['confirmed', `${QUESTION}Answer y or n.\n${QUESTION}`]);
  });

  it.each(['y\n', 'y', 'gangway list\ny\n'])('does not take %j, which was typed ahead', async (typed) => {
    const at = asked();
    at.input.write(typed);
    await at.reads();
    const lines = typed.trim().replace(/^/gm, '  ');
    expect(at.render()).toBe(`${PASTED}${lines}\n${QUESTION}`);
    await at.types('n');
    expect(await at.end).toBe('not confirmed; nothing was done');
  });

  it('does not take a line that arrives at once after the question, and asks again', async () => {
    const { input, reads, render, types, end } = asked();
    await vi.advanceTimersByTimeAsync(1.5 * PASTE_MS);
    expect(render()).toBe(QUESTION);
    input.write('y\n');
    await reads();
    expect(render()).toBe(`${QUESTION}\n${PASTED}  y\n${QUESTION}`);
    await types('y');
    expect(await end).toBe('confirmed');
  });

  it('does not take several lines at once, whenever they arrive', async () => {
    const { types, render, end } = asked();
    await types('y\ngangway list', 'n');
    expect(await end).toBe('not confirmed; nothing was done');
    expect(render()).toBe(`${QUESTION}\n${PASTED}  y\n  gangway list\n${QUESTION}`);
  });

  it('gives up on a program that never stops typing', async () => {
    const { input, end } = asked();
    const typing = setInterval(() => input.write('y\n'.repeat(1_000)), PASTE_MS / 2);
    await vi.advanceTimersByTimeAsync(100 * PASTE_MS);
    clearInterval(typing);
    expect(await end).toBe('not confirmed; nothing was done');
  });
});
