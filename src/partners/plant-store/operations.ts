import { z } from 'zod';
import type { Operations } from '../catalogue.js';
import { absent, anyResponse, idText, int32, int64, sometimes } from '../fields.js';

export { int64 };

/** NewPlant: all fields of a plant, and its id. */
export const newPlant = z.strictObject({ id: int64, name: z.string(), tag: z.string().optional() });

/**
 * Plant. The contract prints no id in it. If there is one, it is kept as the text of its digits, because a response is
 * passed on as JSON.
 */
export const plant = z.looseObject({
  name: z.string(),
  tag: sometimes(absent(z.string())),
  id: sometimes(idText.optional()),
});

export const failure = z.looseObject({ error: z.int32(), message: z.string() });

/** The plant store (apis/3): all three operations, as printed there. */
export const PLANT_STORE_OPERATIONS = {
  listPlants: {
    summary: 'Plants, at most `limit` of them',
    method: 'GET',
    path: '/plants',
    query: ['limit'],
    effect: 'read',
    provenance: 'documented',
    inWorkflows: true,
    request: z.strictObject({ limit: int32.optional() }),
    response: z.array(plant),
  },
  createPlant: {
    summary: 'Add a plant with an id that the caller chooses',
    method: 'POST',
    path: '/plants',
    effect: 'once',
    provenance: 'documented',
    request: newPlant,
    response: plant,
  },
  deletePlant: {
    summary: 'Delete a plant',
    method: 'DELETE',
    path: '/plants/{id}',
    returns: 'none',
    effect: 'idempotent',
    irreversible: true,
    provenance: 'documented',
    request: z.strictObject({ id: int64 }),
    response: anyResponse,
  },
} as const satisfies Operations;

export type PlantStoreOperations = typeof PLANT_STORE_OPERATIONS;
