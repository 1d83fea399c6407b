import type { Command } from 'commander';

/** The topics of `gangway help`, besides the commands. */
export const TOPICS = {
  requirements: 'what a person can be asked',
  answers: 'how to answer a requirement',
  'exit-codes': 'what the exit codes mean, for scripts',
  settings: 'all settings; "help settings BOARDING" lists those with BOARDING in their name',
} as const;

/** A topic with a text of its own. The others are the help of a command. */
export type Topic = Exclude<keyof typeof TOPICS, 'answers'>;

export const SHELLS = ['bash', 'zsh', 'fish'] as const;

export type Shell = (typeof SHELLS)[number];

/** The hidden command that the scripts of `gangway completion` call. */
export const COMPLETE = 'complete';

export function namesOf(commands: readonly Command[]): string[] {
  return commands.map((command) => command.name()).filter((name) => name !== COMPLETE);
}
