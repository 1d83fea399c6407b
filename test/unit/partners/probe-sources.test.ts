import { describe, expect, it } from 'vitest';
import { fieldsOf } from '../../../src/forms/schema-fields.js';
import { catalogue, SYSTEM_NAMES } from '../../../src/partners/systems.js';

const all = catalogue();
const operations = SYSTEM_NAMES.flatMap((system) =>
  Object.entries(all[system]).map(([key, operation]) => ({ system, key, operation })),
);

describe('the catalogue has what a probe sends', () => {
  it.each(operations.filter(({ operation }) => operation.effect === 'read'))(
    '$system $key: a source for each field that the request needs',
    ({ system, operation }) => {
      const required = fieldsOf(operation.request).filter(
        ({ isRequired, name }) => isRequired && !name.includes('.'),
      );
      expect(Object.keys(operation.probe ?? {}).sort()).toEqual(required.map(({ name }) => name).sort());
      for (const source of Object.values(operation.probe ?? {}).flat())
        if (typeof source === 'object' && 'operation' in source)
          expect(all[system][source.operation]?.effect).toBe('read');
    },
  );

  it('has sources for reads only', () => {
    const writes = operations.filter(({ operation }) => operation.effect !== 'read' && operation.probe);
    expect(writes).toEqual([]);
  });
});
