import { REQUIREMENT_KINDS, TASKS } from '../src/messages/requirement-kinds.js';
import { statusesOf } from '../src/partners/banking/responses.js';
import { runbookOf } from '../src/texts/codes.js';

/** docs/onboardings.md with the table of the kinds of requirements. */
export function withRequirementKinds(page: string): string {
  const rows = REQUIREMENT_KINDS.map(
    (kind) =>
      `| [\`${kind}\`](operations.md#requirement-${kind}) | ${TASKS[kind]} | ${runbookOf(kind)['answers']} |`,
  );
  const head = ['| kind | what to do | allowed answers |', '| --- | --- | --- |'];
  return between(page, 'requirement kinds', [...head, ...rows].join('\n'));
}

/** docs/onboardings.md with the names in `bankingStatus` that end a business. */
export function withBankStatuses(page: string): string {
  const approved = statusesOf('approved');
  const refused = statusesOf('declined', 'closed', 'withdrawn');
  return [approved, refused].reduce((text, statuses, index) => {
    const names = statuses.map((status) => `\`${status}\``);
    const words = `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
    let row = -1;
    return text.replace(/(?<=outcome: the bank's status is ).+(?= \|)/g, (old) =>
      ++row === index ? words : old,
    );
  }, page);
}

/** The page with another text between two comments. */
export function between(page: string, name: string, text: string): string {
  const [begin, end] = [`<!-- ${name}: "npm run docs" writes them -->\n`, `<!-- end of ${name} -->\n`];
  const from = page.indexOf(begin);
  const to = page.indexOf(end);
  if (from < 0 || to < from) throw new Error(`a page has no place for the ${name}`);
  return `${page.slice(0, from + begin.length)}\n${text}\n\n${page.slice(to)}`;
}
