import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { Reporter, TestModule } from 'vitest/node';

const ROOT = new URL('../../../', import.meta.url);

/** How many files a run names. */
const DEAREST = 10;

interface Run {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** Processor seconds of each file, the dearest first. */
  readonly files: Readonly<Record<string, number>>;
}

function earlier(file: URL): Run | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

/** Prints the dearest test files of a run, and writes the cost of all, which the next run compares, to .cache/cost/. */
export default class CostReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const projects = [...new Set(modules.map(({ project }) => project.name))].sort();
    const costs = modules
      .map((module) => [relative(ROOT.pathname, module.moduleId), module.meta().cost ?? 0] as const)
      .sort(([, one], [, other]) => other - one);
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const count = (state: string) => tests.filter((test) => test.result().state === state).length;
    const broken = modules.filter((module) => module.errors().length > 0).length;
    const run: Run = {
      passed: count('passed'),
      failed: count('failed') + broken,
      skipped: count('skipped') + count('pending'),
      files: Object.fromEntries(costs.map(([name, cost]) => [name, Math.round(cost * 10) / 10])),
    };
    const file = new URL(`.cache/cost/tests-${projects.join('-')}.json`, ROOT);
    const before = earlier(file)?.files ?? {};
    mkdirSync(new URL('.', file), { recursive: true });
    writeFileSync(file, `${JSON.stringify(run, null, 1)}\n`);
    const lines = costs.slice(0, DEAREST).map(([name, cost]) => {
      const change = before[name] === undefined ? '' : ` (${before[name].toFixed(1)} before)`;
      return `${cost.toFixed(1).padStart(8)}  ${name}${change}`;
    });
    const sum = costs.reduce((total, [, cost]) => total + cost, 0);
    process.stdout.write(
      `Dearest test files, in processor seconds (${sum.toFixed(0)} in ${costs.length} files):\n${lines.join('\n')}\n\n`,
    );
  }
}
