import { createRig, type Rig, type RigOptions } from '../test/rigs/rig.js';
import type { Bench } from './bench.js';

/** A client, a sandbox and a worker in the bench's own process: for counts, which time does not change. */
export async function rigOn(bench: Bench, options: RigOptions = {}): Promise<Rig> {
  const rig = await createRig({ address: await bench.address(), ...options });
  bench.atEnd(() => rig.close());
  return rig;
}
