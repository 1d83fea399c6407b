import { setTimeout } from 'node:timers/promises';
import { parse } from 'unbash';
import { READING_MS } from '../command.js';
import { screenAfter, startAtTerminal } from '../terminal.js';

/** A reader of the pages: an interactive shell at a terminal, and blocks that are pasted into it as a whole. */
export interface Reader {
  /** Pastes a block, and waits until the shell has run all of it. Answers each question with yes. */
  paste(commands: string): Promise<Pasted>;
  leave(): Promise<number | null>;
}

export interface Pasted {
  /** The exit code of each line of commands. */
  readonly codes: readonly number[];
  /** What the commands printed, without the prompts of the shell and what it says about jobs. */
  readonly printed: readonly string[];
}

const QUESTION = 'Continue? [y/N] ';

/** Starts a shell in a folder. */
export function startReader(folder: string, env: Readonly<Record<string, string>>): Reader {
  // The number of the line that the shell reads next, and the exit code of the last one.
  const prompts = { PS1: String.raw`\r\n<\#:$?> `, PS2: '<> ', HISTFILE: '', INPUTRC: '/dev/null' };
  const shell = startAtTerminal('stty cols 1000 && exec bash --noprofile --norc -i', folder, {
    TERM: 'xterm',
    ...prompts,
    ...env,
  });
  let next = 1;
  return {
    async paste(commands) {
      await shell.prints(`<${next}:`);
      const from = shell.stdout().lastIndexOf(`<${next}:`);
      const [first, last] = [next, next + linesOf(commands)];
      next = last;
      // A terminal pastes what Enter types.
      shell.type(`${commands}\n`.replaceAll('\n', '\r'));
      if (asksIn(commands)) {
        await shell.prints(QUESTION);
        await setTimeout(READING_MS);
        shell.type('y\r');
      }
      await shell.prints(`\n<${last}:`);
      const screen = screenAfter(plain(shell.stdout().slice(from)));
      const codeBefore = (number: number) =>
        Number(new RegExp(`^<${number}:(\\d+)>`, 'm').exec(screen.join('\n'))?.[1]);
      return {
        codes: Array.from({ length: last - first }, (_, index) => codeBefore(first + index + 1)),
        printed: screen.filter((line) => line.trim() !== '' && !OF_THE_SHELL.test(line)),
      };
    },
    async leave() {
      shell.type('exit\n');
      return shell.end;
    },
  };
}

const OF_THE_SHELL = /^<\d*(:\d+)?> |^\[\d+\][ +-]/;

const asksIn = (commands: string) => commands.includes('--confirm ');

/** Removes colors, and what an interactive shell asks the terminal to do with pastes. */
function plain(written: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they control terminals
  return written.replaceAll(/\u001b\[(\?2004[hl]\r?|[\d;]*m)/g, '');
}

/** The shell counts the lines that start a command. */
function linesOf(commands: string): number {
  const all = parse(commands).commands;
  const isFirst = ({ pos }: { readonly pos: number }, index: number) =>
    index === 0 || commands.slice(all[index - 1]?.end, pos).includes('\n');
  return all.filter(isFirst).length;
}
