import { readdirSync, readFileSync } from 'node:fs';

/** The clock ticks of a second in /proc. Linux has 100 on all its platforms. */
const TICKS = 100;

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly seconds: number;
}

/** One process of /proc, with the time of the children that it has waited for. Its name can hold spaces and parentheses. */
function processOf(pid: string): Process | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
    return { pid: Number(pid), parent: Number(fields[1]), seconds: ticks / TICKS };
  } catch {
    // It has ended meanwhile.
    return undefined;
  }
}

/**
 * Processor seconds of this process and of all processes below it, running or waited for. Where there is no /proc, as on macOS, those
 * of this process alone.
 */
export function processorSeconds(): number {
  const { user, system } = process.cpuUsage();
  const own = (user + system) / 1e6;
  let pids: string[];
  try {
    pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  } catch {
    return own;
  }
  const all = pids.flatMap((pid) => processOf(pid) ?? []);
  const family = new Set([process.pid]);
  // A child can have a lower number than its parent, so look until nobody is new.
  for (let size = 0; size < family.size; ) {
    size = family.size;
    for (const { pid, parent } of all) if (family.has(parent)) family.add(pid);
  }
  return all.reduce((sum, { pid, seconds }) => (family.has(pid) ? sum + seconds : sum), 0);
}
