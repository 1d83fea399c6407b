import { generatePayloadKey } from '../../temporal/payload-codec.js';
import { registerSearchAttributes } from '../../temporal/search-attributes.js';
import { type CommandLine, withTemporal } from '../cli/command-line.js';

export async function setUp(cli: CommandLine, { json }: { readonly json?: true }): Promise<void> {
  await withTemporal(cli, async ({ client }) => {
    const registered = await registerSearchAttributes(client);
    if (json) return cli.json({ registered });
    const what = registered.length > 0 ? `registered ${registered.join(', ')}` : 'all are registered already';
    cli.line(`search attributes: ${what}`);
  });
}

export function printNewKey(cli: CommandLine): void {
  cli.line(generatePayloadKey());
}
