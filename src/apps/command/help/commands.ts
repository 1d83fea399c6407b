import { Argument, type Command } from 'commander';
import { didYouMean } from '../../../platform/settings/nearest.js';
import type { Surroundings } from '../cli/command-line.js';
import type { Act } from '../cli/options.js';
import { fillCall } from '../partner/commands.js';
import {
  COMPLETE,
  complete,
  namesOf,
  printScript,
  SHELLS,
  type Shell,
  TOPICS,
  type Topic,
} from './complete.js';

/** The commands that describe Gangway. None of them needs Temporal. */
export function addHelp(program: Command, act: Act, surroundings: Surroundings): void {
  const described = Object.entries(TOPICS).map(([topic, about]) => `  ${topic.padEnd(14)}${about}`);
  const help = program
    .helpCommand(false)
    .command('help')
    .summary('show the help of a command or topic')
    .description('Show the help of a command or topic.')
    .argument('[topic]', 'a command, or one of the topics below')
    .argument('[more...]', 'a subcommand, or a part of the name of a setting')
    .addHelpText('after', `\nTopics:\n${described.join('\n')}`);
  help.action(async (topic: string | undefined, more: readonly string[]) => {
    if (topic === undefined) return program.help();
    if (topic !== 'answers' && Object.hasOwn(TOPICS, topic))
      return (await import('./topics.js')).printTopic(surroundings, topic as Topic, more);
    const named = await commandOf([topic === 'answers' ? 'resolve' : topic, ...more], program, act);
    if (named) return named.help();
    const [topics, names] = [Object.keys(TOPICS), namesOf(program.commands)];
    const all = `; the topics are ${topics.join(', ')}; the commands are ${names.join(', ')}`;
    help.error(`error: no command or topic '${topic}'${didYouMean(topic, [...topics, ...names]) || all}`);
  });
  program
    .command('explain')
    .summary('describe a requirement, outcome, timeline entry or error')
    .description(
      'Describe a code: what it means, what happens next, and what a person does. Without a code, list all codes.',
    )
    .argument('[code]', 'for example uncertain-write, declined, answers-wait or NotSent')
    .option('--json', 'print JSON lines')
    .action(async (code: string | undefined, options: { readonly json?: true }) =>
      (await import('./topics.js')).explain(surroundings, code, options),
    );
}

async function commandOf(words: readonly string[], program: Command, act: Act): Promise<Command | undefined> {
  let found: Command | undefined = program;
  for (const word of words) {
    found = found?.commands.find((command) => command.name() === word);
    if (found?.name() === 'call' && found.parent === program) await fillCall(found, act);
  }
  return found;
}

export function addCompletion(program: Command, act: Act, surroundings: Surroundings): void {
  program
    .command('completion')
    .summary('print a script that completes commands in your shell')
    .description(
      'Print a script that completes commands, options, files, and the IDs of onboardings and requirements. Load it when ' +
        'your shell starts.',
    )
    .addArgument(new Argument('<shell>', 'the shell that you use').choices(SHELLS))
    .addHelpText('after', LOADING)
    .action((shell: Shell) => printScript(surroundings, shell));
  program
    .command(COMPLETE, { hidden: true })
    .description('Print what can follow. The scripts of "gangway completion" call it.')
    .addArgument(new Argument('<shell>').choices(SHELLS))
    .argument('<line>', 'the command line up to the cursor')
    .argument('[breaks]', 'bash: the characters that separate its words')
    .action((shell: Shell, line: string, breaks: string | undefined) =>
      complete(surroundings, program, act, shell, line, breaks),
    );
}

const LOADING = `
Load it:
  bash   echo 'eval "$(gangway completion bash)"' >> ~/.bashrc
  zsh    echo 'eval "$(gangway completion zsh)"' >> ~/.zshrc   (after compinit)
  fish   gangway completion fish > ~/.config/fish/completions/gangway.fish`;
