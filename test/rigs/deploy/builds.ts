import { createServer } from 'node:http';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { listening } from '../listening.js';
import { type Finished, launch, type RunningProcess, run } from '../processes.js';

/** Starts and stops the workers of builds for deploy/roll-out.sh, as a cluster does. */
export interface Builds {
  /** For the setting `WORKERS`. */
  readonly command: string;
  /** Builds whose workers run. */
  readonly running: () => string[];
  close(): Promise<void>;
}

/**
 * @param env settings of the workers, except their build
 * @param roots where the code of each build is; undefined: this project
 */
export async function serveBuilds(
  env: Readonly<Record<string, string>>,
  roots: Readonly<Record<string, string | undefined>>,
): Promise<Builds> {
  const workers = new Map<string, RunningProcess>();
  const verbs: Readonly<Record<string, (build: string, args: string[]) => Promise<Finished | undefined>>> = {
    async start(build) {
      if (workers.has(build)) return undefined;
      const settings = { ...env, GANGWAY_BUILD_ID: build };
      workers.set(build, await launch('worker', settings, 'worker is ready', { build: roots[build] }));
      return undefined;
    },
    // The bundled command is the one of this project, so the modules of the build run it.
    run(build, args) {
      const program = join(roots[build] ?? '.', 'dist/apps/command/program.js');
      const script = `const { run } = await import(${JSON.stringify(pathToFileURL(program).href)});
        const { argv, env, stdin, stdout, stderr } = process;
        const { signal } = new AbortController();
        process.exitCode = await run(argv.slice(1), { env, stdin, stdout, stderr, signal });`;
      return run(process.execPath, ['--input-type=module', '--eval', script, '--', ...args], { ...env });
    },
    async stop(build) {
      const worker = workers.get(build);
      workers.delete(build);
      await worker?.stop();
      return undefined;
    },
  };
  const server = createServer((request, response) => {
    const [, verb = '', build = '', ...args] = (request.url ?? '').split('/').map(decodeURIComponent);
    const done = verbs[verb]?.(build, args) ?? Promise.reject(new Error(`there is no ${verb}`));
    done.then(
      (finished) => response.writeHead(finished ? 200 : 204).end(finished && JSON.stringify(finished)),
      (error: Error) => response.writeHead(500).end(error.message),
    );
  });
  const address = await listening(server, () => undefined);
  return {
    command: `${process.execPath} test/rigs/deploy/workers.mjs http://${address}`,
    running: () => [...workers.keys()],
    async close() {
      await Promise.all([...workers.keys()].map((build) => verbs['stop']?.(build, [])));
      server.close();
    },
  };
}
