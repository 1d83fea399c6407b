import { REQUIREMENT_KINDS, TASKS } from '../../messages/requirement-kinds.js';
import type { AnswerKind } from '../../messages/requirements.js';
import { REQUIREMENT_TEXTS } from '../../operators/texts/requirement-texts.js';
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
        'These are the kinds, with what a person has to do and the allowed answers:',
        described(
          REQUIREMENT_KINDS.map((kind) => [kind, `${TASKS[kind]} (${REQUIREMENT_TEXTS[kind].answers})`]),
          width,
        ),
        '"gangway explain KIND" describes a kind: what happened, what to do, and what not to do.',
      ),
    answers: (width) =>
      paragraphs(
        width,
        'Answer with exactly one of these options: gangway resolve ID REQUIREMENT OPTION. The requirement lists those that it allows.',
        described(Object.values(ANSWER_TEXTS), width),
        'The timeline keeps who answered (--actor, default: the user of this machine) and why (--reason).',
        'Example: gangway resolve harbor-books note-149967d738cb --text "One sale in ten."',
      ),
    'exit-codes': (width) =>
      described(
        EXIT_CODES.map(({ code, meaning }) => [code, meaning]),
        width,
      ),
    settings: async (width, part) => (await import('./settings-help.js')).settingsHelp(part, width),
  };

/** The option of each kind of answer, and what it does. */
const ANSWER_TEXTS: Readonly<Record<AnswerKind, readonly [option: string, meaning: string]>> = {
  text: ['--text TEXT', 'sends this text to the partner'],
  documents: ['--document FILE...', 'sends these files to the partner'],
  correction: [
    '--set FIELD=VALUE...',
    'changes fields of the input, and the request is sent again; or --patch JSON, a merge patch, @file, or - for standard input',
  ],
  adopt: [
    '--adopt ID',
    'confirms that a write took effect and created this ID, or that this is the `mid`; needs --reason',
  ],
  retry: [
    '--retry',
    'states that a write did not take effect, or that the obstacle is gone; the request is sent again; needs --reason',
  ],
  code: ['--code CODE', 'signs in with this one-time code'],
  choice: [
    '--choice MEANING',
    'states what a new status of a partner means, for all onboardings; needs --reason',
  ],
  'take-back': [
    '--take-back',
    'takes back an answer that was not sent yet, and reopens the requirement; needs --reason',
  ],
  abandon: ['--abandon', 'gives up the onboarding. What exists at the partner stays there; needs --reason'],
};

/** Paragraphs with an empty line between them. Those of several lines stay as they are. */
function paragraphs(width: number, ...texts: readonly string[]): string {
  return texts.map((text) => (text.includes('\n') ? text : wrapped(text, width))).join('\n\n');
}
