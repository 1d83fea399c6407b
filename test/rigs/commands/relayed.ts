import { createServer } from 'node:net';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { gangway } from '../command.js';
import { newFolder } from '../folders.js';
import type { Until } from '../shared.js';

interface Asked {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** @returns a command line for the `GANGWAY` of a script, which runs `gangway` in this process, without its standard input */
export async function relayedGangway(until: Until): Promise<string> {
  const path = join(await newFolder(until), 'gangway.sock');
  const server = createServer({ allowHalfOpen: true }, async (socket) => {
    const { args, env } = (await json(socket)) as Asked;
    socket.end(JSON.stringify(await gangway(env, args)));
  });
  until(() => server.close());
  await new Promise<void>((resolve) => server.listen(path, resolve));
  return `${process.execPath} test/rigs/commands/relay.mjs ${path}`;
}
