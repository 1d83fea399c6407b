import { createReadStream } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { closeAll, partnerClients, readAccounts } from '../../../../src/partners/account-settings.js';
import { type Operation, operationName } from '../../../../src/partners/catalogue.js';
import { catalogue, PARTNERS, SYSTEM_NAMES } from '../../../../src/partners/descriptors.js';
import { gangway } from '../../../rigs/command.js';
import { KNOWN } from '../../../rigs/partners/known/known.js';
import { POS_NAMES } from '../../../rigs/partners/openapi/documents.js';
import { createRig } from '../../../rigs/rig.js';
import { shared } from '../../../rigs/shared.js';

/** One sandbox and one worker for all operations, typed clients that prepare them, and a folder for files. */
const running = shared(async (until) => {
  const rig = await createRig({ posNames: POS_NAMES, sandbox: { posNames: POS_NAMES } });
  until(() => rig.close());
  const env = { ...rig.env, BOARDING_POS_NAMES: POS_NAMES.join(',') };
  const folder = await mkdtemp(join(tmpdir(), 'gangway-calls-'));
  until(() => rm(folder, { recursive: true, force: true }));
  const clients = partnerClients(readAccounts(env));
  until(() => closeAll(clients));
  return { env, folder, clients };
});

/** What a worker distinguishes. It carries requests and responses as they are. */
const formOf = ({ effect, encoding, returns, exactNumbers, issuesCredential, anonymous }: Operation) =>
  JSON.stringify([effect, encoding, returns, exactNumbers, issuesCredential, anonymous]);

describe.each(SYSTEM_NAMES)('gangway call %s', (system) => {
  const calls = KNOWN[system].calls;
  const operations: Readonly<Record<string, Operation>> = catalogue({ posNames: POS_NAMES })[system];
  /** A worker makes the call of the first operation of each form. */
  const first = new Map(
    Object.entries(operations)
      .toReversed()
      .map(([key, each]) => [formOf(each), key]),
  );
  const callers = Object.entries(operations).map(
    ([key, each]) => [key, first.get(formOf(each)) === key ? 'by a worker' : 'with --local'] as const,
  );

  /** Calls an operation as a person does. @returns the printed response */
  async function byCommand(
    key: string,
    request: Record<string, unknown>,
    more: readonly string[],
  ): Promise<unknown> {
    const operation = operations[key];
    const { env, folder } = running();
    const value = JSON.stringify(await withFilesAside(request));
    const output = join(folder, `${key}-${Math.random()}`);
    const options = [
      '--reveal',
      '--json',
      ...more,
      ...(operation?.irreversible ? ['--yes'] : []),
      ...(operation?.returns === 'stream' ? ['--output', output] : []),
    ];
    const call = () => gangway(env, ['call', system, operationName(key), '-', ...options], value);
    let done = await call();
    // On a busy machine, a worker may lose a task before it sends anything.
    while (done.code === 4 && done.stderr.includes('nothing was sent')) done = await call();
    const { code, stderr } = done;
    expect({ code, stderr: stderr.replace(/^.* is deprecated: .*\n/, '') }).toEqual({ code: 0, stderr: '' });
    return operation?.returns === 'stream' ? { body: createReadStream(output) } : JSON.parse(done.stdout);
  }

  /** A file is given by its path. */
  async function withFilesAside(request: Record<string, unknown>): Promise<Record<string, unknown>> {
    const { file } = request as { file?: { fileName: string; content: Uint8Array } };
    if (file === undefined) return request;
    const path = join(running().folder, file.fileName);
    await writeFile(path, file.content);
    return { ...request, file: `@${path}` };
  }

  it(`has a call of every operation of the catalogue: ${PARTNERS[system].title}`, () => {
    expect(Object.keys(calls).sort()).toEqual(Object.keys(operations).sort());
  });

  it.concurrent.each(callers)('%s, %s', async (key, caller) => {
    const more = caller === 'by a worker' ? [] : ['--local'];
    const { clients } = running();
    let called = 0;
    const client = new Proxy(clients[system], {
      get: (real, name) =>
        name === key
          ? (request: Record<string, unknown>) => {
              called += 1;
              return byCommand(key, request, more);
            }
          : Reflect.get(real, name),
    });
    await calls[key]?.(client as never, { key, clients });
    expect(called).toBeGreaterThan(0);
  });
});
