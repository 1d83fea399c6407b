import { SEARCH_ATTRIBUTES } from '../../messages/search-attributes.js';
import { createNexusEndpoint, type NexusEndpoint } from '../../temporal/nexus-endpoint.js';
import { generatePayloadKey } from '../../temporal/payload-codec.js';
import { registerSearchAttributes } from '../../temporal/search-attributes.js';
import { type CommandLine, withTemporal } from '../cli/command-line.js';

interface SetupOptions {
  readonly nexusEndpoint?: string;
  readonly json?: true;
}

export async function setUp(cli: CommandLine, options: SetupOptions): Promise<void> {
  const { nexusEndpoint: name, json } = options;
  await withTemporal(cli, async ({ client, view, config: { taskQueue } }) => {
    const registered = await registerSearchAttributes(client);
    const endpoint =
      name === undefined ? undefined : { name, namespace: client.options.namespace, taskQueue };
    const isNew = endpoint && (await createNexusEndpoint(client, endpoint));
    const views = Object.entries(VIEWS).flatMap(([title, query]) => {
      const url = view(title, query);
      return url === undefined ? [] : [{ name: title, url }];
    });
    if (json) {
      const nexusEndpoint = endpoint && { ...endpoint, created: isNew };
      return cli.json({ registered, ...(nexusEndpoint && { nexusEndpoint }), views });
    }
    const what = registered.length > 0 ? `registered ${registered.join(', ')}` : 'all are already registered';
    cli.line(`search attributes: ${what}`);
    if (endpoint) cli.line(inWords(endpoint, isNew === true));
    if (views.length === 0) return cli.line('Web UI: set GANGWAY_UI_URL for links to its views');
    cli.line('Web UI: open each view once; your browser saves it');
    for (const { name: title, url } of views) cli.line(`  ${title}\n    ${url}`);
    cli.line(`  In the list, choose the columns ${COLUMNS.join(', ')}.`);
  });
}

function inWords({ name, namespace, taskQueue }: NexusEndpoint, isNew: boolean): string {
  const what = isNew ? 'created' : 'already exists';
  return `Nexus endpoint ${name}: ${what}, targets task queue ${taskQueue} of namespace ${namespace}`;
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
