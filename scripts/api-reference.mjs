// Writes docs/api/, the reference of what package.json exports: part of "npm run docs".
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

// TypeDoc needs the compiler's interface in JavaScript, which TypeScript has up to version 6.
registerHooks({
  resolve: (specifier, context, next) =>
    next(specifier === 'typescript' ? 'typescript-6' : specifier, context),
});
const { Application } = await import('typedoc');

const { exports } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const modules = Object.values(exports).flatMap((target) => target.default ?? []);

const application = await Application.bootstrap({
  entryPoints: modules.map((file) => file.replace(/^\.\/dist\/(.*)\.js$/, 'src/$1.ts')),
  tsconfig: 'tsconfig.build.json',
  readme: 'none',
  excludeInternal: true,
  // "npm run check" finds type errors, with a faster compiler.
  skipErrorChecking: true,
  // Links would lead to the code of a release, and the repository has no address yet.
  disableSources: true,
  requiredToBeDocumented: ['Class', 'Function', 'Interface', 'TypeAlias', 'Variable'],
  treatWarningsAsErrors: true,
  treatValidationWarningsAsErrors: true,
  validation: { invalidLink: true, notDocumented: true, notExported: true },
  logLevel: 'Warn',
});
const project = await application.convert();
if (project) application.validate(project);
if (!project || application.logger.hasErrors() || application.logger.hasWarnings()) process.exit(1);
await application.generateDocs(project, 'docs/api');
