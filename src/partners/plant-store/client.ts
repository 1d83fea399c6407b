import {
  type Inspector,
  type Opened,
  type PartnerClient,
  type PartnerResponse,
  partnerOff,
} from '../client.js';
import { openPlain } from '../fields.js';
import type { HttpLimits, PartnerObserver } from '../http.js';
import { bearerClient } from '../partner.js';
import { failure, PLANT_STORE_OPERATIONS, type PlantStoreOperations } from './operations.js';

const SYSTEM = 'plant-store';

export interface PlantStoreSettings {
  /** https, or http to loopback; a path below the origin is kept. */
  readonly url: string;
  /** Bearer token. */
  readonly token: string;
  readonly limits?: Partial<HttpLimits>;
  readonly observe?: PartnerObserver | undefined;
  readonly inspect?: Inspector | undefined;
}

export type PlantStoreClient = PartnerClient<PlantStoreOperations> & { close(): Promise<void> };

/** A client of the plant store (apis/3). Ids are int64 and keep all their digits. */
export function plantStoreClient({ token, ...connection }: PlantStoreSettings): PlantStoreClient {
  return bearerClient(PLANT_STORE_OPERATIONS, { system: SYSTEM, token, open: openBody }, connection);
}

/** The client of a plant store that is not set up. */
export function plantStoreOff(reason: string): PlantStoreClient {
  return { ...partnerOff(SYSTEM, PLANT_STORE_OPERATIONS, reason), close: async () => undefined };
}

/** Plain JSON; a failure is an Error, whose number is shown next to its message. */
function openBody(response: PartnerResponse): Opened | undefined {
  const opened = openPlain(response);
  const error = failure.safeParse(opened?.payload);
  if (!opened?.failed || !error.success) return opened;
  const { error: number, message } = error.data;
  return { ...opened, fields: [{ field: '', message: `${message} (error ${number})` }] };
}
