import { createReadStream } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request as ask, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { closeAll, partnerClients, readAccounts } from '../../../src/partners/account-settings.js';
import { type Operation, operationName } from '../../../src/partners/catalogue.js';
import { catalogue, PARTNERS, type SystemName } from '../../../src/partners/systems.js';
import { sandboxAccount } from '../../../src/sandbox/systems.js';
import { gangway } from '../command.js';
import { CALLS } from '../partners/calls/calls.js';
import { POS_NAMES } from '../partners/openapi/documents.js';
import { launch, type RunningProcess } from '../processes.js';
import { createRig, type Rig } from '../rig.js';
import { runSandbox } from '../sandbox/running-sandbox.js';

/**
 * Calls every operation of a system with `gangway call` and a worker process. Each operation gets a sandbox of its own, which
 * the typed client prepares.
 */
export function callEverything(system: SystemName): void {
  const calls = CALLS[system];
  const operations: Readonly<Record<string, Operation>> = catalogue({ posNames: POS_NAMES })[system];
  let rig: Rig;
  let worker: RunningProcess;
  let folder: string;
  let partner: SwitchablePartner;
  beforeAll(async () => {
    rig = await createRig({ worker: false });
    partner = await switchablePartner();
    folder = await mkdtemp(join(tmpdir(), 'gangway-calls-'));
    worker = await launch('worker', env(), 'worker is ready');
  });
  afterAll(async () => {
    worker.child.kill('SIGTERM');
    await worker.exit;
    await rig.close();
    partner.close();
    await rm(folder, { recursive: true, force: true });
  });

  function env(): Record<string, string> {
    return { ...rig.env, ...sandboxAccount(partner.url), BOARDING_POS_NAMES: POS_NAMES.join(',') };
  }

  /** Calls an operation as a person does. @returns the printed response */
  async function byCommand(key: string, request: Record<string, unknown>): Promise<unknown> {
    const operation = operations[key];
    const given = JSON.stringify(await withFilesAside(request));
    const output = join(folder, `${key}-${Math.random()}`);
    const options = [
      ...['--reveal', '--json'],
      ...(operation?.irreversible ? ['--yes'] : []),
      ...(operation?.returns === 'stream' ? ['--output', output] : []),
    ];
    const done = await gangway(env(), ['call', system, operationName(key), '-', ...options], given);
    const { code, stderr } = done;
    expect({ code, stderr: stderr.replace(/^.* is deprecated: .*\n/, '') }).toEqual({ code: 0, stderr: '' });
    return operation?.returns === 'stream' ? { body: createReadStream(output) } : JSON.parse(done.stdout);
  }

  /** A file is given by its path. */
  async function withFilesAside(request: Record<string, unknown>): Promise<Record<string, unknown>> {
    const { file } = request as { file?: { fileName: string; content: Uint8Array } };
    if (file === undefined) return request;
    const path = join(folder, file.fileName);
    await writeFile(path, file.content);
    return { ...request, file: `@${path}` };
  }

  describe(`gangway call ${system}: ${PARTNERS[system].title}`, () => {
    it('has a call of every operation of the catalogue', () => {
      expect(Object.keys(calls).sort()).toEqual(Object.keys(operations).sort());
    });

    it.each(Object.keys(operations))('%s', async (key) => {
      const sandbox = await runSandbox({ posNames: POS_NAMES });
      partner.target = sandbox.url;
      const clients = partnerClients(
        readAccounts({ ...sandboxAccount(sandbox.url), BOARDING_POS_NAMES: POS_NAMES.join(',') }),
      );
      try {
        let called = 0;
        const client = new Proxy(clients[system], {
          get: (real, name) =>
            name === key
              ? (request: Record<string, unknown>) => {
                  called += 1;
                  return byCommand(key, request);
                }
              : Reflect.get(real, name),
        });
        await calls[key]?.(client as never, sandbox);
        expect(called).toBeGreaterThan(0);
      } finally {
        await closeAll(clients);
      }
    });
  });
}

interface SwitchablePartner {
  readonly url: string;
  /** Where requests go from now on. */
  target: string;
  close(): void;
}

/** One address for many sandboxes, because the address of a running worker cannot change. */
async function switchablePartner(): Promise<SwitchablePartner> {
  const server = createServer((request, response) => {
    const { method = '', url = '', headers } = request;
    const onward = ask(partner.target + url, { method, headers }, (received) => {
      response.writeHead(received.statusCode ?? 502, received.headers);
      received.pipe(response);
    });
    onward.on('error', () => request.socket.destroy());
    request.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const partner: SwitchablePartner = {
    url: `http://127.0.0.1:${port}`,
    target: '',
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
  return partner;
}
