import { expect, it } from 'vitest';
import { hasEffect, mergePatch } from '../../../src/messages/objects.js';

it.each<[target: string, patch: string, merged: string]>([
  ['{"a":{"b":1,"c":2}}', '{"a":{"b":null,"d":3}}', '{"a":{"c":2,"d":3}}'],
  ['{"a":1,"b":2}', '{"a":0}', '{"a":0,"b":2}'],
  ['{"a":null}', '{"a":{"b":{"c":1}}}', '{"a":{"b":{"c":1}}}'],
  ['{"a":[1,2]}', '{"a":[3]}', '{"a":[3]}'],
  ['{}', '{"toString":{"x":1},"constructor":{}}', '{"toString":{"x":1},"constructor":{}}'],
  ['{"a":{"hasOwnProperty":"x"}}', '{"a":{"hasOwnProperty":null}}', '{"a":{}}'],
  ['{"a":1}', '{"__proto__":{"b":2}}', '{"a":1,"__proto__":{"b":2}}'],
  ['{"__proto__":{"b":2}}', '{"__proto__":{"c":3}}', '{"__proto__":{"b":2,"c":3}}'],
  ['{"__proto__":{"b":2}}', '{"__proto__":null}', '{}'],
])('%s with the patch %s is %s', (target, patch, merged) => {
  const before = JSON.parse(target);
  expect(JSON.stringify(mergePatch(before, JSON.parse(patch)))).toBe(merged);
  expect(JSON.stringify(before), 'what is patched is left alone').toBe(target);
});

it.each<[patch: string, target: string, does: boolean]>([
  ['{}', '{"a":1}', false],
  ['{"a":{}}', '{"a":{"b":1}}', false],
  ['{"fees":{}}', '{"a":1}', false],
  ['{"fees":{"rates":{}}}', '{"a":1}', false],
  ['{"a":1}', '{"a":1,"b":2}', false],
  ['{"a":{"b":null}}', '{"a":{}}', false],
  ['{"a":{"b":null}}', '{}', false],
  ['{"toString":null}', '{"a":1}', false],
  ['{"a":[1,{"c":2,"d":[]}]}', '{"a":[1,{"d":[],"c":2}]}', false],
  ['{"a":2}', '{"a":1}', true],
  ['{"a":"1"}', '{"a":1}', true],
  ['{"a":false}', '{}', true],
  ['{"a":""}', '{}', true],
  ['{"a":[]}', '{}', true],
  ['{"a":{}}', '{"a":1}', true],
  ['{"a":{}}', '{"a":[]}', true],
  ['{"a":null}', '{"a":0}', true],
  ['{"a":1,"b":2}', '{"a":1,"b":1}', true],
  ['{"a":[1,2]}', '{"a":[2,1]}', true],
  ['{"a":[1]}', '{"a":[1,2]}', true],
  ['{"a":[{"b":1}]}', '{"a":[{"b":1,"c":1}]}', true],
  ['{"a":[{"c":1}]}', '{"a":[{"b":1}]}', true],
  ['{"a":[]}', '{"a":{}}', true],
])('%s changes something in %s: %s', (patch, target, does) => {
  expect(hasEffect(JSON.parse(target), JSON.parse(patch))).toBe(does);
});
