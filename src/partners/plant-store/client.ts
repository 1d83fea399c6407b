import {
  type Opened,
  type PartnerClient,
  type PartnerResponse,
  partnerClient,
  partnerOff,
} from '../client.js';
import { openPlain } from '../fields.js';
import type { PartnerObserver } from '../http.js';
import { type HttpLimits, PartnerHttp } from '../http.js';
import { failure, PLANT_STORE_OPERATIONS, type PlantStoreOperations } from './operations.js';

const SYSTEM = 'plant-store';

export interface PlantStoreSettings {
  /** https, or http to loopback; a path below the origin is kept. */
  readonly url: string;
  /** Bearer token. */
  readonly token: string;
  readonly limits?: Partial<HttpLimits>;
  readonly observe?: PartnerObserver | undefined;
}

export type PlantStoreClient = PartnerClient<PlantStoreOperations> & { close(): Promise<void> };

/** A client of the plant store (apis/3). Ids are int64 and keep all their digits. */
export function plantStoreClient({ url, token, limits, observe }: PlantStoreSettings): PlantStoreClient {
  const http = new PartnerHttp(url, limits);
  const protocol = {
    system: SYSTEM,
    authorization: async () => ({ authorization: `Bearer ${token}` }),
    open: openBody,
    secrets: () => [token],
    observe,
  };
  return { ...partnerClient(PLANT_STORE_OPERATIONS, protocol, http), close: () => http.close() };
}

/** The client of a plant store that is not set up. */
export function plantStoreOff(reason: string): PlantStoreClient {
  return { ...partnerOff(SYSTEM, PLANT_STORE_OPERATIONS, reason), close: async () => undefined };
}

/** Plain JSON; a failure is an Error, whose number is shown beside its message. */
function openBody(response: PartnerResponse): Opened | undefined {
  const opened = openPlain(response);
  const error = failure.safeParse(opened?.payload);
  if (!opened?.failed || !error.success) return opened;
  const { error: number, message } = error.data;
  return { ...opened, fields: [{ field: '', message: `${message} (error ${number})` }] };
}
