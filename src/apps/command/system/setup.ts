import type { Client } from '@temporalio/client';
import { personIdentity } from '../../../messages/actors.js';
import { omitUndefined } from '../../../messages/objects.js';
import { SEARCH_ATTRIBUTES } from '../../../messages/search-attributes.js';
import { TYPES_WITH_PARTS } from '../../../messages/workflow-types.js';
import { generatePayloadKey } from '../../../temporal/payload-codec.js';
import { registerSearchAttributes } from '../../../temporal/search-attributes.js';
import { recordSignOut } from '../../../temporal/sign-outs.js';
import { isDenied, isUnimplemented, TemporalProblem } from '../../../temporal/unavailable.js';
import { newClient } from '../../receiver/clients.js';
import { atTemporal, type CommandLine } from '../cli/command-line.js';
import type { Flags, Texts } from '../cli/options.js';

export const setUp = atTemporal(
  async ({ cli, client, view, config: { taskQueue } }, options: Texts<'nexusEndpoint'> & Flags<'json'>) => {
    const { nexusEndpoint: name, json } = options;
    const registered = await registerSearchAttributes(client);
    const endpoint =
      name === undefined ? undefined : { name, namespace: client.options.namespace, taskQueue };
    const isNew = endpoint && (await createNexusEndpoint(client, endpoint));
    const views = Object.entries(VIEWS).flatMap(([title, query]) => {
      const url = view(title, query);
      return url === undefined ? [] : [{ name: title, url }];
    });
    const nexusEndpoint = endpoint && { ...endpoint, created: isNew };
    if (json) return cli.json({ registered, ...omitUndefined({ nexusEndpoint }), views });
    const what = registered.length > 0 ? `registered ${registered.join(', ')}` : 'all are already registered';
    cli.line(`search attributes: ${what}`);
    const target = `targets task queue ${taskQueue} of namespace ${endpoint?.namespace}`;
    if (endpoint) cli.line(`Nexus endpoint ${name}: ${isNew ? 'created' : 'already exists'}, ${target}`);
    if (views.length === 0) return cli.line('Web UI: set GANGWAY_UI_URL for links to its views');
    cli.line('Web UI: open each view once; your browser saves it');
    for (const { name: title, url } of views) cli.line(`  ${title}\n    ${url}`);
    cli.line(`  In the list, choose the columns ${COLUMNS.join(', ')}.`);
  },
);

const { dba, stage, actionRequired, actionDueAt } = SEARCH_ATTRIBUTES;

/** The Web UI's lists, as visibility queries. The first leaves out customers, which would repeat their parts' requirements. */
const VIEWS = {
  'Waiting for a person': `${actionRequired.name} = true AND ExecutionStatus = 'Running' AND ${TYPES_WITH_PARTS.map((type) => `WorkflowType != '${type}'`).join(' AND ')}`,
  Onboardings: `${dba.name} IS NOT NULL`,
} as const;

/** The columns to choose in the Web UI. The browser stores them, so a link cannot set them. */
const COLUMNS = [dba, stage, actionRequired, actionDueAt].map(({ name }) => name);

export const endSessions = atTemporal(async ({ cli, client, config: { taskQueue } }, actor: string) => {
  await recordSignOut(client, { actor }, taskQueue);
  cli.line(`sessions of ${personIdentity(actor)} end with their next request`);
});

export function printNewKey(cli: CommandLine): void {
  cli.line(generatePayloadKey());
}

/** Prints a new client. Only its line goes to standard output, so `>>` appends it to the file. */
export function printNewClient(
  cli: CommandLine,
  name: string,
  { scope, account, json }: Flags<'json'> & { readonly scope: string[]; readonly account?: string[] },
): void {
  const { token, client } = newClient(name, scope, account);
  if (json) cli.json({ token, client });
  else cli.line(JSON.stringify(client));
  if (!json) cli.note(`token of ${name}, shown only now: ${token}`);
}

/** An endpoint: a name in the server's registry, unique across namespaces, and the task queue of its workers. */
type NexusEndpoint = Readonly<Record<'name' | 'namespace' | 'taskQueue', string>>;

/** Thrown if an endpoint cannot be created, or another one has its name. */
class EndpointProblem extends TemporalProblem {
  override readonly name = 'EndpointProblem';
}

/** Creates an endpoint, through which other namespaces call Gangway. @returns false if it exists. @throws {TemporalProblem} */
async function createNexusEndpoint(client: Client, endpoint: NexusEndpoint): Promise<boolean> {
  const { name, namespace, taskQueue } = endpoint;
  const { operatorService } = client.connection;
  try {
    const { endpoints } = await operatorService.listNexusEndpoints({ name, pageSize: 1 });
    const [existing] = endpoints ?? [];
    if (existing) requireSame(endpoint, existing.spec?.target?.worker);
    else
      await operatorService.createNexusEndpoint({
        spec: { name, target: { worker: { namespace, taskQueue } } },
      });
    return !existing;
  } catch (error) {
    const where = `create ${name} where the namespace is administered`;
    const target = `target namespace ${namespace}, target task queue ${taskQueue}`;
    if (isDenied(error))
      throw new EndpointProblem(`this client may not create Nexus endpoints; ${where}: ${target}`);
    if (isUnimplemented(error))
      throw new EndpointProblem('Nexus is off on this Temporal server: see docs/nexus.md');
    throw error;
  }
}

/** @param target undefined if the endpoint is outside the server */
function requireSame(
  { name, namespace, taskQueue }: NexusEndpoint,
  target: { readonly namespace?: string | null; readonly taskQueue?: string | null } | null | undefined,
): void {
  if (target?.namespace === namespace && target.taskQueue === taskQueue) return;
  const place = target
    ? `task queue ${target.taskQueue} of namespace ${target.namespace}`
    : 'an address outside the server';
  throw new EndpointProblem(
    `Nexus endpoint ${name} exists and targets ${place}, not task queue ${taskQueue} of namespace ${namespace}; ` +
      'choose another name, or change the endpoint with "temporal operator nexus endpoint update"',
  );
}
