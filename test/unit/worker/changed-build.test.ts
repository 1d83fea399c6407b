import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { changed, documentedChange, withoutPatch } from '../../rigs/worker/changed-build.js';

const change = documentedChange();
const current = readFileSync(change.file, 'utf8');

const imports = (source: string) => source.match(/\bpatched\b[^()]*\} from '@temporalio\/workflow'/g) ?? [];
const steps = (source: string) => source.match(/if \(patched\('.*/g) ?? [];

describe('the change that the guide shows', () => {
  it('fits the code, and imports patched() once', () => {
    const source = changed(current, change);
    expect(source).toContain(`    ${change.place}\n    ${change.step}\n`);
    expect(imports(source)).toHaveLength(1);
  });

  it('fits code that already has a patched()', () => {
    const second = { ...change, step: change.step.replace('fees-after-submission', 'second') };
    const source = changed(changed(current, change), second);
    expect(imports(source)).toHaveLength(1);
    expect(source).toContain(`${change.place}\n    ${second.step}\n    ${change.step}\n`);
  });

  it('is the same step for every workflow without its patched()', () => {
    const source = changed(current, withoutPatch(change));
    expect(source).toContain(`    ${change.place}\n    await setFees(boarding);\n`);
    expect(steps(source)).toEqual(steps(current));
    expect(imports(source)).toEqual(imports(current));
  });
});
