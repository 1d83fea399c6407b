import { fileURLToPath } from 'node:url';

const at = (folder) => fileURLToPath(new URL(`../../${folder}`, import.meta.url));

export default {
  plugins: ['@stryker-mutator/vitest-runner', './scripts/mutants/sentences.ts'],
  ignorers: ['sentences'],
  testRunner: 'vitest',
  vitest: { configFile: 'scripts/mutants/unit-tests.config.ts', related: true },
  // A file that no unit test reaches has the score 0.
  allowEmpty: true,
  ignorePatterns: ['.cache', 'dist', 'test/e2e', 'test/integration', 'test/histories'],
  // Stryker rewrites tsconfig.json with a function that TypeScript 7 lacks, and overlooks a linked folder of modules.
  tsconfigFile: 'none',
  symlinkNodeModules: false,
  // Pages read their style from the build.
  buildCommand: `ln -s ${at('node_modules')} ${at('dist')} .`,
  tempDirName: '.cache/mutants',
  cleanTempDir: 'always',
  reporters: ['progress-append-only', 'clear-text'],
  clearTextReporter: { reportTests: false, logTests: false },
  logLevel: 'warn',
};
