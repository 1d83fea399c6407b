import { GangwayClient } from '../../client/client.js';
import type { CommandContext } from './command-line.js';

/** The public client, over the connection of a command. Commands that only list do not load it. */
export function gangwayOf({ cli, client, config }: CommandContext): GangwayClient {
  return new GangwayClient({ temporal: client, settings: config, env: cli.env });
}
