import type { Client } from '@temporalio/client';
import type { FileStore } from '../src/platform/documents/file-store.js';
import type { Party } from './cast.js';
import type { Network } from './network.js';
import type { Partners } from './partners.js';
import type { Plan } from './plan.js';
import type { Service } from './service/service.js';
import type { World } from './world.js';

/** Everything that a run consists of. */
export interface Scene {
  readonly world: World;
  readonly plan: Plan;
  readonly cast: readonly Party[];
  readonly partners: Partners;
  readonly network: Network;
  readonly client: Client;
  readonly service: Service;
  readonly files: FileStore;
}
