import { z } from 'zod';
import { anyAnswer } from '../answer-members.js';
import type { Operations } from '../catalogue.js';
import { int32 } from '../request-members.js';
import { int64, newPlant, plant } from './schemas.js';

/** The plant store (apis/3): all three operations, as printed there. */
export const PLANT_STORE_OPERATIONS = {
  listPlants: {
    summary: 'Plants; no more than `limit` of them, if it is given',
    method: 'GET',
    path: '/plants',
    query: ['limit'],
    effect: 'read',
    provenance: 'documented',
    request: z.strictObject({ limit: int32.optional() }),
    response: z.array(plant),
  },
  createPlant: {
    summary: 'Add a plant under an id of the caller’s choice',
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
    answer: 'none',
    effect: 'idempotent',
    irreversible: true,
    provenance: 'documented',
    request: z.strictObject({ id: int64 }),
    response: anyAnswer,
  },
} as const satisfies Operations;

export type PlantStoreOperations = typeof PLANT_STORE_OPERATIONS;
