import { SEARCH_ATTRIBUTES } from '../../messages/search-attributes.js';
import { generatePayloadKey } from '../../temporal/payload-codec.js';
import { registerSearchAttributes } from '../../temporal/search-attributes.js';
import { type CommandLine, withTemporal } from '../cli/command-line.js';

export async function setUp(cli: CommandLine, { json }: { readonly json?: true }): Promise<void> {
  await withTemporal(cli, async ({ client, view }) => {
    const registered = await registerSearchAttributes(client);
    const views = Object.entries(VIEWS).flatMap(([name, query]) => {
      const url = view(name, query);
      return url === undefined ? [] : [{ name, url }];
    });
    if (json) return cli.json({ registered, views });
    const what = registered.length > 0 ? `registered ${registered.join(', ')}` : 'all are registered already';
    cli.line(`search attributes: ${what}`);
    if (views.length === 0) return cli.line('Web UI: set GANGWAY_UI_URL for links to its views');
    cli.line('Web UI: open each view once, and your browser keeps it');
    for (const { name, url } of views) cli.line(`  ${name}\n    ${url}`);
    cli.line(`  In the list, choose the columns ${COLUMNS.join(', ')}.`);
  });
}

const { dba, stage, actionRequired, actionDueAt } = SEARCH_ATTRIBUTES;

/** Lists of the Web UI, as visibility queries. A customer would show the requirements of its parts again. */
const VIEWS = {
  'Waiting for a person': `${actionRequired.name} = true AND ExecutionStatus = 'Running' AND WorkflowType != 'customerOnboarding'`,
  Onboardings: `${dba.name} IS NOT NULL`,
} as const;

/** The Web UI keeps the columns in the browser, and a link cannot choose them. */
const COLUMNS = [dba, stage, actionRequired, actionDueAt].map(({ name }) => name);

export function printNewKey(cli: CommandLine): void {
  cli.line(generatePayloadKey());
}
