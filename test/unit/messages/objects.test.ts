import { expect, it } from 'vitest';
import { mergePatch } from '../../../src/messages/objects.js';

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
