import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

/** The central exports: those that most folders of src/ import. */
const CENTRAL = [
  'BadSetting',
  'Deadline',
  'FieldProblem',
  'InvalidInput',
  'KnownAccounts',
  'ONBOARDINGS',
  'OnboardingState',
  'SEARCH_ATTRIBUTES',
  'SystemName',
  'didYouMean',
  'omitUndefined',
  'partsOfId',
  'queryState',
  'readSettings',
  'redact',
];

/** The text of each `@example` in a docstring, and the export below it. */
const EXAMPLE =
  /^ \* @example (?<code>.+?)(?: \/\/ .*)?\n(?: \*.*\n)*? \*\/\nexport (?:async )?(?:function|class|interface|const|type) (?<name>\w+)/gm;

// Alone catches an example that no longer compiles: test/types/examples.ts, which the compiler checks, has each of them.
it('the central exports have an example, and the compiler checks each', () => {
  const compiled = readFileSync('test/types/examples.ts', 'utf8').replace(/\s+/g, '');
  const examples = globSync('src/**/*.ts').flatMap((path) => [
    ...readFileSync(path, 'utf8').matchAll(EXAMPLE),
  ]);
  const names = examples.map(({ groups }) => groups?.['name'] ?? '');
  expect(names.toSorted()).toEqual(CENTRAL);
  const codes = examples.map(({ groups }) => (groups?.['code'] ?? '').replace(/\s+/g, ''));
  expect(codes.filter((code) => !compiled.includes(code))).toEqual([]);
});
