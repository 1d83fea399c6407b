import type { KnownPartner } from './known-partner.js';

const FERN = { name: 'Fern', tag: 'shade' };

export const PLANT_STORE: KnownPartner<'plant-store'> = {
  calls: {
    listPlants: async (client) => {
      await client.createPlant({ ...FERN, id: '9007199254740993' });
      await client.createPlant({ id: 7, name: 'Cactus' });
      await client.listPlants({});
      await client.listPlants({ limit: 1 });
    },
    createPlant: (client) => client.createPlant({ ...FERN, id: '9007199254740995' }),
    deletePlant: async (client) => {
      await client.createPlant({ ...FERN, id: '9007199254740997' });
      await client.deletePlant({ id: '9007199254740997' });
    },
  },
  wire: {
    listPlants: 'GET /plants?limit=1',
    createPlant: 'POST /plants {"id":9007199254740995,"name":"Fern","tag":"shade"}',
    deletePlant: 'DELETE /plants/9007199254740997',
  },
  headers: { authorization: 'Bearer sandbox' },
  refused: 400,
  refusals: [
    [400, 'list-plants', 'GET /plants?limit=many'],
    [400, 'create-plant', 'POST /plants', '{"id":"7","name":"Fern"}'],
    [400, 'delete-plant', 'DELETE /plants/7'],
  ],
};
