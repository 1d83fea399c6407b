import { REQUIREMENT_KINDS, TASKS } from '../../messages/requirement-kinds.js';
import { runbookOf } from '../../texts/codes.js';
import type { Surroundings } from '../cli/command-line.js';
import { EXIT_CODES } from '../cli/exit-codes.js';
import { Printer } from '../cli/output.js';
import { described, widthOf, wrapped } from '../cli/prose.js';
import type { Topic } from './names.js';

/** Prints a topic of `gangway help`. @throws {InvalidInput} for an unknown part */
export async function printTopic(
  surroundings: Surroundings,
  topic: Topic,
  [part]: readonly string[],
): Promise<void> {
  const width = widthOf(surroundings.stdout);
  new Printer(surroundings).line(await TEXTS[topic](width, part));
}

const TEXTS: Readonly<Record<Topic, (width: number, part: string | undefined) => string | Promise<string>>> =
  {
    requirements: (width) =>
      paragraphs(
        width,
        'A requirement is a question to a person. "gangway inbox" lists the open ones, "gangway resolve" answers one, and the Web ' +
          'UI shows them in the details of the workflow.',
        'Gangway never decides a requirement by itself. Past its due date it is overdue and stays open. It closes when the ' +
          "partner's own change makes it obsolete.",
        '"gangway claim" shows others that you work on a requirement. "gangway confirm" applies an answer that someone else proposed.',
        'The kinds, what to do, and the allowed answers:',
        described(
          REQUIREMENT_KINDS.map((kind) => [kind, `${TASKS[kind]} (${runbookOf(kind)['answers']})`]),
          width,
        ),
        '"gangway explain KIND" describes a kind: what happened, what to do, and what not to do.',
      ),
    'exit-codes': (width) =>
      described(
        EXIT_CODES.map(({ code, meaning }) => [code, meaning]),
        width,
      ),
    settings: async (width, part) => (await import('./settings-help.js')).settingsHelp(part, width),
  };

/** Joins paragraphs with empty lines. Multi-line paragraphs stay as they are. */
function paragraphs(width: number, ...texts: readonly string[]): string {
  return texts.map((text) => (text.includes('\n') ? text : wrapped(text, width))).join('\n\n');
}
