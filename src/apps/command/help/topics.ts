import type { z } from 'zod';
import { REQUIREMENT_KINDS, TASKS } from '../../../messages/codes.js';
import { EACH_ONBOARDING } from '../../../messages/workflow-types.js';
import { didYouMean } from '../../../platform/settings/did-you-mean.js';
import { columnsOf } from '../../../services/batches/columns.js';
import { schemaFields } from '../../../services/forms/schema-fields.js';
import { CODES, type Code, findCodes, runbookOf } from '../../../services/texts/codes.js';
import { type Row, readDocsPage, tablesIn } from '../../../services/texts/docs.js';
import { InvalidInput } from '../../../services/texts/invalid-input.js';
import type { CommandIo } from '../cli/command-line.js';
import { EXIT_CODES } from '../cli/errors.js';
import { formatRows, Printer, readableWidth, wrapText } from '../cli/output.js';
import { fieldTable } from '../partner/call-fields.js';

export async function printTopic(io: CommandIo, topic: Topic, [part]: readonly string[]) {
  const width = readableWidth(io.stdout);
  new Printer(io).line(await (TEXTS[topic] as TextOf)(width, part, io.env));
}

type TextOf = (width: number, part: string | undefined, env: NodeJS.ProcessEnv) => string | Promise<string>;

const TEXTS = {
  fields: async (_, kind, env) => fieldTable(schemaFields(await inputOf(kind, env))),
  columns: async (_, kind, env) => columnsOf([await inputOf(kind, env)]).names.join(','),
  requirements: (width) =>
    paragraphs(
      width,
      'A requirement is a question to a person. "gangway inbox" lists the open ones, "gangway resolve" answers one, and the Web ' +
        'UI shows them in the details of the workflow.',
      'Gangway never decides a requirement by itself. Past its due date it is overdue and stays open. It closes when the ' +
        "partner's own change makes it obsolete.",
      '"gangway claim" shows others that you work on a requirement. "gangway confirm" applies an answer that someone else proposed.',
      'The kinds, what to do, and the allowed answers:',
      formatRows(
        REQUIREMENT_KINDS.map((kind) => [kind, `${TASKS[kind]} (${runbookOf(kind)['answers']})`]),
        width,
      ),
      '"gangway explain KIND" describes a kind: what happened, what to do, and what not to do.',
    ),
  'exit-codes': (width) =>
    formatRows(
      EXIT_CODES.map(([code, , meaning]) => [code, meaning]),
      width,
    ),
  settings: (width, part) => settingsHelp(part, width),
} as const satisfies Readonly<Record<string, TextOf>>;

/** A topic with a separate text. The other topics are the help of a command. */
export type Topic = keyof typeof TEXTS;

/** Loads the schema of an input, and with it the SDK, which no other topic needs. @throws {InvalidInput} */
async function inputOf(kind: string | undefined, env: NodeJS.ProcessEnv): Promise<z.ZodType> {
  const { KINDS } = await import('../../../temporal/kinds/kinds.js');
  const { readAccounts } = await import('../../../partners/account-settings.js');
  const [type] = EACH_ONBOARDING.find(([, { nouns }]) => nouns[0] === kind) ?? [];
  if (type) return KINDS[type].schema(readAccounts(env));
  throw new InvalidInput(`name the input: ${EACH_ONBOARDING.map(([, { nouns }]) => nouns[0]).join(', ')}`);
}

/** Joins paragraphs with empty lines. Multi-line paragraphs stay as they are. */
function paragraphs(width: number, ...texts: readonly string[]): string {
  return texts.map((text) => (text.includes('\n') ? text : wrapText(text, width))).join('\n\n');
}

/** @throws {InvalidInput} that names the nearest codes if the code is unknown */
export function explainTopic(
  io: CommandIo,
  topic: string | undefined,
  { json }: { readonly json?: true },
): void {
  const cli = new Printer(io);
  const width = readableWidth(cli.stdout);
  const names = [...new Set(CODES.map(({ code }) => code))];
  if (topic === undefined) {
    if (json) cli.json(names);
    else cli.line(listed(width));
    return;
  }
  const codes = findCodes(topic);
  const unknown = `no code ${JSON.stringify(topic)}${didYouMean(topic, names)}`;
  if (codes.length === 0) throw new InvalidInput(`${unknown}; "gangway explain" lists all codes`);
  if (json) for (const { facts, ...each } of codes) cli.json({ ...each, ...facts });
  else cli.line(codes.map((each) => describe(each, width)).join('\n\n'));
}

function listed(width: number): string {
  const kinds = [...Map.groupBy(CODES, ({ kind }) => kind)];
  const summarize = (codes: readonly Code[]) => wrapText(codes.map(({ code }) => code).join(', '), width, 2);
  return kinds.map(([kind, codes]) => `${kind}\n  ${summarize(codes)}`).join('\n\n');
}

function describe({ code, kind, facts }: Code, width: number): string {
  return `${code} (${kind})\n${formatRows(Object.entries(facts), width)}`;
}

/** Describes settings whose name contains this text, or all, like docs/configuration.md. @throws {InvalidInput} if there are none */
export function settingsHelp(part: string | undefined, width: number): string {
  const tables = tablesIn(readDocsPage('configuration'));
  const isWanted = (name: string) => part === undefined || name.includes(part.toUpperCase());
  const rows = tables.flatMap(({ heading, rows }) => {
    const match = rows.filter((row) => namesIn(row).some(isWanted));
    return match.length === 0
      ? []
      : [[heading, ...match.map((row) => describeRow(row, isWanted, width))].join('\n')];
  });
  if (rows.length > 0) return [...rows, SECRETS].join('\n\n');
  const names = tables.flatMap(({ rows }) => rows.flatMap(namesIn));
  throw new InvalidInput(`no setting ${JSON.stringify(part)}${didYouMean(part ?? '', names)}`);
}

const SECRETS = 'A secret can be in a file: set NAME_FILE to its path instead.';

/** Settings with the same description share a row. */
function namesIn({ setting = '' }: Row): string[] {
  return setting.split('<br>').map((name) => name.replaceAll('`', ''));
}

function describeRow({ setting = '', ...facts }: Row, isWanted: (name: string) => boolean, width: number) {
  const names = namesIn({ setting })
    .filter(isWanted)
    .map((name) => `  ${name}`);
  return [...names, formatRows(Object.entries(facts), width - 2).replace(/^/gm, '  ')].join('\n');
}
