import { ensureFreshBuild } from '../../scripts/build-stamp.js';

/** Tests of workflows run the bundle in dist/, which is built if it is stale. */
export default function setup(): void {
  ensureFreshBuild();
}
