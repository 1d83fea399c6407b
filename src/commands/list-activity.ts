import { randomUUID } from 'node:crypto';
import type { BankingLists, Listed } from '../messages/banking-operations.js';
import type { CommandContext } from './context.js';
import { runSingle } from './single.js';

/** A person waits: what does not begin, or does not work, soon is told. */
const OPTIONS = {
  scheduleToStartTimeout: '10s',
  scheduleToCloseTimeout: '1m',
  retry: { initialInterval: '500ms', backoffCoefficient: 2, maximumAttempts: 3 },
} as const;

interface WantedList<Name extends keyof BankingLists> {
  readonly name: Name;
  /** As people call it. */
  readonly what: string;
  readonly request: Parameters<BankingLists[Name]>[0];
  readonly account: string | undefined;
}

/** Reads one of the lists of the bank. @throws {CommandFailed} */
export function readList<Name extends keyof BankingLists>(
  context: CommandContext,
  { name, what, request, account }: WantedList<Name>,
): Promise<Listed> {
  return runSingle(context, `show-${what}-${randomUUID()}`, {
    activity: name,
    lane: 'banking',
    account,
    args: [request],
    summary: `gangway show ${what}`,
    options: OPTIONS,
  });
}
