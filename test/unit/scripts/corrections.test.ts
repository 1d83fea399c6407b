import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { CORRECTIONS } from '../../../scripts/known-corrections.js';

const textOf = (file: string) => readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8');

describe.each(Object.entries(CORRECTIONS))('the correction %s', (_, { edits, transcripts }) => {
  it('is one edit at the partner, and at most one in the sandbox', () => {
    const [own, ...others] = edits.map(({ file }) => file);
    expect(own).toMatch(/^src\/partners\//);
    expect(others.length).toBeLessThanOrEqual(1);
    for (const file of others) expect(file).toMatch(/^src\/sandbox\/.*(scenarios|merchants)\.ts$/);
  });

  it('has one place', () => {
    expect(edits.map(({ file, from }) => textOf(file).split(from).length - 1)).toEqual(edits.map(() => 1));
  });

  it('has transcripts that quote it', () => {
    expect(transcripts.filter(({ file, from }) => !textOf(file).includes(from))).toEqual([]);
    for (const { file } of transcripts) expect(file).toMatch(/^test\/.+\.ts$/);
  });
});
