/** The package has no types. */
declare module '@bcoe/v8-coverage' {
  import type { Profiler } from 'node:inspector';

  export type ScriptCov = Profiler.ScriptCoverage;
  export function mergeScriptCovs(scripts: readonly ScriptCov[]): ScriptCov | undefined;
}
