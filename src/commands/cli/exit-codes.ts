/** The exit codes of `gangway`. Scripts depend on them. An interrupted command ends with 128 and the number of the signal. */
export const EXIT = { done: 0, failed: 1, usage: 2, person: 3, unavailable: 4 } as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** The meanings of the exit codes: in short, and what a script may rely on. */
export const EXIT_CODES: readonly {
  readonly code: string;
  readonly short: string;
  readonly meaning: string;
}[] = [
  {
    code: '0',
    short: 'done',
    meaning: 'done. The output has the outcome of an onboarding, which can be `declined`',
  },
  { code: '1', short: 'failed or refused', meaning: 'failed, refused, or not finished within `--timeout`' },
  {
    code: '2',
    short: 'wrong usage',
    meaning: 'wrong usage or input, or missing `--yes`. Nothing was started, changed or sent',
  },
  {
    code: '3',
    short: 'waits for a person',
    meaning:
      'a person must act: `--timeout` ended the wait while a requirement was open, or the partner wants a one-time code',
  },
  {
    code: '4',
    short: 'unavailable',
    meaning:
      'Temporal, a worker or the partner is unavailable. Run the same command again later: it does nothing twice',
  },
  {
    code: '130, 143',
    short: 'interrupted',
    meaning: 'interrupted by Ctrl-C or SIGTERM. What was started continues',
  },
];

/** Returns one sentence for the help. */
export function exitCodesInShort(): string {
  return `Exit codes: ${EXIT_CODES.map(({ code, short }) => `${code.split(',')[0]} ${short}`).join(', ')}.`;
}
