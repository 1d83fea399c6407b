import type { PartnerClient } from '../client.js';
import { openPlain } from '../fields.js';
import { bearer, type Closable, type Connection, connectedClient } from '../partner.js';
import type { Opened, PartnerResponse } from '../responses.js';
import { failure, PLANT_STORE_OPERATIONS, type PlantStoreOperations } from './operations.js';

export type PlantStoreClient = PartnerClient<PlantStoreOperations> & Closable;

/** A client of the plant store (apis/3). Ids are int64 and keep all their digits. */
export function plantStoreClient(settings: Connection & { readonly token: string }): PlantStoreClient {
  const protocol = { system: 'plant-store', ...bearer(settings.token), open: openBody };
  return connectedClient(PLANT_STORE_OPERATIONS, protocol, settings);
}

/** Plain JSON; a failure is an Error, whose number is shown next to its message. */
function openBody(response: PartnerResponse): Opened | undefined {
  const opened = openPlain(response);
  const error = failure.safeParse(opened?.payload);
  if (!opened?.failed || !error.success) return opened;
  const { error: number, message } = error.data;
  return { ...opened, fields: [{ field: '', message: `${message} (error ${number})` }] };
}
