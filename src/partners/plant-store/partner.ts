import { z } from 'zod';
import { type Contract, OPENAPI_TEXT, object, ref, repeatResponse } from '../openapi/contract.js';
import { definePartner } from '../partner.js';
import * as operations from './operations.js';
import { plantStoreClient } from './operations.js';

/** Every failure is a 400 with an Error (docs/partner-apis.md#plant-store-rules). */
const contract: Contract = {
  security: { type: 'http', scheme: 'bearer' },
  names: operations,
  bodies: { Error: object({ error: { type: 'integer', format: 'int32' }, message: OPENAPI_TEXT }) },
  failures: () => repeatResponse(ref('Error'), 400),
};

export const plantStore = definePartner({
  title: 'Plant store',
  name: 'plant store',
  settings: z.object({
    PLANT_STORE_TOKEN: z.string('is not set').meta({ description: 'Bearer token.', secret: true }),
  }),
  clientSettings: (url, set) => ({ url, token: set.PLANT_STORE_TOKEN }),
  operations: () => operations.PLANT_STORE_OPERATIONS,
  client: (settings) => plantStoreClient(settings),
  credentialsCheck: {
    read: async (client, options) => {
      await client.listPlants({ limit: 1 }, options);
      return '';
    },
  },
  contract,
});
