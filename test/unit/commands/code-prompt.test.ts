import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { promptForCode } from '../../../src/commands/cli/follow.js';

/** What a person is asked and answers, who types these lines and then, unless told to stay, leaves. */
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
  return { answer, asked: await text(output) };
}

const QUESTION = 'code (empty to answer later): ';

it('asks until it is given 6 digits', async () => {
  expect(await prompt(['12', 'secret', '123 456'])).toEqual({
    answer: '123456',
    asked: `${QUESTION}must be 6 digits\n${QUESTION}must be 6 digits\n${QUESTION}`,
  });
});

it.each([
  ['an empty line', [''], ''],
  ['the end of the input', [], '\n'],
])('takes %s for no answer', async (_, lines, more) => {
  expect(await prompt(lines)).toEqual({ answer: undefined, asked: QUESTION + more });
});

it('stops asking when someone else has answered', async () => {
  const answered = AbortSignal.timeout(50);
  expect(await prompt([], { stays: true, signal: answered })).toEqual({
    answer: undefined,
    asked: `${QUESTION}\n`,
  });
});
