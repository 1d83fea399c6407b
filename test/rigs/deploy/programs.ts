import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { unpackPackages } from '../debian-packages.js';
import { firstIn, PATH } from '../executables.js';

const CACHE = fileURLToPath(new URL('../../../.cache/monitoring', import.meta.url));

/** How long fetching and unpacking may take. */
export const PROGRAMS_TIMEOUT_MS = 300_000;

/** Programs of Debian's packages `prometheus` and `prometheus-alertmanager`. */
const NAMES = ['prometheus', 'promtool', 'prometheus-alertmanager', 'amtool'] as const;

/** The programs, each as a command and its first arguments. */
export type Programs = Readonly<Record<(typeof NAMES)[number], readonly [string, ...string[]]>>;

/** Debian's Alertmanager reads its templates from /usr/share, so its unpacked files are mounted there. */
const UNPACKED = 'mount --bind "$0" /usr/share && exec "$@"';

/**
 * Finds the programs on the PATH or in the project's cache, or fetches Debian's packages.
 *
 * @throws {Error} that names what to install, where Debian's packages are not available
 */
export async function monitoringPrograms(): Promise<Programs> {
  const onPath = await Promise.all(PATH.map(allIn));
  return onPath.find((programs) => programs !== undefined) ?? (await unpacked()) ?? fetched();
}

async function unpacked(): Promise<Programs | undefined> {
  const programs = await allIn(join(CACHE, 'usr', 'bin'));
  if (!programs) return undefined;
  const [alertmanager] = programs['prometheus-alertmanager'];
  const inPlace = ['--map-root-user', '--mount', 'sh', '-c', UNPACKED, join(CACHE, 'usr', 'share')];
  return { ...programs, 'prometheus-alertmanager': ['unshare', ...inPlace, alertmanager] };
}

async function allIn(folder: string): Promise<Programs | undefined> {
  const paths = await Promise.all(NAMES.map(async (name) => [name, await firstIn([folder], name)] as const));
  if (paths.some(([, path]) => path === undefined)) return undefined;
  return Object.fromEntries(paths.map(([name, path]) => [name, [path]])) as unknown as Programs;
}

async function fetched(): Promise<Programs> {
  await unpackPackages(['prometheus', 'prometheus-alertmanager'], CACHE);
  const programs = await unpacked();
  if (!programs) throw new Error(`${CACHE} lacks some of ${NAMES.join(', ')}: remove it`);
  return programs;
}
