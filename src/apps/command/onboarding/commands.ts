import { type Command, Option } from 'commander';
import {
  DEFAULT_ASSIGNED_HOURS,
  DEFAULT_CLAIM_HOURS,
  DEFAULT_LINK_DAYS,
  LINK_LANGUAGES,
  LONGEST_CLAIM_DAYS,
  LONGEST_LINK_DAYS,
  REQUIREMENT_KINDS,
  STAGES,
} from '../../../messages/codes.js';
import { EACH_ONBOARDING } from '../../../messages/workflow-types.js';
import { SYSTEM_NAMES } from '../../../partners/system-names.js';
import { capitalize } from '../../../partners/text-limits.js';
import {
  type Action,
  limit,
  milliseconds,
  pastTime,
  withId,
  withIdArgument,
  withListFilter,
  withPartnerAccount,
  withRecordFormats,
  withStrict,
  withWords,
  withYes,
} from '../cli/options.js';

export function addStarts(program: Command, action: Action): void {
  for (const [type, { command, task, nouns }] of EACH_ONBOARDING)
    withStartOptions(program.command(command))
      .summary(task)
      .description(starting(capitalize(task), nouns[0]))
      .action(action(async () => (await import('./start.js')).startOf(type)));
}

function starting(what: string, kind: string): string {
  return (
    `${what}, as FILE describes it (see examples/${kind}.json and "gangway help fields ${kind}"). The same externalId attaches to the first ` +
    'onboarding, running or ended, so a script can safely run this command again.'
  );
}

function withStartOptions(command: Command): Command {
  return withStrict(command.option('--yes', 'skip the confirmation of warnings'))
    .argument('<file>', 'JSON file, or - for standard input')
    .option('--wait', 'wait for the outcome and print it')
    .option('--again', 'start again even if an earlier onboarding of this externalId has ended')
    .option('--json', 'print JSON lines');
}

export function addViews(program: Command, action: Action): void {
  withId(program.command('status'))
    .summary('show one onboarding or operation')
    .description(
      'Show the stage, the open requirements and the timeline of an onboarding or operation. With --json, print the result ' +
        'of query "state" and nothing else. With --input, show the input with its corrections, private values masked, and the ' +
        'fields that a correction can change now.',
    )
    .option('--input', 'show the input instead, and what can change')
    .option('--json', 'print JSON')
    .action(action(async () => (await import('./status.js')).status));
  const list = program
    .command('list')
    .summary('list onboardings, operations, or partner accounts')
    .description('List onboardings, newest first. Needs no worker.')
    .option('--operations', 'list single operations at the bank instead')
    .addOption(
      new Option('--accounts', 'list partner accounts with rejected credentials instead').conflicts(
        'operations',
      ),
    );
  withListFilter(withWords(list))
    .addOption(new Option('--stage <stage>', 'only this stage').choices(STAGES))
    .option('--action-required', 'only those that wait for a person')
    .option('--running', 'only running ones')
    .option('--started-before <time>', 'only those that started before: 2d, yesterday, 2026-01-31', pastTime)
    .option('--ended-since <time>', 'only those that ended since: today, 12h, 2026-01-31', pastTime)
    .addOption(waitingOver())
    .addOption(raisedSince())
    .option('--query <query>', 'an additional visibility query: "PartnerStatus = \'Pending\'"')
    .option('--limit <n>', 'maximum number of rows, 0 for all', limit, 50)
    .action(action(async () => (await import('./lists.js')).printList));
  withRecordFormats(list);
  const inbox = program
    .command('inbox')
    .summary('list the open requirements')
    .description(
      'List the open requirements of all onboardings, operations and partner accounts, the most urgent first. Needs no ' +
        'worker. With --details, also show the questions, which a worker has to read, and the commands that answer them.',
    );
  withListFilter(withWords(inbox))
    .addOption(new Option('--kind <kind>', 'only requirements of this kind').choices(REQUIREMENT_KINDS))
    .option('--overdue', 'only overdue requirements')
    .addOption(new Option('--unclaimed', 'only unclaimed requirements').conflicts('mine'))
    .option(
      '--mine [name]',
      'only those that you have, or in whose remarks you are mentioned (default: the user of this machine)',
    )
    .addOption(waitingOver())
    .addOption(raisedSince())
    .option('--due-after <time>', 'only onboardings whose first requirement is due after this time', pastTime)
    .option('--details', 'show each question and how to answer it')
    .option('--limit <n>', 'maximum number of onboardings, most urgent first, 0 for all', limit, 1_000)
    .action(action(async () => (await import('./lists.js')).printInbox));
  withRecordFormats(inbox);
}

const waitingOver = () =>
  new Option('--waiting-over <duration>', 'only what has waited longer for a person: 4h, 1d').argParser(
    milliseconds,
  );
const raisedSince = () =>
  new Option('--raised-since <time>', 'only what a person was asked since: today, 12h, 2026-01-31').argParser(
    pastTime,
  );

export function addClaims(program: Command, action: Action): void {
  withId(program.command('claim'))
    .summary('claim requirements, so that others see who works on them')
    .description(
      'Claim a requirement: "gangway inbox", "gangway status" and the Web UI show who works on it. The claim expires, ' +
        'or ends with the requirement. Claim it again to extend it. Others can still answer.',
    )
    .argument('<requirement>', 'id of the requirement, or its beginning')
    .argument('[more...]', 'further IDs, each followed by its requirement')
    .option(
      '--for <duration>',
      `how long: 30m, 2h, at most ${LONGEST_CLAIM_DAYS}d (default: ${DEFAULT_CLAIM_HOURS}h)`,
      milliseconds,
    )
    .option('--actor <name>', 'who works on it (default: the user of this machine)')
    .option('--override', 'take over someone else’s claim')
    .option('--json', 'print JSON')
    .action(action(async () => (await import('./claim.js')).claim));
  withId(program.command('assign'))
    .summary('assign requirements to a colleague')
    .description(
      'Assign a requirement to a colleague of GANGWAY_PEOPLE_FILE, as a claim of theirs: they find it with "gangway inbox --mine". ' +
        'Without the file, people can only claim requirements for themselves.',
    )
    .argument('<requirement>', 'id of the requirement, or its beginning')
    .argument('[more...]', 'further IDs, each followed by its requirement')
    .requiredOption('--to <name>', 'name, first name or ID of the colleague')
    .option('--remark <text>', 'why, or what to do: a remark for colleagues. @NAME mentions another one')
    .option(
      '--for <duration>',
      `how long: 2h, at most ${LONGEST_CLAIM_DAYS}d (default: ${DEFAULT_ASSIGNED_HOURS / 24}d)`,
      milliseconds,
    )
    .option('--actor <name>', 'who assigns it (default: the user of this machine)')
    .option('--override', 'take it over from whoever has it')
    .option('--json', 'print JSON')
    .action(action(async () => (await import('./claim.js')).claim));
  withId(program.command('release'))
    .summary('release a claimed requirement')
    .description('Release a requirement that you have claimed. Does nothing if the claim has ended.')
    .argument('<requirement>', 'id of the requirement, or its beginning')
    .option('--actor <name>', 'who has claimed it (default: the user of this machine)')
    .option('--json', 'print JSON')
    .action(action(async () => (await import('./claim.js')).release));
}

export function addLinks(program: Command, action: Action): void {
  withId(program.command('ask'))
    .summary('ask the merchant through a link')
    .description(
      'Make a link through which the merchant answers a requirement, and print its address once: send it yourself. What the merchant ' +
        'sends is a proposed answer, which "gangway confirm" sends to the partner.',
    )
    .argument('<requirement>', 'id of the requirement, or its beginning')
    .option('--text <text>', 'what the merchant reads')
    .option('--document <name...>', 'ask for documents: "voided check"')
    .option('--field <field=label...>', 'ask for fields of the input: "holder.website=Your website"')
    .option('--template <name>', 'a template of LINK_TEMPLATES_FILE')
    .addOption(new Option('--language <code>', 'language of the page (default: en)').choices(LINK_LANGUAGES))
    .option(
      '--for <duration>',
      `how long the link is valid, at most ${LONGEST_LINK_DAYS}d (default: ${DEFAULT_LINK_DAYS}d)`,
      milliseconds,
    )
    .option('--code', 'require a code, which you tell the merchant by phone')
    .option('--actor <name>', 'who asks (default: the user of this machine)')
    .option('--json', 'print JSON')
    .action(action(async () => (await import('./links.js')).ask));
  withId(program.command('revoke-link'))
    .summary('end the link of a requirement')
    .description('End the link through which the merchant answers. A proposed answer stays.')
    .argument('<requirement>', 'id of the requirement, or its beginning')
    .option('--actor <name>', 'who ends it (default: the user of this machine)')
    .option('--json', 'print JSON')
    .action(action(async () => (await import('./links.js')).revokeLinkCommand));
  withId(program.command('send-back'))
    .summary('send a merchant’s answer back')
    .description('Send the proposed answer of a merchant back, with a sentence that says what is missing.')
    .argument('<requirement>', 'id of the requirement, or its beginning')
    .requiredOption('--text <text>', 'what the merchant reads')
    .option('--actor <name>', 'who sends it back (default: the user of this machine)')
    .option('--json', 'print JSON')
    .action(action(async () => (await import('./links.js')).sendBack));
}

export function addAnswers(program: Command, action: Action): void {
  const command = program
    .command('resolve')
    .summary('answer a requirement')
    .description(
      'Answer one requirement that "gangway inbox" or "gangway status" lists. Give exactly one answer. Without one, show the ' +
        'question and the commands that answer it.',
    );
  withIdArgument(command)
    .argument('[requirement]', 'id of the requirement, or its beginning; default: the only open one')
    // The action names the option that is missing.
    .allowExcessArguments()
    .optionsGroup('Answers:')
    .option('--text <text>', 'a note or ticket: this text')
    .option('--document <file...>', 'a note, or a rejected document: these files')
    .option(
      '--set <field=value>',
      'rejected input, requested changes, a ticket: correct this field; repeatable. The value is JSON or text, null removes ' +
        'the field',
      (value: string, others: string[] = []) => [...others, value],
    )
    .option('--patch <json>', 'the same as JSON merge patch, @file, or - for standard input')
    .option(
      '--confirm <id>',
      'an uncertain write: it took effect and created this id; an unclear mid: this is the mid; not submitted: underwriting has this merchant; rejected input: it was done by hand with this id',
    )
    .option(
      '--retry',
      'an uncertain write: it did not take effect, send it again; otherwise: the obstacle is gone, try again',
    )
    .option('--code <code>', 'a one-time code: sign in with it')
    .option('--choice <meaning>', 'a new status: what it means, one of the choices that the question names')
    .option('--abandon', 'any requirement that allows it: give up the whole onboarding')
    .option('--take-back', 'an answer that was not sent yet: take it back and reopen the requirement')
    .optionsGroup('Options:')
    .option('--reason <why>', 'why; required for --confirm, --retry, --choice, --abandon and --take-back')
    .option('--actor <name>', 'who answers (default: the user of this machine)')
    .option('--propose', 'propose the answer: another person confirms it with "gangway confirm"')
    .option('--dry-run', 'check the answer, show what it changes, and send nothing')
    .option('--yes', 'skip the confirmation at the terminal')
    .option('--json', 'print JSON')
    .addHelpText('after', RESOLVE_EXAMPLES)
    .action(action(async () => (await import('./resolve.js')).resolve));
  withPartnerAccount(command);
  withYes(withId(program.command('confirm')))
    .summary('confirm an answer that someone else proposed')
    .description(
      'Apply the answer that someone else proposed. "gangway status" shows it in short. Nobody can confirm ' +
        'their own proposal.',
    )
    .argument('<requirement>', 'id of the requirement, or its beginning')
    .option('--actor <name>', 'who confirms (default: the user of this machine)')
    .option('--reason <why>', 'why')
    .option('--json', 'print JSON')
    .action(action(async () => (await import('./claim.js')).confirmProposal));
}

const RESOLVE_EXAMPLES = `
Examples:
  gangway resolve corner-bakery
  gangway resolve corner-bakery note-0e5ac65b83c0 --document check.pdf
  gangway status corner-bakery --input
  gangway resolve corner-bakery changes-requested-1 --set application.volume=240000 --dry-run`;

export function addFollowing(program: Command, action: Action): void {
  withId(program.command('watch'))
    .summary('follow the timeline')
    .description(
      'Show the timeline of an onboarding or operation as it grows, until it has ended or you press Ctrl-C. The timeline ' +
        'of a customer includes those of its parts. Ends with the outcome.',
    )
    .option('--json', 'print JSON lines')
    .action(action(async () => (await import('./status.js')).watch));
  const nudge = program
    .command('nudge')
    .summary('read the status and retry partner calls now')
    .description(
      'Make an onboarding read its status at the partner now instead of at its next poll, and retry its pending partner ' +
        'calls; for a customer, in all parts. With --system, do so for everything that waits for that partner, for example ' +
        'after an outage. Running attempts are left alone.',
    )
    .argument(
      '[id]',
      'externalId, externalId@account, mid, merchant id, dba or workflow id; omit it with --system',
    )
    .addOption(new Option('--system <name>', 'everything that waits for this partner').choices(SYSTEM_NAMES));
  withPartnerAccount(nudge)
    .option('--json', 'print JSON')
    .action(action(async () => (await import('./nudge.js')).nudgeCommand));
  withYes(withId(program.command('cancel')))
    .summary('cancel an onboarding or operation')
    .description(
      'Cancel an onboarding or operation; for a customer, all parts. A write in progress is completed first. ' +
        'What exists at the partner stays there; the timeline lists it.',
    )
    .option('--reason <why>', 'why; the history of the workflow has it, in plain text')
    .option('--json', 'print JSON')
    .action(action(async () => (await import('./nudge.js')).cancel));
}
