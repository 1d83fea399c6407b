import { z } from 'zod';
import { idempotent, type Operations, once, read } from '../catalogue.js';
import type { PartnerClient } from '../client.js';
import { absent, idText, int32, int64, openPlain, sometimes } from '../field-schemas.js';
import { bearer, type Closable, type Connection, connectClient } from '../partner.js';
import type { PartnerResponse, Unwrapped } from '../responses.js';

export { int64 };

/** NewPlant: all fields of a plant, and its ID. */
export const newPlant = z.strictObject({ id: int64, name: z.string(), tag: z.string().optional() });

/** Plant. The contract shows no ID in it. An ID is kept as a string of digits, because the response is passed on as JSON. */
export const plant = z.looseObject({
  name: z.string(),
  tag: sometimes(absent(z.string())),
  id: sometimes(idText.optional()),
});

export const failure = z.looseObject({ error: z.int32(), message: z.string() });

/** The plant store (docs/partner-apis.md#plant-store): all three operations, as in the contract. */
export const PLANT_STORE_OPERATIONS = {
  listPlants: read('GET /plants', {
    summary: 'Plants, at most `limit` of them',
    query: ['limit'],
    provenance: 'documented',
    inWorkflows: true,
    request: z.strictObject({ limit: int32.optional() }),
    response: z.array(plant),
  }),
  createPlant: once('POST /plants', {
    summary: 'Add a plant with an id that the caller chooses',
    provenance: 'documented',
    request: newPlant,
    response: plant,
  }),
  deletePlant: idempotent('DELETE /plants/{id}', {
    summary: 'Delete a plant',
    returns: 'none',
    irreversible: true,
    provenance: 'documented',
    request: z.strictObject({ id: int64 }),
  }),
} satisfies Operations;

export type PlantStoreOperations = typeof PLANT_STORE_OPERATIONS;

export type PlantStoreClient = PartnerClient<PlantStoreOperations> & Closable;

/** A client of the plant store (docs/partner-apis.md#plant-store). IDs are int64 and keep all their digits. */
export function plantStoreClient(settings: Connection & { readonly token: string }): PlantStoreClient {
  const protocol = { system: 'plant-store', ...bearer(settings.token), unwrap: openBody };
  return connectClient(PLANT_STORE_OPERATIONS, protocol, settings);
}

/** Opens plain JSON. A failure is an Error, whose number is shown next to its message. */
function openBody(response: PartnerResponse): Unwrapped | undefined {
  const opened = openPlain(response);
  const error = failure.safeParse(opened?.payload);
  if (!opened?.failed || !error.success) return opened;
  const { error: number, message } = error.data;
  return { ...opened, fields: [{ field: '', message: `${message} (error ${number})` }] };
}
