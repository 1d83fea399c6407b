import { writeFile } from 'node:fs/promises';
import { z } from 'zod';
import { accountOf, systemsOf } from '../../../partners/account-settings.js';
import { PARTNERS, SYSTEM_NAMES, type SystemName, urlSetting } from '../../../partners/descriptors.js';
import type { Difference, DifferenceKind } from '../../../partners/differences.js';
import { BadSetting } from '../../../platform/settings/settings.js';
import { markdownTable, packageVersion } from '../../../services/texts/docs.js';
import { check } from '../../../services/texts/invalid-input.js';
import { cannotSave, type IdOptions, numericId, partnerAccountOf } from '../cli/arguments.js';
import type { CommandLine } from '../cli/command-line.js';
import { CommandFailed, EXIT } from '../cli/errors.js';
import type { Texts } from '../cli/options.js';
import type { TableColumns } from '../cli/output.js';
import { withProgress } from '../cli/progress.js';
import { type Probed, probeSystem } from './probe-run.js';

/** Compares the responses of partners with the catalogue, by calls that only read. */
export async function probe(
  cli: CommandLine,
  only: SystemName | undefined,
  { merchant, profile, report, json, ...options }: IdOptions & Texts<'merchant' | 'profile' | 'report'>,
): Promise<void> {
  const id = numericId.optional();
  const value = z.object({ '--merchant': id, '--profile': id });
  const ids = check(value, { '--merchant': merchant, '--profile': profile }, 'probe', 'nothing was sent');
  const config = cli.config();
  const partnerAccount = partnerAccountOf(config, options, 'probe', 'nothing was sent');
  const account = accountOf(config, partnerAccount);
  const urlOf = (system: SystemName) => account.settingsPrefix + urlSetting(system);
  const on = systemsOf(account);
  if (only !== undefined && !on.includes(only)) throw new BadSetting(urlOf(only), 'is not set');
  const systems = only === undefined ? on : [only];
  if (systems.length === 0)
    throw new BadSetting(urlOf('boarding'), 'is not set, and no other partner has a URL');
  const probed = await withProgress(cli, 'probing', async (progress) => {
    const around = {
      ids: { merchant: ids['--merchant'], profile: ids['--profile'] },
      signal: cli.signal,
      onCall: (operation: string) => progress.at(`calling ${operation}`),
    };
    const all: Probed[] = [];
    for (const system of systems) all.push(...(await probeSystem(system, account, around)));
    return all;
  });
  if (report !== undefined) {
    const page = probeReport(probed, new Date(), packageVersion());
    await writeFile(report, page, { flag: 'wx' }).catch(cannotSave(report));
  }
  print(cli, probed, json);
  for (const system of systems)
    if (!probed.some((each) => each.system === system)) cli.note(`${system}: has no read-only operation`);
  if (report !== undefined) cli.note(`saved the report for the partner to ${report}`);
  judge(probed);
}

const resultOf = ({ result }: Probed) => result.replace('-', ' ');

const COLUMNS: TableColumns<Probed> = {
  system: ({ system }) => system,
  operation: { value: ({ operation }) => operation, keep: true },
  shapes: { value: ({ provenance }) => provenance, priority: 3 },
  needed: { value: ({ isNeeded }) => isNeeded, priority: 4 },
  result: {
    value: resultOf,
    style: ({ result }) => (result === 'differs' || result === 'not-permitted' ? 'red' : undefined),
  },
  http: { value: ({ status }) => status, priority: 5 },
  why: { value: ({ why }) => why, priority: 2 },
};

function print(cli: CommandLine, probed: readonly Probed[], json: true | undefined): void {
  cli.records(probed, { columns: COLUMNS, json, none: 'no operation only reads' });
  const differences = probed.flatMap((each) =>
    each.differences.map((difference) => ({ ...each, difference })),
  );
  if (json || differences.length === 0) return;
  cli.line('');
  cli.records(differences, {
    columns: {
      operation: { value: ({ system, operation }) => `${system} ${operation}`, keep: true },
      field: { value: ({ difference }) => describePlaceOfDifference(difference), keep: true },
      difference: ({ difference }) => DESCRIPTIONS[difference.kind],
      expected: { value: ({ difference }) => difference.expected, priority: 2 },
      got: ({ difference }) => difference.got,
      needed: { value: ({ difference }) => difference.isNeeded, priority: 3 },
    },
  });
}

/** @throws {CommandFailed} if something that a workflow needs differs, is not permitted or cannot be reached */
function judge(probed: readonly Probed[]): void {
  const needed = probed.filter(({ isNeeded }) => isNeeded);
  const wrong = needed.filter(
    ({ result, differences }) => result === 'not-permitted' || differences.some((each) => each.isNeeded),
  );
  if (wrong.length > 0)
    throw new CommandFailed(
      `workflows cannot rely on ${named(wrong)}: correct the catalogue, or ask the partner`,
    );
  const missing = needed.filter(({ result }) => result === 'unreachable');
  if (missing.length > 0)
    throw new CommandFailed(`no usable response to ${named(missing)}`, { exitCode: EXIT.unavailable });
}

function named(probed: readonly Probed[]): string {
  return probed.map(({ system, operation }) => `${system} ${operation}`).join(', ');
}

export const DESCRIPTIONS: Readonly<Record<DifferenceKind, string>> = {
  'http-status': 'other HTTP status',
  'missing-field': 'missing field',
  'other-type': 'other type',
  'other-form': 'other form',
  'unknown-status': 'unknown status name',
  'unknown-field': 'unknown field',
};

export function describePlaceOfDifference({ field }: Pick<Difference, 'field'>): string {
  return field === '' ? 'the whole response' : field;
}

/**
 * Returns a Markdown report for the partner. It names operations, fields, types and lengths, but no values, and none of our credentials
 * or accounts.
 */
export function probeReport(probed: readonly Probed[], at: Date, version: string): string {
  const systems = SYSTEM_NAMES.filter((system) => probed.some((each) => each.system === system));
  const sections = systems.map((system) => {
    const own = probed.filter((each) => each.system === system);
    const operations = own.map((each) => [
      each.operation,
      `\`${each.method} ${each.path}\``,
      each.provenance,
      resultOf(each),
      String(each.status ?? ''),
      each.why ?? '',
    ]);
    const differences = own.flatMap(({ operation, differences: all }) =>
      all.map((each) => [
        operation,
        `\`${describePlaceOfDifference(each)}\``,
        DESCRIPTIONS[each.kind],
        each.expected,
        each.got,
      ]),
    );
    const text =
      differences.length === 0
        ? 'No response differs from what we expect.'
        : markdownTable(['operation', 'field', 'difference', 'expected', 'got'], differences);
    const head = ['operation', 'request', 'our shapes are', 'result', 'HTTP status', 'remark'];
    return `## ${PARTNERS[system].title}\n\n${markdownTable(head, operations)}\n\n### Differences\n\n${text}\n`;
  });
  return [
    '# Probe of your API\n',
    `Gangway ${version} made the calls below on ${at.toISOString().slice(0, 10)}. All of them are reads. The report has types and lengths, never values. Your contract does not show the shapes marked "assumed": please confirm or correct ours.\n`,
    ...sections,
  ].join('\n');
}
