import { readFile } from 'node:fs/promises';
import { sandboxAccount } from '../../../src/apps/sandbox/systems.js';
import {
  SYSTEM_NAMES,
  type SystemName,
  settingsPrefix,
  urlSetting,
} from '../../../src/partners/system-names.js';

/** Settings of a worker for many accounts, in each of which these partners are on. The account without a name is off. */
export function manyAccounts(url: string, count: number, on: readonly SystemName[]): Record<string, string> {
  const names = Array.from({ length: count }, (_, index) => `iso-${index + 1}`);
  const off = Object.fromEntries(SYSTEM_NAMES.map((system) => [urlSetting(system), '']));
  const isOn = (setting: string) => on.some((system) => setting.startsWith(settingsPrefix(system)));
  const own = Object.entries(sandboxAccount(url)).filter(([setting]) => isOn(setting));
  const ofAll = names.flatMap((name) =>
    own.map(([setting, value]) => [settingsPrefix(name) + setting, value]),
  );
  return { ...off, GANGWAY_ACCOUNTS: names.join(), ...Object.fromEntries(ofAll) };
}

/** The threads and the memory of a process. Linux only. */
export async function statusOf(pid: number) {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const [, threads] = /^Threads:\s+(\d+)$/m.exec(status) ?? [];
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(status) ?? [];
  return { threads: Number(threads), residentMiB: Number(kilobytes) / 1_024 };
}
