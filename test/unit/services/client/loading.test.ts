import { build, type Metafile } from 'esbuild';
import { expect, it } from 'vitest';

/** What an import of a module loads at once: modules of `src`, and packages. What is imported on demand is left out. */
async function loadedBy(entry: string): Promise<{ modules: string[]; packages: string[] }> {
  const { metafile } = await build({
    entryPoints: [entry],
    bundle: true,
    splitting: true,
    packages: 'external',
    outdir: 'never-written',
    platform: 'node',
    format: 'esm',
    write: false,
    metafile: true,
    logLevel: 'silent',
  });
  const [first = ''] = Object.keys(metafile.outputs).filter(
    (path) => metafile.outputs[path]?.entryPoint === entry,
  );
  const outputs = new Set<string>();
  const packages = new Set<string>();
  const context = (path: string): void => {
    if (outputs.has(path)) return;
    outputs.add(path);
    for (const imported of statically(metafile, path)) {
      if (imported.external) packages.add(imported.path);
      else context(imported.path);
    }
  };
  context(first);
  const modules = [...outputs].flatMap((path) => Object.keys(metafile.outputs[path]?.inputs ?? {}));
  return { modules, packages: [...packages] };
}

const statically = ({ outputs }: Metafile, path: string) =>
  (outputs[path]?.imports ?? []).filter(({ kind }) => kind === 'import-statement');

it('an import of the client loads no HTTP client, no catalogue of a partner and no schema of an input', async () => {
  const { modules, packages } = await loadedBy('src/services/client/index.ts');
  expect(modules).toContain('src/services/client/client.ts');
  expect(packages).toContain('@temporalio/client');
  const ofRequests = ['undici', 'otpauth', 'p-limit', '@aws-sdk/client-s3'];
  expect(packages.filter((name) => ofRequests.includes(name))).toEqual([]);
  const schemas = /^src\/(partners\/.*\/|documents\/|messages\/inputs)/;
  expect(modules.filter((path) => schemas.test(path))).toEqual([]);
});
