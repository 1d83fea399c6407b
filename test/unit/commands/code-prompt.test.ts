import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { promptForCode } from '../../../src/commands/cli/prompts.js';

/** The prompts and the answer of a person who types these lines. With `stays`, the input does not end after them. */
async function prompt(
  lines: readonly string[],
  { stays = false, signal = new AbortController().signal } = {},
) {
  const input = new PassThrough();
  const output = new PassThrough();
  const code = promptForCode({ input, output }, signal);
  for (const line of lines) input.write(`${line}\n`);
  if (!stays) input.end();
  const answer = await code;
  output.end();
  return { answer, prompts: await text(output) };
}

const PROMPT = 'code (empty to answer later): ';

it('asks until the input has 6 digits', async () => {
  expect(await prompt(['12', 'secret', '123 456'])).toEqual({
    answer: '123456',
    prompts: `${PROMPT}must be 6 digits\n${PROMPT}must be 6 digits\n${PROMPT}`,
  });
});

it.each([
  ['an empty line', [''], ''],
  ['the end of the input', [], '\n'],
])('treats %s as no answer', async (_, lines, more) => {
  expect(await prompt(lines)).toEqual({ answer: undefined, prompts: PROMPT + more });
});

it('stops when someone else has answered', async () => {
  const answered = AbortSignal.timeout(50);
  expect(await prompt([], { stays: true, signal: answered })).toEqual({
    answer: undefined,
    prompts: `${PROMPT}\n`,
  });
});
