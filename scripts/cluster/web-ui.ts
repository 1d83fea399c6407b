import { spawn } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { insist } from '../../test/rigs/waiting.js';
import { logged, untilUp } from './logged.js';
import { programs } from './programs.js';

/** Where a Web UI listens, and what it shows. */
export interface WebUiPlace {
  /** A port on loopback. */
  readonly port: number;
  /** Its configuration and its log are in this folder. */
  readonly folder: string;
  /** Address of Temporal: `127.0.0.1:7233`. */
  readonly temporal: string;
  /** URL of the codec server, which the browser calls. */
  readonly codecEndpoint: string;
}

/** Starts Temporal's Web UI. */
export async function startWebUi({ port, folder, temporal, codecEndpoint }: WebUiPlace) {
  const { webUi } = await programs(() => undefined);
  await mkdir(join(folder, 'web-ui'));
  const settings = {
    ...{ host: '127.0.0.1', port, temporalGrpcAddress: temporal, enableUi: true },
    ...{ defaultNamespace: 'default', cors: { cookieInsecure: true }, codec: { endpoint: codecEndpoint } },
  };
  await writeFile(join(folder, 'web-ui', 'cluster.yaml'), stringify(settings));
  const args = ['--root', folder, '--config', 'web-ui', '--env', 'cluster', 'start'];
  const ui = logged(join(folder, 'web-ui.log'), (stdio) =>
    spawn(webUi, args, { cwd: folder, detached: true, stdio }),
  );
  const responds = async () => {
    const { status } = await fetch(`http://127.0.0.1:${port}/`);
    if (status !== 200) throw new Error(`the Web UI responds with HTTP ${status}`);
  };
  await untilUp('the Web UI', ui, insist(responds));
  return {
    async stop() {
      ui.child.kill('SIGKILL');
      await ui.exited;
    },
  };
}
