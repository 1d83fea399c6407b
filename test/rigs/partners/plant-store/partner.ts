import { onTestFinished } from 'vitest';
import {
  type PlantStoreClient,
  type PlantStoreSettings,
  plantStoreClient,
} from '../../../../src/partners/plant-store/client.js';
import { type RecordingServer, type Respond, recordingServer } from '../servers.js';

/** A plant store over HTTP and a client of it. */
export async function plantStore(
  respond: Respond,
  settings: Partial<PlantStoreSettings> = {},
): Promise<RecordingServer & { client: PlantStoreClient }> {
  const server = await recordingServer(respond);
  const client = plantStoreClient({ url: server.url, token: 't0k3n', ...settings });
  onTestFinished(() => client.close());
  return { ...server, client };
}
