import { describe, expect, it } from 'vitest';
import { isNestedDeeper, withoutDepth } from '../../../src/partners/json.js';

describe('how deep a JSON value is nested', () => {
  it.each<[string, number]>([
    ['7', 0],
    ['"[[[["', 0],
    ['null', 0],
    ['[]', 1],
    ['{"a":1,"b":"{"}', 1],
    ['[1,[2,{"a":null}],3]', 3],
  ])('%s has %i levels', (json, levels) => {
    expect(isNestedDeeper(JSON.parse(json), levels)).toBe(false);
    expect(levels === 0 || isNestedDeeper(JSON.parse(json), levels - 1)).toBe(true);
  });

  it('is determined for half a million levels', () => {
    expect(isNestedDeeper(JSON.parse('['.repeat(500_000) + ']'.repeat(500_000)))).toBe(true);
  });
});

describe('JSON cut off below a level', () => {
  it.each([
    ['[1,[2,[3]],[4]]', 3, '[1,[2,[3]],[4]]'],
    ['[1,[2,[3]],[4]]', 2, '[1,[2,[]],[4]]'],
    ['[1,[2,[3]],[4]]', 1, '[1,[],[]]'],
    ['{"a":{"b":{"c":1}},"d":"}{"}', 1, '{"a":{},"d":"}{"}'],
    ['{"a\\"{":{"\\\\":["]"]}}', 2, '{"a\\"{":{"\\\\":[]}}'],
    ['7', 0, '7'],
  ])('%s to %i levels', (json, most, kept) => {
    expect(withoutDepth(json, most)).toBe(kept);
  });

  it.each(['[[[', '[1,[2,[3]]', '[[["a]]]', '[[[}}]'])('%s stays unreadable', (json) => {
    expect(() => JSON.parse(withoutDepth(json, 2))).toThrow(SyntaxError);
  });
});
