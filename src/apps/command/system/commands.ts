import { type Command, Option } from 'commander';
import { SCOPES } from '../../../messages/actors.js';
import {
  type Action,
  limit,
  milliseconds,
  perSecond,
  positiveInteger,
  withPartnerAccount,
  withRecordFormats,
} from '../cli/options.js';

export function addSetup(program: Command, action: Action): void {
  program
    .command('setup')
    .summary('prepare a Temporal namespace')
    .description(
      'Register the search attributes in the namespace, and print links to views of the Web UI. Safe to run again. ' +
        'For calls from other namespaces, see docs/nexus.md.',
    )
    .option('--nexus-endpoint <name>', 'create this Nexus endpoint for the workers')
    .option('--json', 'print JSON')
    .action(action(async () => (await import('./setup.js')).setUp));
  program
    .command('keys')
    .summary('generate keys that encrypt payloads')
    .description('Generate keys for PAYLOAD_KEYS (see docs/security.md).')
    .command('new')
    .summary('print a new key')
    .description('Print a new random key as id:base64. Gangway does not store it: keep it with your secrets.')
    .action(action(async () => (await import('./setup.js')).printNewKey));
  program
    .command('api-clients')
    .summary('make a client of the HTTP API')
    .description('Make clients of the HTTP API (see docs/api.md).')
    .command('new')
    .summary('print a new client')
    .description(
      'Print a line for API_CLIENTS_FILE, and on standard error the token of the client. Gangway does not store the token: give it ' +
        'to the program now.',
    )
    .argument('<name>', 'as the timeline shows the program: a-z, 0-9 and "-"')
    .addOption(new Option('--scope <scope...>', 'what it may do').choices(SCOPES).default(['read']))
    .option('--account <name...>', 'only these partner accounts; "default" is the unnamed account')
    .option('--json', 'print JSON')
    .action(action(async () => (await import('./setup.js')).printNewClient));
  program
    .command('console-sessions')
    .summary('end a person’s sessions in the console')
    .description('End sessions in the console (see docs/security.md).')
    .command('end')
    .summary('end all sessions of a person')
    .description(
      'End each session of a person in the console that has begun until now, at all consoles of the namespace. The person can sign ' +
        'in again unless the identity provider refuses. The sessions are in cookies, so there is no list of them.',
    )
    .argument(
      '<person>',
      'as in the timeline, "Ada Park (248289761001)", or only the subject at the identity provider',
    )
    .action(action(async () => (await import('./setup.js')).endSessions));
  program
    .command('doctor')
    .summary('check the setup')
    .description(
      'Check settings, Temporal, workers, keys, partners and file stores, all at once, and name a fix for each ' +
        'problem. Changes nothing at a partner. Exits with 1 if something is wrong.',
    )
    .option('--json', 'print JSON lines')
    .action(action(async () => (await import('./doctor/doctor.js')).doctor));
  program
    .command('replay')
    .summary('check that running workflows can continue on this build')
    .description(
      'Replay the histories of running and recently ended workflows through the code of this build, and name the first command ' +
        'that differs, with its place in the sources. Changes no workflow, and writes no payload. Exits with 1 if one does not ' +
        'replay. See docs/changing-workflows.md.',
    )
    .option('--query <query>', 'only workflows that this visibility query finds')
    .option('--ended <time>', 'also those that ended within this time, 0s for none', milliseconds, 86_400_000)
    .option('--held', 'also those that roll-out.sh holds on a build')
    .option(
      '--sample <n>',
      'at most this many of each kind, stage, status and age (default: all)',
      positiveInteger,
    )
    .option('--rate <n>', 'histories to read per second', perSecond, 100)
    .option('--resume <file>', 'skip what this build replayed in the last hour, which the file lists')
    .option('--build <id>', 'record the result at this build, for roll-out.sh promote')
    .option(
      '--code',
      'only print the digest of this build’s workflow code, which identifies a recorded result',
    )
    .option('--json', 'print JSON lines')
    .action(action(async () => (await import('./replay.js')).replay));
}

export function addBackups(program: Command, action: Action): void {
  program
    .command('backup')
    .summary('save all onboardings to a file')
    .description(
      'Write all onboardings in Temporal to FILE, one JSON line each: the input, encrypted with PAYLOAD_KEYS like histories, ' +
        'and the IDs at the partners. Needs no worker. See docs/disaster.md.',
    )
    .argument('<file>', 'file to write; replaced once the backup is complete')
    .option('--json', 'print JSON')
    .action(action(async () => (await import('./backup.js')).backUp));
  const restore = program
    .command('restore')
    .summary('start the onboardings of a backup')
    .description(
      'Start the onboardings of a backup that Temporal does not have. Each imports its merchant or profile at the partner. An ' +
        'onboarding without one searches the partner first, and asks a person before it creates anything. Safe to run again. ' +
        'See docs/disaster.md.',
    )
    .argument('<file>', 'file that gangway backup wrote')
    .option('--dry-run', 'only print what would be started')
    .option('--unauthenticated', 'let the author of a file that no key authenticates decide what is imported')
    .action(action(async () => (await import('./backup.js')).restoreAll));
  withRecordFormats(restore);
  program
    .command('sandbox')
    .summary('run emulated partners')
    .description(
      'Run the emulated partners at SANDBOX_ADDRESS until Ctrl-C. Use that address as the URL of every partner, and "sandbox" as ' +
        'user, password, token and API key. See docs/commands.md for scenarios and faults.',
    )
    .action(
      action(async () => {
        const { loadSandboxSettings, serveSandbox } = await import('../../sandbox/server.js');
        return async (cli) => {
          await serveSandbox(loadSandboxSettings(cli.env), cli.signal, (line) => cli.line(line));
          cli.signal.throwIfAborted();
        };
      }),
    );
}

export function addEvents(program: Command, action: Action): void {
  const events = program
    .command('events')
    .summary('list and redeliver outbound events')
    .description('List the outbound events that were sent to EVENTS_URLS, and send them again.');
  const list = events
    .command('list')
    .description('List outbound events, newest first, with the state of their delivery.');
  withRecordFormats(withSubject(list))
    .option('--failed', 'only failed deliveries, which are not retried')
    .option('--waiting', 'only deliveries that are retried')
    .option('--limit <n>', 'maximum number of events, 0 for all', limit, 100)
    .action(action(async () => (await import('./events.js')).listEvents));
  const again = events
    .command('redeliver')
    .description(
      'Send the events of failed deliveries again, with the same event IDs, so that receivers can recognize duplicates. ' +
        'Deliveries are retried for another three days.',
    );
  withSubject(again)
    .option('--waiting', 'also retry pending deliveries now')
    .option('--all', 'also delivered events; needs the id of an onboarding')
    .option('--json', 'print JSON lines')
    .action(action(async () => (await import('./events.js')).sendAgain));
}

function withSubject(command: Command): Command {
  const id = 'only this onboarding: workflow id, externalId or externalId@account';
  return withPartnerAccount(command.argument('[id]', id));
}
