import { type Command, Option } from 'commander';
import { ACTIVITIES } from '../../../messages/codes.js';
import {
  type Action,
  limit,
  pastTime,
  withId,
  withListFilter,
  withRecordFormats,
  withWords,
} from '../cli/options.js';

export function addReports(program: Command, action: Action): void {
  const report = program
    .command('report')
    .summary('stages, times, waits, requirements and outcomes')
    .description(
      'Count onboardings by stage, the time that stages take, the longest waits, requirements by kind, and outcomes by week. ' +
        'Reads only the list of workflows, so it needs no worker. See docs/reports.md.',
    );
  withListFilter(report)
    .option(
      '--since <time>',
      'leave out onboardings that ended before: 30d, yesterday, 2026-01-31 (default: 84d)',
      pastTime,
    )
    .addOption(new Option('--by <group>', 'also compare groups').choices(['agent', 'account']))
    .addOption(new Option('--json', 'print JSON').conflicts(['csv', 'html']))
    .addOption(new Option('--csv', 'print CSV: a number on each row').conflicts('html'))
    .addOption(
      new Option(
        '--weeks',
        'one row per week instead: how many ended, succeeded, and had each outcome',
      ).conflicts(['html', 'by']),
    )
    .option('--html <file>', 'save an HTML page with charts that works offline')
    .action(action(async () => (await import('./report.js')).reportCommand));
  const activity = program
    .command('activity')
    .summary('what people and partners did')
    .description(
      'Show what people and partners did in onboardings that run or ended since, the newest first, and the old and new value of each ' +
        'correction, masked. Needs a worker.',
    );
  withRecordFormats(withWords(activity))
    .option('--person <name>', 'only of this person: a part of the name or the ID')
    .addOption(new Option('--kind <kind>', 'only this').choices(Object.keys(ACTIVITIES)))
    .option('--partner-account <name>', 'only this account at the partners')
    .option(
      '--since <time>',
      'only what happened since: today, 12h, 2026-01-31 (default: 7d, before --until)',
      pastTime,
    )
    .option('--until <time>', 'only what happened before: yesterday, 12h, 2026-01-31', pastTime)
    .option('--limit <n>', 'maximum number of rows, 0 for all', limit, 50)
    .action(action(async () => (await import('./activity.js')).activity));
  const exportOne = program
    .command('export')
    .summary('everything about one onboarding, for an auditor')
    .description(
      'Print everything about an onboarding or operation as one JSON document: facts, timeline, requirements, answers, ' +
        'corrections, calls to partners, and documents with their SHA-256. A customer comes with its parts. Private values are ' +
        'masked. An ended onboarding needs no worker. See docs/reports.md.',
    );
  withId(exportOne)
    .option('--html <file>', 'save an HTML page to read or print instead')
    .option('--with-private-values', 'do not mask private values; needs --reason')
    .option('--reason <why>', 'why you need private values; recorded in the document and on standard error')
    .option('--actor <name>', 'who exports (default: the user of this machine)')
    .action(action(async () => (await import('./report.js')).exportOne));
  const bundle = program
    .command('bundle')
    .summary('a file about one onboarding for support')
    .description(
      'Write a file about an onboarding or operation that you can send to people who must not see its data: events of its ' +
        'history without payloads, its state without texts, settings without secrets, the worker’s ' +
        'metrics, and the findings of gangway doctor. See docs/reports.md.',
    );
  withId(bundle)
    .option('--output <file>', 'where to save it (default: the workflow id and .bundle.json)')
    .option('--json', 'print JSON')
    .action(action(async () => (await import('./bundle.js')).writeBundle));
}
