import { expect, it } from 'vitest';
import { changes, mergePatch } from '../../../src/messages/objects.js';

it.each<[target: string, patch: string, merged: string]>([
  ['{"a":{"b":1,"c":2}}', '{"a":{"b":null,"d":3}}', '{"a":{"c":2,"d":3}}'],
  ['{"a":[1,2]}', '{"a":[3]}', '{"a":[3]}'],
  [
    '{}',
    '{"toString":{"x":1},"constructor":{"name":"y"}}',
    '{"toString":{"x":1},"constructor":{"name":"y"}}',
  ],
  ['{"a":{"hasOwnProperty":"x"}}', '{"a":{"hasOwnProperty":null}}', '{"a":{}}'],
  ['{"a":1}', '{"__proto__":{"b":2}}', '{"a":1,"__proto__":{"b":2}}'],
  ['{"__proto__":{"b":2}}', '{"__proto__":{"c":3}}', '{"__proto__":{"b":2,"c":3}}'],
  ['{"__proto__":{"b":2}}', '{"__proto__":null}', '{}'],
])('%s with the patch %s is %s', (target, patch, merged) => {
  expect(JSON.stringify(mergePatch(JSON.parse(target), JSON.parse(patch)))).toBe(merged);
});

it.each<[patch: string, target: string]>([
  ['{}', '{"a":1}'],
  ['{"a":{}}', '{"a":{"b":1}}'],
  ['{"fees":{}}', '{"a":1}'],
  ['{"fees":{"rates":{}}}', '{"a":1}'],
  ['{"a":1}', '{"a":1,"b":2}'],
  ['{"a":{"b":null}}', '{"a":{}}'],
  ['{"a":{"b":null}}', '{}'],
  ['{"toString":null}', '{"a":1}'],
  ['{"a":[1,{"c":2,"d":[]}]}', '{"a":[1,{"d":[],"c":2}]}'],
])('%s changes nothing in %s', (patch, target) => {
  expect(changes(JSON.parse(target), JSON.parse(patch))).toBe(false);
});

it.each<[patch: string, target: string]>([
  ['{"a":2}', '{"a":1}'],
  ['{"a":"1"}', '{"a":1}'],
  ['{"a":false}', '{}'],
  ['{"a":""}', '{}'],
  ['{"a":[]}', '{}'],
  ['{"a":{}}', '{"a":1}'],
  ['{"a":{}}', '{"a":[]}'],
  ['{"a":null}', '{"a":0}'],
  ['{"a":1,"b":2}', '{"a":1,"b":1}'],
  ['{"a":[1,2]}', '{"a":[2,1]}'],
  ['{"a":[1]}', '{"a":[1,2]}'],
  ['{"a":[{"b":1}]}', '{"a":[{"b":1,"c":1}]}'],
  ['{"a":[{"c":1}]}', '{"a":[{"b":1}]}'],
  ['{"a":[]}', '{"a":{}}'],
])('%s changes something in %s', (patch, target) => {
  expect(changes(JSON.parse(target), JSON.parse(patch))).toBe(true);
});
