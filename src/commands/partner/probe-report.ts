import type { Difference, DifferenceKind } from '../../partners/differences.js';
import { PARTNERS, SYSTEM_NAMES } from '../../partners/systems.js';
import type { Probed } from './probe-run.js';

export const IN_WORDS: Readonly<Record<DifferenceKind, string>> = {
  'http-status': 'other HTTP status',
  'missing-field': 'missing field',
  'other-type': 'other type',
  'other-form': 'other form',
  'unknown-status': 'unknown status name',
  'unknown-field': 'unknown field',
};

/** The place of a difference, for people. */
export function placeOf({ field }: Pick<Difference, 'field'>): string {
  return field === '' ? 'the whole response' : field;
}

/**
 * A report in Markdown for the partner. It names operations, fields, types and lengths: no value, no credential, and none of
 * our accounts.
 */
export function probeReport(probed: readonly Probed[], at: Date, version: string): string {
  const systems = SYSTEM_NAMES.filter((system) => probed.some((each) => each.system === system));
  const sections = systems.map((system) => {
    const own = probed.filter((each) => each.system === system);
    const operations = own.map(({ operation, method, path, provenance, result, status, why }) => [
      ...[operation, `\`${method} ${path}\``, provenance, result.replace('-', ' ')],
      ...[status === undefined ? '' : String(status), why ?? ''],
    ]);
    const differences = own.flatMap(({ operation, differences: all }) =>
      all.map((each) => [operation, `\`${placeOf(each)}\``, IN_WORDS[each.kind], each.expected, each.got]),
    );
    const found =
      differences.length === 0
        ? 'No response differs from what we expect.'
        : table(['operation', 'field', 'difference', 'expected', 'got'], differences);
    const head = ['operation', 'request', 'our shapes are', 'result', 'HTTP status', 'remark'];
    return `## ${PARTNERS[system].title}\n\n${table(head, operations)}\n\n### Differences\n\n${found}\n`;
  });
  return [
    '# Probe of your API\n',
    `Gangway ${version} made the calls below on ${at.toISOString().slice(0, 10)}. All of them are reads. The report has types and lengths, never values. Your contract does not show the shapes marked "assumed": please confirm or correct ours.\n`,
    ...sections,
  ].join('\n');
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
