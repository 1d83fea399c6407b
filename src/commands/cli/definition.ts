import type { Command } from 'commander';
import type { CommandLine, Surroundings } from './command-line.js';

/**
 * Adds a command to the program: its name, arguments, options and texts. Its action is in another module, which `act` loads when
 * the command runs, because help and shell completion must not wait for the SDK of Temporal.
 */
export type Definition = (program: Command, act: Act, print: Print) => void;

/** Makes the action of a command from a function of another module: `act(async () => (await import('./list.js')).list)`. */
export type Act = <Given extends unknown[]>(
  load: () => Promise<(cli: CommandLine, ...given: Given) => unknown>,
) => (...given: Given) => Promise<void>;

/** The same for an action that prints what is known without settings, and does not wait for the SDK. */
export type Print = <Given extends unknown[]>(
  load: () => Promise<(surroundings: Surroundings, ...given: Given) => unknown>,
) => (...given: Given) => Promise<void>;
