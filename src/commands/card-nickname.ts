import type { Command } from 'commander';
import { z } from 'zod';
import { cardNickname } from '../partners/banking/requests.js';
import { paymentCardId } from './arguments.js';
import type { CommandLine } from './command-line.js';
import { InvalidInput } from './errors.js';
import { check } from './input-file.js';
import { keyOf, type OperationOptions, runOperation, withOperationOptions } from './operation.js';

const naming = z.object({
  card: paymentCardId,
  name: cardNickname.shape.nickName.refine((name) => name !== '', 'must not be empty; --clear clears it'),
});

interface NicknameOptions extends OperationOptions {
  readonly clear?: true;
}

export function cardNicknameCommand(program: Command, cli: CommandLine): void {
  const command = program
    .command('card-nickname')
    .summary('give a card a nickname, or clear it')
    .description('Give a payment card a nickname, or clear it with --clear.')
    .argument('<card>', 'id of the card, paymentCardId')
    .argument('[name]', 'the nickname, at most 18 characters')
    .option('--clear', 'take the nickname away');
  withOperationOptions(command).action((card: string, name: string | undefined, options: NicknameOptions) =>
    setNickname(cli, card, name, options),
  );
}

async function setNickname(
  cli: CommandLine,
  card: string,
  name: string | undefined,
  { clear, ...options }: NicknameOptions,
): Promise<void> {
  if ((name === undefined) === (clear === undefined)) throw new InvalidInput('give either a name or --clear');
  const asked = check(naming, { card, name: name ?? null }, 'card-nickname');
  const input = { paymentCardId: asked.card, nickName: asked.name ?? null };
  await runOperation<{ readonly paymentCardId: string; readonly last4: string | null }>(
    cli,
    {
      start: {
        type: 'setCardNickname',
        key: `${asked.card}-${keyOf(input)}`,
        args: [input],
        summary: `${clear ? 'clear' : 'set'} the nickname of card ${asked.card}`,
      },
      done: ({ paymentCardId: named, last4 }) => {
        const which = last4 === null ? named : `${named}, which ends in ${last4},`;
        return clear ? `card ${which} has no nickname` : `card ${which} is called ${JSON.stringify(name)}`;
      },
    },
    options,
  );
}
