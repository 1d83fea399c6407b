import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

// It alone catches a second `nameOf`: a search for a definition then returns a list, and only the import path tells which is meant.
it('no two modules of src/ export a function or a constant of the same name', () => {
  const modules = new Map<string, string[]>();
  for (const file of globSync('src/**/*.{ts,tsx}'))
    for (const [, name = ''] of readFileSync(file, 'utf8').matchAll(
      /^export (?:async )?(?:function\*?|const) (\w{1,60})/gm,
    ))
      modules.set(name, [...(modules.get(name) ?? []), file]);
  expect(modules.size).toBeGreaterThan(1_000);
  expect([...modules].filter(([, files]) => files.length > 1)).toEqual([]);
});
