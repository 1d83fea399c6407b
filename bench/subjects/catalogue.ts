import { catalogue as operationsOf } from '../../src/partners/systems.js';
import { type Line, line } from '../line.js';

/** How many operations each system has, and how many of them the contract documents. */
export async function* catalogue(): AsyncGenerator<Line> {
  for (const [system, operations] of Object.entries(operationsOf())) {
    const all = Object.values(operations);
    const documented = all.filter(({ provenance }) => provenance === 'documented').length;
    const parts = { documented, assumed: all.length - documented };
    yield line({ what: `operations of ${system}`, figure: all.length, unit: 'operations', parts });
  }
}
