import { describe, expect, it } from 'vitest';
import { findingsIn, patternsIn } from '../../../scripts/patterns.js';

const matches = ({ source, flags }: RegExp) => findingsIn({ place: 'src/a.ts:1', source, flags });

describe('the check of regular expressions', () => {
  it.each([
    [/profile\s*(?:id)?\s*[:#]?\s*(\d+)/i, 'repeat \\s'],
    [/0+$/, 'repeat 0'],
    [/[;\n]\s*(?=[\w.]+:\s)/, 'repeat \\n'],
    [/^(\w+\s?)*$/, 'exponential'],
  ])('reports %s, which takes longer than its text is long, and what to repeat', (pattern, why) => {
    const [first = ''] = matches(pattern);
    expect(first).toContain(`src/a.ts:1: ${pattern} takes`);
    expect(matches(pattern).join('\n')).toContain(why);
  });

  it.each([/(?<!0)0+$/, /profile\s*(?:id\s*)?(?:[:#]\s*)?(\d+)/i, /^\d{4}-\d{2}$/])(
    'passes %s',
    (pattern) => {
      expect(matches(pattern)).toEqual([]);
    },
  );

  it('reads every literal of a file, in code and in markup', () => {
    const inFolder = patternsIn('src/apps/console/pages').literals.map(({ place }) =>
      place.replace(/:\d+$/, ''),
    );
    expect(inFolder).toContain('src/apps/console/pages/parts.tsx');
    const { literals } = patternsIn('src/apps/codec-server');
    expect(literals.map(({ source }) => source)).toContain('^[\\w+/-]*={0,2}$');
  });
});
