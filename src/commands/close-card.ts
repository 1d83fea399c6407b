import type { Command } from 'commander';
import { z } from 'zod';
import { cardClosing } from '../partners/banking/requests.js';
import { paymentCardId } from './arguments.js';
import type { CommandLine } from './command-line.js';
import { check } from './input-file.js';
import { type OperationOptions, runOperation, withAgain, withOperationOptions } from './operation.js';

const closing = z.object({
  card: paymentCardId,
  '--confirm': z
    .string('is required, for closing a card cannot be undone: give the last 4 digits on the card')
    .regex(/^\d{4}$/, 'must be the last 4 digits on the card'),
  '--notes': cardClosing.shape.notes,
});

interface CloseCardOptions extends OperationOptions {
  readonly confirm?: string;
  readonly notes?: string;
}

export function closeCardCommand(program: Command, cli: CommandLine): void {
  const command = program
    .command('close-card')
    .summary('close a card for good')
    .description(
      'Close a payment card. This cannot be undone. The same card attaches to the first closing, ' +
        'running or done; after a rejected one it is tried anew.',
    )
    .argument('<card>', 'id of the card, paymentCardId')
    .option('--confirm <last4>', 'the last 4 digits on the card, which the partner compares')
    .option('--notes <text>', 'why, at most 600 characters; kept by the partner');
  withOperationOptions(withAgain(command)).action((card: string, options: CloseCardOptions) =>
    closeCard(cli, card, options),
  );
}

async function closeCard(
  cli: CommandLine,
  card: string,
  { confirm, notes, ...options }: CloseCardOptions,
): Promise<void> {
  const asked = check(closing, { card, '--confirm': confirm, '--notes': notes }, 'close-card');
  const input = {
    paymentCardId: asked.card,
    last4: asked['--confirm'],
    ...(notes !== undefined && { notes }),
  };
  await runOperation<{ readonly paymentCardId: string }>(
    cli,
    {
      start: {
        type: 'closeCard',
        key: asked.card,
        args: [input],
        summary: `close card ${asked.card} for good`,
      },
      once: true,
      done: ({ paymentCardId: closed }) => `card ${closed} is closed for good`,
    },
    options,
  );
}
